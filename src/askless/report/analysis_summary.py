"""What a study has shown, in a few sentences: for the top of its page and for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from askless.evaluation.analysis import Analysis
from askless.evaluation.arm_means import MISSES
from askless.evaluation.policy_value import BEST, DECISIONS, EVERYTHING
from askless.policies import Effect, SurveyBandit

__all__ = [
    "Words",
    "doubts_of",
    "is_sure",
    "label_of",
    "said_of",
    "surest",
    "telling",
    "why_so_few",
]

NAMED = 3  # effects that a sentence names
RECIPE_FLOOR = 0.1  # benchmarks/publishing.py
RECIPE = (
    "A study that is to publish effects and arm means sets `price: 0` and `explore_floor: 0.1`"
    " (docs/analysing.md)."
)
LISTED = {  # rows of `Analysis.values`, as a table calls them
    DECISIONS: "all decisions",
    BEST: "decisions, less the best single arm for all",
    EVERYTHING: "decisions, less asking everything",
}


class Estimated(Protocol):
    """A figure with an interval, or without either."""

    @property
    def estimate(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Words:
    """Figures as they are shown: with as many digits as the reward range needs.

    Parameters
    ----------
    span : float
        Of the rewards.

    Examples
    --------
    >>> Words(100).signed(3.14159), Words(1).plain(0.61803), Words(100).ends(-2, 5)
    ('+3.1', '0.618', '-2.0 to 5.0')
    """

    def __init__(self, span: float) -> None:
        self.digits = max(0, 3 - math.floor(math.log10(span)))

    def plain(self, value: float | None) -> str:
        """Show a figure; nothing where there is none."""
        if value is None:
            return ""
        return f"{round(value, self.digits) + 0.0:,.{self.digits}f}"  # no -0

    def signed(self, value: float | None) -> str:
        """Show a difference."""
        if value is None:
            return ""
        return f"{round(value, self.digits) + 0.0:+,.{self.digits}f}"

    def ends(self, low: float | None, high: float | None) -> str:
        """Show an interval; nothing where there is none."""
        return "" if low is None or high is None else f"{self.plain(low)} to {self.plain(high)}"

    def of(self, row: Estimated) -> str:
        """Show a figure and its interval in a sentence."""
        return f"{self.plain(row.estimate)} ({self.ends(row.low, row.high)})"


def is_sure(effect: Effect) -> bool:
    """Say whether an effect is not zero, by its interval at the end; without one, at all times."""
    low, high = effect.end_low, effect.end_high
    if low is None or high is None:
        low, high = effect.low, effect.high
    if effect.estimate is None or low is None or high is None:
        return False
    return low > 0 or high < 0


def label_of(effect: Effect) -> str:
    """Name the question and its two answers."""
    return f"{effect.question}: {effect.answers}" if effect.answers else effect.question


def surest(effects: Sequence[Effect], most: int) -> list[Effect]:
    """Return the effects that are furthest from zero beside their intervals.

    Those without an interval at the end come last.
    """
    known = [effect for effect in effects if effect.estimate is not None]
    return sorted(known, key=lambda row: (row.end_low is None, -_sureness(row)))[:most]


def _sureness(effect: Effect) -> float:
    """Return the estimate beside its interval's half-width; one end may be cut to the range."""
    low, high, estimate = effect.end_low, effect.end_high, effect.estimate or 0.0
    if low is None or high is None:
        low, high = effect.low, effect.high
    if low is None or high is None:
        return 0.0
    slack = max(high - estimate, estimate - low)
    return abs(estimate) / slack if slack > 0 else math.inf


def telling(analysis: Analysis) -> list[Effect]:
    """Return the effects with an interval that is less than all that rewards allow."""
    span = analysis.study.reward.span
    return [
        row
        for row in analysis.effects
        if row.estimate is not None
        if row.end_low is not None or (row.low, row.high) != (-span, span)
    ]


def said_of(analysis: Analysis) -> list[str]:
    """Say what the study has shown, most important first."""
    words = Words(analysis.study.reward.span)
    return [
        _of_people(analysis),
        _of_decisions(analysis, words),
        _of_arms(analysis, words),
        _of_effects(analysis, words),
    ]


def _of_people(analysis: Analysis) -> str:
    first, last = analysis.stretches[0], analysis.stretches[-1]
    asked = sum(row.asked * (row.last - row.first + 1) for row in analysis.stretches)
    questions = len(analysis.study.survey)
    return (
        f"{analysis.visits:,} people got one of {len(analysis.study.arms)} arms, and"
        f" {analysis.rewarded:,} rewards have come. They were asked {first.asked:.1f} of"
        f" {questions} questions at the start, {last.asked:.1f} at the end and"
        f" {asked / analysis.visits:.1f} on average."
    )


def _of_decisions(analysis: Analysis, words: Words) -> str:
    values = {row.what: row for row in analysis.values}
    decisions, best = values.get(DECISIONS), values.get(BEST)
    if decisions is None or decisions.estimate is None:
        return "What the decisions brought nobody can say: no visit has a reward."
    said = f"The decisions brought {words.of(decisions)} a visit, with an interval of 95%"
    if best is None or best.estimate is None:
        return f"{said}."
    return (
        f"{said}; that is {words.signed(best.estimate)} ({words.ends(best.low, best.high)})"
        " beside the best single arm for all."
    )


def _of_arms(analysis: Analysis, words: Words) -> str:
    """Name the best single arm, by what all arms have a figure from; say if it may be another."""
    for by in ("model", "draws"):
        rows = [row for row in analysis.arm_means if row.by == by]
        if not rows or any(row.estimate is None for row in rows):
            continue
        best = max(rows, key=lambda row: row.estimate or 0.0)
        gaps = [
            (row.low if row.arm == best.arm else -row.high)
            for row in analysis.contrasts
            if row.by == by and best.arm in (row.arm, row.other)
            if row.low is not None and row.high is not None
        ]
        sure = len(gaps) == len(rows) - 1 and min(gaps) > 0
        said = f"Of all arms given to everybody, {best.arm} would bring most, {words.of(best)}"
        others = "each other arm less by its interval" if sure else "but another may bring as much"
        return f"{said} by {'the ' if by == 'model' else ''}{by}; {others}."
    means = {row.arm: row for row in reversed(analysis.arm_means) if row.estimate is not None}
    lacking = [arm.name for arm in analysis.study.arms if arm.name not in means]
    if lacking:
        whose = f"the arm{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}"
        return f"Which single arm is best for all cannot be said: there is no mean of {whose}."
    best = max(means.values(), key=lambda row: row.estimate or 0.0)
    return (
        f"Of all arms given to everybody, {best.arm} would bring most, {words.of(best)}; but means"
        " of others were found in another way, and one may bring as much."
    )


def _of_effects(analysis: Analysis, words: Words) -> str:
    known = [effect for effect in analysis.effects if effect.estimate is not None]
    if not known:
        return "Of no effect of an answer on an arm's reward is there an estimate."
    judged = [row for row in known if row.end_low is not None] if analysis.in_epochs else known
    when = " at the end" if analysis.in_epochs else ""
    if not judged:
        return f"None of {len(known):,} effects of answers has an interval{when}."
    sure = surest([effect for effect in judged if is_sure(effect)], len(judged))
    of = f"{len(judged):,} effects of answers that have an interval{when}"
    if not sure:
        return f"None of {of} is other than zero by it."
    named = "; ".join(
        f"{row.arm}, {label_of(row)}: {words.signed(row.estimate)}" for row in sure[:NAMED]
    )
    more = f"; and {len(sure) - NAMED:,} more" if len(sure) > NAMED else ""
    return (
        f"{len(sure):,} of {of} {'is' if len(sure) == 1 else 'are'} other than zero by it (at most"
        f" {math.ceil(MISSES * len(judged)):,} by chance, if none were), the surest first:"
        f" {named}{more}."
    )


def doubts_of(analysis: Analysis) -> list[str]:
    """Say what puts the figures in doubt."""
    empty = [effect for effect in analysis.effects if effect.low is None]
    if not empty:
        return []
    named = ", ".join(dict.fromkeys(f"{row.arm} and {row.question}" for row in empty[:NAMED]))
    return [
        f"The intervals at all times of {len(empty)} effects are empty ({named}"
        f"{', …' if len(empty) > NAMED else ''}): what their epochs say cannot all be true, so"
        " an assumption at the end of this page is probably wrong."
    ]


def why_so_few(analysis: Analysis) -> str:
    """Say why effects or arm means are missing, and what another study would do; empty if none."""
    by_model = [row for row in analysis.arm_means if row.by == "model"]
    unknown = [effect for effect in analysis.effects if effect.estimate is None]
    if not analysis.effects:
        return f"{analysis.policy.name} keeps no model of an arm, so it knows no effects."
    if not unknown and all(row.estimate is not None for row in by_model):
        return ""
    short, full = analysis.kinds.get("short", 0), analysis.visits - analysis.kinds.get("short", 0)
    if short:
        said = (
            "Estimates come from epochs: blocks of visits in which everything in use was asked."
            f" {full:,} of {analysis.visits:,} visits were such ones; the others were short."
        )
    else:
        said = (
            "Estimates come from epochs: blocks of an arm's visits. Where an arm has too few of"
            " them, or people with certain answers never got it, there is no estimate."
        )
    policy = analysis.policy
    if isinstance(policy, SurveyBandit) and (
        policy.price or policy.settings.explore_floor < RECIPE_FLOOR
    ):
        return f"{said} {RECIPE}"
    return f"{said} More people bring more of them."

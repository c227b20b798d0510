"""What a study has shown, in a few sentences: for the top of its page and for the terminal."""

from __future__ import annotations

import math

from askless.evaluation.analysis import Analysis
from askless.evaluation.arm_means import MISSES
from askless.evaluation.policy_value import BEST, DECISIONS, EVERYTHING, FULL
from askless.evaluation.sureness import is_sure, surest
from askless.policies import Effect, SurveyBandit
from askless.policies.effects import IMPOSSIBLE
from askless.report.analysis_words import Words, counted

__all__ = [
    "doubts_of",
    "intervals_of",
    "label_of",
    "said_of",
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
    FULL: "full visits, by all answers",
    BEST: "decisions, less the best single arm for all",
    EVERYTHING: "decisions, less asking everything",
}


def label_of(effect: Effect) -> str:
    """Name the question and its two answers."""
    return f"{effect.question}: {effect.answers}"


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
    questions, arms = len(analysis.study.survey), len(analysis.study.arms)
    return (
        f"{counted(analysis.visits, 'person', 'people')} got"
        f" {'the only arm' if arms == 1 else f'one of {arms} arms'}, and"
        f" {counted(analysis.rewarded, 'reward has', 'rewards have')} come."
        f" {'They were' if analysis.visits > 1 else 'That one was'} asked {first.asked:.1f} of"
        f" {counted(questions, 'question', 'questions')} at the start, {last.asked:.1f} at the end"
        f" and {asked / analysis.visits:.1f} on average."
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
        if len(rows) == 1:
            return f"The only arm, {best.arm}, would bring everybody {words.of(best)}."
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
    if lacking and len(analysis.study.arms) == 1:
        return f"What the only arm, {lacking[0]}, would bring everybody cannot be said."
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
    when = " at the end" if analysis.in_epochs else ""
    judged = [row for row in known if (row.end_low if analysis.in_epochs else row.low) is not None]
    if not judged:
        of = "The only effect" if len(known) == 1 else f"None of {len(known):,} effects"
        why = f": {analysis.without_sets}" if analysis.without_sets else ""
        has = "has no interval" if len(known) == 1 else "has an interval"
        return f"{of} of answers {has}{when}{why}."
    sure = surest([effect for effect in judged if is_sure(effect)], len(judged))
    of = f"{len(judged):,} effects of answers that have an interval{when}"
    if not sure and len(judged) == 1:
        return f"The only effect of answers that has an interval{when} may be zero by it."
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
    empty = [effect for effect in analysis.effects if effect.why == IMPOSSIBLE]
    if not empty:
        return []
    named = ", ".join(dict.fromkeys(f"{row.arm} and {row.question}" for row in empty[:NAMED]))
    whose = counted(len(empty), "effect", "effects")
    return [
        f"The intervals at all times of {whose} are empty ({named}"
        f"{', …' if len(empty) > NAMED else ''}): what the epochs say cannot all be true, so an"
        " assumption at the end of this page is probably wrong."
    ]


def intervals_of(analysis: Analysis) -> str:
    """Say what the intervals of effects promise, or why there are none."""
    if analysis.without_sets:
        return f"There are estimates and no intervals: {analysis.without_sets}."
    each = "misses in at most 5% of studies, by itself: of twenty, up to one may."
    if not analysis.in_epochs:
        return (
            "The interval *at all times* is that of the arm's confidence set. It holds however"
            f" often anyone has looked, and {each}"
        )
    return (
        "The interval *at the end* holds for a study that is looked at once, when it is over; the"
        f" one *at all times* however often anyone has looked. Each {each}"
    )


def why_so_few(analysis: Analysis) -> str:
    """Say why effects or arm means are missing, and what another study would do; empty if none."""
    by_model = [row for row in analysis.arm_means if row.by == "model"]
    unknown = [effect for effect in analysis.effects if effect.estimate is None]
    if not analysis.effects:
        return f"{analysis.policy.name} keeps no model of an arm, so it knows no effects."
    if not analysis.in_epochs:
        return (
            f"{analysis.policy.name} has no intervals at the end and no arm means by the model;"
            " survey-bandit has."
        )
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

"""What a plan advises, in words, and what its reader should mind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from askless.evaluation.outcomes import DELTA, PLANNED

if TYPE_CHECKING:
    from askless.evaluation.plan import Forecast, Plan

__all__ = ["advice_of", "warnings_of"]


def advice_of(plan: Plan) -> list[str]:
    """Return the advice in two sentences, for the largest number of respondents."""
    beta_min, people = plan.beta_min, plan.respondents[-1]
    now, gone = plan.forecast(beta_min, people), plan.shortening(beta_min)
    m, arms = len(plan.study.survey), len(plan.study.arms)
    if _nothing_to_drop(plan):
        return [
            "There is nothing to drop: in most plausible worlds every question that could go"
            " matters, is asked of everyone, or is answered alike by all.",
            "Ask everything, or say in the section plan of the study what you think is not needed.",
        ]
    if not plan.shortens(now):
        rows = f"{gone.rows_at_least:,.0f} to {gone.rows_by_sigma:,.0f} rows by the formula"
        return [
            f"You cannot shorten this survey with {people:,} respondents and a beta_min of"
            f" {beta_min:g}: ask everything (LinUCB).",
            f"An arm needs {rows}, and more for its tests to come round, and the {arms} arms"
            " share the respondents: come with more of them, or with a larger beta_min if"
            " smaller effects are not worth a question.",
        ]
    asks = (
        f"a visit asks {now.questions.middle:.1f} of {m} questions on average (90%:"
        f" {now.questions.low:.1f} to {now.questions.high:.1f})"
    )
    when = f"half of the unneeded ones are gone after {_visits(gone.half.middle, people)}"
    return [
        f"With {people:,} respondents and a beta_min of {beta_min:g}, {asks}, and {when}.",
        f"{_compared(plan, now)}, and the chance of losing a question that matters is"
        f" {_percent(now.losing.middle)} (90%: {_percent(now.losing.low)} to"
        f" {_percent(now.losing.high)}).",
    ]


def _compared(plan: Plan, now: Forecast) -> str:
    more, full = now.over_full.middle, plan.forecast(None, now.respondents).reward.middle
    digits = plan.reward_digits
    how = f"{abs(more):,.{digits}f} a visit {'more' if more > 0 else 'less'} than"
    if abs(more) < 0.005 * plan.study.reward.span:
        how = "about the same as"
    where = f"in the median world; LinUCB: {full:,.{digits}f}"
    return f"The reward is {how} by asking everything ({where})"


def _nothing_to_drop(plan: Plan) -> bool:
    return bool(np.median(plan.unneeded) == 0)


def warnings_of(plan: Plan) -> list[str]:
    """Return what a reader should know before trusting the plan."""
    return [
        *_of_policy(plan),
        *(w for people in plan.respondents for w in _of_size(plan, people)),
        *_of_beta_min(plan),
    ]


def _of_policy(plan: Plan) -> Iterator[str]:
    settings, ours = plan.study.settings, plan.study.policy == "survey-bandit"
    if ours and settings.get("price") != 0:
        yield (
            "The plan is of SurveyBandit with price 0, without short forms: what they save comes on"
            " top, and is not forecast."
        )
    elif not (plan.study.policy in PLANNED and settings.get("interactive", ours)):
        yield (
            "The plan is of SurveyBandit with price 0, Epoch SurveyUCB with interactive surveys,"
            " which is not what the study's section policy says."
        )
    if plan.alike:
        yield (
            f"To {', '.join(plan.alike)} there are answers that nobody gives: such questions"
            " cannot be judged, nor dropped."
        )


def _of_size(plan: Plan, people: int) -> Iterator[str]:
    now = plan.forecast(plan.beta_min, people)
    if _nothing_to_drop(plan):
        pass
    elif not plan.shortens(now):
        yield (
            f"{people:,} respondents are too few to drop anything in most worlds with a"
            f" beta_min of {plan.beta_min:g}."
        )
    elif not plan.is_shorter(now):
        yield (
            f"With {people:,} respondents questions go too late to save much: a visit still"
            f" asks {now.questions.middle:.1f} of {len(plan.study.survey)} on average."
        )
    gain, full = now.over_single.middle, plan.forecast(None, people).over_single.middle
    digits = plan.reward_digits
    if 0 < gain < full / 2:
        yield (
            f"With {people:,} respondents, of the {full:,.{digits}f} a visit that personal"
            f" decisions bring over one arm for all if everything is asked, {gain:,.{digits}f}"
            " remain."
        )
    if gain <= 0:
        yield (
            f"With {people:,} respondents personal decisions do not pay yet: in most worlds the"
            " best single arm for all would bring as much."
        )


def _of_beta_min(plan: Plan) -> Iterator[str]:
    allowed = 2 * float(plan.study.settings.get("delta") or DELTA)
    now = plan.forecast(plan.beta_min, plan.respondents[-1])
    if now.losing.middle > allowed:
        yield (
            f"A beta_min of {plan.beta_min:g} loses a question that matters in"
            f" {_percent(now.losing.middle)} of the worlds: it is above effects that are"
            " plausible; take a smaller one."
        )
    twice = plan.doubled(plan.beta_min)
    if twice is not None:
        yield (
            f"Twice that beta_min ({2 * plan.beta_min:g}) would ask"
            f" {twice.questions.middle:.1f} questions a visit fewer, cost"
            f" {max(twice.regret.middle, 0):,.{plan.reward_digits}f} of reward a visit (90%: up"
            f" to {twice.regret.high:,.{plan.reward_digits}f}), and lose a question that"
            f" matters in {_percent(twice.losing.middle)} of the worlds."
        )


def _visits(number: float, most: int) -> str:
    return f"{number:,.0f} visits" if math.isfinite(number) else f"more than {most:,} visits"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share == 0 or share >= 0.01 else f"{100 * share:.1f}%"

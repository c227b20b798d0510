"""A plan's verdict in words, and what its reader should mind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from askless.evaluation.sense import doubts_of
from askless.evaluation.verdict import SURELY, errors_of
from askless.evaluation.ways import FULL, SINGLE, takes_over

if TYPE_CHECKING:
    from askless.evaluation.plan import Plan

__all__ = ["DELTA", "advice_of", "percent", "warnings_of"]

DELTA = 0.05  # the policies' default
ALIKE = 0.0005  # of the reward range: what a sentence need not mention


def advice_of(plan: Plan) -> list[str]:
    """Return the verdict in words: what to do, what that brings, whether it is close."""
    verdict = plan.verdict
    said = {
        "shorten": _shorten,
        "everything": _everything,
        "one arm": _one_arm,
        "more people": _more_people,
    }[verdict.kind](plan)
    if verdict.is_close:
        said.append("It is a close call: other worlds of this kind could have said otherwise.")
    return said


def _shorten(plan: Plan) -> list[str]:
    verdict = plan.verdict
    now = plan.forecast(verdict.way.label, verdict.respondents)
    own = verdict.way == plan.own
    return [
        f"Shorten the survey{'' if own else ', with another setting'}: with"
        f" `{verdict.way.setting}` {verdict.respondents:,} people are asked"
        f" {now.questions.middle:.1f} of {len(plan.study.survey)} questions a visit on average"
        f" ({now.questions.low:.1f} to {now.questions.high:.1f} in 9 of 10 worlds).",
        f"{_compared(plan, verdict.way.label)}{_lost(plan, verdict.way.label)}",
        *_better(plan),
    ]


def _better(plan: Plan) -> Iterator[str]:
    """Say which other setting of ours nets more, surely, than the one of the verdict."""
    verdict = plan.verdict
    ours = [way for way in plan.ways if way.ours]
    nets = {way.label: plan.figures(way.label, verdict.respondents).net for way in ours}
    best = max(ours, key=lambda way: float(nets[way.label].mean()))
    more = nets[best.label] - nets[verdict.way.label]
    if errors_of(more) > SURELY and more.mean() >= ALIKE * plan.study.reward.span:
        yield (
            f"Of the settings that were tried, `{best.setting}` nets most:"
            f" {more.mean():,.{plan.reward_digits}f} more a person."
        )


def _everything(plan: Plan) -> list[str]:
    verdict = plan.verdict
    more = (
        ""
        if verdict.people is None
        else f", and more than {verdict.people:,} people would be needed for that to change"
    )
    return [
        f"Ask everything: with {verdict.respondents:,} people a shorter survey does not pay{more}.",
        _compared(plan, plan.own.label),
    ]


def _more_people(plan: Plan) -> list[str]:
    verdict = plan.verdict
    return [
        f"Come with about {verdict.people:,} people: then the survey can be shortened with"
        f" `{plan.own.setting}`; with {verdict.respondents:,}, ask everything.",
        _compared(plan, plan.own.label),
    ]


def _one_arm(plan: Plan) -> list[str]:
    verdict = plan.verdict
    people, digits = verdict.respondents, plan.reward_digits
    best = max(
        (plan.forecast(way.label, people).net.middle, way.label)
        for way in plan.ways
        if way.label != SINGLE
    )
    single = plan.forecast(SINGLE, people).net.middle
    return [
        f"Send one arm to all: with {people:,} people, what answers tell is worth less than it"
        " costs to ask and to learn.",
        f"Test the arms with a fifth of the people, and send the best one to the rest: that brings"
        f" {single:,.{digits}f} a person in the median world, and the best of the other ways"
        f" ({best[1]}) {best[0]:,.{digits}f} net.",
    ]


def _compared(plan: Plan, label: str) -> str:
    """Say how a way's reward and net compare with those of asking everything, world by world."""
    people, span, digits = plan.respondents[-1], plan.study.reward.span, plan.reward_digits
    own, full = plan.figures(label, people), plan.figures(FULL, people)
    reward, net = float((own.reward - full.reward).mean()), float((own.net - full.net).mean())
    if abs(reward) < ALIKE * span:
        first = "the reward a visit is the same as by asking everything"
    else:
        more = "more" if reward > 0 else "less"
        first = f"the reward a visit is {abs(reward):,.{digits}f} {more} than by asking everything"
    what = "counting those who give up" if plan.dropout else "net of the price of asking"
    more = "more" if net > 0 else "less"
    return (
        f"World by world, on average: {first}; {what}, it is {abs(net):,.{digits}f} {more} a"
        " person."
    )


def _lost(plan: Plan, label: str) -> str:
    losing = plan.forecast(label, plan.respondents[-1]).losing
    if losing.middle == 0:
        return f" In none of {plan.worlds} worlds was a question dropped for good that matters."
    return (
        f" In {percent(losing.middle)} of the worlds a question that matters was dropped for good"
        f" (90%: {percent(losing.low)} to {percent(losing.high)})."
    )


def warnings_of(plan: Plan) -> list[str]:
    """Return what a reader should know before trusting the plan."""
    return [
        *_of_policy(plan),
        *doubts_of(plan.study),
        *_of_effects(plan),
        *_of_price(plan),
    ]


def _of_policy(plan: Plan) -> Iterator[str]:
    if not takes_over(plan.study):
        yield (
            "The plan is of SurveyBandit, with the study's beta_min and delta, and not of the"
            f" policy that the study names ({plan.study.policy})."
        )


def _of_effects(plan: Plan) -> Iterator[str]:
    beta_min = float(plan.study.settings.get("beta_min") or 0.0)
    allowed = 2 * float(plan.study.settings.get("delta") or DELTA)
    losing = plan.forecast(plan.own.label, plan.respondents[-1]).losing
    if losing.middle > allowed:
        yield (
            f"A beta_min of {beta_min:g} loses a question that matters in"
            f" {percent(losing.middle)} of the worlds: it is above effects that are plausible;"
            " take a smaller one."
        )
    if np.median(plan.useful) == len(plan.study.survey):
        yield "In most plausible worlds every question matters: there is nothing to leave out."


def _of_price(plan: Plan) -> Iterator[str]:
    if plan.dropout:
        lost = plan.dropout * plan.forecast(FULL, plan.respondents[-1]).reward.middle
        if not 0.5 * lost <= plan.price <= 2 * lost:
            yield (
                f"A question that loses {percent(plan.dropout)} of the people costs about"
                f" {lost:.3g} a visit, and the price is {plan.price:.3g}: think of `price:"
                f" {lost:.2g}`."
            )


def percent(share: float) -> str:
    """Show a share in per cent."""
    return f"{100 * share:.0f}%" if share == 0 or share >= 0.01 else f"{100 * share:.1f}%"

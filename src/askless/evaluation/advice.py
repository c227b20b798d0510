"""A plan's verdict in words, and what its reader should mind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from askless.evaluation.sense import doubts_of
from askless.evaluation.verdict import ALIKE, SAME, Judged
from askless.evaluation.ways import FULL, SINGLE, Way, plain, takes_over
from askless.policies.shared_settings import default_delta

if TYPE_CHECKING:
    from askless.evaluation.plan import Plan

__all__ = ["advice_of", "percent", "warnings_of"]

MANY = 0.5  # of the worlds: worth a word


def advice_of(plan: Plan) -> list[str]:
    """Return the verdict in words: what to do, what that brings, whether it is close."""
    verdict = plan.verdict
    said = {
        "shorten": _shorten,
        "everything": _everything,
        "one arm": _one_arm,
        "more people": _more_people,
    }[verdict.kind](plan)
    if verdict.close_to is not None:
        rival = _called(verdict.close_to, plan.judged(verdict.respondents), plan)
        said.append(
            f"It is a close call with {rival}: other worlds of this kind could have said that."
        )
    return [*said, *_with_fewer(plan)]


def _called(kind: str, found: Judged, plan: Plan) -> str:
    """Name what a verdict is close to."""
    return {
        "shorten": f"shortening with `{plan.way(found.nearest).setting}`",
        "everything": "asking everything",
        "one arm": "one arm for all",
        "more people": "another number of people",
    }[kind]


def _with_fewer(plan: Plan) -> Iterator[str]:
    """Say what to do with the smaller numbers of people."""
    parts = []
    for people in plan.respondents[:-1]:
        found = plan.judged(people)
        do = {
            "shorten": f"shorten with `{plan.way(found.nearest).setting}`",
            "everything": "ask everything",
            "one arm": "send one arm to all",
        }[found.kind]
        close = found.close_to and f" (a close call with {_called(found.close_to, found, plan)})"
        parts.append(f"with {people:,} people {do}{close or ''}")
    if parts:
        said = "; ".join(parts)
        yield f"{said[0].upper()}{said[1:]}."


def _shorten(plan: Plan) -> list[str]:
    verdict = plan.verdict
    now = plan.forecast(verdict.way.label, verdict.respondents)
    own = verdict.way == plan.own
    return [
        f"Shorten the survey{'' if own else ', with another setting'}: with"
        f" `{verdict.way.setting}` {verdict.respondents:,} people are asked"
        f" {now.questions.middle:.1f} of {len(plan.study.survey)} questions a visit on average"
        f" ({now.questions.low:.1f} to {now.questions.high:.1f} in 9 of 10 worlds).",
        f"{_compared(plan, verdict.way)}{_as_good_as(plan)}{_lost(plan, verdict.way.label)}",
        *_of_setting(plan, verdict.way),
    ]


def _of_setting(plan: Plan, way: Way) -> Iterator[str]:
    """Say what a setting leaves as it is, and whether others might be better still."""
    if way != plan.own and not plan.dropout:
        yield (
            f"The setting says how short to be; net counts a question at {plan.price:.3g} in every"
            " way."
        )
    key = way.setting.partition(":")[0]
    policies = [one.policy or {} for one in plan.ways if one.ours]
    tried = [float(policy[key]) for policy in policies if key in policy]
    own = float((way.policy or {})[key])
    edge = "largest" if own == max(tried) else "smallest" if own == min(tried) else ""
    if not edge or len(tried) == 1:
        return
    if key == "questions":
        yield f"It is the {edge} budget that was tried: set it in the study file to plan around it."
        return
    further = [own * times for times in ((2, 4) if edge == "largest" else (0.5, 0.25))]
    further = [price for price in further if price <= plan.study.reward.span]
    try_also = f": `--price {','.join(plain(price, 3) for price in further)}` tries further"
    yield f"It is the {edge} price that was tried{try_also if further else ''}."


def _as_good_as(plan: Plan) -> str:
    """Say why a shorter survey is advised that nets a little less."""
    way, people = plan.verdict.way.label, plan.verdict.respondents
    less = (plan.figures(FULL, people).net - plan.figures(way, people).net).mean()
    if less < ALIKE * plan.study.reward.span:
        return ""
    return f" That is within {SAME:.1%} of the reward range, which counts as the same."


def _everything(plan: Plan) -> list[str]:
    verdict = plan.verdict
    more = (
        ""
        if verdict.people is None
        else f", and more than {verdict.people:,} people would be needed for that to change"
    )
    return [
        f"Ask everything: with {verdict.respondents:,} people a shorter survey does not pay{more}.",
        _compared(plan, _nearest(plan)),
    ]


def _more_people(plan: Plan) -> list[str]:
    verdict = plan.verdict
    return [
        f"Come with about {verdict.people:,} people: then the survey can be shortened with"
        f" `{verdict.way.setting}`; with {verdict.respondents:,}, ask everything.",
        _compared(plan, verdict.way),
    ]


def _one_arm(plan: Plan) -> list[str]:
    people, digits = plan.verdict.respondents, plan.reward_digits
    nets = {way.label: plan.forecast(way.label, people).net.middle for way in plan.ways}
    single = nets.pop(SINGLE)
    compared = [way.label for way in plan.ways if way.ours or way.label == FULL]  # maths 11
    best = max(compared, key=nets.__getitem__)
    pilot = max(nets.keys() - compared, key=nets.__getitem__)
    return [
        f"Send one arm to all: with {people:,} people, what answers tell is worth less than it"
        " costs to ask and to learn.",
        f"Test the arms with a fifth of the people, and send the best one to the rest: that brings"
        f" {single:,.{digits}f} a person in the median world, and asking everything or shortening"
        f" (at best {best}) {nets[best]:,.{digits}f} net.",
        *([_of_pilot(plan, pilot)] if nets[pilot] > single else []),
    ]


def _of_pilot(plan: Plan, label: str) -> str:
    """Say that a pilot nets more than what is advised, and what it risks."""
    now = plan.forecast(label, plan.verdict.respondents)
    return (
        f"A {label} nets {now.net.middle:,.{plan.reward_digits}f}, which is more: it tests with"
        " fewer people, once. In"
        f" {percent(now.losing.middle)} of the worlds it drops a question that matters."
    )


def _nearest(plan: Plan) -> Way:
    return plan.way(plan.judged(plan.respondents[-1]).nearest)


def _compared(plan: Plan, way: Way) -> str:
    """Say how a way's reward and net compare with those of asking everything, world by world."""
    people, span, digits = plan.respondents[-1], plan.study.reward.span, plan.reward_digits
    own, full = plan.figures(way.label, people), plan.figures(FULL, people)
    reward, net = float((own.reward - full.reward).mean()), float((own.net - full.net).mean())
    if abs(reward) < ALIKE * span:
        first = "the reward a visit is the same as by asking everything"
    else:
        more = "more" if reward > 0 else "less"
        first = f"the reward a visit is {abs(reward):,.{digits}f} {more} than by asking everything"
    what = "counting those who give up" if plan.dropout else "net of the price of asking"
    more = "more" if net > 0 else "less"
    second = "it is the same" if abs(net) < ALIKE * span else f"it is {abs(net):,.{digits}f} {more}"
    said = f"With `{way.setting}` and {people:,} people, world by world and on average, {first}"
    free = not plan.dropout and plan.price == 0
    return f"{said}." if free else f"{said}; {what}, {second} a person."


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
        *_of_window(plan),
        *_of_effects(plan),
        *_of_price(plan),
    ]


def _of_policy(plan: Plan) -> Iterator[str]:
    if not takes_over(plan.study):
        yield (
            "The plan is of SurveyBandit, with the study's beta_min and delta, and not of the"
            f" policy that the study names ({plan.study.policy})."
        )


def _of_window(plan: Plan) -> Iterator[str]:
    if plan.study.window is not None:
        yield (
            "Rewards are taken to come at once; where people come faster than rewards (within"
            f" {plan.study.window}), the study learns later than this plan, and asks more"
            " meanwhile."
        )


def _of_effects(plan: Plan) -> Iterator[str]:
    beta_min = float(plan.study.settings.get("beta_min") or 0.0)
    allowed = 2 * float(plan.study.settings.get("delta") or default_delta(plan.study.survey))
    losing = plan.forecast(plan.own.label, plan.respondents[-1]).losing
    if losing.middle > allowed:
        yield (
            f"A beta_min of {beta_min:g} loses a question that matters in"
            f" {percent(losing.middle)} of the worlds: it is above effects that are plausible;"
            " take a smaller one."
        )
    if plan.squeezed > MANY * plan.worlds:
        yield (
            f"{percent(plan.squeezed / plan.worlds)} of the worlds fit into the reward range with"
            " the smallest effects alone: useful, effect, gap and noise do not go together; state"
            " ranges that do."
        )
    if np.median(plan.useful) == len(plan.study.survey):
        yield "In most plausible worlds every question matters: there is nothing to leave out."


def _of_price(plan: Plan) -> Iterator[str]:
    budget = plan.study.settings.get("questions") if takes_over(plan.study) else None
    if plan.dropout:
        costs = [question.cost for question in plan.study.survey]  # a price is of a cost of 1
        lost = plan.dropout * plan.forecast(FULL, plan.respondents[-1]).reward.middle
        lost /= sum(costs) / len(costs)
        tried = [(way.policy or {}).get("price", 0.0) for way in plan.ways if way.ours]
        if not any(0.5 * lost <= price <= 2 * lost for price in tried):
            said = f"`price: {plain(lost, 2)}`"
            yield (
                f"A question that loses {percent(plan.dropout)} of the people costs about"
                f" {plain(lost, 2)} a visit"
                + (
                    f", and the price is {plain(plan.price, 3)}: think of {said}."
                    if budget is None
                    else f": think of {said} in the place of `questions`."
                )
            )
    if budget is not None:
        cost = plan.forecast(plan.own.label, plan.respondents[-1]).cost.middle
        if cost > 1.1 * float(budget):
            yield (
                f"The budget of {budget:g} is not kept with {plan.respondents[-1]:,} people: visits"
                f" weigh {cost:.1f} on average, since the first ones are asked everything."
            )


def percent(share: float) -> str:
    """Show a share in per cent."""
    return f"{100 * share:.0f}%" if share == 0 or share >= 0.1 else f"{100 * share:.2g}%"

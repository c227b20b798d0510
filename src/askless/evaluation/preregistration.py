"""A paragraph for a pre-registration, filled in by a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askless.evaluation.advice import percent
from askless.evaluation.outcomes import TESTED
from askless.evaluation.ways import FULL
from askless.policies.shared_settings import EXPLORE, default_delta
from askless.policies.survey_bandit import FULL_FLOOR

if TYPE_CHECKING:
    from askless.evaluation.plan import Plan
    from askless.evaluation.ways import Way

__all__ = ["preregistration_of"]


def preregistration_of(plan: Plan) -> str:
    """Return a paragraph for a pre-registration of what the verdict says to do."""
    verdict = plan.verdict
    people = verdict.people if verdict.kind == "more people" else verdict.respondents
    rule = {
        "shorten": _ours,
        "more people": _ours,
        "everything": _everything,
        "one arm": _one_arm,
    }[verdict.kind](plan)
    return " ".join([f"We plan for {people:,} participants{_leaving(plan)}.", *rule, *_late(plan)])


def _arms(plan: Plan) -> str:
    arms = plan.study.arms
    return f"{len(arms)} arms ({', '.join(arm.name for arm in arms)})"


def _restricted(plan: Plan) -> list[str]:
    """Say who may get which arm, as the study file has it."""
    ruled = [arm for arm in plan.study.arms if arm.eligible_if is not None]
    if not ruled:
        return []
    rules = "; ".join(f"{arm.name} if {arm.eligible_if}" for arm in ruled)
    return [
        f"Some arms are only for people whose answers satisfy a rule: {rules}. The questions of"
        f" these rules ({', '.join(plan.needed)}) are asked of everyone first."
    ]


def _all(plan: Plan) -> str:
    """Say among which arms is drawn."""
    limited = plan.prior.eligible or any(arm.eligible_if for arm in plan.study.arms)
    return "all that the person may get" if limited else "all"


def _rewards(plan: Plan) -> str:
    return f"rewards ({plan.study.reward.low:g} to {plan.study.reward.high:g})"


def _ours(plan: Plan) -> list[str]:
    way = plan.verdict.way
    own: dict[str, Any] = way.policy or {}
    beta_min = own.get("beta_min", 0.0)
    delta = own.get("delta") or default_delta(plan.study.survey)
    floor = own.get("explore_floor", 0.0)
    at_least = f" or {floor:g}, whichever is larger" if floor else ""
    said = [
        f"Each is assigned one of {_arms(plan)} by SurveyBandit (askless), an adaptive rule that"
        f" learns from {_rewards(plan)} which arm suits whom and which of"
        f" {len(plan.study.survey)} questions need not be asked (beta_min {beta_min:g}, delta"
        f" {delta:g}, {way.setting}).",
        *_restricted(plan),
        "A random draw decides for each participant whether all questions that are still in use"
        f" are asked (never less often than in {percent(own.get('full_floor', FULL_FLOOR))} of the"
        " visits) or a short form; among the former, where the two would assign different arms, a"
        " coin decides between these arms in half of the cases; and in the t-th visit, with a"
        f" probability of {own.get('explore', EXPLORE):g}/t^(1/3){at_least}, the arm is drawn"
        f" evenly from {_all(plan)}. All probabilities of assignment are recorded.",
    ]
    if plan.verdict.kind == "shorten":
        said.append(_expected(plan, way))
    return said


def _expected(plan: Plan, way: Way) -> str:
    now = plan.forecast(way.label, plan.verdict.respondents)
    at_once = "" if plan.study.window is None else ", in which rewards come at once"
    return (
        f"In {plan.worlds} simulated studies under stated assumptions{at_once}, a participant is"
        f" asked {now.questions.middle:.1f} questions on average ({now.questions.low:.1f} to"
        f" {now.questions.high:.1f} in 9 of 10), and a question that matters was dropped for good"
        f" in {percent(now.losing.middle)} of the studies (90% confidence interval"
        f" {percent(now.losing.low)} to {percent(now.losing.high)})."
    )


def _everything(plan: Plan) -> list[str]:
    delta = (plan.way(FULL).policy or {}).get("delta") or default_delta(plan.study.survey)
    return [
        f"Each answers all {len(plan.study.survey)} questions and is assigned one of {_arms(plan)}"
        f" by LinUCB with the width of the measured noise (askless, policy: linucb, width: noise,"
        f" delta {delta:g}), an adaptive rule that learns from {_rewards(plan)} which arm suits"
        " whom.",
        *_restricted(plan),
        "Given the answers and the rewards so far, the assignment is not random.",
    ]


def _one_arm(plan: Plan) -> list[str]:
    rules = _restricted(plan)
    among = "" if _all(plan) == "all" else ", each time among those that the person may get"
    return [
        *rules,
        f"No{' other' * bool(rules)} questions are asked. The first {TESTED:.0%} are assigned"
        f" {_arms(plan)} in turn; all others get the arm whose mean of {_rewards(plan)} was highest"
        f" among these{among}.",
    ]


def _leaving(plan: Plan) -> str:
    if not plan.dropout:
        return ""
    return f" who start; we expect {percent(plan.dropout)} of them to give up at each question"


def _late(plan: Plan) -> list[str]:
    study = plan.study
    if study.window is None:
        return []
    silent = "is not learned from" if study.silence is None else f"is taken to be {study.silence:g}"
    return [f"A reward that has not come within {study.window} {silent}."]

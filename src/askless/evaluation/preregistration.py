"""A paragraph for a pre-registration, filled in by a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from askless.evaluation.advice import DELTA, percent

if TYPE_CHECKING:
    from askless.evaluation.plan import Plan

__all__ = ["preregistration_of"]


def preregistration_of(plan: Plan) -> str:
    """Return a paragraph for a pre-registration, filled in."""
    study, way, verdict = plan.study, plan.own, plan.verdict
    now = plan.forecast(way.label, verdict.respondents)
    floor = (way.policy or {}).get("full_floor", 0.02)
    delta = study.settings.get("delta") or DELTA
    return (
        f"We plan for {verdict.respondents:,} participants. Each is assigned one of"
        f" {len(study.arms)} arms ({', '.join(arm.name for arm in study.arms)}) by SurveyBandit"
        f" (askless), an adaptive rule that learns from rewards ({study.reward.low:g} to"
        f" {study.reward.high:g}) which arm suits whom and which of {len(study.survey)} questions"
        f" need not be asked (beta_min {study.settings.get('beta_min', 0):g}, delta {delta:g},"
        f" {way.setting}). A random draw decides for each participant whether all questions that"
        f" are still in use are asked (never less often than in {floor:.0%} of the visits) or a"
        " short form; among the former, where the two would assign different arms, a coin decides"
        " between these arms in half of the cases. All probabilities of assignment are recorded."
        f" In {plan.worlds} simulated studies under stated assumptions, a participant is asked"
        f" {now.questions.middle:.1f} questions on average ({now.questions.low:.1f} to"
        f" {now.questions.high:.1f} in 9 of 10), and a question that matters by more than beta_min"
        f" was dropped for good in {percent(now.losing.middle)} of the studies."
    )

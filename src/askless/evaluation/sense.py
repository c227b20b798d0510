"""What in a study file makes no sense together, though each part of it is in order."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

from askless.environments import Prior
from askless.environments.prior import at_most
from askless.evaluation.ways import takes_over
from askless.policies import policy_for
from askless.survey import Study

__all__ = ["doubts_of"]


def doubts_of(study: Study) -> list[str]:
    """Return what its author may not have meant, a sentence each.

    Examples
    --------
    >>> import askless as al
    >>> doubts_of(al.Study.example())
    []
    """
    parts = _of_survey, _of_reward, _of_policy, _of_budget, _of_plan
    return [doubt for part in parts for doubt in part(study)]


def _of_policy(study: Study) -> Iterator[str]:
    """Go through what the policy warns of when it is made."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        policy_for(study)
    for warning in caught:
        said = str(warning.message)
        yield f"policy: {said}{'' if said.endswith('?') else '.'}"


def _of_survey(study: Study) -> Iterator[str]:
    if len(study.arms) == 1:
        yield "arms: there is one, so there is nothing to decide."
    if study.survey.asked_of_everyone.all():
        yield "questions: every one is asked of everyone (always_ask), so none can be left out."


def _of_reward(study: Study) -> Iterator[str]:
    if study.window is not None and study.silence is None:
        nothing = min(max(0.0, study.reward.low), study.reward.high)
        yield (
            f"reward: there is no silence, so a visit whose reward has not come within"
            f" {study.window} teaches nothing; where only a yes is reported every reward would be"
            f" the same: then say silence: {nothing:g}."
        )


def _of_budget(study: Study) -> Iterator[str]:
    budget = study.settings.get("questions") if takes_over(study) else None
    whole = sum(question.cost for question in study.survey)
    if budget is not None and budget >= whole:
        yield (
            f"policy.questions is {budget:g}, and all questions together weigh {whole:g}: it"
            " is always kept, at the lowest price that is tried."
        )


def _of_plan(study: Study) -> Iterator[str]:
    skips = study.plan.get("skips")
    skippable = [question.name for question in study.survey if question.may_skip]
    if isinstance(skips, Mapping):
        for name in skips:
            if name not in skippable:
                yield f"plan.skips has {name}, which may not be skipped (may_skip)."
    elif skips and not skippable:
        yield f"plan.skips is {skips:g}, and no question may be skipped (may_skip)."
    beta_min = float(study.settings.get("beta_min") or 0.0)
    if "effect" in study.plan:
        yield from _of_largest(Prior.of(study))
    if beta_min:
        low, high = Prior.of(study).effect
        what = "plan.effect" if "effect" in study.plan else "by default the effect"
        if high < beta_min:
            yield (
                f"{what} is at most {high:g}, below beta_min ({beta_min:g}): every question may be"
                " dropped, whatever it is worth."
            )
        elif low < beta_min:
            yield (
                f"{what} begins at {low:g}, below beta_min ({beta_min:g}): questions with effects"
                " between them may be dropped."
            )


def _of_largest(prior: Prior) -> Iterator[str]:
    """Say that an effect is stated for which no world has room, whatever else is drawn."""
    low, high = prior.effect
    if high > prior.room:
        ends, most = f"from {prior.reward.low:g} to {prior.reward.high:g}", at_most(prior.room)
        yield (
            f"plan.effect goes up to {high:g}, and where rewards go {ends} there is room for {most}"
            f" at most: smaller ones are played in their place; say [{low:g}, {most}] or less."
        )

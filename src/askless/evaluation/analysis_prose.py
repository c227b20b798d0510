"""What an analysis rests on, and how it was made: sentences with the study's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from askless.policies import SurveyBandit
from askless.policies.linear_ucb import LinearUCB
from askless.simulation.simulate import describe

if TYPE_CHECKING:
    from askless.evaluation.analysis import Analysis

__all__ = ["assumptions", "methods"]


def assumptions(analysis: Analysis) -> list[str]:
    """Say what the figures rest on, in sentences."""
    reward = analysis.study.reward
    said = [
        "An arm's expected reward is linear in the coded answers, and rewards lie in the stated"
        f" range ({reward.low:g} to {reward.high:g}).",
        "Which arm a visit got was settled by answers, by draws, and by rewards of earlier"
        " visits, as the rebuilt study shows.",
    ]
    if analysis.in_epochs:
        said[-1] = (
            "Which arm a visit got was settled by answers, by draws, and by rewards of finished"
            " blocks of visits, as the rebuilt study shows; nobody acted on rewards of a block"
            " under way, and the study did not end because of them."
        )
        said.append(
            "Intervals at the end take sums over an epoch's rewards for normal; those at all times"
            " and those of the decisions' value do not."
        )
    if analysis.drops:
        beta_min = getattr(analysis.policy, "beta_min", 0.0)
        said.append(
            f"Questions were dropped. If some of their effects, below beta_min = {beta_min:g},"
            " are not zero, other effects of that arm carry a part of them from then on, and"
            " arm means mix both."
        )
    if analysis.kinds.get("short"):
        said.append(
            "Full visits are a random sample of the people, each weighted by one over the"
            " probability of being full in the state in which it was decided; effects and arm"
            " means come from them alone."
        )
    missing = analysis.visits - analysis.rewarded
    if missing:
        said.append(
            f"{missing:,} of {analysis.visits:,} visits have no reward; they are left out, as if"
            " rewards were missing whatever they would have been."
        )
    return said


def methods(analysis: Analysis) -> str:
    """Return a paragraph for a paper's section on methods, with this study's numbers."""
    parts = [_of_people(analysis)]
    if any(row.epochs for row in analysis.effects):
        parts.append(
            "Effects of answers were estimated once, at the end, by batched least squares over"
            " epochs within which an arm's model was frozen (Zhang, Janson and Murphy 2020). How"
            " many epochs an arm gets depends on its own rewards, so their sum is one that was"
            " stopped by the data; intervals therefore use Pocock's constant for at most 15 looks"
            " (2.63 for 95%), although effects are looked at once. Intervals at all times are by"
            " e-processes (Ville's inequality)."
        )
    if analysis.kinds.get("short"):
        full = analysis.visits - analysis.kinds["short"]
        floor = _setting(analysis, "full_floor")
        least = f", never fewer than {100 * floor:g}% (full_floor)" if floor else ""
        parts.append(
            f"{full:,} participants, a random sample with known probabilities{least}, were asked"
            " everything that was still in use; effects and arm means come from them."
        )
    if any(row.by == "model" and row.estimate is not None for row in analysis.arm_means):
        parts.append(
            "Arm means combine epoch estimates with the mean answers; differences of arms use"
            " the sum of both standard errors (2.88 for 95%)."
        )
    if any(row.by == "draws" and row.estimate is not None for row in analysis.arm_means):
        floor = _setting(analysis, "explore_floor")
        drawn = f" for {100 * floor:g}% of the visits or more (explore_floor)" if floor else ""
        parts.append(
            f"Arms were drawn evenly from all{drawn}, with known probabilities; arm means by draws"
            " are doubly robust: inverse propensities, corrected by the models that decided."
            if isinstance(analysis.policy, LinearUCB)
            else "Arms were drawn with known probabilities; arm means by draws are doubly robust:"
            " inverse propensities, corrected by what was expected."
        )
    parts.append(
        "The mean reward of the decisions has an empirical Bernstein interval, which holds"
        " whatever the law of rewards."
    )
    return " ".join(parts)


def _of_people(analysis: Analysis) -> str:
    policy, study = analysis.policy, analysis.study
    settings = []
    if isinstance(policy, LinearUCB):
        settings.append(f"beta_min {policy.beta_min:g}, delta {policy.delta:g}")
    if isinstance(policy, SurveyBandit):
        settings.append(f"price {policy.price:.3g} a question" if policy.price else "price 0")
    seed = _setting(analysis, "seed")
    if seed is not None:
        settings.append(f"draws by seed {seed:g}")
    asked = sum(row.asked * (row.last - row.first + 1) for row in analysis.stretches)
    return (
        f"{analysis.visits:,} participants were assigned one of {len(study.arms)} arms"
        f" ({', '.join(arm.name for arm in study.arms)}) by {type(policy).__name__} (askless"
        f"{'; ' + ', '.join(settings) if settings else ''}), an adaptive rule that learns from"
        f" rewards ({study.reward.low:g} to {study.reward.high:g}) which arm suits whom"
        f" and which of {len(study.survey)} questions need not be asked. They were asked"
        f" {asked / analysis.visits:.1f} questions on average; {analysis.rewarded:,} rewards were"
        " observed."
    )


def _setting(analysis: Analysis, name: str) -> float | None:
    """Return a setting of the policy; None where it has none of that name."""
    value = describe(analysis.policy).get(name)
    return value if isinstance(value, int | float) else None

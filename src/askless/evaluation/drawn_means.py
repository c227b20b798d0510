"""Arm means by draws: inverse propensities with a doubly robust correction (maths 10.3)."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from askless.evaluation.arm_means import MISSES, ArmMean, Contrast, cut
from askless.evaluation.history import History
from askless.kernels.bundles import Floats
from askless.policies import Policy

__all__ = ["drawn_means"]

LEAST_EFFECTIVE = 30.0  # decisions: with fewer nothing makes their mean normal
NEVER = 1e-12  # a chance that makes draws worth nothing


class Scores(NamedTuple):
    """Doubly robust scores of the visits whose arm was drawn (maths 10.3)."""

    values: Floats  # (n, K)
    weights: Floats  # (n)
    chances: Floats  # (n, K)

    def effective(self, k: int) -> float:
        """Return as how many visits that all get arm k these can be expected to be worth.

        By propensities, not by what was drawn: without a rare draw weights look even.
        """
        return float(self.weights.sum() ** 2 / (self.weights**2 / self.chances[:, k]).sum())


def _scores(history: History, policy: Policy) -> Scores | str:
    """Return scores of full visits, or why there are none; every arm must have had a chance."""
    rows, weights, propensities, closed = [], [], [], 0
    for visit in history.full:
        chances = visit.record.propensities or {}
        reward = history.rewards.get(visit.record.number)
        own = np.array([chances.get(arm, 0.0) for arm in policy.arms])
        closed += set(visit.record.eligible) != set(policy.arms)
        if reward is None:
            continue
        if not own.min() > 0:
            own = np.maximum(own, NEVER)
        hit = np.array([arm == visit.record.arm for arm in policy.arms]) / own
        rows.append(visit.expected + hit * (reward - visit.expected))
        propensities.append(own)
        weights.append(1.0 / visit.chance)
    if closed:
        return f"{closed:,} of {len(history.full):,} people could not get every arm"
    if not rows:
        return "no full visit has a reward"
    return Scores(np.array(rows), np.array(weights), np.array(propensities))


def drawn_means(
    history: History, policy: Policy, misses: float = MISSES
) -> tuple[list[ArmMean], list[Contrast]]:
    """Return means and differences from full visits whose arm was drawn, without the model."""
    scores = _scores(history, policy)
    if isinstance(scores, str):
        return (
            [ArmMean(arm, "draws", None, None, None, why=scores) for arm in policy.arms],
            [
                Contrast(*two, "draws", None, None, None, scores)
                for two in combinations(policy.arms, 2)
            ],
        )
    found = [
        ArmMean(arm, "draws", **_drawn(scores, policy, (k,), misses))
        for k, arm in enumerate(policy.arms)
    ]
    pairs = [
        Contrast(
            *(policy.arms[j], policy.arms[k], "draws"),
            **_drawn(scores, policy, (j, k), misses),
        )
        for j, k in combinations(range(len(policy.arms)), 2)
    ]
    return found, pairs


def _drawn(scores: Scores, policy: Policy, arms: tuple[int, ...], misses: float) -> dict[str, Any]:
    """Return the mean of scores of one arm, or of the differences of two, cut to the range."""
    rarest = min(arms, key=scores.effective)
    if scores.effective(rarest) < LEAST_EFFECTIVE:
        why = (
            f"draws of {policy.arms[rarest]} are worth {scores.effective(rarest):.1f} decisions,"
            f" {LEAST_EFFECTIVE:.0f} are the fewest; `explore_floor: 0.1` draws more"
        )
        return {"estimate": None, "low": None, "high": None, "why": why}
    terms = scores.values[:, arms[0]]
    if len(arms) > 1:
        terms = terms - scores.values[:, arms[1]]
    weights = scores.weights / scores.weights.sum()
    estimate = float(weights @ terms)
    slack = float(norm.isf(misses / 2)) * float(np.linalg.norm(weights * (terms - estimate)))
    reward = policy.reward
    ends = (reward.low, reward.high) if len(arms) == 1 else (-reward.span, reward.span)
    return cut(estimate, slack, *ends)

"""Arm means by draws: inverse propensities with a doubly robust correction (maths 10.4)."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from askless.evaluation.arm_means import NORMAL, ArmMean, Contrast
from askless.evaluation.history import History
from askless.kernels.bundles import Floats
from askless.policies import Policy

__all__ = ["drawn_means"]

LEAST_EFFECTIVE = 30.0  # decisions: with fewer nothing makes their mean normal


class Scores(NamedTuple):
    """Doubly robust scores of the visits whose arm was drawn (maths 10.4)."""

    values: Floats  # (n, K)
    weights: Floats  # (n)
    chances: Floats  # (n, K)

    def effective(self, k: int) -> float:
        """Return as how many visits that all get arm k these can be expected to be worth.

        By propensities, not by what was drawn: without a rare draw weights look even.
        """
        return float(self.weights.sum() ** 2 / (self.weights**2 / self.chances[:, k]).sum())


def _scores(history: History, policy: Policy) -> Scores | None:
    """Return scores of full visits in which every arm had a chance; None if there are none."""
    rows, weights, propensities = [], [], []
    for visit in history.full:
        chances = visit.record.propensities or {}
        if set(chances) != set(policy.arms) or min(chances.values()) <= 0:
            continue
        reward = history.rewards.get(visit.record.number)
        if reward is None or np.isnan(visit.expected).any():
            continue
        own = np.array([chances[arm] for arm in policy.arms])
        hit = np.array([arm == visit.record.arm for arm in policy.arms]) / own
        rows.append(visit.expected + hit * (reward - visit.expected))
        propensities.append(own)
        # The rarer the rarest arm, the less a visit counts: variances settle (Hadad et al. 2021).
        weights.append(math.sqrt(own.min()) / visit.chance)
    if not rows:
        return None
    return Scores(np.array(rows), np.array(weights), np.array(propensities))


def drawn_means(history: History, policy: Policy) -> tuple[list[ArmMean], list[Contrast]]:
    """Return means and differences from full visits whose arm was drawn, without the model."""
    scores = _scores(history, policy)
    if scores is None:
        why = "no full visit with a reward had a chance of every arm"
        return (
            [ArmMean(arm, "draws", None, None, None, why=why) for arm in policy.arms],
            [
                Contrast(*pair, "draws", None, None, None, why)
                for pair in combinations(policy.arms, 2)
            ],
        )
    effective = [scores.effective(k) for k in range(len(policy.arms))]
    found = []
    for k, arm in enumerate(policy.arms):
        found.append(ArmMean(arm, "draws", **_drawn(scores, scores.values[:, k], effective[k])))
    pairs = [
        Contrast(
            policy.arms[j],
            policy.arms[k],
            "draws",
            **_drawn(
                scores, scores.values[:, j] - scores.values[:, k], min(effective[j], effective[k])
            ),
        )
        for j, k in combinations(range(len(policy.arms)), 2)
    ]
    return found, pairs


def _drawn(scores: Scores, terms: Floats, effective: float) -> dict[str, Any]:
    if effective < LEAST_EFFECTIVE:
        why = (
            f"its draws are worth {effective:.0f} decisions, {LEAST_EFFECTIVE:.0f} are the fewest;"
            " `explore_floor` draws more"
        )
        return {"estimate": None, "low": None, "high": None, "why": why}
    weights = scores.weights / scores.weights.sum()
    estimate = float(weights @ terms)
    error = NORMAL * math.sqrt(
        float((weights * (terms - estimate)) @ (weights * (terms - estimate)))
    )
    return {"estimate": estimate, "low": estimate - error, "high": estimate + error}

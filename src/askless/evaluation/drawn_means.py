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
    found = [
        ArmMean(arm, "draws", **_drawn(scores, policy, scores.values[:, k], (k,)))
        for k, arm in enumerate(policy.arms)
    ]
    pairs = [
        Contrast(
            *(policy.arms[j], policy.arms[k], "draws"),
            **_drawn(scores, policy, scores.values[:, j] - scores.values[:, k], (j, k)),
        )
        for j, k in combinations(range(len(policy.arms)), 2)
    ]
    return found, pairs


def _drawn(scores: Scores, policy: Policy, terms: Floats, arms: tuple[int, ...]) -> dict[str, Any]:
    """Return the mean of scores of one arm, or of the differences of two, cut to the range."""
    rarest = min(arms, key=scores.effective)
    if scores.effective(rarest) < LEAST_EFFECTIVE:
        why = (
            f"draws of {policy.arms[rarest]} are worth {scores.effective(rarest):.1f} decisions,"
            f" {LEAST_EFFECTIVE:.0f} are the fewest; `explore_floor` draws more"
        )
        return {"estimate": None, "low": None, "high": None, "why": why}
    weights = scores.weights / scores.weights.sum()
    estimate = float(weights @ terms)
    slack = NORMAL * float(np.linalg.norm(weights * (terms - estimate)))
    reward = policy.reward
    ends = (reward.low, reward.high) if len(arms) == 1 else (-reward.span, reward.span)
    low, high = max(estimate - slack, ends[0]), min(estimate + slack, ends[1])
    return {"estimate": min(max(estimate, ends[0]), ends[1]), "low": low, "high": high}

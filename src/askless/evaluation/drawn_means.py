"""Arm means by draws: inverse propensities with a doubly robust correction (maths 10.3)."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.core.special import ndtri
from askless.evaluation.arm_means import MISSES, ArmMean, Contrast, cut
from askless.evaluation.history import History
from askless.policies import EpochSurveyUCB, Policy

__all__ = ["drawn_means"]

LEAST_EFFECTIVE = 30.0  # decisions: with fewer nothing makes their mean normal
RARE = 15.0  # times as many as the kurtosis of the rewards: so many of a rare kind must be expected
NEVER = 1e-12  # a chance that makes draws worth nothing


class Scores(NamedTuple):
    """Doubly robust scores of the visits whose arm was drawn (maths 10.3)."""

    values: Floats  # (n, K)
    weights: Floats  # (n)
    chances: Floats  # (n, K)
    played: Ints  # (K) how many of them got each arm
    errors: Floats  # (n) by how much the arm that was played brought more than expected, in ranges

    def unseen(self, k: int) -> float:
        """Return the variance of arm k's mean that rewards bring which may just not have come.

        In ranges; such as come less often than once in the visits that got the arm.
        """
        shares = self.weights / self.weights.sum()
        return float((shares**2 / self.chances[:, k]).sum() / (self.played[k] + 1))

    def fewest(self) -> float:
        """Return how many decisions they must be worth: more, the rarer rewards are.

        By the kurtosis of the errors, one as large as the range added, lest none has come yet.
        """
        count = len(self.errors) + 1
        squares = (float((self.errors**2).sum()) + 1.0) / count
        fourths = (float((self.errors**4).sum()) + 1.0) / count
        return max(LEAST_EFFECTIVE, RARE * fourths / squares**2)

    def effective(self, k: int) -> float:
        """Return as how many visits that all get arm k these can be expected to be worth.

        By propensities, not by what was drawn: without a rare draw weights look even.
        """
        return float(self.weights.sum() ** 2 / (self.weights**2 / self.chances[:, k]).sum())


def _scores(history: History, policy: Policy) -> Scores | str:
    """Return scores of full visits, or why there are none; every arm must have had a chance."""
    rows, weights, propensities, errors, closed = [], [], [], [], 0
    played = np.zeros(len(policy.arms), dtype=np.int64)
    for visit in history.full:
        chances = visit.record.propensities or {}
        reward = history.rewards.get(visit.record.number)
        own = np.array([chances.get(arm, 0.0) for arm in policy.arms])
        closed += set(visit.record.eligible) != set(policy.arms)
        if reward is None:
            continue
        if not own.min() > 0:
            own = np.maximum(own, NEVER)
        got = np.array([arm == visit.record.arm for arm in policy.arms])
        hit = got / own
        played += got
        errors.append((reward - float(visit.expected[got].sum())) / policy.reward.span)
        rows.append(visit.expected + hit * (reward - visit.expected))
        propensities.append(own)
        weights.append(1.0 / visit.chance)
    if closed:
        return f"{closed:,} of {len(history.full):,} people could not get every arm"
    if not rows:
        return "no full visit has a reward"
    return Scores(
        np.array(rows), np.array(weights), np.array(propensities), played, np.array(errors)
    )


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
    worth, fewest = scores.effective(rarest), scores.fewest()
    if worth < fewest:
        rare = " where rewards are this rare" if fewest > LEAST_EFFECTIVE else ""
        why = (
            f"draws of {policy.arms[rarest]} are worth {worth:.1f} decisions, {fewest:,.0f} are the"
            f" fewest{rare}"
        )
        if isinstance(policy, EpochSurveyUCB):
            why += "; `explore_floor: 0.1` draws more"
        return {"estimate": None, "low": None, "high": None, "why": why}
    terms = scores.values[:, arms[0]]
    if len(arms) > 1:
        terms = terms - scores.values[:, arms[1]]
    weights = scores.weights / scores.weights.sum()
    estimate = float(weights @ terms)
    reward, unseen = policy.reward, math.sqrt(sum(scores.unseen(k) for k in arms))
    spread = float(np.linalg.norm(weights * (terms - estimate)))
    slack = -float(ndtri(misses / 2)) * math.hypot(spread, reward.span * unseen)
    ends = (reward.low, reward.high) if len(arms) == 1 else (-reward.span, reward.span)
    return cut(estimate, slack, *ends)

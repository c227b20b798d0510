"""The mean reward if everyone got one arm, and the difference of two arms (maths 10.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from askless.evaluation.history import Block, FullVisit, History
from askless.evaluation.pocock import pocock
from askless.kernels import signed_effects
from askless.kernels.bundles import Floats
from askless.kernels.epochs import COUNTED, ESTIMATES, ROOTS, SQUARES, SUMS
from askless.policies import Policy

__all__ = ["ArmMean", "ArmModel", "Contrast", "arm_models", "contrasts", "means"]

MISSES = 0.05
NORMAL = float(norm.isf(MISSES / 2))
SINGULAR, BIASED = 1e-11, 1e-6  # as in the epochs' own tests (maths 5.2)


@dataclass(frozen=True)
class ArmMean:
    """What everyone would have brought with one arm, in reward units.

    Attributes
    ----------
    arm : str
        Its name.
    by : {"model", "draws"}
        From the arm's epochs and the mean answers of full visits; or by inverse propensities with
        a doubly robust correction, from full visits whose arm was drawn.
    estimate, low, high : float or None
        With its interval of 95%; None where there is none.
    epochs : int
        From how many epochs it comes.
    why : str
        Why there is none.
    """

    arm: str
    by: str
    estimate: float | None
    low: float | None
    high: float | None
    epochs: int = 0
    why: str = ""


@dataclass(frozen=True)
class Contrast:
    """By how much one arm's mean is above another's, in reward units; as `ArmMean`."""

    arm: str
    other: str
    by: str
    estimate: float | None
    low: float | None
    high: float | None
    why: str = ""


class ArmModel(NamedTuple):
    """What an arm's epochs say of its mean, in units of the range, from its middle."""

    estimate: float
    error: float  # standard error from the epochs
    epochs: int
    slopes: Floats  # (p) the arm's last model, for what the mean answers leave open
    why: str


def mean_context(full: Sequence[FullVisit], p: int) -> Floats:
    """Return the mean context of the people, question by question, over who was asked it."""
    contexts = np.array([visit.context for visit in full]).reshape(-1, p)
    weights = np.array([1.0 / visit.chance for visit in full])
    known = ~np.isnan(contexts)
    totals = weights @ known
    mean = weights @ np.nan_to_num(contexts) / np.where(totals > 0, totals, 1.0)
    return np.where(totals > 0, mean, np.nan)


def arm_models(history: History, policy: Policy) -> list[ArmModel]:
    """Return what the epochs of each arm say of its mean."""
    centre = mean_context(history.full, policy.survey.column_count)
    return [_arm_model(blocks, centre) for blocks in history.blocks]


def _arm_model(blocks: Sequence[Block], centre: Floats) -> ArmModel:
    sums, slopes = np.zeros(SUMS), np.zeros(len(centre))
    for block in blocks:
        slopes = np.zeros(len(centre))
        slopes[block.columns] = block.estimate
        if not block.warm:
            _add(block, centre[block.columns], sums)
    if sums[COUNTED]:
        root = float(sums[ROOTS])
        error = math.sqrt(sums[SQUARES]) / root
        return ArmModel(float(sums[ESTIMATES]) / root, error, int(sums[COUNTED]), slopes, "")
    why = "no epoch carries it"
    if not blocks:
        why = "the arm was not played in full visits, or has no epochs"
    elif all(block.warm for block in blocks):
        why = "the arm was in warm-up to the end"
    return ArmModel(math.nan, math.nan, 0, slopes, why)


def _add(block: Block, direction: Floats, sums: Floats) -> None:
    """Add what an epoch says of a direction on its columns (maths 10.2)."""
    rows, ys = np.array(block.contexts), np.array(block.rewards)
    values, vectors = np.linalg.eigh(rows.T @ rows)
    kept = values > SINGULAR * values[-1]
    x = vectors[:, kept] @ ((vectors[:, kept].T @ direction) / values[kept])
    bias = np.abs(rows.T @ (rows @ x) - direction).max()
    if len(ys) < 1.5 * kept.sum() + 5.0 or not bias <= BIASED:
        return
    levers = rows @ x
    errors = (ys - block.predictions()) ** 2
    signed_effects.add_at_the_end(
        float(levers @ ys),
        float(levers @ levers),
        float(levers**2 @ errors),
        float(np.abs(levers).max()),
        sums,
    )


def _of_answers(full: Sequence[FullVisit], slopes: Floats) -> float:
    """Return the squared standard error of a linear model's mean because people are a sample."""
    used = slopes != 0
    used[0] = False
    rows = np.array([visit.context for visit in full])
    known = ~np.isnan(rows[:, used]).any(axis=1)
    weights = np.array([1.0 / visit.chance for visit in full])[known]
    if not used.any() or len(weights) < 2:
        return 0.0
    means = rows[known][:, used] @ slopes[used]
    centred = means - weights @ means / weights.sum()
    return float((weights * centred) @ (weights * centred)) / float(weights.sum()) ** 2


def means(
    history: History, policy: Policy, models: Sequence[ArmModel], misses: float = MISSES
) -> list[ArmMean]:
    """Return the mean of every arm by its model."""
    found = []
    for arm, model in zip(policy.arms, models, strict=True):
        if not model.epochs:
            found.append(ArmMean(arm, "model", None, None, None, why=model.why))
            continue
        slack = math.hypot(
            pocock(misses, signed_effects.MOST_COUNTED) * model.error,
            float(norm.isf(misses / 2)) * math.sqrt(_of_answers(history.full, model.slopes)),
        )
        ends = (model.estimate, model.estimate - slack, model.estimate + slack)
        middle, low, high = (
            policy.reward.middle + policy.reward.span * min(max(end, -0.5), 0.5) for end in ends
        )
        found.append(ArmMean(arm, "model", middle, low, high, epochs=model.epochs))
    return found


def contrasts(history: History, policy: Policy, models: Sequence[ArmModel]) -> list[Contrast]:
    """Return the difference of every two arms by their models."""
    constant = pocock(MISSES / 2, signed_effects.MOST_COUNTED)
    found = []
    for (j, one), (k, other) in combinations(enumerate(models), 2):
        names = policy.arms[j], policy.arms[k]
        if not (one.epochs and other.epochs):
            lacking = names[1] if one.epochs else names[0]
            found.append(
                Contrast(*names, "model", None, None, None, f"{lacking}: {one.why or other.why}")
            )
            continue
        slack = math.hypot(
            constant * (one.error + other.error),
            NORMAL * math.sqrt(_of_answers(history.full, one.slopes - other.slopes)),
        )
        gap, span = one.estimate - other.estimate, policy.reward.span
        middle, low, high = (
            span * min(max(end, -1.0), 1.0) for end in (gap, gap - slack, gap + slack)
        )
        found.append(Contrast(*names, "model", middle, low, high))
    return found

"""The mean reward if everyone got one arm, and the difference of two arms (maths 10.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from askless.core import add_at_the_end
from askless.core.arrays import Floats, Ints
from askless.core.special import ndtri
from askless.core.words import COUNTED, ESTIMATES, MOST_COUNTED, ROOTS, SQUARES, SUMS, Columns
from askless.evaluation.history import Block, FullVisit, History
from askless.evaluation.pocock import pocock
from askless.policies import Policy
from askless.policies.effects import IMPOSSIBLE

__all__ = ["ArmMean", "ArmModel", "Contrast", "arm_models", "contrasts", "means"]

MISSES = 0.05
FEWEST_PEOPLE = 50  # of whom mean answers may be those of everybody
NO_BLOCKS = "the arm was not played in full visits, or has no epochs"
WARM = "the arm was in warm-up to the end"
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


def asked_until(full: Sequence[FullVisit], columns: Columns) -> Ints:
    """Return for each question before which full visit everybody was asked it who could be.

    Later on, who was asked depended on other answers, so that those who were are no random sample.
    (Up to there they are one but for terms of second order, as few would not have been asked.)
    """
    until = np.full(len(columns.first), len(full), dtype=np.int64)
    for i, visit in enumerate(full):
        unasked = visit.used & np.isnan(visit.context[columns.first])
        until[unasked] = np.minimum(until[unasked], i)
    return until


def mean_context(full: Sequence[FullVisit], columns: Columns) -> Floats:
    """Return the mean context of the people, question by question, over who was asked it."""
    p = len(columns.low)
    contexts = np.array([visit.context for visit in full]).reshape(-1, p)
    weights = np.array([1.0 / visit.chance for visit in full])
    known = ~np.isnan(contexts)
    for first, width, until in zip(
        columns.first, columns.width, asked_until(full, columns), strict=True
    ):
        known[until:, first : first + width] = False
    totals = weights @ known
    mean = weights @ np.where(known, contexts, 0.0) / np.where(totals > 0, totals, 1.0)
    return np.where(known.sum(axis=0) >= FEWEST_PEOPLE, mean, np.nan)


def arm_models(history: History, policy: Policy) -> list[ArmModel]:
    """Return what the epochs of each arm say of its mean."""
    centre = mean_context(history.full, policy.survey.columns)
    return [_arm_model(blocks, centre) for blocks in history.blocks]


def _arm_model(blocks: Sequence[Block], centre: Floats) -> ArmModel:
    sums, slopes = np.zeros(SUMS), np.zeros(len(centre))
    unknown = False
    for block in blocks:
        slopes = np.zeros(len(centre))
        slopes[block.columns] = block.estimate
        if np.isnan(centre[block.columns]).any():
            unknown = True
        elif not block.warm:
            _add(block, centre[block.columns], sums)
    if sums[COUNTED]:
        root = float(sums[ROOTS])
        error = math.sqrt(sums[SQUARES]) / root
        return ArmModel(float(sums[ESTIMATES]) / root, error, int(sums[COUNTED]), slopes, "")
    why = "no epoch carries it"
    if not blocks:
        why = NO_BLOCKS
    elif all(block.warm for block in blocks):
        why = WARM
    elif unknown:
        why = (
            f"a question that it uses was asked of all of the first {FEWEST_PEOPLE} full visits no"
            " more: who is asked it depends on other answers"
        )
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
    variance, seen = float(levers @ levers), block.before + len(ys)
    errors = (ys - block.predictions()) ** 2
    usual = block.noise * (1.0 + rows.shape[1] / (block.before + 0.5 * len(ys)))
    # Where rewards are rare, an epoch may have seen none of them, and would seem to be sure.
    shown = max(float(levers**2 @ errors), min(0.25, usual) * variance) + variance / seen
    top = float(np.abs(levers).max())
    add_at_the_end(float(levers @ ys), variance, shown, top, sums)


def _of_answers(history: History, policy: Policy, slopes: Floats) -> float:
    """Return the standard error of a linear model's mean because people are a sample."""
    full, columns, used = history.full, policy.survey.columns, slopes != 0
    used[0] = False
    owners = np.repeat(np.arange(len(columns.first)), columns.width)[used[1:]]
    if not len(owners):
        return 0.0
    known = full[: int(asked_until(full, columns)[owners].min())]
    known = [visit for visit in known if not np.isnan(visit.context[used]).any()]
    weights = np.array([1.0 / visit.chance for visit in known])
    if len(weights) < 2:
        return math.inf
    means = np.array([visit.context[used] for visit in known]) @ slopes[used]
    centred = means - weights @ means / weights.sum()
    return float(np.linalg.norm(weights * centred) / weights.sum())


def cut(estimate: float, slack: float, low: float, high: float) -> dict[str, Any]:
    """Return an estimate and its interval, cut to what rewards allow; none if nothing is left."""
    ends = max(estimate - slack, low), min(estimate + slack, high)
    if not ends[0] <= ends[1]:
        return {"estimate": None, "low": None, "high": None, "why": IMPOSSIBLE}
    return {"estimate": min(max(estimate, ends[0]), ends[1]), "low": ends[0], "high": ends[1]}


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
            pocock(misses, MOST_COUNTED) * model.error,
            -float(ndtri(misses / 2)) * _of_answers(history, policy, model.slopes),
        )
        reward = policy.reward
        inside = cut(
            reward.middle + reward.span * model.estimate,
            reward.span * slack,
            reward.low,
            reward.high,
        )
        found.append(ArmMean(arm, "model", **inside, epochs=model.epochs))
    return found


def contrasts(history: History, policy: Policy, models: Sequence[ArmModel]) -> list[Contrast]:
    """Return the difference of every two arms by their models."""
    constant = pocock(MISSES / 2, MOST_COUNTED)
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
            -float(ndtri(MISSES / 2)) * _of_answers(history, policy, one.slopes - other.slopes),
        )
        span = policy.reward.span
        inside = cut(span * (one.estimate - other.estimate), span * slack, -span, span)
        found.append(Contrast(*names, "model", **inside))
    return found

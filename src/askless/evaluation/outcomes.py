"""What becomes of plausible worlds under a policy, counted from the lines of a sweep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from askless.environments import Block, LinearEnvironment
from askless.kernels.bundles import Flags, Floats
from askless.kernels.outcome import AT_THE_ENDS
from askless.policies.settings import SET_PART
from askless.survey import Study

__all__ = ["Outcome", "needed_rows", "outcome_of", "rewards_of", "unneeded"]

PEOPLE = 16_384  # by whom the variance of the answers is measured
DELTA = 0.05  # the policies' default
PLANNED = ("survey-bandit", "epoch")  # whose settings a plan takes over
SHORT = ("price", "questions", "planned", "full_floor")  # but for those of short forms


@dataclass(frozen=True)
class Outcome:
    """What became of every world under one policy: an array a figure, a row a world."""

    visits: Floats
    asked: Floats  # (worlds, visits), summed up to each of them, as are cost and regret
    cost: Floats
    regret: Floats
    left: Floats
    lost: Floats  # the visit at which a useful question was first lost; infinite if never
    half: Floats
    all: Floats
    rows: Floats


def outcome_of(
    rows: list[dict[str, Any]], places: list[LinearEnvironment], visits: Floats
) -> Outcome:
    """Count what became of every world from a sweep's lines, one a world."""
    shape = len(rows), len(visits)
    left = np.empty(shape)
    ends = {name: np.full(len(rows), math.inf) for name in ("half", "all", "lost")}
    middle_row = np.full(len(rows), math.nan)
    for i, (row, world) in enumerate(zip(rows, places, strict=True)):
        gone, needed = gone_at(row["drops"], world), world.useful.any(axis=0)
        always = _always(world)
        left[i] = [(always | (gone > t)).sum() for t in visits]
        unneeded = np.sort(gone[~needed & ~always])
        if len(unneeded) == 0:
            ends["half"][i] = ends["all"][i] = math.nan
        else:
            ends["half"][i], ends["all"][i] = unneeded[(len(unneeded) - 1) // 2], unneeded[-1]
        lost = [visit for visit, _, _, _, useful in row["drops"] if useful]
        ends["lost"][i] = min(lost, default=math.inf)
        learned = [n for _, _, _, n, useful in row["drops"] if not useful]
        middle_row[i] = np.median(learned) if learned else math.nan
    return Outcome(
        visits=visits,
        asked=np.array([row["asked_at"] for row in rows], dtype=float).reshape(shape),
        cost=np.array([row["cost_at"] for row in rows], dtype=float).reshape(shape),
        regret=np.array([row["regret_at"] for row in rows], dtype=float).reshape(shape),
        left=left,
        rows=middle_row,
        **ends,
    )


def _always(world: LinearEnvironment) -> Flags:
    return np.array([question.always_ask for question in world.survey])


def unneeded(world: LinearEnvironment, alike: tuple[str, ...]) -> Flags:
    """Return which questions could go: they matter to no arm, and can be judged."""
    judged = np.array([name not in alike for name in world.survey.names])
    return np.asarray(~world.useful.any(axis=0) & ~_always(world) & judged)


def gone_at(drops: list[list[Any]], world: LinearEnvironment) -> Floats:
    """Return the visit at which the last arm dropped each question; infinite if one has not."""
    at = np.full((len(world.arms), len(world.survey)), math.inf)
    for visit, arm, question, _, _ in drops:
        at[arm, question] = visit
    return np.asarray(at.max(axis=0))


def rewards_of(
    places: list[LinearEnvironment], seed: int, visits: list[int]
) -> tuple[Floats, Floats]:
    """Return the expected rewards of the best arm for each, and of the best one for all.

    Who may not get that one gets the best for all of those that they may get.
    """
    best, single = np.empty((2, len(places), len(visits)))
    at = np.array(visits) - 1
    for i, world in enumerate(places):
        blocks = _first(world, seed, visits[-1])
        expected = np.vstack([block.contexts for block in blocks]) @ world.coefficients.T
        if world.survey.coding != "raw":
            expected += world.reward.middle
        barred = np.vstack(
            [
                np.zeros((len(block), len(world.arms)), dtype=bool)
                if block.allowed is None
                else ~block.allowed
                for block in blocks
            ]
        )
        best[i] = np.cumsum(np.where(barred, -math.inf, expected).max(axis=1))[at]
        ranks = np.where(barred, -math.inf, expected.mean(axis=0)).argmax(axis=1)
        single[i] = np.cumsum(expected[np.arange(len(ranks)), ranks])[at]
    return best, single


def _first(world: LinearEnvironment, seed: int, count: int) -> list[Block]:
    """Return blocks with at least so many respondents."""
    blocks: list[Block] = []
    for block in world.respondents(seed, 0):
        blocks.append(block)
        if sum(len(b) for b in blocks) >= count:
            break
    return blocks


def needed_rows(
    places: list[LinearEnvironment], study: Study
) -> tuple[tuple[float, float], tuple[str, ...]]:
    """Return the rows that the test of one effect takes, times β_min², for the median question.

    2σ²·ln(Km/δ_E)/β_min² over the residual variance of the answers (maths 5.5): with the noise of
    the median world, and with the policy's σ. And the questions that cannot be tested, because
    there are answers that nobody gives.
    """
    first = places[0]
    contexts = np.vstack([block.contexts for block in _first(first, 0, PEOPLE)])
    second = contexts.T @ contexts / len(contexts)
    inverse = np.linalg.pinv(second, rcond=1e-9, hermitian=True)
    seen = second @ inverse  # the projection on what people differ in
    variances, alike = [], []
    for question in first.survey:
        columns = first.survey.columns_of(question.name)
        directions = np.zeros((len(question.directions()), first.survey.column_count))
        directions[:, columns] = question.directions()
        if np.abs(directions @ seen - directions).max() > 1e-6:
            alike.append(question.name)
        else:
            variances.append(np.einsum("ij,jk,ik->i", directions, inverse, directions).max())
    delta = (1 - SET_PART) * float(study.settings.get("delta") or DELTA)
    sides = math.log(len(first.arms) * len(first.survey) / delta)
    noise = float(np.median([noise_variance(world) for world in places]))
    own = study.settings.get("sigma") if study.policy in PLANNED else None
    sigma = float(own or study.reward.span / 2)
    once = 2 * sides * float(np.median(variances)) if variances else math.inf
    return (once * noise, once * sigma**2), tuple(alike)


def noise_variance(world: LinearEnvironment) -> float:
    """Return the variance of rewards around their expectation; with two ends, the largest."""
    at_the_ends = world.noise_form == AT_THE_ENDS
    return world.reward.span**2 / 4 if at_the_ends else world.spread**2 / 3

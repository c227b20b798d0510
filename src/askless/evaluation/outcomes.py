"""What becomes of plausible worlds in a way of running the study, counted from a sweep's lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from askless.checks.blocks import described
from askless.core.arrays import Flags, Floats
from askless.environments import Block, LinearEnvironment
from askless.environments.base import first_respondents

__all__ = ["Outcome", "best_rewards", "expected_of", "one_arm_for_all", "outcome_of"]

TESTED = 0.2  # of the people: those on whom arms are tested before one is sent to all


class Reading(NamedTuple):
    """How far so many people come in every world, and what became of them (worlds,)."""

    completed: Floats  # how many complete their visit
    asked: Floats  # sums over these
    cost: Floats
    reward: Floats


@dataclass(frozen=True)
class Outcome:
    """What became of every world, a row a world; sums up to each of the visits.

    Of those who are put a question, a share may leave, whoever they are; who leaves brings and
    teaches nothing. So visits are those that are completed.
    """

    visits: Floats
    asked: Floats  # (worlds, visits)
    cost: Floats
    reward: Floats  # as expected, whatever luck there was
    started: Floats  # how many people start for so many visits to be completed
    lost: Floats  # (worlds,) the visit at which a useful question was first lost; infinite: never

    def at(self, people: float) -> Reading:
        """Read off what becomes of so many people who start."""
        completed, asked, cost, reward = np.empty((4, len(self.asked)))
        visits = np.append(0.0, self.visits)
        for i in range(len(completed)):
            completed[i] = np.interp(people, np.append(0.0, self.started[i]), visits)
            for into, sums in ((asked, self.asked), (cost, self.cost), (reward, self.reward)):
                into[i] = np.interp(completed[i], visits, np.append(0.0, sums[i]))
        return Reading(completed, asked, cost, reward)


def outcome_of(rows: list[dict[str, Any]], visits: Floats, best: Floats) -> Outcome:
    """Count what became of every world from a sweep's lines, one a world.

    `best` is what the best arm for each person would have brought, summed up to each visit.
    """
    lost = [
        min((visit for visit, _, _, _, useful in row["drops"] if useful), default=math.inf)
        for row in rows
    ]
    asked, cost, regret, started = (
        np.array([row.get(key, row["visits"]) for row in rows], dtype=float).reshape(
            len(rows), len(visits)
        )
        for key in ("asked_at", "cost_at", "regret_at", "started_at")
    )
    return Outcome(visits, asked, cost, best - regret, started, np.array(lost))


def one_arm_for_all(
    places: list[LinearEnvironment], seed: int, visits: list[int], people: int, dropout: float = 0.0
) -> Outcome:
    """Return what becomes of every world where all get one arm, and nobody is asked anything.

    But for what rules of arms need. The arm is found by a test: a fifth of the people get the arms
    in turn, the rest the one whose mean reward was highest then; who may not get an arm gets the
    next that they may get.
    """
    reward = np.empty((len(places), len(visits)))
    for i, world in enumerate(places):
        expected, barred, blocks = expected_of(world, seed, people)
        rewards = np.vstack([block.rewards for block in blocks])
        tested = math.ceil(TESTED * people)
        given = np.array([_in_turn(t, ~barred[t]) for t in range(tested)])
        means = np.full(len(world.arms), -math.inf)
        for k in range(len(means)):
            own = given == k
            if own.any():
                means[k] = rewards[:tested][own, k].mean()
        rest = np.where(barred[tested:], -math.inf, means).argmax(axis=1)
        rest = np.where(
            barred[tested:][np.arange(len(rest)), rest], (~barred[tested:]).argmax(axis=1), rest
        )
        arms = np.concatenate([given, rest])
        reward[i] = np.cumsum(expected[np.arange(len(arms)), arms])[np.array(visits) - 1]
    survey, needed = places[0].survey, described(places[0]).rules.questions
    costs = np.array([question.cost for question in survey])
    at, each = np.array(visits, dtype=float), np.ones((len(reward), 1))
    asked, started = each * needed.sum(), each * (1.0 - dropout) ** -int(needed.sum())
    never = np.full(len(reward), math.inf)
    return Outcome(at, asked * at, each * costs[needed].sum() * at, reward, started * at, never)


def _in_turn(t: int, allowed: Flags) -> int:
    may = np.flatnonzero(allowed)
    return int(may[t % len(may)])


def best_rewards(places: list[LinearEnvironment], seed: int, visits: list[int]) -> Floats:
    """Return the expected rewards of the best arm for each, summed up to each of the visits."""
    best = np.empty((len(places), len(visits)))
    for i, world in enumerate(places):
        expected, barred, _ = expected_of(world, seed, visits[-1])
        best[i] = np.cumsum(np.where(barred, -math.inf, expected).max(axis=1))[np.array(visits) - 1]
    return best


def expected_of(
    world: LinearEnvironment, seed: int, count: int
) -> tuple[Floats, Flags, list[Block]]:
    """Return expected rewards of all arms (people × K), who may not get which, and the blocks."""
    blocks = list(first_respondents(world, seed, 0, count))
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
    return expected, barred, blocks

"""How the cost of a visit grows with questions and arms and falls with the support.

Beside it the least that the arithmetic allows: the multiply-adds of a visit at the speed at which
this processor does multiply-adds and nothing else.
"""

from __future__ import annotations

import time

import numpy as np
from contenders import Visits, askless_fused, numpy_loop, visits

import askless as al
from askless.core import inside
from askless.policies.loops import Fused

QUESTIONS, ARMS = (10, 20, 50, 100, 200, 500), (5, 10, 20, 50, 100, 200, 500)
SUPPORTS = (1, 5, 10, 25, 50)
PAPER_ARMS, PAPER_QUESTIONS = 5, 50


def speed_of_light(times: int = 100_000) -> float:
    """Return how many multiply-adds this core does in a microsecond."""
    x, speeds = np.full(8, 0.5), []
    for _ in range(6):
        start = time.perf_counter()
        count = inside.multiply_add(x, times)
        speeds.append(count / (1e6 * (time.perf_counter() - start)))
    return max(speeds)


def multiply_adds(arms: int, columns: int) -> int:
    """Count the multiply-adds of a visit of LinUCB, at the least.

    For every arm half of a symmetric matrix times the context, and the sums with the estimate and
    the context; for the played arm the other half, and a rank-one change of one half. (Ours does
    more, for the sake of its digits: it keeps a triangular factor and the exact Gram matrix.)
    """
    triangle = columns * (columns + 1) // 2
    return arms * (triangle + 2 * columns) + 2 * triangle


def world_of(arms: int, questions: int, useful: int = 2) -> al.LinearEnvironment:
    """Return respondents; an arm's reward depends on the first `useful` questions."""
    coefficients = np.zeros((arms, questions + 1))
    for k in range(arms):
        for j in range(useful):
            coefficients[k, 1 + j] = (-1.0) ** (k * (j + 1)) * 0.8 / useful
    return al.LinearEnvironment(
        al.Survey.unit(questions, coding="raw"),
        arms=[f"arm {k}" for k in range(arms)],
        coefficients=coefficients,
        reward=(-1, 1),
        noise="uniform",
        spread=0.1,
    )


def sizes() -> list[tuple[int, int]]:
    """Return (arms, questions) of every line: growing surveys, then more arms."""
    growing = [(PAPER_ARMS, d) for d in QUESTIONS]
    return growing + [(k, PAPER_QUESTIONS) for k in ARMS if k != PAPER_ARMS]


def visits_for(arms: int, questions: int) -> tuple[Visits, Visits]:
    """Return the visits for our loop and the fewer ones for numpy's; each takes about 30 ms."""
    work = multiply_adds(arms, questions + 1)
    world = world_of(arms, questions)
    ours = arms + min(40_960, max(512, 300_000_000 // work))
    numpys = arms + min(2_000, max(20, 30_000_000 // work))
    return visits(world, ours), visits(world, numpys)


def measure_size(data: tuple[Visits, Visits]) -> tuple[float, float]:
    """Return the microseconds of a visit, ours fused and numpy's."""
    ours, numpys = data
    return (
        1e6 * askless_fused(ours)[0] / len(ours.rest()[0]),
        1e6 * numpy_loop(numpys)[0] / len(numpys.rest()[0]),
    )


def shortened(useful: int) -> tuple[Fused, list[al.Block], int]:
    """Return a run of Ridge SurveyUCB whose arms have dropped all but the useful questions."""
    world = world_of(PAPER_ARMS, PAPER_QUESTIONS, useful)
    policy = al.RidgeSurveyUCB(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.4 / useful,
        sigma=0.05 / useful,
        alpha=0.01,
        b2=1.0,
    )
    player, people = Fused(policy), world.respondents(1, 0)
    drops = np.zeros(policy.support.shape, dtype=np.int64)
    # Every arm gets rows in turn until nothing more goes.
    learned = 0
    while (policy.support.sum(axis=1) > useful).any() and learned < 200_000:
        block = next(people)
        arms = np.arange(len(block)) % PAPER_ARMS
        rewards = np.einsum("tj,tj->t", block.contexts, world.coefficients[arms])
        policy.learn_rows(arms, block.contexts, rewards + 0.1 * (block.luck - 0.5))
        learned += len(block)
    blocks = [next(people) for _ in range(20)]
    player.play(blocks[0], 0, drops)
    return player, blocks, int(policy.support.sum())


def measure_support(player: Fused, blocks: list[al.Block]) -> float:
    """Return the microseconds of a visit in a shortened survey."""
    drops = np.zeros(player.policy.support.shape, dtype=np.int64)
    start = time.perf_counter()
    for block in blocks:
        player.play(block, 0, drops)
    return 1e6 * (time.perf_counter() - start) / sum(len(block) for block in blocks)

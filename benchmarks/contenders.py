"""LinUCB of several makers on the same visits: each plays and learns so many of them, timed."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import askless as al
from askless.simulation.players import Fused

ARMS, FEATURES = 5, 50
WORLD = al.paper_environment(arms=ARMS, features=FEATURES, coding="raw")
WIDTH = 1 + np.sqrt(np.log(2 / 0.1) / 2)


def visits(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw contexts and every arm's reward, the same for all contenders."""
    blocks = WORLD.respondents(1, 0)
    drawn = [next(blocks) for _ in range(-(-count // 1024))]
    contexts = np.vstack([block.contexts for block in drawn])[:count]
    luck = np.concatenate([block.luck for block in drawn])[:count]
    rewards = contexts @ WORLD.coefficients.T + luck[:, None] - 0.5
    return np.ascontiguousarray(contexts), np.clip(rewards, 0, 2)


def policy() -> al.LinUCB:
    """Return our LinUCB."""
    return al.LinUCB(WORLD.survey, arms=WORLD.arms, reward=WORLD.reward, delta=0.1)


def numpy_loop(contexts: np.ndarray, rewards: np.ndarray) -> float:
    """Sherman-Morrison in plain numpy, all arms scored in one product."""
    p = contexts.shape[1]
    inverse = np.repeat(np.eye(p)[None], ARMS, axis=0)
    estimate = np.zeros((ARMS, p))
    start = time.perf_counter()
    for z, outcome in zip(contexts, rewards, strict=True):
        products = inverse @ z
        widths = np.sqrt(products @ z)
        arm = int(np.argmax(estimate @ z + WIDTH * widths))
        gain = products[arm] / (1.0 + widths[arm] ** 2)
        inverse[arm] -= np.outer(gain, products[arm])
        estimate[arm] += gain * (outcome[arm] - estimate[arm] @ z)
    return time.perf_counter() - start


def obp_lin_ucb(contexts: np.ndarray, rewards: np.ndarray) -> float:
    """Open Bandit Pipeline's LinUCB."""
    from obp.policy import LinUCB  # noqa: PLC0415 (in the bench's own environment only)

    model = LinUCB(dim=contexts.shape[1], n_actions=ARMS, epsilon=WIDTH)
    start = time.perf_counter()
    for z, outcome in zip(contexts, rewards, strict=True):
        row = z[None]
        arm = int(model.select_action(row)[0])
        model.update_params(action=arm, reward=outcome[arm], context=row)
    return time.perf_counter() - start


def mabwiser_lin_ucb(contexts: np.ndarray, rewards: np.ndarray) -> float:
    """MABWiser's LinUCB."""
    from mabwiser.mab import MAB, LearningPolicy  # noqa: PLC0415

    model = MAB(list(range(ARMS)), LearningPolicy.LinUCB(alpha=WIDTH))
    model.fit(list(range(ARMS)), rewards[0].tolist(), np.repeat(contexts[:1], ARMS, axis=0))
    start = time.perf_counter()
    for z, outcome in zip(contexts, rewards, strict=True):
        row = z[None]
        arm = model.predict(row)
        model.partial_fit([arm], [outcome[arm]], row)
    return time.perf_counter() - start


def askless_rows(contexts: np.ndarray, rewards: np.ndarray) -> float:
    """Ours, one visit at a time through the array door: checked, put on the grid, learned."""
    model = policy()
    start = time.perf_counter()
    for z, outcome in zip(contexts, rewards, strict=True):
        arm = model.play(z)
        model.learn_row(arm, z, outcome[arm])
    return time.perf_counter() - start


def askless_fused(contexts: np.ndarray, rewards: np.ndarray) -> float:
    """Ours, in the simulator's compiled loop; the contexts are drawn beforehand, as for all."""
    del rewards
    player = Fused(policy(), WORLD)
    drops = np.zeros((ARMS, FEATURES), dtype=np.int64)
    blocks = [al.environments.Block(contexts, np.full(len(contexts), 0.5))]
    start = time.perf_counter()
    for block in blocks:
        player.play(block, 0, drops)
    return time.perf_counter() - start


# Name, contender, visits of one measurement: about a tenth of a second each.
CONTENDERS: tuple[tuple[str, Callable[[np.ndarray, np.ndarray], float], int], ...] = (
    ("numpy loop", numpy_loop, 4_000),
    ("obp LinUCB", obp_lin_ucb, 1_000),
    ("MABWiser LinUCB", mabwiser_lin_ucb, 300),
    ("askless, one visit at a time", askless_rows, 20_000),
    ("askless, fused", askless_fused, 60_000),
)

__all__ = ["CONTENDERS", "visits"]

"""LinUCB of several makers on the same visits: each plays and learns them, timed.

The first visits go to the arms in turn, before the clock starts: with no rows all arms are tied,
and makers break ties differently. From then on the algorithm is the same, so all play the same
arms; the bench says in how many visits they do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import askless as al
from askless import core
from askless.policies.loops import Fused

Played = tuple[float, np.ndarray]  # seconds, and the arms


class Visits(NamedTuple):
    """Contexts and what every arm would bring; the same for all contenders."""

    world: al.LinearEnvironment
    contexts: np.ndarray
    luck: np.ndarray
    rewards: np.ndarray

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return len(self.world.arms)

    @property
    def width(self) -> float:
        """By what LinUCB multiplies a context's width (maths 6)."""
        return float(self.world.reward.span * (1 + np.sqrt(np.log(2 / 0.1) / 2)))

    def first(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return arms, contexts and rewards of the visits before the clock starts."""
        arms = np.arange(self.arms)
        return arms, self.contexts[: self.arms], self.rewards[arms, arms]

    def rest(self) -> tuple[np.ndarray, np.ndarray]:
        """Return contexts and rewards of the visits that are timed."""
        return self.contexts[self.arms :], self.rewards[self.arms :]


def visits(world: al.LinearEnvironment, count: int) -> Visits:
    """Draw visits."""
    blocks = world.respondents(1, 0)
    drawn = [next(blocks) for _ in range(-(-count // 1024))]
    contexts = np.ascontiguousarray(np.vstack([block.contexts for block in drawn])[:count])
    luck = np.concatenate([block.luck for block in drawn])[:count]
    expected = np.ascontiguousarray(contexts @ world.coefficients.T)
    units = np.empty_like(expected)
    core.outcomes(*world.law.noise, world.reward.span, expected, luck, units)
    rewards = np.array([[world.reward.from_units(y, raw=True) for y in row] for row in units])
    return Visits(world, contexts, luck, rewards)


def started(data: Visits) -> al.LinUCB:
    """Return our LinUCB after the first visits."""
    world = data.world
    policy = al.LinUCB(world.survey, arms=world.arms, reward=world.reward, delta=0.1)
    policy.learn_rows(*data.first())
    return policy


def numpy_loop(data: Visits) -> Played:
    """Sherman-Morrison in plain numpy, all arms scored in one product."""
    p, width = data.contexts.shape[1], data.width
    inverse = np.repeat(np.eye(p)[None], data.arms, axis=0)
    estimate, played = np.zeros((data.arms, p)), []

    def learn(arm: int, z: np.ndarray, reward: float, product: np.ndarray) -> None:
        gain = product / (1.0 + product @ z)
        inverse[arm] -= np.outer(gain, product)
        estimate[arm] += gain * (reward - estimate[arm] @ z)

    for arm, z, reward in zip(*data.first(), strict=True):
        learn(arm, z, reward, inverse[arm] @ z)
    start = time.perf_counter()
    for z, outcomes in zip(*data.rest(), strict=True):
        products = inverse @ z
        arm = int(np.argmax(estimate @ z + width * np.sqrt(products @ z)))
        learn(arm, z, outcomes[arm], products[arm])
        played.append(arm)
    return time.perf_counter() - start, np.array(played)


def obp_lin_ucb(data: Visits) -> Played:
    """Open Bandit Pipeline's LinUCB."""
    from obp.policy import LinUCB  # noqa: PLC0415 (in the bench's own environment only)

    model = LinUCB(dim=data.contexts.shape[1], n_actions=data.arms, epsilon=data.width)
    for arm, z, reward in zip(*data.first(), strict=True):
        model.update_params(action=arm, reward=reward, context=z[None])
    played = []
    start = time.perf_counter()
    for z, outcomes in zip(*data.rest(), strict=True):
        row = z[None]
        arm = int(model.select_action(row)[0])
        model.update_params(action=arm, reward=outcomes[arm], context=row)
        played.append(arm)
    return time.perf_counter() - start, np.array(played)


def mabwiser_lin_ucb(data: Visits) -> Played:
    """MABWiser's LinUCB."""
    from mabwiser.mab import MAB, LearningPolicy  # noqa: PLC0415

    arms, contexts, rewards = data.first()
    model = MAB(arms.tolist(), LearningPolicy.LinUCB(alpha=data.width, l2_lambda=1.0))
    model.fit(arms.tolist(), rewards.tolist(), contexts)
    played = []
    start = time.perf_counter()
    for z, outcomes in zip(*data.rest(), strict=True):
        row = z[None]
        arm = model.predict(row)
        model.partial_fit([arm], [outcomes[arm]], row)
        played.append(arm)
    return time.perf_counter() - start, np.array(played)


def contextualbandits_lin_ucb(data: Visits) -> Played:
    """LinUCB of contextualbandits, in double precision, by Sherman-Morrison."""
    from contextualbandits.online import LinUCB  # noqa: PLC0415

    model = LinUCB(
        data.arms, alpha=data.width, lambda_=1.0, fit_intercept=False, use_float=False, method="sm"
    )
    arms, contexts, rewards = data.first()
    model.partial_fit(contexts, arms, rewards)
    played = []
    start = time.perf_counter()
    for z, outcomes in zip(*data.rest(), strict=True):
        row = z[None]
        arm = int(model.predict(row)[0])
        model.partial_fit(row, np.array([arm]), np.array([outcomes[arm]]))
        played.append(arm)
    return time.perf_counter() - start, np.array(played)


def askless_rows(data: Visits) -> Played:
    """Ours, one visit at a time through the array door: checked, put on the grid, learned."""
    model, played = started(data), []
    start = time.perf_counter()
    for z, outcomes in zip(*data.rest(), strict=True):
        arm = model.play(z)
        model.learn_row(arm, z, outcomes[arm])
        played.append(arm)
    return time.perf_counter() - start, np.array(played)


def askless_fused(data: Visits) -> Played:
    """Ours, in the simulator's compiled loop; the contexts are drawn beforehand, as for all."""
    return fused(started(data), data)


def askless_whole(data: Visits) -> Played:
    """Ours, simulated whole: people are drawn and figures added up, as `askless simulate` does."""
    world, count = data.world, len(data.contexts) - data.arms
    policy = al.LinUCB(world.survey, arms=world.arms, reward=world.reward, delta=0.1)
    start = time.perf_counter()
    al.simulate(policy, world, count, checkpoints=1)
    return time.perf_counter() - start, np.zeros(count)


def askless_net(data: Visits) -> Played:
    """Ours, another algorithm: Elastic Net SurveyUCB in the compiled loop, nothing dropped."""
    world = data.world
    net = al.ElasticNetSurveyUCB(
        world.survey, arms=world.arms, reward=world.reward, beta_min=0.3, delta=0.1
    )
    net.learn_rows(*data.first())
    return fused(net, data)


def fused(policy: al.Policy, data: Visits) -> Played:
    """Play and learn what is timed in the compiled loop."""
    player = Fused(policy)
    drops = np.zeros(policy.support.shape, dtype=np.int64)
    block = data.world.block(data.contexts[data.arms :], data.luck[data.arms :])
    start = time.perf_counter()
    played = player.play(block, 0, drops)
    return time.perf_counter() - start, played.arms


# Name, contender, visits of one measurement: a tenth of a second each, or a third for the slowest.
CONTENDERS: tuple[tuple[str, Callable[[Visits], Played], int], ...] = (
    ("numpy loop", numpy_loop, 4_000),
    ("obp LinUCB", obp_lin_ucb, 1_500),
    ("MABWiser LinUCB", mabwiser_lin_ucb, 300),
    ("contextualbandits LinUCB", contextualbandits_lin_ucb, 500),
    ("askless, one row at a time", askless_rows, 20_000),
    ("askless, fused", askless_fused, 60_000),
    ("askless, simulated whole", askless_whole, 60_000),
    ("askless, elastic net, fused", askless_net, 60_000),
)
# Other visits, or not LinUCB: they play other arms.
OTHERS = ("askless, simulated whole", "askless, elastic net, fused")

__all__ = ["CONTENDERS", "OTHERS", "Played", "Visits", "fused", "visits"]

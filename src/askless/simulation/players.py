"""Who plays the visits of a run: a compiled loop where there is one, else visit by visit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np

from askless.environments import Block, LinearEnvironment
from askless.kernels import ahead
from askless.kernels.bundles import Floats, Ints
from askless.kernels.outcome import outcome
from askless.kernels.simulation import play_interactive_visits, play_visits
from askless.policies import EpochSurveyUCB, Policy
from askless.policies.linear_ucb import LinearUCB
from askless.simulation.delays import Delay, Waiting


class Played(NamedTuple):
    """What became of a block of visits."""

    arms: Ints
    radii: Floats  # of the played arms' confidence sets; 0 where the policy has none
    regret: Floats
    asked: Ints
    others: Ints  # 1 where the full survey would have given another arm


def noise_of(environment: LinearEnvironment) -> tuple[int, float, float]:
    """Return the form and spread of the noise, and the smallest reward in units of the range."""
    raw = environment.survey.coding == "raw"
    low = environment.reward.low / environment.reward.span if raw else -0.5
    return environment.noise_form, environment.spread, low


@contextmanager
def _prepared(policy: LinearUCB, count: int) -> Iterator[Floats]:
    """Make room for the next visits; yields what they draw their arms by, -1 if not at all."""
    if not isinstance(policy, EpochSurveyUCB):
        yield np.full(count, -1.0)
        return
    with policy._model.counting(count):
        yield policy.draws(policy._next_number, count)
    policy._next_number += count


class Fused:
    """Visits of a UCB policy inside one compiled loop."""

    def __init__(self, policy: LinearUCB, environment: LinearEnvironment) -> None:
        self.policy, self.model = policy, policy._model
        k, p = environment.coefficients.shape
        self.ahead = ahead.empty(k, p)
        matter = np.flatnonzero(environment.coefficients.any(axis=0))
        self.matter = np.append(matter, 0)
        self.coefficients = np.c_[environment.coefficients[:, matter], np.zeros(k)]
        self.noise = noise_of(environment)
        self.always = np.array([int(q.always_ask) for q in policy.survey])

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        count = len(block.luck)
        played, asked = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        radii, regret = np.empty((2, count))
        with _prepared(self.policy, count) as draws:
            play_visits(
                self.model.address,
                self.ahead,
                block.contexts,
                block.luck,
                self.matter,
                self.coefficients,
                self.noise,
                self.always,
                draws,
                begun,
                drops,
                played,
                radii,
                regret,
                asked,
            )
        return Played(played, radii, regret, asked, np.zeros(count, dtype=np.int64))


class Interactive:
    """Visits of an interactive UCB policy inside one compiled loop, beside the full survey."""

    def __init__(self, policy: LinearUCB, environment: LinearEnvironment) -> None:
        self.policy, self.model = policy, policy._model
        self.coefficients, self.noise = environment.coefficients, noise_of(environment)

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        count = len(block.luck)
        played, asked, others = np.empty((3, count), dtype=np.int64)
        radii, regret = np.empty((2, count))
        with _prepared(self.policy, count) as draws:
            play_interactive_visits(
                self.model.address,
                block.contexts,
                block.luck,
                self.coefficients,
                self.noise,
                draws,
                begun,
                drops,
                played,
                radii,
                regret,
                asked,
                others,
            )
        return Played(played, radii, regret, asked, others)


class Step(Protocol):
    """One visit at a time: decide it now, learn it later."""

    def decide(self, z: Floats) -> tuple[int, int, bool, Any]:
        """Return arm, number of questions asked, whether the full survey says another, a note."""

    def learn(self, arm: int, note: Any, reward: float) -> None:
        """Learn a visit's reward, given the note of its decision."""


class AsVisits:
    """Visits of any policy, asked and answered."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def decide(self, z: Floats) -> tuple[int, int, bool, Any]:
        """Ask and answer a visit."""
        policy, visit = self.policy, self.policy.visit()
        answers = policy.survey.decode(z)
        while asks := visit.asks:
            visit.answer({question: answers[question] for question in asks})
        drawn = visit.propensity != 1.0
        ruled_out = bool(visit.explain().ruled_out)
        other = not drawn and ruled_out and policy.play(z) != visit.arm_index
        return visit.arm_index, len(visit.asked), other, visit

    def learn(self, arm: int, note: Any, reward: float) -> None:  # noqa: ARG002
        """Learn a visit's reward."""
        self.policy.learn(note, reward)


class AsRows:
    """Visits of a UCB policy that asks everything, as rows of numbers: fifty times faster."""

    def __init__(self, policy: LinearUCB) -> None:
        self.policy = policy
        self.learned = -1
        self.questions = 0

    def decide(self, z: Floats) -> tuple[int, int, bool, Any]:
        """Play a row."""
        if self.policy.version != self.learned:
            self.learned, self.questions = self.policy.version, len(self.policy.asked_now())
        return self.policy.play(z), self.questions, False, z

    def learn(self, arm: int, note: Any, reward: float) -> None:
        """Learn a row."""
        self.policy.learn_row(arm, note, reward)


def _as_rows(policy: LinearUCB) -> bool:
    """Whether nothing is lost if visits are rows: all is asked of all, and no arm is drawn."""
    drawn = isinstance(policy, EpochSurveyUCB) and policy.settings.explore > 0
    return bool(policy.roster.live.all()) and not policy.interactive and not drawn


class OneByOne:
    """Visits of any policy, one after the other; rewards may come late."""

    def __init__(
        self,
        policy: Policy,
        environment: LinearEnvironment,
        delay: Delay | None = None,
        key: tuple[int, int] = (0, 0),
    ) -> None:
        self.policy, self.environment = policy, environment
        self.step: Step = AsVisits(policy)
        if delay is not None and isinstance(policy, LinearUCB) and _as_rows(policy):
            self.step = AsRows(policy)
        self.waiting = Waiting(delay or Delay(), environment.reward, key)

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits; each is followed by the rewards that have come by then."""
        policy, world = self.policy, self.environment
        raw = world.survey.coding == "raw"
        form, spread, low = noise_of(world)
        played, radii, asked, regret, others = [], [], [], [], []
        kept = policy.support
        for t, (z, luck) in enumerate(zip(block.contexts, block.luck, strict=True)):
            arm, count, other, note = self.step.decide(z)
            radius = policy.radius[arm] if isinstance(policy, LinearUCB) else 0.0
            expected = world.coefficients @ z
            units = outcome(form, spread, low, world.reward.span, float(expected[arm]), luck)
            reward = world.reward.from_units(units, raw=raw)
            self.waiting.add(arm, note, reward)
            learned = 0
            for row in self.waiting.due():
                self.step.learn(*row)
                learned += 1
            if learned:
                now = policy.support
                drops[kept & ~now] = begun + t + 1
                kept = now
            played.append(arm)
            radii.append(radius)
            asked.append(count)
            others.append(other)
            regret.append(float(expected[policy.roster.live].max() - expected[arm]))
        return Played(*map(np.array, (played, radii, regret, asked, others)))

"""Who plays the visits of a run: a compiled loop where there is one, else visit by visit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np

from askless.environments import Block, LinearEnvironment
from askless.kernels import ahead
from askless.kernels.bundles import Flags, Floats, Ints
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
    paid: Floats  # the cost of what was asked
    others: Ints  # 1 where the full survey would have given another arm


def noise_of(environment: LinearEnvironment) -> tuple[int, float, float]:
    """Return the form and spread of the noise, and the smallest reward in units of the range."""
    raw = environment.survey.coding == "raw"
    low = environment.reward.low / environment.reward.span if raw else -0.5
    return environment.noise_form, environment.spread, low


def _flags(block: Block, arm_count: int) -> Flags:
    """Return which arms each visit may get, without a row if all may get every arm."""
    return np.ones((0, arm_count), dtype=bool) if block.allowed is None else block.allowed


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
        # In one order of memory: numba would compile the loop for each.
        self.coefficients = np.ascontiguousarray(
            np.c_[environment.coefficients[:, matter], np.zeros(k)]
        )
        self.noise = noise_of(environment)
        self.always = np.array([int(q.always_ask) for q in policy.survey])
        self.cost = np.array([q.cost for q in policy.survey])

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        count = len(block.luck)
        played, asked = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        radii, regret, paid = np.empty((3, count))
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
                self.cost,
                draws,
                _flags(block, len(self.coefficients)),
                begun,
                drops,
                played,
                radii,
                regret,
                asked,
                paid,
            )
        return Played(played, radii, regret, asked, paid, np.zeros(count, dtype=np.int64))


class Interactive:
    """Visits of an interactive UCB policy inside one compiled loop, beside the full survey."""

    def __init__(self, policy: LinearUCB, environment: LinearEnvironment) -> None:
        self.policy, self.model = policy, policy._model
        self.coefficients = np.ascontiguousarray(environment.coefficients)
        self.noise = noise_of(environment)

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        count = len(block.luck)
        played, asked, others = np.empty((3, count), dtype=np.int64)
        radii, regret, paid = np.empty((3, count))
        with _prepared(self.policy, count) as draws:
            play_interactive_visits(
                self.model.address,
                block.contexts,
                block.luck,
                self.coefficients,
                self.noise,
                draws,
                _flags(block, len(self.coefficients)),
                begun,
                drops,
                played,
                radii,
                regret,
                asked,
                paid,
                others,
            )
        return Played(played, radii, regret, asked, paid, others)


class Choice(NamedTuple):
    """What was decided in a visit, and what it takes to learn it."""

    arm: int
    asked: tuple[str, ...]
    other: bool  # whether the full survey says another arm
    note: Any


class Step(Protocol):
    """One visit at a time: decide it now, learn it later."""

    def decide(self, z: Floats, mask: Flags) -> Choice:
        """Decide a visit that may get the arms in `mask`."""

    def learn(self, arm: int, note: Any, reward: float) -> None:
        """Learn a visit's reward, given the note of its decision."""


class AsVisits:
    """Visits of any policy, asked and answered."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def decide(self, z: Floats, mask: Flags) -> Choice:
        """Ask and answer a visit."""
        policy = self.policy
        visit = policy.visit(arms=None if mask.all() else policy.names_of(mask))
        answers = policy.survey.decode(z)
        while asks := visit.asks:
            visit.answer({question: answers[question] for question in asks})
        drawn = visit.propensity != 1.0
        ruled_out = bool(visit.explain().ruled_out)
        other = (
            not drawn
            and ruled_out
            and policy.decide(z, mask, mask, visit.number).arm != visit.arm_index
        )
        return Choice(visit.arm_index, visit.asked, other, visit)

    def learn(self, arm: int, note: Any, reward: float) -> None:  # noqa: ARG002
        """Learn a visit's reward."""
        self.policy.learn(note, reward)


class AsRows:
    """Visits of a UCB policy that asks everything, as rows of numbers: fifty times faster."""

    def __init__(self, policy: LinearUCB) -> None:
        self.policy = policy
        self.learned = -1
        self.questions: dict[bytes, tuple[str, ...]] = {}  # asked of those who may get the same

    def decide(self, z: Floats, mask: Flags) -> Choice:
        """Play a row."""
        policy, key = self.policy, mask.tobytes()
        if policy.version != self.learned:
            self.learned, self.questions = policy.version, {}
        if key not in self.questions:
            self.questions[key] = policy.needed(mask)
        arm = policy.play(z) if mask.all() else policy.decide(z, mask, mask, 0).arm
        return Choice(arm, self.questions[key], other=False, note=z)

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
        self.waiting = Waiting(delay or Delay(), environment.reward, key, environment.number)

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits; each is followed by the rewards that have come by then."""
        policy, world = self.policy, self.environment
        raw = world.survey.coding == "raw"
        form, spread, low = noise_of(world)
        cost = {question.name: question.cost for question in policy.survey}
        live = policy.roster.live
        played, radii, asked, paid, regret, others = [], [], [], [], [], []
        kept = policy.support
        for t, (z, luck) in enumerate(zip(block.contexts, block.luck, strict=True)):
            mask = live if block.allowed is None else live & block.allowed[t]
            arm, questions, other, note = self.step.decide(z, mask)
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
            asked.append(len(questions))
            price = 0.0
            for question in questions:  # in this order: sums are rounded
                price += cost[question]
            paid.append(price)
            others.append(other)
            regret.append(float(expected[mask].max() - expected[arm]))
        return Played(*map(np.array, (played, radii, regret, asked, paid, others)))

"""Who plays the visits of a run: a compiled loop where there is one, else visit by visit."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from askless.environments.base import Environment, number_of
from askless.kernels.bundles import Flags, Floats, Ints
from askless.policies import EpochSurveyUCB, Policy
from askless.policies.linear_ucb import LinearUCB
from askless.policies.loops import Fused, Interactive
from askless.policies.player import Block, Played, Player
from askless.simulation.delays import Delay, Waiting


def player_for(
    policy: Policy, environment: Environment, delay: Delay | None, key: tuple[int, int]
) -> Player:
    """Return who plays a policy's visits; `key` is (seed, run)."""
    if delay is None and isinstance(policy, LinearUCB) and policy.roster.live.all():
        return Interactive(policy) if policy.interactive else Fused(policy)
    return OneByOne(policy, environment, delay, key)


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
        environment: Environment,
        delay: Delay | None = None,
        key: tuple[int, int] = (0, 0),
    ) -> None:
        self.policy = policy
        self.step: Step = AsVisits(policy)
        if delay is not None and isinstance(policy, LinearUCB) and _as_rows(policy):
            self.step = AsRows(policy)
        self.waiting = Waiting(delay or Delay(), policy.reward, key, number_of(environment))

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits; each is followed by the rewards that have come by then."""
        policy, live = self.policy, self.policy.roster.live
        cost = {question.name: question.cost for question in policy.survey}
        played, radii, regret, rewards, asked, paid, others = [], [], [], [], [], [], []
        kept = policy.support
        for t, z in enumerate(block.contexts):
            mask = live if block.allowed is None else live & block.allowed[t]
            arm, questions, other, note = self.step.decide(z, mask)
            radius = policy.radius[arm] if isinstance(policy, LinearUCB) else 0.0
            reward = float(block.rewards[t, arm])
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
            rewards.append(reward)
            asked.append(len(questions))
            price = 0.0
            for question in questions:  # in this order: sums are rounded
                price += cost[question]
            paid.append(price)
            others.append(other)
            means = block.expected
            regret.append(
                math.nan if means is None else float(means[t, mask].max() - means[t, arm])
            )
        return Played(*map(np.array, (played, radii, regret, rewards, asked, paid, others)))

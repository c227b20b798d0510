"""What rivals that ask everything have in common: a score an arm, a row learned at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.policies.base import Policy
from askless.policies.decision import Decision
from askless.policies.player import Block, Played
from askless.policies.rivals.sums import RidgeSums
from askless.survey import Arm, RewardRange, Survey

__all__ = ["AskingEverything", "ByRidge", "Rows"]


class AskingEverything(Policy):
    """Asks everything and plays the arm with the largest score.

    A subclass defines `_scores` and `_teach`, `_decide` too if it draws its arms, and `_player` as
    `Rows(self)`: a loop belongs to the class that plays so, and not to those above it.
    """

    score_name = "score"

    @abstractmethod
    def _scores(self, z: Floats) -> Floats:
        """Score every arm in a context."""

    @abstractmethod
    def _teach(self, arm: int, z: Floats, y: float) -> None:
        """Learn one row."""

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:  # noqa: ARG002
        scores = np.where(mask, self._scores(z), -np.inf)
        return Decision(int(np.argmax(scores)), scores)

    def _arm(self, z: Floats, mask: Flags, number: int) -> int:
        """Decide as `_decide` does, where the arm alone is wanted."""
        return self._decide(z, mask, number).arm

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        for arm, z, y in zip(played.tolist(), rows, ys.tolist(), strict=True):
            self._teach(arm, z, y)


class ByRidge(AskingEverything):
    """Has a ridge model of every arm, on all questions."""

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        self._sums = RidgeSums(len(self.roster), survey.column_count)

    def _scores(self, z: Floats) -> Floats:
        return self._sums.means(z)

    def _outlook(self, z: Floats) -> tuple[Floats, Floats]:
        means = self.reward.span * self._sums.means(z)
        return means, means

    def _teach(self, arm: int, z: Floats, y: float) -> None:
        self._sums.add(arm, z, y)

    def _grow(self) -> None:
        self._sums.grow()

    def _state(self) -> dict[str, Any]:
        return {"arms": self._sums.state()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._sums.restore(state["arms"], self)


class Rows:
    """Plays visits whose answers are all there: what is asked need not be worked out each time."""

    def __init__(self, policy: AskingEverything) -> None:
        self.policy = policy

    def play(self, block: Block, begun: int, drops: Ints) -> Played:  # noqa: ARG002
        """Play a block of visits."""
        policy, live, count = self.policy, self.policy.roster.live, len(block)
        arms, rewards = np.empty(count, dtype=np.int64), block.rewards
        for t, z in enumerate(block.contexts):
            mask = live if block.allowed is None else live & block.allowed[t]
            number = policy._next_number
            hooks = policy._of_kind(policy._kind(mask, number))
            own = hooks is policy
            arm = policy._arm(z, mask, number) if own else hooks._decide(z, mask, number).arm
            arms[t] = arm
            y = policy._checked_reward(float(rewards[t, arm]))
            hooks._learn(arms[t : t + 1], z[None, :], np.array([y]))
            policy._next_number += 1
            policy._version += 1
        # Summed one after the other, as a visit does: sums are rounded.
        cost = float(np.cumsum([question.cost for question in policy.survey])[-1])
        asked = np.full(count, len(policy.survey))
        return Played.of(block, live, arms, asked, np.full(count, cost))

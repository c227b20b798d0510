"""Epsilon-greedy (Sutton & Barto 2018, 2.2; Langford & Zhang 2007): mostly the best arm so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.policies.decision import Decision
from askless.policies.player import Player
from askless.policies.rivals.asking_everything import ByRidge, Rows
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Number, Seed

__all__ = ["EpsilonGreedy"]


class EpsilonGreedy(ByRidge):
    """Draws an arm evenly with probability `epsilon`; else plays the best ridge mean (maths 6).

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    epsilon : float
        How often an arm is drawn, in every visit alike.
    seed : int
        Seed of the draws.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.EpsilonGreedy(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1), epsilon=0.1)
    >>> policy.learn_row(1, policy.encode({"x1": 1}), reward=1)
    >>> round(policy.visit(known={"x1": 1}).propensities["b"], 6)  # 0.9, and half of 0.1
    0.95
    """

    name: ClassVar[str] = "epsilon-greedy"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        epsilon: Annotated[float, Number("How often an arm is drawn.", least=0, most=1)] = 0.05,
        seed: Seed = 0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        self.epsilon, self.seed = epsilon, seed
        self._check_settings()

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        scores = np.where(mask, self._sums.means(z), -np.inf)
        best = int(np.argmax(scores))
        draws, which = self.coins(number, 1)[0, :2]
        evenly = mask / mask.sum()
        chances = self.epsilon * evenly
        chances[best] += 1.0 - self.epsilon
        eligible = np.flatnonzero(mask)
        arm = int(eligible[int(which * len(eligible))]) if draws < self.epsilon else best
        return Decision(arm, scores, chances)

    def _player(self) -> Player:
        return Rows(self)

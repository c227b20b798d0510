"""Uniform: asks everything and plays at random; the floor of every comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.policies.decision import Decision
from askless.policies.player import Player
from askless.policies.rivals.asking_everything import AskingEverything, Rows
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Seed

__all__ = ["Uniform"]


class Uniform(AskingEverything):
    """Plays every live arm with the same probability (maths 6).

    The draw depends on the seed and the visit's number alone, so that a visit that is resumed
    plays the same arm.

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    seed : int
        Seed of the draws.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.Uniform(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1), seed=7)
    >>> z = policy.encode({"x1": 0.5, "x2": 1})
    >>> policy.play(z) == policy.play(z)
    True
    """

    name: ClassVar[str] = "uniform"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        seed: Seed = 0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        self.seed = seed
        self._check_settings()

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:  # noqa: ARG002
        arm = int(self.rng(number).choice(np.flatnonzero(mask)))
        return Decision(arm, np.where(mask, 0.0, -np.inf), mask / mask.sum())

    def _scores(self, z: Floats) -> Floats:  # noqa: ARG002
        return np.zeros(len(self.roster))

    def _teach(self, arm: int, z: Floats, y: float) -> None:
        """Learn nothing."""

    def _player(self) -> Player:
        return Rows(self)

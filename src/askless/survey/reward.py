"""The reward range of a study, and rewards on the grid."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from askless.core.words import REWARD_GRID
from askless.errors import RewardError, SettingError, shown
from askless.survey.names import check_number

__all__ = ["RewardRange", "check_beta_min"]


LONGEST = 1e150  # of a range; beyond it squares leave the floats


@dataclass(frozen=True)
class RewardRange:
    """The smallest and the largest reward there can be.

    Examples
    --------
    >>> rewards = RewardRange(0, 100)
    >>> rewards.span, rewards.in_units(25)
    (100.0, -0.25)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low = check_number(self.low, "reward: the low end")
        high = check_number(self.high, "reward: the high end")
        if low >= high:
            raise SettingError(
                f"reward: the low end ({low:g}) must be below the high end ({high:g})"
            )
        if not high - low <= LONGEST:
            raise SettingError(f"reward: the range from {low:g} to {high:g} is too long")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        on_its_ends = (self.in_units(low), self.in_units(high)) == (-0.5, 0.5)
        if high - low < 1 / LONGEST or not on_its_ends:
            raise SettingError(f"reward: the range from {low!r} to {high!r} is too short")

    @classmethod
    def of(cls, reward: Any) -> "RewardRange":
        """Make a range out of a pair (low, high)."""
        if isinstance(reward, RewardRange):
            return reward
        try:
            low, high = reward
        except (TypeError, ValueError):
            raise SettingError(
                f"reward is {shown(reward)}; give its range as (low, high)"
            ) from None
        return cls(low, high)

    @cached_property
    def span(self) -> float:
        """Length R of the range."""
        return self.high - self.low

    @cached_property
    def middle(self) -> float:
        """The point around which centred coding measures rewards (maths 1.2)."""
        return self.low + self.span / 2

    def check(self, reward: Any) -> float | int:
        """Return a reward as plain Python, or refuse it."""
        if isinstance(reward, np.generic):
            reward = reward.item()
        if not isinstance(reward, int | float):
            raise RewardError(f"the reward {shown(reward)} is not a number")
        if reward != reward:  # noqa: PLR0124 (NaN alone differs from itself)
            raise RewardError("the reward nan is not a number")
        if not self.low <= reward <= self.high:
            raise RewardError(
                f"the reward {shown(reward)} is outside its range, {self.low:g} to {self.high:g};"
                " describe the study with a range that holds every reward"
            )
        return reward

    def in_units(self, reward: float, *, raw: bool = False) -> float:
        """Return a checked reward in units of the range, on the grid (maths 1.3)."""
        share = (reward if raw else reward - self.middle) / self.span
        return math.floor(share * REWARD_GRID + 0.5) / REWARD_GRID

    def from_units(self, units: float, *, raw: bool = False) -> float:
        """Return the reward that lies so many units from zero (raw) or from the middle."""
        reward = units * self.span + (0.0 if raw else self.middle)
        return min(max(reward, self.low), self.high)  # rounding may leave the range by a bit


def check_beta_min(value: Any, reward: RewardRange) -> float:
    """Return beta_min as a float; refuse one that would drop every question at once (maths 1.2)."""
    beta_min = check_number(value, "beta_min")
    if beta_min < 0:
        raise SettingError(f"beta_min is {beta_min:g}; give 0 (never drop) or more")
    if beta_min >= reward.span:
        raise SettingError(
            f"beta_min is {beta_min:g}, which would drop every question at once; give less"
            f" than the length of the reward range, {reward.span:g}"
        )
    return beta_min

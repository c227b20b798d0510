"""How long a reward may take: so many minutes, hours, days or weeks, or so many visits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from askless.errors import SettingError, meant, shown
from askless.survey.names import check_number
from askless.survey.reward import RewardRange

__all__ = ["PATTERN", "Window", "check_silence"]

VISITS = "visits"
SECONDS = {"minutes": 60.0, "hours": 3_600.0, "days": 86_400.0, "weeks": 604_800.0}
DAYS = {"month": 30, "year": 365}
UNITS = (*SECONDS, VISITS)
LONGEST, MOST_VISITS = 36_525 * SECONDS["days"], 10**15  # a hundred years; what a run can have
PATTERN = rf"^ *[0-9]+(\.[0-9]+)? +({'|'.join(unit[:-1] for unit in UNITS)})s? *$"
EXAMPLES = "such as 14 days, 36 hours, 90 minutes, 2 weeks or 500 visits"


@dataclass(frozen=True)
class Window:
    """How long a reward may take before it is given up.

    Parameters
    ----------
    count : float
        How many; a whole number of visits.
    unit : {"minutes", "hours", "days", "weeks", "visits"}
        Of what.

    Examples
    --------
    >>> window = Window.of("14 days")
    >>> window.in_visits, window.seconds
    (False, 1209600.0)
    >>> Window.of("500 visits").visits
    500
    """

    count: float
    unit: str

    def __post_init__(self) -> None:
        count = check_number(self.count, "the length of a window")
        if self.unit not in UNITS:
            raise SettingError(
                f"the unit of a window is {shown(self.unit)}{meant(self.unit, UNITS, 'choose')}"
            )
        if self.unit == VISITS and not (count.is_integer() and 1 <= count <= MOST_VISITS):
            raise SettingError(
                f"window is {_plain(count)} visits; give a whole number from 1 to {MOST_VISITS}"
            )
        if self.unit != VISITS and not 1 <= count * SECONDS[self.unit] <= LONGEST:
            raise SettingError(
                f"window is {_plain(count)} {self.unit}; give one from a second to a hundred years"
            )
        object.__setattr__(self, "count", count)

    @classmethod
    def of(cls, window: Any) -> Window:
        """Read a window from a text, such as 14 days or 500 visits."""
        if isinstance(window, Window):
            return window
        if not isinstance(window, str) or not re.fullmatch(PATTERN, window):
            raise SettingError(f"window is {shown(window)}; {_in_days(window)}")
        count, unit = window.split()
        return cls(float(count), unit.removesuffix("s") + "s")

    @property
    def in_visits(self) -> bool:
        """Whether visits are counted, and not time."""
        return self.unit == VISITS

    @property
    def seconds(self) -> float:
        """Its length in seconds; refused if it counts visits."""
        if self.in_visits:
            raise SettingError(f"a window of {self} has no length in seconds")
        return self.count * SECONDS[self.unit]

    @property
    def visits(self) -> int:
        """Its length in visits; refused if it counts time."""
        if not self.in_visits:
            raise SettingError(f"a window of {self} has no length in visits")
        return int(self.count)

    def __str__(self) -> str:
        unit = self.unit.removesuffix("s") if self.count == 1 else self.unit
        return f"{_plain(self.count)} {unit}"


def _in_days(window: Any) -> str:
    """Say how to write a window: months and years, which differ in length, as days."""
    long = re.fullmatch(r" *([0-9]{1,4}(?:\.[0-9]+)?) +(month|year)s? *", str(window))
    if long is None:
        return f"give a number and a unit, {EXAMPLES}"
    days = round(float(long[1]) * DAYS[long[2]])
    return f"{long[2]}s differ in length, so count days: {days} days"


def check_silence(value: Any, window: str | None, reward: RewardRange) -> float:
    """Return what a reward that has not come is taken to be; refuse what it cannot be."""
    silence = check_number(value, "silence")
    if window is None:
        raise SettingError(
            f"silence is {silence:g}, and there is no window after which a reward is given up;"
            f" give one, {EXAMPLES}"
        )
    if not reward.low <= silence <= reward.high:
        raise SettingError(
            f"silence is {silence:g}; give a reward within the range, {reward.low:g} to"
            f" {reward.high:g}"
        )
    return silence


def _plain(count: float) -> str:
    """Write a number with all its digits and no exponent, so that it can be read again."""
    return f"{int(count)}" if count.is_integer() else f"{Decimal(repr(count)):f}"

"""Figures and counts as an analysis shows them."""

from __future__ import annotations

import math
from typing import Protocol

__all__ = ["Words", "counted"]


class Estimated(Protocol):
    """A figure with an interval, or without either."""

    @property
    def estimate(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Words:
    """Figures as they are shown: with as many digits as the reward range needs.

    Parameters
    ----------
    span : float
        Of the rewards.

    Examples
    --------
    >>> Words(100).signed(3.14159), Words(1).plain(0.61803), Words(100).ends(-2, 5)
    ('+3.1', '0.618', '-2.0 to 5.0')
    """

    def __init__(self, span: float) -> None:
        self.digits = max(0, 3 - math.floor(math.log10(span)))

    def plain(self, value: float | None) -> str:
        """Show a figure; nothing where there is none."""
        if value is None:
            return ""
        return f"{round(value, self.digits) + 0.0:,.{self.digits}f}"  # no -0

    def signed(self, value: float | None) -> str:
        """Show a difference."""
        if value is None:
            return ""
        return f"{round(value, self.digits) + 0.0:+,.{self.digits}f}"

    def ends(self, low: float | None, high: float | None) -> str:
        """Show an interval; nothing where there is none."""
        return "" if low is None or high is None else f"{self.plain(low)} to {self.plain(high)}"

    def of(self, row: Estimated) -> str:
        """Show a figure and its interval in a sentence."""
        return f"{self.plain(row.estimate)} ({self.ends(row.low, row.high)})"


def counted(count: int, one: str, several: str) -> str:
    """Count things: 1 person, 2 people.

    >>> counted(1, "person", "people"), counted(1500, "reward has", "rewards have")
    ('1 person', '1,500 rewards have')
    """
    return f"{count:,} {one if count == 1 else several}"

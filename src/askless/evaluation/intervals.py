"""Intervals that hold what is drawn next: of values that were drawn alike, and of chances."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from askless.core.arrays import Floats
from askless.core.special import betaincinv

__all__ = ["Interval", "chance", "predictive"]

LEVEL = 0.9


class Interval(NamedTuple):
    """A middle value and the ends of an interval around it."""

    middle: float
    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


def predictive(values: Floats, level: float = LEVEL) -> Interval:
    """Return the median, and an interval that holds the next value with probability `level`.

    Its ends are order statistics: of n + 1 values drawn alike, each is as likely to be the last.
    Each tail is left out alike, unless many values are the largest one (such as "never") or the
    smallest: what cannot be left out there is left out at the other end.

    Examples
    --------
    >>> import numpy as np
    >>> predictive(np.arange(1.0, 200.0))
    Interval(middle=100.0, low=10.0, high=190.0)
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    count = len(ordered)
    if count == 0:
        return Interval(math.nan, math.nan, math.nan)
    out = round((1.0 - level) * (count + 1))  # how many of n + 1 equal chances are left out
    below, above = out // 2, out - out // 2
    at_top = int((ordered == ordered[-1]).sum())
    at_bottom = int((ordered == ordered[0]).sum())
    if at_top > above:
        below, above = out, 0
    elif at_bottom > below:
        below, above = 0, out
    low = ordered[max(below - 1, 0)]
    high = ordered[min(count - above, count - 1)]
    return Interval(float(np.median(ordered)), float(low), float(high))


def chance(count: int, of: int, level: float = LEVEL) -> Interval:
    """Return a share, and its interval by Clopper and Pearson: at least `level`, whatever it is.

    Examples
    --------
    >>> chance(0, 200).high < 0.015
    True
    """
    tail = (1.0 - level) / 2
    low = float(betaincinv(count, of - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 1.0 - tail)) if count < of else 1.0
    return Interval(count / of, low, high)

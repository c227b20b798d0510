"""A mean of rewards with an interval that holds at all times, out of sums alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

__all__ = ["Mean", "running_mean"]

# Settled beforehand: how much is bet, and around which value rewards are taken to lie.
BETS = 0.5 ** np.arange(1, 13)
CENTRES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
MISSES = 0.05


class Mean(NamedTuple):
    """A mean, and the ends of its interval."""

    middle: float
    low: float
    high: float


def running_mean(count: int, total: float, squares: float, low: float, high: float) -> Mean | None:
    """Return the mean of rewards between two ends, and an interval for that of their expectations.

    Each reward's expectation is that given all before it, whatever law it has: visits that got an
    arm because of earlier ones are allowed. The interval misses with a probability of at most 5%,
    however often one looks (maths 5.2, empirical Bernstein; Waudby-Smith & Ramdas 2024): sixty
    bets, each around a value that is settled beforehand, so that sums suffice. None before the
    first reward.

    Examples
    --------
    >>> middle, lower, upper = running_mean(10_000, 5_000, 5_000, 0, 1)
    >>> middle, 0.47 < lower < 0.48, 0.52 < upper < 0.53
    (0.5, True, True)
    """
    if count <= 0:
        return None
    span = high - low
    mean = total / count
    units = (mean - low) / span
    second = (squares / count - 2 * low * mean + low * low) / span**2
    spread = np.maximum(count * (second - 2 * CENTRES * units + CENTRES**2), 0.0)
    line = math.log(2 * len(BETS) * len(CENTRES) / MISSES)
    price = -np.log1p(-BETS) - BETS
    slack = float(((line + np.outer(spread, price)) / (count * BETS)).min())
    lower, upper = max(0.0, units - slack), min(1.0, units + slack)
    return Mean(mean, low + span * lower, low + span * upper)

"""How far a random walk may be looked at: Pocock's constant for repeated looks (maths 10.2)."""

from __future__ import annotations

from functools import cache

import numpy as np

from askless.core.arrays import Floats
from askless.core.special import ndtr, ndtri

__all__ = ["pocock"]

POINTS = 201  # of the walk's density; with four times as many, the fourth digit is the same


@cache
def pocock(misses: float, looks: int) -> float:
    """Return c such that |S_j| > c√j for some j of so many looks with this probability.

    S_j is the sum of j independent standard normal numbers. (Pocock 1977, by recursive numerical
    integration as in Armitage, McPherson & Rowe 1969.)

    Examples
    --------
    >>> from askless.evaluation.pocock import pocock
    >>> round(pocock(0.05, 1), 2), round(pocock(0.05, 5), 2)
    (1.96, 2.41)
    """
    from scipy.optimize import brentq  # noqa: PLC0415 (a tenth of a second, which few need)

    return float(brentq(lambda c: _crossing(c, looks) - misses, -ndtri(misses / 2) - 1e-6, 9.0))


def _crossing(c: float, looks: int) -> float:
    """Return with which probability the walk is ever outside."""
    inside = np.linspace(-c, c, POINTS)
    density, crossed = _density(inside), 2 * ndtr(-c)
    for j in range(1, looks):
        # The density of the next sum, where this one was inside; both in units of their deviation.
        weights = np.full(POINTS, inside[1] - inside[0]) * np.sqrt(j)
        weights[[0, -1]] /= 2
        now = inside * np.sqrt(j)
        crossed += float(
            (weights * density) @ (ndtr(now - c * np.sqrt(j + 1)) + ndtr(-c * np.sqrt(j + 1) - now))
        )
        later = inside * np.sqrt(j + 1)
        density = _density(later[:, None] - now[None, :]) @ (weights * density)
    return float(crossed)


def _density(x: Floats) -> Floats:
    """Return the density of the normal law."""
    density: Floats = np.exp(-(x**2) / 2.0) / np.sqrt(2 * np.pi)
    return density

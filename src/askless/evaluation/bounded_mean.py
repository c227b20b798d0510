"""An interval for the mean of rewards that came one after the other, by their range alone."""

from __future__ import annotations

import math

import numpy as np

from askless.core.arrays import Floats

__all__ = ["bounded_mean"]

VARIANCES = 0.25 ** np.arange(1, 7)  # for which the bets are best, if all visits count


def bounded_mean(
    terms: Floats, low: float, high: float, misses: float, planned: int | None = None
) -> tuple[float, float, float]:
    """Return the mean of terms between two ends, and an interval for that of their expectations.

    Each term's expectation is that given all before it. Six bets, each settled beforehand, by the
    lemma of maths 5.2 (empirical Bernstein; Waudby-Smith & Ramdas 2024); holds for any law. Terms
    may be those of some visits, as long as which they are is settled before their rewards;
    `planned` is then the number of all visits, which must be fixed.

    Examples
    --------
    >>> import numpy as np
    >>> from askless.evaluation.bounded_mean import bounded_mean
    >>> middle, lower, upper = bounded_mean(np.tile([0.0, 1.0], 500), 0, 1, 0.05)
    >>> middle, 0.44 < lower < 0.46, 0.54 < upper < 0.56
    (0.5, True, True)
    """
    n, span = len(terms), high - low
    units = (terms - low) / span
    before = np.concatenate([[0.5], (0.5 + np.cumsum(units))[:-1] / (np.arange(1, n) + 1)])
    line = math.log(2 * len(VARIANCES) / misses)
    bets = np.minimum(0.5, np.sqrt(2 * line / ((planned or n) * VARIANCES)))
    spread = float((units - before) @ (units - before))
    slack = float(((line + spread * (-np.log1p(-bets) - bets)) / (n * bets)).min())
    middle = float(units.mean())
    lower, upper = max(0.0, middle - slack), min(1.0, middle + slack)
    return low + span * middle, low + span * lower, low + span * upper

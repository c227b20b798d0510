"""The lasso with the one-standard-error rule: which columns a sample says are worth keeping.

As cv.glmnet does: columns of variance 1, a free intercept, a path of penalties that all folds
share, and the largest penalty whose error out of fold is within one standard error of the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.sparse import lasso_path

__all__ = ["Screening", "kept_columns", "least_squares", "screen"]

PENALTIES, SMALLEST = 100, 1e-3  # how many, and the last one as a share of the first
FEWEST = 10  # rows for a lasso
MOST_FOLDS, ROWS_A_FOLD = 10, 3


class Screening(NamedTuple):
    """A path of lassos, and how well each predicts rows that it has not seen."""

    penalties: Floats  # falling, of columns of variance 1
    coefs: Floats  # penalties × columns, in the units of the rows
    errors: Floats  # a penalty's mean squared error out of fold
    spreads: Floats  # the standard error of that
    chosen: int  # the first penalty within one standard error of the best


class Standardised(NamedTuple):
    """Rows by their means, deviations and correlations."""

    mean: Floats
    deviation: Floats  # infinite where a column is constant, so that it becomes zero
    level: float  # the average reward
    gram: Floats
    moment: Floats

    @classmethod
    def of(cls, rows: Floats, ys: Floats) -> Standardised:
        """Standardise rows and centre their rewards."""
        mean, level = rows.mean(axis=0), float(ys.mean())
        deviation = np.where(np.ptp(rows, axis=0) == 0, np.inf, rows.std(axis=0))
        x = (rows - mean) / deviation
        return cls(mean, deviation, level, x.T @ x / len(x), x.T @ (ys - level) / len(x))


def kept_columns(rows: Floats, ys: Floats) -> Flags:
    """Return which columns the chosen lasso uses; none where there is too little to go by."""
    if len(ys) < FEWEST or np.ptp(ys) == 0 or not np.ptp(rows, axis=0).any():
        return np.zeros(rows.shape[1], dtype=bool)
    found = screen(rows, ys)
    return np.asarray(found.coefs[found.chosen] != 0)


def screen(rows: Floats, ys: Floats) -> Screening:
    """Choose a lasso; a row's fold follows from its place, so that nothing is drawn."""
    whole, count = Standardised.of(rows, ys), len(ys)
    first = max(float(np.abs(whole.moment).max()), np.finfo(float).tiny)
    penalties = first * np.geomspace(1.0, SMALLEST, PENALTIES)
    fold = np.arange(count) % min(MOST_FOLDS, count // ROWS_A_FOLD)
    shares = np.bincount(fold) / count
    each = np.array([_error(rows, ys, fold == f, penalties) for f in range(len(shares))])
    errors = shares @ each
    spreads = np.sqrt(shares @ (each - errors) ** 2 / (len(shares) - 1))
    best = int(np.argmin(errors))
    chosen = int(np.argmax(errors <= errors[best] + spreads[best]))
    coefs = lasso_path(whole.gram, whole.moment, penalties) / whole.deviation
    return Screening(penalties, coefs, errors, spreads, chosen)


def _error(rows: Floats, ys: Floats, out: Flags, penalties: Floats) -> Floats:
    """Return the mean squared errors on the rows that are left out, one a penalty."""
    seen = Standardised.of(rows[~out], ys[~out])
    path = lasso_path(seen.gram, seen.moment, penalties)
    x = (rows[out] - seen.mean) / seen.deviation
    off = x @ path.T + (seen.level - ys[out])[:, None]
    return np.asarray((off**2).mean(axis=0))


def least_squares(rows: Floats, ys: Floats) -> Floats:
    """Return a level and coefficients; where many fit equally well, the shortest coefficients."""
    seen = Standardised.of(rows, ys)
    x = (rows - seen.mean) / seen.deviation  # shortest whatever the columns' units
    coef = np.linalg.lstsq(x, ys - seen.level, rcond=1e-9)[0] / seen.deviation
    return np.append(seen.level - seen.mean @ coef, coef)

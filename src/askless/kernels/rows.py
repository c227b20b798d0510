"""Rows as they come from outside: checked, and put on the grid before a kernel sees them."""

import math

import numpy as np

from askless.kernels.bundles import NUMBER, ONE_HOT, Columns, Floats, Rule
from askless.kernels.compiling import INLINE, kernel

GRID = 1024.0  # columns are multiples of 1/1024 (maths 1.3)
REWARD_GRID = 16384.0  # rewards are multiples of 1/16384 of their range (maths 1.3)
COMPLETE, INCOMPLETE, NO_CONSTANT = -1, -2, -3  # what check_row says when no question is wrong


@kernel()
def check_row(columns: Columns, z: Floats, out: Floats) -> int:
    """Copy a row to `out`, on the grid; return the first question that does not fit, or a code.

    A question left out has NaN in all its columns.
    """
    if z[0] != 1.0:
        return NO_CONSTANT
    out[0] = 1.0
    if check_scales(columns, z, out):
        return COMPLETE
    result = COMPLETE
    for g in range(columns.first.shape[0]):
        first, width, skip = columns.first[g], columns.width[g], columns.skip[g]
        kind, low, high = columns.kind[g], columns.low[first], columns.high[first]
        if math.isnan(z[first]):
            result = INCOMPLETE
            for j in range(first, first + width):
                if not math.isnan(z[j]):
                    return g
                out[j] = z[j]
            continue
        skipped = False
        if skip:
            flag = z[first + width - 1]
            if flag not in (0.0, 1.0):
                return g
            skipped = flag == 1.0
            out[first + width - 1] = flag
        given = 0
        for j in range(first, first + width - skip):
            value = z[j]
            if skipped:
                if value != 0.0:
                    return g
            elif kind == NUMBER:
                if not low <= value <= high:
                    return g
                value = on_grid(value)
            elif value not in (low, high):
                return g
            given += value == 1.0
            out[j] = value
        if kind == ONE_HOT and not skipped and given != 1:
            return g
    return result


@kernel(**INLINE)
def check_scales(columns: Columns, z: Floats, out: Floats) -> bool:
    """Do as `check_row` with a complete row of a survey of scales; False if there is another case.

    Nothing has to be told apart, so that eight columns are checked at a time.
    """
    others = columns.low.shape[0] - 1 - columns.kind.shape[0]  # columns of choices and skips
    for g in range(columns.kind.shape[0]):
        others += abs(columns.kind[g] - NUMBER)
    if others:
        return False
    outside = 0
    for j in range(1, z.shape[0]):
        outside += 0 if (z[j] >= columns.low[j]) & (z[j] <= columns.high[j]) else 1
        out[j] = on_grid(z[j])
    return outside == 0


@kernel(**INLINE)
def on_grid(value: float) -> float:
    """Round a column's value to the grid."""
    return float(np.floor(value * GRID + 0.5)) / GRID  # a double; math.floor makes it an integer


@kernel(**INLINE)
def same_row(z: Floats, row: Floats) -> bool:
    """Whether a row that was checked before is this one, bit for bit where it counts."""
    same = True
    for j in range(z.shape[0]):
        same &= z[j] == row[j]
    return same


@kernel(**INLINE)
def reward_units(rule: Rule, reward: float) -> float:
    """Return a reward in units of its range, on the grid; NaN if it is outside the range."""
    if not rule.low <= reward <= rule.high:
        return math.nan
    zero = 0.0 if rule.raw else rule.low + rule.span / 2.0
    return on_reward_grid((reward - zero) / rule.span)


@kernel(**INLINE)
def on_reward_grid(units: float) -> float:
    """Round a reward in units of its range to the grid."""
    return float(np.floor(units * REWARD_GRID + 0.5)) / REWARD_GRID

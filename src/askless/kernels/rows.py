"""Rows as they come from outside: checked, and put on the grid before a kernel sees them."""

import math

from numba import njit

from askless.kernels.bundles import NUMBER, ONE_HOT, Columns, Floats

GRID = 1024.0  # columns are multiples of 1/1024 (maths 1.3)
COMPLETE, INCOMPLETE, NO_CONSTANT = -1, -2, -3  # what check_row says when no question is wrong


@njit(cache=True)
def check_row(columns: Columns, z: Floats, out: Floats) -> int:
    """Copy a row to `out`, on the grid; return the first question that does not fit, or a code.

    A question left out has NaN in all its columns.
    """
    if z[0] != 1.0:
        return NO_CONSTANT
    out[0] = 1.0
    result = COMPLETE
    for g in range(columns.first.shape[0]):
        first = columns.first[g]
        last = first + columns.width[g]
        if math.isnan(z[first]):
            result = INCOMPLETE
            for j in range(first, last):
                if not math.isnan(z[j]):
                    return g
                out[j] = z[j]
        elif not fits(columns, g, z[first:last], out[first:last]):
            return g
    return result


@njit(cache=True)
def fits(columns: Columns, g: int, values: Floats, out: Floats) -> bool:
    """Whether `values` can be question g's columns; puts them on the grid."""
    own = values.shape[0] - columns.skip[g]
    low, high = columns.low[columns.first[g]], columns.high[columns.first[g]]
    skipped = False
    if columns.skip[g]:
        if values[own] != 0.0 and values[own] != 1.0:
            return False
        skipped = values[own] == 1.0
        out[own] = values[own]
    given = 0
    for j in range(own):
        value = values[j]
        if skipped:
            if value != 0.0:
                return False
        elif columns.kind[g] == NUMBER:
            if not low <= value <= high:
                return False
            value = math.floor(value * GRID + 0.5) / GRID
        elif value not in (low, high):
            return False
        if value == 1.0:
            given += 1
        out[j] = value
    return skipped or columns.kind[g] != ONE_HOT or given == 1

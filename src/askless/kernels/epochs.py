"""The room of the arms' blocks: rows that wait for their block's end, and what is known by then.

Blocks in warm-up are not tested; the later ones, which are, are epochs (maths 5.1).
"""

from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Floats, Ints, aligned
from askless.kernels.compiling import INLINE, internal
from askless.kernels.lanes import WIDTH, padded
from askless.kernels.machine import floats_at, ints_at, part

MOST_ROWS = 20_000  # of an epoch, while questions are undecided: they are kept in memory
BLOCK = 32  # rows between two looks at an epoch
GOES_ON = -1  # what learning a row returns in mid-epoch; else the number of questions dropped
GROUP = 8  # columns for which all rows are read at once
LEVERS, RANGES = 32, 16  # bins in which levers and what a reward can lose are counted
TALLIES = 5  # further numbers that are noted of every row
FULL = -2  # what it returns where there is no room for the row; nothing has been learned

# By which test a question was dropped (maths 5.1).
NOT_DROPPED, BY_EPOCHS, BY_ELLIPSOID = 0, 1, 2

# What is added up of a direction (`signed_effects`): for the interval at all times sums of 1/(Vv)
# and s/(Vv), and five prices a side; for that at the end sums of s/sqrt(v), of 1/sqrt(v) and of
# squared errors, and of how many epochs.
WEIGHT, WEIGHTED, PRICES = 0, 1, 2
ESTIMATES, ROOTS, SQUARES, COUNTED = 12, 13, 14, 15
SUMS = 16


class Epochs(NamedTuple):
    """The epochs of K arms. P and the packing are those of `Arms`; d counts all directions.

    A row in the room has its packed columns in whole lanes, then its reward in units of the range
    (`row_length`).
    """

    held: Ints  # (K,) rows of the block so far
    kept: Ints  # (K,) how many of them are in the room
    added: Ints  # (K,) how many of those are in `gram`, `moment` and `squares`
    need: Ints  # (K,) with how many rows it ends
    ended: Ints  # (K,) blocks before it
    warm: Ints  # (K,) 1 while the arm is in warm-up
    tested: Ints  # (K,) blocks that were epochs
    undecided: Ints  # (K,) active questions whose effect may be zero (maths 8.3)
    rows_at: Ints  # (K,) the address of the room
    room: Ints  # (K,) how many numbers it holds
    table: Ints  # (2,) the address of scratch for a table of all rows, and how much it holds
    test: Ints  # (K, m) by which test a question was dropped
    passed: Ints  # (K, d, 2) 1 where an effect is certainly below beta_min, above -beta_min
    order: Ints  # (P,) scratch
    gram: Floats  # (K, P, P) sum of z z' over the block, lower triangle
    model_root: Floats  # (K, P, P) the decision ridge on the whole support (maths 8.2), as `root`
    whole: Floats  # (P, P) scratch
    factor: Floats  # (P, P) scratch
    solutions: Floats  # (widest + GROUP, P) scratch
    residues: Floats  # (widest + GROUP, P) scratch
    moment: Floats  # (K, P) sum of z y / R over the block
    model_weights: Floats  # (K, P)
    model_estimate: Floats  # (K, P) in units of the range, from its middle
    left: Floats  # (P,) scratch
    online: Floats  # (5, P and a lane more) scratch
    cells: Floats  # (LEVERS, RANGES) scratch
    squares: Floats  # (K,) sum of (y / R) squared over the block
    spread: Floats  # (K,) median of w' inv(D) w over the directions of the support, in warm-up
    logs: Floats  # (K, d, 2) the e-processes' logarithms
    pace: Floats  # (K, d, 2) by how much they grow a row if the effect is zero, when tested last
    signed: Floats  # (K, d, SUMS) what epochs say of a direction's effect (`signed_effects`)
    spreads: Floats  # (d,) scratch


def epochs_buffers(
    count: int, m: int, p: int, widest: int, directions: int, *, wanted: bool
) -> tuple[Ints, Floats]:
    """Return the zeroed buffers of so many arms; almost nothing where none is `wanted`."""
    if not wanted:
        return np.zeros(5, dtype=np.int64), np.zeros(1)
    wide = padded(p)
    ints = np.zeros(7 + count * (10 + m + 2 * directions) + wide, dtype=np.int64)
    ints[:5] = count, m, wide, widest + GROUP, directions
    square = wide * wide
    per_arm = 2 * square + 3 * wide + 2 + (4 + SUMS) * directions
    shared = 2 * square + (2 * (widest + GROUP) + 1) * wide + 5 * (wide + WIDTH)
    floats = aligned(count * per_arm + shared + LEVERS * RANGES + directions)
    return ints, floats


def named_epochs(ints: Ints, floats: Floats) -> Epochs:
    """Name the parts of the buffers; what is loaded in lanes comes first."""
    count, m, wide, group, directions = ints[0], ints[1], ints[2], ints[3], ints[4]
    square, row, long = wide * wide, count * wide, wide + WIDTH
    test = 5 + 10 * count
    passed = test + count * m
    order = passed + 2 * count * directions
    model = count * square
    whole = 2 * model
    solutions = whole + 2 * square
    residues = solutions + group * wide
    moment = residues + group * wide
    left = moment + 3 * row
    online = left + wide
    cells = online + 5 * long
    squares = cells + LEVERS * RANGES
    logs = squares + 2 * count
    pace = logs + 2 * count * directions
    signed = pace + 2 * count * directions
    return Epochs(
        held=part(ints, 5, (count,)),
        kept=part(ints, 5 + count, (count,)),
        added=part(ints, 5 + 2 * count, (count,)),
        need=part(ints, 5 + 3 * count, (count,)),
        ended=part(ints, 5 + 4 * count, (count,)),
        warm=part(ints, 5 + 5 * count, (count,)),
        undecided=part(ints, 5 + 6 * count, (count,)),
        rows_at=part(ints, 5 + 7 * count, (count,)),
        room=part(ints, 5 + 8 * count, (count,)),
        tested=part(ints, 5 + 9 * count, (count,)),
        table=part(ints, order + wide, (2,)),
        test=part(ints, test, (count, m)),
        passed=part(ints, passed, (count, directions, 2)),
        order=part(ints, order, (wide,)),
        gram=part(floats, 0, (count, wide, wide)),
        model_root=part(floats, model, (count, wide, wide)),
        whole=part(floats, whole, (wide, wide)),
        factor=part(floats, whole + square, (wide, wide)),
        solutions=part(floats, solutions, (group, wide)),
        residues=part(floats, residues, (group, wide)),
        moment=part(floats, moment, (count, wide)),
        model_weights=part(floats, moment + row, (count, wide)),
        model_estimate=part(floats, moment + 2 * row, (count, wide)),
        left=part(floats, left, (wide,)),
        online=part(floats, online, (5, long)),
        cells=part(floats, cells, (LEVERS, RANGES)),
        squares=part(floats, squares, (count,)),
        spread=part(floats, squares + count, (count,)),
        logs=part(floats, logs, (count, directions, 2)),
        pace=part(floats, pace, (count, directions, 2)),
        signed=part(floats, signed, (count, directions, SUMS)),
        spreads=part(floats, signed + SUMS * count * directions, (directions,)),
    )


open_epochs_parts = internal(**INLINE)(named_epochs)


@internal(**INLINE)
def open_epochs(address: int) -> Epochs:
    """Name the parts of the buffers, given the address of their header."""
    at = ints_at(address, 16)
    return open_epochs_parts(ints_at(at[12], at[13]), floats_at(at[14], at[15]))


def lanes_of(size: int) -> int:
    """Return how many numbers the packed columns of a row take: whole lanes."""
    return -(-size // WIDTH) * WIDTH


def fewest_rows(size: int) -> int:
    """Return how many rows an epoch of an arm with so many columns has at least (maths 5.1)."""
    return max(2 * size, (3 * size + 1) // 2 + 5)


packed_lanes = internal(**INLINE)(lanes_of)
shortest = internal(**INLINE)(fewest_rows)


@internal(**INLINE)
def rows_of(epochs: Epochs, k: int, size: int) -> tuple[Floats, int]:
    """Return the rows of arm k's room, as many as fit, and where in a row its reward is."""
    lanes = packed_lanes(size)
    length = lanes + WIDTH
    room = floats_at(epochs.rows_at[k], epochs.room[k])
    return part(room, 0, (epochs.room[k] // length, length)), lanes


@internal(**INLINE)
def table_of(epochs: Epochs, count: int) -> tuple[Floats]:
    """Return scratch for a number a row: `solutions` and TALLIES of them, each in whole lanes."""
    scratch = floats_at(epochs.table[0], epochs.table[1])
    return (part(scratch, 0, (epochs.solutions.shape[0] + TALLIES, packed_lanes(count))),)


@internal(**INLINE)
def most_rows(epochs: Epochs) -> int:
    """Return for how many rows there is a table."""
    lanes = epochs.table[1] // ((epochs.solutions.shape[0] + TALLIES) * WIDTH)
    return int(lanes * WIDTH)

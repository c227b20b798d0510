"""The e-processes of a question: evidence that its effect is within beta_min (maths 5.2).

How much is bet is fixed by the epoch's contexts and by what came before it, and what a row costs by
the rows before it too; so nobody can choose either by looking at the reward that it is about.
"""

import math
from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Floats, Ints
from askless.kernels.compiling import INLINE, internal, kernel
from askless.kernels.epochs import LEVERS, RANGES
from askless.kernels.lanes import WIDTH, fma, load, spread, store_totals
from askless.kernels.triangle import dot, inner, sum_of, whole_times

SINGULAR = 1e-11  # a pivot below this, relatively, is rounding: sums of rows are exact (maths 1.3)
BIASED = 1e-6  # A x = w must hold this well; the estimate's bias is at most that much of b1
MOST, PLANNED = 0.95, 0.9  # of what would lose everything: the most that a row bets, or is to bet
BETS, SMALLEST, LARGEST = 24, 0.003, 8.0  # candidates; the largest is LARGEST / max |lever|
LEAST = 0.02  # of the range: a reward can always be this far from its prediction
NO_LEVER = 1e-9  # of the largest: a lever that is rounding; so far may a border be passed
SQRT_HALF, LN2 = math.sqrt(0.5), math.log(2.0)


def psi(x: Floats) -> Floats:
    """Return -ln(1 - x) - x, the price of a bet of size x (maths 5.2)."""
    return np.asarray(-np.log1p(-x) - x)


# Candidates, and what each costs a row in the middle of a cell: at most HOEFFDING, or ADAPTIVE
# times the variance of the noise.
FRACTIONS = LARGEST * np.geomspace(SMALLEST, 1.0, BETS)
STAKES = (np.arange(LEVERS) + 0.5)[:, None] / LEVERS * FRACTIONS
LOSSES = (np.arange(RANGES) + 0.5)[None, :, None] / RANGES
HOEFFDING = STAKES**2 / 8.0
ADAPTIVE = np.where(
    STAKES[:, None, :] * LOSSES < PLANNED,
    psi(np.minimum(STAKES[:, None, :] * LOSSES, PLANNED)) / LOSSES**2,
    1e100,
)


class Design(NamedTuple):
    """The contexts of an epoch, and what is known from earlier ones; in units of the range."""

    rows: Floats  # (n, row length): `Epochs`
    n: int
    size: int  # columns
    whole: Floats  # (P, P) A = sum of z z'
    factor: Floats  # (P, P) its Cholesky factor, columns in the order in which they were chosen
    order: Ints  # (P,) which columns those are
    moment: Floats  # (P,) sum of z y, rewards from the middle of the range
    solutions: Floats  # (some, P) x with A x = e_j for some columns
    residues: Floats  # (some, P) A x - e_j
    levers: Floats  # (some, n and more) z'x of each row
    signed: Floats  # (n and more,) the levers of one direction
    guesses: Floats  # (n and more,) predictions of the model from before the epoch
    predicted: Floats  # (n and more,) predictions that know the epoch's rows before
    errors: Floats  # (n and more,) their squared residuals
    prices: Floats  # (n and more,) scratch
    left: Floats  # (P,) scratch
    cells: Floats  # (LEVERS, RANGES) how many rows are in a cell
    beta_min: float
    noise: float  # variance of the residuals that is expected


@internal()
def factor_by_rank(whole: Floats, size: int, factor: Floats, order: Ints, left: Floats) -> int:
    """Factor a Gram matrix, the largest pivot first; return its rank.

    A singular one has fewer pivots than columns: a choice's columns sum to the constant.
    """
    factor[:] = 0.0
    rank = int(np.int64(0))
    for i in range(size):
        left[i] = whole[i, i]
    while rank < size:
        best = -1
        for i in range(size):
            usable = left[i] > SINGULAR * whole[i, i]
            if usable and (best < 0 or left[i] > left[best]):
                best = i
        if best < 0:
            break
        root = math.sqrt(left[best])
        order[rank] = best
        for i in range(size):
            if left[i] > 0.0:  # a column already chosen has nothing left
                column = (whole[i, best] - dot(factor[i], factor[best], rank)) / root
                factor[i, rank] = column
                left[i] -= column * column
        factor[best, rank] = root
        left[best] = 0.0
        rank += 1
    return rank


@internal()
def solve_column(design: Design, rank: int, column: int, x: Floats, residue: Floats) -> None:
    """Solve A x = e_column on the columns that were chosen; zeros elsewhere.

    Sums of such solutions solve A x = w exactly where w lies in the range of A.
    """
    factor, order, u = design.factor, design.order, design.left
    u[:] = 0.0
    x[:] = 0.0
    for r in range(rank):
        row = factor[order[r]]
        right = 1.0 if order[r] == column else 0.0
        u[r] = (right - inner(row[:r], u[:r])) / row[r]
    for back in range(rank):
        r = rank - 1 - back
        row = factor[order[r]]
        value = u[r] / row[r]
        x[order[r]] = value
        for t in range(r):
            u[t] -= value * row[t]
    whole_times(design.whole, x, design.size, residue)
    residue[column] -= 1.0


@internal()
def prepare(design: Design, rank: int, at: int, width: int) -> None:
    """Solve for some columns, and put each row's levers into place; four by two share a pass."""
    n, rows = design.n, design.rows
    for j in range(width):
        solve_column(design, rank, at + j, design.solutions[j], design.residues[j])
    fours, pairs = n // 4 * 4, width // 2 * 2
    for i in range(0, fours, 4):
        row0, row1, row2, row3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        for j in range(0, pairs, 2):
            one, two = design.solutions[j], design.solutions[j + 1]
            a = b = c = d = e = f = g = h = spread(0.0)
            for lane in range(0, design.size, WIDTH):
                x, y = load(one, lane), load(two, lane)
                z0, z1, z2, z3 = (
                    load(row0, lane),
                    load(row1, lane),
                    load(row2, lane),
                    load(row3, lane),
                )
                a, b, c, d = fma(z0, x, a), fma(z1, x, b), fma(z2, x, c), fma(z3, x, d)
                e, f, g, h = fma(z0, y, e), fma(z1, y, f), fma(z2, y, g), fma(z3, y, h)
            store_totals(design.levers[j], i, a, b, c, d)
            store_totals(design.levers[j + 1], i, e, f, g, h)
    for i in range(n):
        for j in range(pairs if i < fours else 0, width):
            design.levers[j, i] = dot(rows[i], design.solutions[j], design.size)


@internal()
def bias_of(design: Design, first: int, direction: Floats) -> float:
    """Return the largest entry of A x - w: 0 where the epoch can tell this direction's effect."""
    worst = 0.0
    for i in range(design.size):
        off = 0.0
        for j in range(direction.shape[0]):
            off += direction[j] * design.residues[first + j, i]
        worst = max(worst, abs(off))
    return worst


@internal(fastmath={"nsz", "nnan"})
def put_levers(design: Design, first: int, direction: Floats) -> float:
    """Put a direction's levers into place; return the size of the largest."""
    n, signed = design.n, design.signed
    for i in range(n):
        signed[i] = direction[0] * design.levers[first, i]
    for j in range(1, direction.shape[0]):
        weight, levers = direction[j], design.levers[first + j]
        for i in range(n):
            signed[i] += weight * levers[i]
    top = 0.0
    for i in range(n):
        top = max(top, abs(signed[i]))
    return top


@internal()
def count_cells(design: Design, top: float) -> None:
    """Count rows by the size of their lever and by how much side + may lose there (maths 5.2)."""
    cells, none = design.cells, NO_LEVER * top
    cells[:] = 0.0
    for i in range(design.n):
        lever, guess = design.signed[i], design.guesses[i]
        size = abs(lever)
        if size >= none:
            loss = 0.5 - guess if lever > 0.0 else 0.5 + guess
            a = min(int((size / top + NO_LEVER) * LEVERS), LEVERS - 1)
            cells[a, min(int((loss + NO_LEVER) * RANGES), RANGES - 1)] += 1.0


@internal(fastmath={"nsz", "nnan"})
def best_bet(design: Design, top: float, side: int) -> tuple[float, float]:
    """Return the bet that is expected to gain most if the effect is zero, and that gain."""
    cells, noise, costs = design.cells, design.noise, design.left
    costs[:] = 0.0
    for a in range(LEVERS):
        plain = HOEFFDING[a]
        for r in range(RANGES):
            count = cells[a, r]
            if count > 0.0:
                adaptive = ADAPTIVE[a, RANGES - 1 - r if side else r]
                for b in range(BETS):
                    costs[b] += count * min(plain[b], noise * adaptive[b])
    bet, gain = 0.0, 0.0
    for b in range(BETS):
        candidate = FRACTIONS[b] / top
        expected = candidate * design.beta_min - costs[b]
        if expected > gain:
            bet, gain = candidate, expected
    return bet, gain


@internal(fastmath={"nsz", "nnan"})
def price_of(design: Design, bet: float, side: int) -> float:
    """Return what a bet costs a side: the prices of all rows (maths 5.2)."""
    signed, predicted, errors, prices = (
        design.signed,
        design.predicted,
        design.errors,
        design.prices,
    )
    turn, noise = 1.0 - 2.0 * side, design.noise
    for i in range(design.n):
        lever = turn * signed[i]
        stake = bet * abs(lever)
        loss = max(LEAST, 0.5 - (predicted[i] if lever > 0.0 else -predicted[i]))
        at_stake = stake * loss
        x = min(at_stake, MOST)
        adaptive, plain = (-logarithm(1.0 - x) - x) / (loss * loss), 0.125 * stake * stake
        adapts = (at_stake < MOST) & (adaptive * noise < plain)
        prices[i] = adaptive * errors[i] if adapts else plain
    return sum_of(prices, design.n)  # whole lanes: the prices behind the last are zero


@kernel(**INLINE)
def logarithm(y: float) -> float:
    """Return ln y for 1/32 <= y <= 1, to 4e-16; without a call, so that eight run side by side."""
    low = y < 0.25
    y, twos = (4.0 * y, 2.0) if low else (y, 0.0)
    low = y < 0.25
    y, twos = (4.0 * y, twos + 2.0) if low else (y, twos)
    low = y < 0.5
    y, twos = (2.0 * y, twos + 1.0) if low else (y, twos)
    low = y < SQRT_HALF
    y, twos = (y / SQRT_HALF, twos + 0.5) if low else (y, twos)
    u = (y - 1.0) / (y + 1.0)  # ln y = 2 artanh u, |u| <= 0.172
    v = u * u
    series = 1.0 / 21.0
    for odd in (19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        series = series * v + 1.0 / odd
    return 2.0 * u * series - twos * LN2


@internal()
def estimate_of(design: Design, first: int, direction: Floats) -> tuple[float, float]:
    """Put a direction's levers into place; return its estimate and the size of the largest lever.

    `first` is where the solutions of its question begin. The size is 0 where the epoch cannot tell.
    """
    if bias_of(design, first, direction) > BIASED:
        return 0.0, 0.0
    estimate = 0.0
    for j in range(direction.shape[0]):
        estimate += direction[j] * dot(design.solutions[first + j], design.moment, design.size)
    return estimate, put_levers(design, first, direction)


@internal()
def bet_on(
    design: Design, estimate: float, top: float, passed: Ints, logs: Floats, gains: Floats
) -> None:
    """Let the two e-processes of a direction grow by what the epoch says (maths 5.2).

    Its levers are in place. Sides that have passed are left alone; `gains` gets what growth was to
    be expected if the effect is zero.
    """
    gains[:] = 0.0
    if not top > 0.0:
        return
    count_cells(design, top)
    for side in range(2):
        if not passed[side]:
            bet, gain = best_bet(design, top, side)
            if gain > 0.0:
                off = estimate if side == 0 else -estimate
                logs[side] += bet * (design.beta_min - off) - price_of(design, bet, side)
                gains[side] = gain

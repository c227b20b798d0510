"""The e-processes of a question: evidence that its effect is within beta_min (maths 5.2).

What an epoch adds to them is fixed by its contexts and by earlier epochs, but for its rewards; so
nobody can choose it by looking at them (maths 5.2).
"""

import math
from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Floats, Ints
from askless.kernels.compiling import INLINE, internal, kernel
from askless.kernels.epochs import BINS
from askless.kernels.lanes import WIDTH, fma, load, spread, store_totals
from askless.kernels.triangle import dot, inner, whole_times

SINGULAR = 1e-11  # a pivot below this, relatively, is rounding: sums of rows are exact (maths 1.3)
BIASED = 1e-6  # A x = w must hold this well; the estimate's bias is at most that much of b1
MOST = 0.95  # the largest bet, of what would lose everything
BETS = 24  # candidates
SQRT_HALF, LN2 = math.sqrt(0.5), math.log(2.0)


def psi(x: Floats) -> Floats:
    """Return -ln(1 - x) - x, the price of a bet of size x (maths 5.1)."""
    return np.asarray(-np.log1p(-x) - x)


# Candidate bets, and the price of each for a row whose lever is in the middle of a bin.
FRACTIONS = MOST * np.geomspace(0.003, 1.0, BETS)
PRICES = psi(FRACTIONS[:, None] * (np.arange(BINS) + 0.5) / BINS)


class Design(NamedTuple):
    """The contexts of an epoch, and what is known from earlier ones; in units of the range."""

    rows: Floats  # (n, row length): `Epochs`
    n: int
    size: int  # columns
    whole: Floats  # (P, P) A = sum of z z'
    factor: Floats  # (P, P) its Cholesky factor, columns in the order in which they were chosen
    order: Ints  # (P,) which columns those are
    moment: Floats  # (P,) sum of z y
    solutions: Floats  # (some, P) x with A x = e_j for some columns
    residues: Floats  # (some, P) A x - e_j
    levers: Floats  # (some, n and more) z'x of each row
    sizes: Floats  # (n and more,) of the levers of one direction
    errors: Floats  # (n and more,) squared residuals
    left: Floats  # (P,) scratch
    counts: Floats  # (BINS,) of the rows, by the size of their levers
    beta_min: float
    sigma: float
    noise: float  # variance of the residuals of earlier epochs


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
def size_levers(design: Design, first: int, direction: Floats) -> float:
    """Put the sizes of a direction's levers into place; return the largest."""
    n, sizes = design.n, design.sizes
    for i in range(n):
        sizes[i] = direction[0] * design.levers[first, i]
    for j in range(1, direction.shape[0]):
        weight, levers = direction[j], design.levers[first + j]
        for i in range(n):
            sizes[i] += weight * levers[i]
    top = 0.0
    for i in range(n):
        size = abs(sizes[i])
        sizes[i] = size
        top = max(top, size)
    return top


@internal()
def best_bet(design: Design, top: float) -> tuple[float, float]:
    """Return the bet that is expected to gain most if the effect is zero, and that gain."""
    counts, scale = design.counts, BINS / top
    counts[:] = 0.0
    for i in range(design.n):
        counts[min(int(design.sizes[i] * scale), BINS - 1)] += 1.0
    bet, gain = 0.0, -math.inf
    for b in range(BETS):
        price = 0.0
        for c in range(BINS):
            price += counts[c] * PRICES[b, c]
        expected = FRACTIONS[b] * design.beta_min / top - design.noise * price
        if expected > gain:
            bet, gain = FRACTIONS[b], expected
    return bet, gain


@internal()
def price_of(design: Design, bet: float, top: float) -> float:
    """Return what a bet costs: the sum of psi times the squared residuals (maths 5.2)."""
    sizes, scale = design.sizes, bet / top
    for i in range(design.n):
        x = scale * sizes[i]
        sizes[i] = -logarithm(1.0 - x) - x
    return dot(sizes, design.errors, design.n)  # whole lanes: the errors behind the last are zero


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
def bet_on(design: Design, first: int, at: int, direction: Floats, logs: Floats) -> float:
    """Let the two e-processes of a direction grow by what the epoch says (maths 5.2).

    `first` is where the solutions of its question begin, `at` the question's first column. Returns
    what growth was to be expected if the effect is zero.
    """
    if bias_of(design, first, direction) > BIASED:
        return 0.0
    estimate, variance, width = 0.0, 0.0, direction.shape[0]
    for j in range(width):
        solution = design.solutions[first + j]
        estimate += direction[j] * dot(solution, design.moment, design.size)
        variance += direction[j] * inner(direction, solution[at : at + width])
    top = size_levers(design, first, direction)
    if not (variance > 0.0 and top > 0.0):
        return 0.0
    bet, gain = best_bet(design, top)
    plain = design.beta_min**2 / (2.0 * design.sigma**2 * variance)
    if gain > plain:
        price, weight = price_of(design, bet, top), bet / top
        logs[0] += weight * (design.beta_min - estimate) - price
        logs[1] += weight * (design.beta_min + estimate) - price
    else:
        weight = design.beta_min / (design.sigma**2 * variance)
        logs[0] += weight * (design.beta_min / 2.0 - estimate)
        logs[1] += weight * (design.beta_min / 2.0 + estimate)
    return max(gain, plain)

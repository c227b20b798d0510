"""Lower-triangular algebra: inv(D) = M' diag(weights) M, kept by rank-one updates.

M has ones on its diagonal, so that an update costs two operations an entry and no square root.
Vectors and matrices are padded with zeros to whole lanes; `size` says how much of them is meant.
"""

import math

from askless.kernels.bundles import Floats
from askless.kernels.compiling import INLINE, internal, kernel
from askless.kernels.lanes import (
    WIDTH,
    fma,
    load,
    product,
    quotient,
    spread,
    store,
    total,
    totals,
)


@kernel(**INLINE)
def dot(x: Floats, y: Floats, size: int) -> float:
    """Inner product of two padded vectors."""
    running = spread(0.0)
    for j in range(0, size, WIDTH):
        running = fma(load(x, j), load(y, j), running)
    return float(total(running))


@internal(**INLINE)
def copy(x: Floats, size: int, out: Floats) -> None:
    """Put a padded vector into `out`."""
    for j in range(0, size, WIDTH):
        store(out, j, load(x, j))


@internal(**INLINE)
def copy_rows(matrix: Floats, size: int, out: Floats) -> None:
    """Put the first rows of a padded matrix into `out`, zeros below them."""
    for i in range(size):
        copy(matrix[i], matrix.shape[1], out[i])
    out[size:] = 0.0


@internal(**INLINE)
def sum_of(x: Floats, size: int) -> float:
    """Sum of a padded vector."""
    running = spread(0.0)
    for j in range(0, size, WIDTH):
        running = fma(spread(1.0), load(x, j), running)
    return float(total(running))


@kernel(fastmath={"reassoc", "contract"}, **INLINE)
def inner(x: Floats, y: Floats) -> float:
    """Inner product of two vectors that are not padded."""
    running = 0.0
    for j in range(x.shape[0]):
        running += x[j] * y[j]
    return running


@kernel(**INLINE)
def largest(x: Floats) -> float:
    """Return the largest entry of a vector."""
    found = float(x[0])
    for j in range(1, x.shape[0]):
        found = max(found, float(x[j]))
    return found


@kernel(**INLINE)
def add_multiple(weight: float, x: Floats, y: Floats, size: int) -> None:
    """Add a multiple of a padded vector x to y."""
    times_x = spread(weight)
    for j in range(0, size, WIDTH):
        store(y, j, fma(times_x, load(x, j), load(y, j)))


@kernel(**INLINE)
def times(root: Floats, z: Floats, size: int, out: Floats) -> None:
    """Put M z into `out`, whole lanes of it; eight rows share a pass over z.

    They read the zeros above the diagonal, and in the last lane those below the last row.
    """
    for i in range(0, size, WIDTH):
        a = b = c = d = e = f = g = h = spread(0.0)
        r0, r1, r2, r3 = root[i], root[i + 1], root[i + 2], root[i + 3]
        if size - i <= WIDTH // 2:  # half a lane is left: the rows of its other half are not read
            for j in range(0, i + 1, WIDTH):
                x = load(z, j)
                a, b = fma(load(r0, j), x, a), fma(load(r1, j), x, b)
                c, d = fma(load(r2, j), x, c), fma(load(r3, j), x, d)
        else:
            r4, r5, r6, r7 = root[i + 4], root[i + 5], root[i + 6], root[i + 7]
            for j in range(0, i + 1, WIDTH):
                x = load(z, j)
                a, b = fma(load(r0, j), x, a), fma(load(r1, j), x, b)
                c, d = fma(load(r2, j), x, c), fma(load(r3, j), x, d)
                e, f = fma(load(r4, j), x, e), fma(load(r5, j), x, f)
                g, h = fma(load(r6, j), x, g), fma(load(r7, j), x, h)
        store(out, i, totals(a, b, c, d, e, f, g, h))


@kernel(**INLINE)
def squared_length(weights: Floats, w: Floats, size: int) -> float:
    """Return w' diag(weights) w; for w = M z that is z' inv(D) z."""
    running = spread(0.0)
    for j in range(0, size, WIDTH):
        x = load(w, j)
        running = fma(product(load(weights, j), x), x, running)
    return float(total(running))


@kernel(**INLINE)
def add_row(
    weights: Floats, w: Floats, size: int, taus: Floats, slopes: Floats, lifts: Floats
) -> float:
    """Turn the weights of inv(D) into those of inv(D + z z'), where w = M z (maths 2.3).

    `slopes` and `lifts` become what `sweep` needs to bring M up to date; `taus` is scratch, a lane
    longer than they are. Returns 1 + z' inv(D) z.
    """
    for i in range(0, size, WIDTH):
        store(lifts, i, product(load(weights, i), load(w, i)))
    tau = 1.0
    taus[0] = tau
    for i in range(size):
        tau += lifts[i] * w[i]
        taus[i + 1] = tau
    store(taus, size + 1, spread(tau))  # the weights of the padding stay what they are
    for i in range(0, size, WIDTH):
        before, after = load(taus, i), load(taus, i + 1)
        inverse = quotient(spread(1.0), product(before, after))  # one division serves both
        store(slopes, i, product(load(w, i), product(after, inverse)))
        shrink = product(before, product(before, inverse))
        store(weights, i, product(load(weights, i), shrink))
    return tau


@kernel(**INLINE)
def sweep(
    matrix: Floats, j: int, top: int, size: int, slopes: Floats, lifts: Floats, gain: Floats
) -> None:
    """Bring sixteen columns of M, or of M times anything, up to date after `add_row`.

    `j` is the first of them; their rows above `top` are zero. Of `gain`, which becomes the old
    inv(D) z, the same columns are filled.
    """
    gains0 = gains1 = spread(0.0)
    for i in range(top, size):
        row = matrix[i]
        slope, lift = spread(-slopes[i]), spread(lifts[i])
        old0, old1 = load(row, j), load(row, j + WIDTH)
        store(row, j, fma(slope, gains0, old0))
        store(row, j + WIDTH, fma(slope, gains1, old1))
        gains0, gains1 = fma(lift, old0, gains0), fma(lift, old1, gains1)
    store(gain, j, gains0)
    store(gain, j + WIDTH, gains1)


@internal(**INLINE)
def sweep_half(
    matrix: Floats, j: int, size: int, slopes: Floats, lifts: Floats, gain: Floats
) -> None:
    """Do as `sweep` with eight columns of M times anything."""
    gains = spread(0.0)
    for i in range(size):
        row = matrix[i]
        old = load(row, j)
        store(row, j, fma(spread(-slopes[i]), gains, old))
        gains = fma(spread(lifts[i]), old, gains)
    store(gain, j, gains)


@internal(**INLINE)
def sweep_twice(
    matrix: Floats,
    j: int,
    top: int,
    size: int,
    slopes: tuple[Floats, Floats],
    lifts: tuple[Floats, Floats],
    gains: tuple[Floats, Floats],
) -> None:
    """Do as `sweep` after two rows, bit for bit, with one pass over the matrix."""
    (slopes0, slopes1), (lifts0, lifts1) = slopes, lifts
    a0 = a1 = b0 = b1 = spread(0.0)
    for i in range(top, size):
        row = matrix[i]
        slope, lift = spread(-slopes0[i]), spread(lifts0[i])
        old0, old1 = load(row, j), load(row, j + WIDTH)
        mid0, mid1 = fma(slope, a0, old0), fma(slope, a1, old1)
        a0, a1 = fma(lift, old0, a0), fma(lift, old1, a1)
        slope, lift = spread(-slopes1[i]), spread(lifts1[i])
        store(row, j, fma(slope, b0, mid0))
        store(row, j + WIDTH, fma(slope, b1, mid1))
        b0, b1 = fma(lift, mid0, b0), fma(lift, mid1, b1)
    store(gains[0], j, a0)
    store(gains[0], j + WIDTH, a1)
    store(gains[1], j, b0)
    store(gains[1], j + WIDTH, b1)


@internal()
def add_rows(gram: Floats, rows: Floats, count: int, size: int) -> None:
    """Add z z' of the first rows to a Gram matrix, whole lanes; four rows of it share a pass."""
    for i in range(0, size, 4):
        row0, row1, row2, row3 = gram[i], gram[i + 1], gram[i + 2], gram[i + 3]
        for j in range(0, i + 4, WIDTH):
            a, b, c, d = load(row0, j), load(row1, j), load(row2, j), load(row3, j)
            for r in range(count):
                z = rows[r]
                x = load(z, j)
                a, b = fma(spread(z[i]), x, a), fma(spread(z[i + 1]), x, b)
                c, d = fma(spread(z[i + 2]), x, c), fma(spread(z[i + 3]), x, d)
            store(row0, j, a)
            store(row1, j, b)
            store(row2, j, c)
            store(row3, j, d)


@kernel()
def factor(gram: Floats, alpha: float, size: int, root: Floats, weights: Floats) -> float:
    """Put M and the weights of inv(D), D = alpha I + gram, into place; return ln det(D / alpha).

    A pivot below alpha is rounding: the exact one is at least alpha (maths 2.3).
    """
    root[:] = 0.0
    weights[:] = 0.0
    log_det = 0.0
    for i in range(size):
        for j in range(i):
            root[j, i] = gram[i, j]
        root[i, i] = gram[i, i] + alpha
    # Elimination row by row, above the diagonal, where rows lie in lanes; L grows below it.
    for k in range(size):
        row = root[k]
        pivot = max(alpha, row[k])
        weights[k] = 1.0 / pivot
        log_det += math.log(pivot / alpha)
        for i in range(k + 1, size):
            part = row[i] / pivot
            add_multiple(-part, row[i:], root[i, i:], size - i)
            root[i, k] = part
    for i in range(size):
        root[i, i:] = 0.0
    for i in range(size):
        root[i, i] = 1.0
    invert(root, size)
    return log_det


@kernel()
def invert(lower: Floats, size: int) -> None:
    """Replace a lower triangle with ones on its diagonal by its inverse.

    Row by row: row i needs only the rows above it.
    """
    for i in range(size):
        row = lower[i]
        for j in range(i):
            # Entry j is still the old one; those left of it have been turned into sums already.
            weight = row[j]
            row[j] = 0.0
            add_multiple(-weight, lower[j], row, j + 1)


@kernel(**INLINE)
def diagonal_of(root: Floats, weights: Floats, size: int, variance: Floats) -> None:
    """Put the diagonal of inv(D) into `variance`."""
    for j in range(0, size, WIDTH):
        squares = spread(0.0)
        for i in range(j, size):
            old = load(root[i], j)
            squares = fma(product(spread(weights[i]), old), old, squares)
        store(variance, j, squares)


@kernel()
def transposed_times(root: Floats, w: Floats, size: int, out: Floats) -> None:
    """Put M' w into `out`."""
    out[:] = 0.0
    for i in range(size):
        add_multiple(w[i], root[i], out, i + 1)


@internal()
def inverse_of(root: Floats, weights: Floats, size: int, out: Floats) -> float:
    """Put M' diag(weights) M, all of it, into `out`, zeros beyond; return its trace."""
    out[:] = 0.0
    for c in range(0, size, WIDTH):
        for j in range(0, size, 4):
            # Four rows share a pass over M, which is zero above row c.
            a = b = d = e = spread(0.0)
            for i in range(max(c, j), size):
                row, scaled = root[i], spread(weights[i])
                x = product(scaled, load(row, c))
                a, b = fma(spread(row[j]), x, a), fma(spread(row[j + 1]), x, b)
                d, e = fma(spread(row[j + 2]), x, d), fma(spread(row[j + 3]), x, e)
            store(out[j], c, a)
            store(out[j + 1], c, b)
            store(out[j + 2], c, d)
            store(out[j + 3], c, e)
    trace = 0.0
    for i in range(size):
        trace += out[i, i]
    return trace


@internal()
def whole_times(matrix: Floats, z: Floats, size: int, out: Floats) -> None:
    """Put a square matrix times z into `out`, whole lanes; eight rows share a pass over z."""
    for i in range(0, size, WIDTH):
        r0, r1, r2, r3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        r4, r5, r6, r7 = matrix[i + 4], matrix[i + 5], matrix[i + 6], matrix[i + 7]
        a = b = c = d = e = f = g = h = spread(0.0)
        for j in range(0, size, WIDTH):
            x = load(z, j)
            a, b = fma(load(r0, j), x, a), fma(load(r1, j), x, b)
            c, d = fma(load(r2, j), x, c), fma(load(r3, j), x, d)
            e, f = fma(load(r4, j), x, e), fma(load(r5, j), x, f)
            g, h = fma(load(r6, j), x, g), fma(load(r7, j), x, h)
        store(out, i, totals(a, b, c, d, e, f, g, h))

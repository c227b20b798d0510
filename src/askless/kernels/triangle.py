"""Lower-triangular algebra: the inverse Cholesky factor M of D, kept by rank-one updates."""

import math

from askless.kernels.bundles import Floats
from askless.kernels.compiling import INLINE, kernel

# Sums may be reordered for speed; NaN and infinity keep their meaning.
RELAXED = {"reassoc", "contract"}


@kernel(fastmath=RELAXED, **INLINE)
def dot(x: Floats, y: Floats) -> float:
    """Inner product of two vectors of the same length."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@kernel(fastmath=RELAXED, **INLINE)
def times(root: Floats, z: Floats, out: Floats) -> float:
    """Put M z into `out`; return its squared length, which is z' inv(D) z.

    Four rows at a time share a pass over z, reading the zeros above the diagonal.
    """
    size = z.shape[0]
    total = 0.0
    i = 0
    while i + 4 <= size:
        row0, row1, row2, row3 = root[i], root[i + 1], root[i + 2], root[i + 3]
        a = b = c = d = 0.0
        for j in range(i + 4):
            a += row0[j] * z[j]
            b += row1[j] * z[j]
            c += row2[j] * z[j]
            d += row3[j] * z[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d
        total += a * a + b * b + c * c + d * d
        i += 4
    while i < size:
        out[i] = dot(root[i, : i + 1], z[: i + 1])
        total += out[i] * out[i]
        i += 1
    return total


@kernel(**INLINE)
def add_row(root: Floats, w: Floats, gain: Floats) -> float:
    """Turn the factor of inv(D) into that of inv(D + z z'), where w = M z (maths 2.3).

    `gain` becomes the old inv(D) z; returns 1 + z' inv(D) z.
    """
    gain[:] = 0.0
    tau = 1.0
    for i in range(w.shape[0]):
        before = tau
        tau = before + w[i] * w[i]
        shrink = math.sqrt(before / tau)
        slope = w[i] / before
        row, above = root[i, : i + 1], gain[: i + 1]
        for j in range(i + 1):
            old = row[j]
            row[j] = shrink * (old - slope * above[j])
            above[j] += w[i] * old
    return tau


@kernel()
def factor(gram: Floats, alpha: float, root: Floats) -> float:
    """Put the inverse Cholesky factor of D = alpha I + gram into `root`; return ln det(D / alpha).

    A pivot below alpha is rounding: the exact one is at least alpha (maths 2.3).
    """
    size = gram.shape[0]
    log_det = 0.0
    for i in range(size):
        for j in range(i):
            root[i, j] = (gram[i, j] - dot(root[i, :j], root[j, :j])) / root[j, j]
        pivot = max(alpha, gram[i, i] + alpha - dot(root[i, :i], root[i, :i]))
        root[i, i] = math.sqrt(pivot)
        root[i, i + 1 :] = 0.0
        log_det += math.log(pivot / alpha)
    invert(root)
    return log_det


@kernel()
def invert(lower: Floats) -> None:
    """Replace a lower triangle by its inverse, row by row: row i needs only the rows above it."""
    for i in range(lower.shape[0]):
        scale = 1.0 / lower[i, i]
        row = lower[i, :i]
        for j in range(i):
            # Entry j is still the factor's; those left of it have been turned into sums already.
            weight = row[j]
            row[j] = 0.0
            above = lower[j, : j + 1]
            for c in range(j + 1):
                row[c] += weight * above[c]
        for j in range(i):
            row[j] *= -scale
        lower[i, i] = scale


@kernel(fastmath=RELAXED)
def diagonal_of(root: Floats, variance: Floats) -> None:
    """Put the diagonal of inv(D) = M' M into `variance`, four rows at a time as in `times`."""
    size = variance.shape[0]
    variance[:] = 0.0
    i = 0
    while i + 4 <= size:
        row0, row1, row2, row3 = root[i], root[i + 1], root[i + 2], root[i + 3]
        for j in range(i + 4):
            variance[j] += row0[j] ** 2 + row1[j] ** 2 + row2[j] ** 2 + row3[j] ** 2
        i += 4
    while i < size:
        row0 = root[i]
        for j in range(i + 1):
            variance[j] += row0[j] ** 2
        i += 1


@kernel()
def transposed_times(root: Floats, w: Floats, out: Floats) -> None:
    """Put M' w into `out`."""
    out[:] = 0.0
    for i in range(w.shape[0]):
        row = root[i, : i + 1]
        for j in range(i + 1):
            out[j] += w[i] * row[j]

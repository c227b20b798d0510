"""Level 2 of the bounds: the diagonal dual of the quadratic part, by the mixing method (maths 4.1).

The Shor relaxation of max s'As + 2c's over signs s gives every column a unit vector instead of a
sign. Eight dimensions fill one register, and a few sweeps of turning each vector into the direction
that suits the others best come within a percent of its value. The lengths met on the way are
a dual point w, which a shift makes feasible: that diag(w) - A is positive definite is *checked*, by
elimination, so the bound holds however far the sweeps got.
"""

import math

from askless.kernels.asking import Scratch
from askless.kernels.bundles import Floats
from askless.kernels.compiling import INLINE, internal
from askless.kernels.lanes import WIDTH, fma, load, product, spread, spread_from, store, total
from askless.kernels.triangle import dot
from askless.kernels.unasked import EPSILON, SPECIAL, View, move_special, squared

SWEEPS = 3
SHIFT = 3e-2  # of the mean length: what is tried first to make w feasible, then thrice that, …
TRIES = 6


@internal()
def diagonal_dual(view: View, scratch: Scratch, offset: float, scale: float, limit: float) -> float:
    """Return an upper bound of F (`bounds`), from any 1/tau `scale` on; inf if none is found.

    Columns of scales, yes/nos and multis get the dual; choices keep their prices. With a limit of
    -inf the bound is as low as can be, else at most the limit or infinite.
    """
    size, theta = view.size, view.width
    boxed, flat = 0, squared(view)
    for i in range(1, size):
        if view.reach[i] > 0.0:
            boxed += 1
        else:
            flat += view.price[i]
    if boxed == 0:
        return math.inf
    set_matrix(view, scratch)
    lengths, along, used = 0.0, 0.0, scale
    for _ in range(SWEEPS):
        used = scale
        set_border(view, scratch, 1.0 / (theta * used))
        lengths, along, toward = sweep_vectors(view, scratch)
        # At a fixed point the quadratic part is the lengths less what the border gave.
        square = flat + lengths - along + 2.0 * toward
        if square > 0.0:
            scale = 1.0 / math.sqrt(square)
    base = offset + dot(view.centre, view.linear, size) + special_gain(view, theta * used)
    held = (lengths + along) * (1.0 + 4.0 * EPSILON * (size + 2) ** 2)
    least = base + 0.5 * theta * (used * (flat + held) + 1.0 / used)
    if limit > -math.inf:
        room = 2.0 * (limit - least) / (theta * used * (boxed + 1))
        settled = room > 0.0 and is_feasible(view, scratch, along, room)
        return limit if settled else math.inf
    shift = SHIFT * held / (boxed + 1)
    for _ in range(TRIES):
        if is_feasible(view, scratch, along, shift):
            return least + 0.5 * theta * used * shift * (boxed + 1)
        shift *= 3.0
    return math.inf


@internal()
def set_matrix(view: View, scratch: Scratch) -> None:
    """Put A into place, inv(D) in units of the columns' reaches, and the vectors at their start.

    Columns that are asked, or a choice's, have no reach: their rows and vectors are zero.
    """
    for i in range(view.size):
        row, out, own = view.inverse[i], scratch.scaled[i], spread(view.reach[i])
        for j in range(0, view.size, WIDTH):
            store(out, j, product(product(own, load(row, j)), load(view.reach, j)))
        there = spread(1.0 if view.reach[i] > 0.0 else 0.0)
        store(scratch.vectors, WIDTH * i, product(there, load(scratch.start, WIDTH * i)))


@internal()
def set_border(view: View, scratch: Scratch, weight: float) -> None:
    """Put the linear part c into place; special questions keep theirs (`special_gain`)."""
    scratch.border[:] = 0.0
    for i in range(1, view.size):
        scratch.border[i] = view.plain[i] * (view.pull[i] + weight * view.linear[i])


@internal()
def sweep_vectors(view: View, scratch: Scratch) -> tuple[float, float, float]:
    """Turn every vector once, in the order of the columns; put the dual point into the prices.

    Returns the sum of the lengths, the border's own, and how far the vectors went along `pull`.
    The border's vector is the first unit vector, which is where the constant's would be.
    """
    vectors, border, unit = scratch.vectors, scratch.border, load(scratch.start, 0)
    lengths, along, toward = 0.0, spread(0.0), spread(0.0)
    # A vector is written back only when the next field has been summed up, with its change added
    # at the end: so one field need not wait for the other.
    last, turned, change = 0, spread(0.0), spread(0.0)
    for i in range(1, view.size):
        if view.reach[i] == 0.0:
            continue
        row = scratch.scaled[i]
        a = b = c = d = spread(0.0)
        for j in range(0, view.size, 4):  # rows beyond the last are zero
            v = WIDTH * j
            a = fma(spread_from(row, j), load(vectors, v), a)
            b = fma(spread_from(row, j + 1), load(vectors, v + WIDTH), b)
            c = fma(spread_from(row, j + 2), load(vectors, v + 2 * WIDTH), c)
            d = fma(spread_from(row, j + 3), load(vectors, v + 3 * WIDTH), d)
        one = spread(1.0)
        field = fma(one, fma(one, a, b), fma(one, c, d))
        own = load(vectors, WIDTH * i)
        field = fma(spread(border[i]), unit, fma(spread(-row[i]), own, field))
        field = fma(spread(row[last]), change, field)
        store(vectors, WIDTH * last, turned)
        length = math.sqrt(total(product(field, field)))
        turned = product(spread(1.0 / length if length > 0.0 else 0.0), field)
        last, change = i, fma(spread(-1.0), own, turned)
        view.price[i] = length + row[i]
        lengths += length + row[i]
        along = fma(spread(border[i]), turned, along)
        toward = fma(spread(view.plain[i] * view.pull[i]), turned, toward)
    store(vectors, WIDTH * last, turned)
    return lengths, float(total(product(along, unit))), float(total(product(toward, unit)))


@internal()
def special_gain(view: View, weight: float) -> float:
    """Return what the linear part gains at most from the special questions."""
    gain, tilt = 0.0, view.tilt
    for i in range(view.counts[SPECIAL]):
        at, width = view.special_at[i], view.special_width[i]
        for j in range(at, at + width):
            tilt[j] = view.linear[j] + weight * view.pull[j]
        move_special(at, width, view.special_choice[i], tilt, view.point)
        for j in range(at, at + width):
            gain += tilt[j] * view.point[j]
    return gain


@internal()
def is_feasible(view: View, scratch: Scratch, along: float, shift: float) -> bool:
    """Whether diag(w + shift) - A, bordered by -c and w0 + shift, is positive definite.

    By elimination; where that goes through in floating point, it does so exactly for a matrix that
    differs by less than the caller allows for.
    """
    size, left, border = view.size, scratch.fields, scratch.turned
    minus, corner = spread(-1.0), along + shift
    for i in range(1, size + 3):  # to whole panels; what is not there gets a pivot of 1
        row, source = left[i], scratch.scaled[i]
        there = i < size and view.reach[i] > 0.0
        sign = minus if there else spread(0.0)
        for j in range(0, size + 3, WIDTH):
            store(row, j, product(sign, load(source, j)))
        row[i] += view.price[i] + shift if there else 1.0
    for j in range(0, size + 3, WIDTH):
        store(border, j, product(minus, load(scratch.border, j)))
    for i in range(1, size, 4):
        # A panel of four rows is eliminated in itself, then from the rows below it in one pass.
        for a in range(i, i + 4):
            row = left[a]
            if not row[a] > 0.0:
                return False
            scale = -1.0 / row[a]
            corner += scale * border[a] * border[a]
            eliminate(scale * border[a], row, i, size, border)
            for b in range(a + 1, i + 4):
                eliminate(scale * row[b], row, i, size, left[b])
        row0, row1, row2, row3 = left[i], left[i + 1], left[i + 2], left[i + 3]
        s0, s1 = -1.0 / row0[i], -1.0 / row1[i + 1]
        s2, s3 = -1.0 / row2[i + 2], -1.0 / row3[i + 3]
        for t in range(i + 4, size):
            row = left[t]
            w0, w1 = spread(s0 * row0[t]), spread(s1 * row1[t])
            w2, w3 = spread(s2 * row2[t]), spread(s3 * row3[t])
            for j in range(t // WIDTH * WIDTH, size, WIDTH):
                x = fma(w1, load(row1, j), fma(w0, load(row0, j), load(row, j)))
                store(row, j, fma(w3, load(row3, j), fma(w2, load(row2, j), x)))
    return corner > 0.0


@internal(**INLINE)
def eliminate(weight: float, x: Floats, first: int, size: int, y: Floats) -> None:
    """Add a multiple of x to y, from the lane of an index on."""
    times_x = spread(weight)
    for j in range(first // WIDTH * WIDTH, size, WIDTH):
        store(y, j, fma(times_x, load(x, j), load(y, j)))

"""Level 2 of the bounds: the diagonal dual of the quadratic part, by the mixing method (maths 4.1).

The Shor relaxation of max s'As + 2c's over signs s gives every column a unit vector instead of a
sign. Eight dimensions fill one register, and a few sweeps of turning each vector into the direction
that suits the others best come within a percent of its value. The lengths met on the way are
a dual point w, which a shift makes feasible: that diag(w) - A is positive definite is *checked*, by
elimination, so the bound holds however far the sweeps got.
"""

import math

import numpy as np

from askless.kernels.asking import Scratch
from askless.kernels.compiling import internal
from askless.kernels.lanes import WIDTH, fma, load, product, spread, store, total
from askless.kernels.triangle import dot
from askless.kernels.unasked import EPSILON, SPECIAL, View, move_special, squared

SWEEPS = 4
SHIFT = 1e-3  # of the mean length: what is tried first to make w feasible; then four times as much
SHIFTS = 7


@internal()
def diagonal_dual(view: View, scratch: Scratch, offset: float, scale: float, limit: float) -> float:
    """Return an upper bound of F (`bounds`), from any 1/tau `scale` on; inf if none is found.

    Columns of scales, yes/nos and multis get the dual; choices keep their prices. With a limit of
    -inf the bound is as low as can be, else at most the limit or infinite.
    """
    size, theta, chosen = view.size, view.theta, scratch.order
    boxed, flat = int(np.int64(0)), squared(view)  # not a literal: callees compile once
    for i in range(1, size):
        if view.reach[i] > 0.0:
            chosen[boxed] = i
            boxed += 1
        else:
            flat += view.price[i]
    if boxed == 0:
        return math.inf
    set_matrix(view, scratch, boxed)
    lengths, along, used = 0.0, 0.0, scale
    for _ in range(SWEEPS):
        used = scale
        set_border(view, scratch, boxed, 1.0 / (theta * used))
        lengths, along, toward = sweep_vectors(view, scratch, boxed)
        # At a fixed point the quadratic part is the lengths less what the border gave.
        square = flat + lengths - along + 2.0 * toward
        if square > 0.0:
            scale = 1.0 / math.sqrt(square)
    base = offset + dot(view.centre, view.linear, size) + special_gain(view, theta * used)
    held = (lengths + along) * (1.0 + 4.0 * EPSILON * (boxed + 2) ** 2)
    least = base + 0.5 * theta * (used * (flat + held) + 1.0 / used)
    if limit > -math.inf:
        room = 2.0 * (limit - least) / (theta * used * (boxed + 1))
        settled = room > 0.0 and is_feasible(view, scratch, boxed, along, room)
        return limit if settled else math.inf
    shift = SHIFT * held / (boxed + 1)
    for _ in range(SHIFTS):
        if is_feasible(view, scratch, boxed, along, shift):
            return least + 0.5 * theta * used * shift * (boxed + 1)
        shift *= 4.0
    return math.inf


@internal()
def set_matrix(view: View, scratch: Scratch, count: int) -> None:
    """Put A into place, inv(D) in units of the columns' reaches, and the vectors at their start."""
    for i in range(count):
        at = scratch.order[i]
        row, out, own = view.inverse[at], scratch.scaled[at], spread(view.reach[at])
        for j in range(0, view.size, WIDTH):
            store(out, j, product(product(own, load(row, j)), load(view.reach, j)))
        store(scratch.vectors[at], 0, load(scratch.start[at], 0))


@internal()
def set_border(view: View, scratch: Scratch, count: int, weight: float) -> None:
    """Put the linear part c into place; special questions keep theirs (`special_gain`)."""
    scratch.border[:] = 0.0
    for i in range(count):
        at = scratch.order[i]
        scratch.border[at] = view.plain[at] * (view.pull[at] + weight * view.linear[at])


@internal()
def sweep_vectors(view: View, scratch: Scratch, count: int) -> tuple[float, float, float]:
    """Turn every vector once, in the order of the columns; put the dual point into the prices.

    Returns the sum of the lengths, the border's own, and how far the vectors went along `pull`.
    The border's vector is the first unit vector.
    """
    chosen, border, vectors = scratch.order, scratch.border, scratch.vectors
    lengths, along, toward = 0.0, 0.0, 0.0
    for i in range(count):
        at = chosen[i]
        row, vector = scratch.scaled[at], vectors[at]
        even = odd = spread(0.0)  # two sums, side by side
        for j in range(0, count - 1, 2):
            a, b = chosen[j], chosen[j + 1]
            even = fma(spread(row[a]), load(vectors[a], 0), even)
            odd = fma(spread(row[b]), load(vectors[b], 0), odd)
        if count % 2:
            a = chosen[count - 1]
            even = fma(spread(row[a]), load(vectors[a], 0), even)
        field = fma(spread(-row[at]), load(vector, 0), fma(spread(1.0), odd, even))
        store(vector, 0, field)
        vector[0] += border[at]
        field = load(vector, 0)
        length = math.sqrt(total(product(field, field)))
        if length > 0.0:
            store(vector, 0, product(spread(1.0 / length), field))
        view.price[at] = length + row[at]
        lengths += length + row[at]
        along += border[at] * vector[0]
        toward += view.plain[at] * view.pull[at] * vector[0]
    return lengths, along, toward


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
def is_feasible(view: View, scratch: Scratch, count: int, along: float, shift: float) -> bool:
    """Whether diag(w + shift) - A, bordered by -c and w0 + shift, is positive definite.

    By elimination; where that goes through in floating point, it does so exactly for a matrix that
    differs by less than the caller allows for.
    """
    size, chosen, left, border = view.size, scratch.order, scratch.fields, scratch.turned
    minus = spread(-1.0)
    for i in range(count):
        at = chosen[i]
        row, source = left[at], scratch.scaled[at]
        for j in range(at // WIDTH * WIDTH, size, WIDTH):
            store(row, j, product(minus, load(source, j)))
        row[at] += view.price[at] + shift
    for j in range(0, size, WIDTH):
        store(border, j, product(minus, load(scratch.border, j)))
    corner = along + shift
    for i in range(count):
        at = chosen[i]
        row = left[at]
        pivot = row[at]
        if not pivot > 0.0:
            return False
        for later in range(i + 1, count):
            below = chosen[later]
            weight, target = spread(-row[below] / pivot), left[below]
            for j in range(below // WIDTH * WIDTH, size, WIDTH):
                store(target, j, fma(weight, load(row, j), load(target, j)))
        weight = spread(-border[at] / pivot)
        corner -= border[at] * border[at] / pivot
        for j in range(at // WIDTH * WIDTH, size, WIDTH):
            store(border, j, fma(weight, load(row, j), load(border, j)))
    return corner > 0.0

"""What an arm does not know of a visit: its unasked questions, their centres and extreme points.

A choice's points are its options, a skip among them if there may be one. Of any other question
that may be skipped, the columns are ±½ around (0, …, 0; ½) where it is answered, and 0 with the
skip column at +½ where it is not. What cannot be skipped and is no choice is *plain*: each of its
columns moves for itself.
"""

import math
from typing import NamedTuple

from askless.kernels.asking import Asking
from askless.kernels.bundles import ONE_HOT, Arms, Columns, Floats, Ints, Rule
from askless.kernels.compiling import INLINE, internal
from askless.kernels.lanes import WIDTH, fma, load, spread, store, with_sign
from askless.kernels.triangle import dot, inverse_of, whole_times

EPSILON = 2.0**-52


SQUARE, VALUE, TRACE = 0, 1, 2  # in View.numbers: x' inv(D) x and the UCB at the centre
PLAIN, SPECIAL = 0, 1  # in View.counts


class View(NamedTuple):
    """One arm and what it does not know, out of `Arms` and `Asking`."""

    size: int
    width: float
    norm: float  # the largest of a context
    active: Ints
    inverted: Ints
    counts: Ints
    plain_at: Ints
    special_at: Ints
    special_width: Ints
    special_choice: Ints
    root: Floats
    weights: Floats
    estimate: Floats
    numbers: Floats
    inverse: Floats
    centre: Floats
    pull: Floats
    reach: Floats
    plain: Floats
    linear: Floats
    tilt: Floats
    point: Floats
    price: Floats


@internal(**INLINE)
def view_of(rule: Rule, arms: Arms, asking: Asking, k: int) -> View:
    """Return what is arm k's."""
    return View(
        arms.active_size[k],
        arms.width[k],
        rule.norm,
        arms.active[k],
        arms.inverted[k : k + 1],
        asking.counts[k],
        asking.plain_at[k],
        asking.special_at[k],
        asking.special_width[k],
        asking.special_choice[k],
        arms.active_root[k],
        arms.active_weights[k],
        arms.active_estimate[k],
        asking.numbers[k],
        asking.inverse[k],
        asking.centre[k],
        asking.pull[k],
        asking.reach[k],
        asking.plain[k],
        asking.linear,
        asking.tilt,
        asking.point,
        asking.price,
    )


@internal()
def look(columns: Columns, view: View, z: Floats) -> int:
    """Put an arm's view of the answers in z into place; return how many questions are unasked."""
    size, at = view.size, 1
    x, reach, plain = view.centre, view.reach, view.plain
    reach[:] = 0.0
    plain[:] = 0.0
    x[0] = 1.0
    x[size:] = 0.0
    free, special, missing = 0, 0, 0
    for g in range(columns.first.shape[0]):
        if not view.active[g]:
            continue
        first, width, choice = columns.first[g], columns.width[g], columns.kind[g] == ONE_HOT
        if not math.isnan(z[first]):
            for j in range(width):
                x[at + j] = z[first + j]
            at += width
            continue
        missing += 1
        for j in range(width):
            low, high = columns.low[first + j], columns.high[first + j]
            x[at + j] = 1.0 / width if choice else 0.5 * (low + high)
            reach[at + j] = 0.0 if choice else 0.5 * (high - low)
            if not choice and not columns.skip[g]:
                plain[at + j] = reach[at + j]
                view.plain_at[free] = at + j
                free += 1
        if choice or columns.skip[g]:
            view.special_at[special], view.special_width[special] = at, width
            view.special_choice[special] = choice
            special += 1
        at += width
    view.counts[PLAIN], view.counts[SPECIAL] = free, special
    return missing


@internal()
def weigh(view: View) -> None:
    """Compute an arm's UCB at the centre, and what its inverse makes of it."""
    size, x, pull = view.size, view.centre, view.pull
    if not view.inverted[0]:
        view.numbers[TRACE] = inverse_of(view.root, view.weights, size, view.inverse)
        view.inverted[0] = 1
    whole_times(view.inverse, x, size, pull)
    square = max(dot(x, pull, size), 0.0)
    view.numbers[SQUARE] = square
    view.numbers[VALUE] = dot(x, view.estimate, size) + view.width * math.sqrt(square)


@internal(**INLINE)
def squared(view: View) -> float:
    """Return x' inv(D) x at the centre, and more: as much as rounding can add to any z' inv(D) z.

    That is at most 0.7 (size + 8) epsilon of |z|' |inv(D)| |z|, and |inv(D)_ij| is at most the
    root of its diagonal's, so that the trace times the largest |z|² bounds the rest.
    """
    trace = view.numbers[TRACE] * view.norm**2
    return float(view.numbers[SQUARE] + 2.0 * EPSILON * (view.size + 8) * trace)


@internal(**INLINE)
def add(x: Floats, weight: float, y: Floats, size: int, out: Floats) -> None:
    """Put x + weight y into `out`."""
    times_y = spread(weight)
    for j in range(0, size, WIDTH):
        store(out, j, fma(times_y, load(y, j), load(x, j)))


@internal()
def best_point(view: View) -> float:
    """Put into `point` the move away from the centre that gains most along `tilt`; return that."""
    point, plain, tilt = view.point, view.plain, view.tilt
    for j in range(0, view.size, WIDTH):
        store(point, j, with_sign(load(plain, j), load(tilt, j)))
    for i in range(view.counts[SPECIAL]):
        move_special(view.special_at[i], view.special_width[i], view.special_choice[i], tilt, point)
    return dot(tilt, point, view.size)


@internal()
def move_special(at: int, width: int, choice: int, a: Floats, out: Floats) -> int:
    """Put a special question's move that gains most in direction a into `out`; say which it is.

    Of a choice the option, else 1 for a skip.
    """
    if choice:
        best = 0
        for j in range(1, width):
            if a[at + j] > a[at + best]:
                best = j
        for j in range(width):
            out[at + j] = -1.0 / width
        out[at + best] += 1.0
        return best
    answered = 0.0
    for j in range(width - 1):
        answered += 0.5 * abs(a[at + j])
    skipped = 1 if a[at + width - 1] > answered else 0
    for j in range(width - 1):
        out[at + j] = 0.0 if skipped else math.copysign(0.5, a[at + j])
    out[at + width - 1] = 0.5 if skipped else -0.5
    return skipped


@internal()
def rise(columns: Columns, g: int, at: int, a: Floats, sign: float) -> float:
    """Return the most that question g can gain in direction sign * a; its first column is `at`."""
    first, width, gain = columns.first[g], columns.width[g], 0.0
    if columns.kind[g] == ONE_HOT:
        mean, most = 0.0, -math.inf
        for j in range(at, at + width):
            mean += sign * a[j] / width
            most = max(most, sign * a[j])
        return most - mean
    for j in range(width - columns.skip[g]):
        reach = 0.5 * (columns.high[first + j] - columns.low[first + j])
        gain += reach * abs(a[at + j])
    if columns.skip[g]:
        skipped = 0.5 * sign * a[at + width - 1]
        gain = max(gain - skipped, skipped)
    return gain

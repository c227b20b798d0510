"""Level 3 of the bounds: branch and bound over the extreme points (maths 4.1).

F is convex, so it is highest at an extreme point. Questions are fixed one after the other; a branch
ends where the interval bound on what is left shows that the limit cannot be exceeded in it.
A *unit* is what is fixed at once: an unasked plain column (-1 - its place) or a special question
(its number).
"""

import math

import numpy as np

from askless.kernels.asking import Scratch
from askless.kernels.compiling import INLINE, internal
from askless.kernels.triangle import add_multiple, copy, dot
from askless.kernels.unasked import PLAIN, SPECIAL, View, move_special, squared

CANNOT, CAN, UNKNOWN = 0, 1, 2
NODES = 2000  # visited at most; then the arm stays
SCALES = 3  # values of tau that a node tries


@internal()
def vertex_search(view: View, scratch: Scratch, offset: float, scale: float, limit: float) -> int:
    """Return whether F (`bounds`) CAN exceed the limit or CANNOT; UNKNOWN after too many nodes.

    CANNOT is certain: every extreme point has been looked at or bounded. `scale` is a 1/tau to
    start from.
    """
    size, count = view.size, set_order(view, scratch)
    fields, means, squares = scratch.fields, scratch.border, scratch.vertex
    set_tails(view, scratch, count)
    fields[: count + 1] = 0.0
    copy(view.pull, size, fields[0])
    means[0] = offset + dot(view.centre, view.linear, size)
    squares[0] = squared(view)
    nodes, depth = 0, int(np.int64(0))  # not a literal: callees compile once
    if is_bounded(view, scratch, depth, count, scale, limit):
        return CANNOT
    if count == 0:
        return CAN
    begin(view, scratch, depth, view.width * scale)
    while depth >= 0:
        unit = scratch.order[depth]
        branches = branches_of(view, unit)
        if scratch.turn[depth] == branches:
            depth -= 1
            continue
        nodes += 1
        if nodes > NODES:
            return UNKNOWN
        number = (scratch.lead[depth] + scratch.turn[depth]) % branches
        at, width = move(view, unit, number)
        scratch.turn[depth] += 1
        mean, square, below = means[depth], squares[depth], fields[depth + 1]
        copy(fields[depth], size, below)
        for i in range(at, at + width):
            change, row = view.point[i], view.inverse[i]
            mean += change * view.linear[i]
            square += change * (2.0 * below[i] + change * row[i])
            add_multiple(change, row, below, size)
        depth += 1
        means[depth], squares[depth] = mean, square
        if is_bounded(view, scratch, depth, count, scale, limit):
            depth -= 1
        elif depth == count:
            return CAN
        else:
            begin(view, scratch, depth, view.width * scale)
    return CANNOT


@internal()
def set_order(view: View, scratch: Scratch) -> int:
    """Put the units in order, the most expensive first; return how many there are."""
    order, price, count = scratch.order, view.price, view.counts[PLAIN]
    for i in range(view.counts[PLAIN]):
        order[i] = -1 - view.plain_at[i]
    for i in range(view.counts[SPECIAL]):
        order[count] = i
        count += 1
    for i in range(count):
        best = i
        for j in range(i + 1, count):
            if price[place(view, order[j])] > price[place(view, order[best])]:
                best = j
        order[i], order[best] = order[best], order[i]
    return int(count)


@internal(**INLINE)
def place(view: View, unit: int) -> int:
    """Return a unit's first packed column."""
    return -1 - unit if unit < 0 else int(view.special_at[unit])


@internal(**INLINE)
def is_choice(view: View, unit: int) -> bool:
    """Whether a unit is a choice."""
    return unit >= 0 and view.special_choice[unit] != 0


@internal(**INLINE)
def width_of(view: View, unit: int) -> int:
    """Count a unit's columns."""
    return 1 if unit < 0 else int(view.special_width[unit])


@internal()
def set_tails(view: View, scratch: Scratch, count: int) -> None:
    """Put into the prices what the quadratic part of the units from each on is at most."""
    order, tails = scratch.order, view.price
    tails[count] = 0.0
    for d in range(count - 1, -1, -1):
        tails[d] = tails[d + 1] + pair(view, order[d], order[d])
        for later in range(d + 1, count):
            tails[d] += 2.0 * pair(view, order[d], order[later])


@internal()
def pair(view: View, one: int, other: int) -> float:
    """Return an upper bound on |s' inv(D) t| for all moves s and t of two units."""
    if is_choice(view, other):
        one, other = other, one
    a, b, wide, high = (
        place(view, one),
        place(view, other),
        width_of(view, one),
        width_of(view, other),
    )
    inverse, reach, most = view.inverse, view.reach, 0.0
    if not is_choice(view, one):
        for i in range(a, a + wide):
            for j in range(b, b + high):
                most += reach[i] * reach[j] * abs(inverse[i, j])
        return most
    # A move to an option takes the mean over the options off.
    if not is_choice(view, other):
        for j in range(b, b + high):
            mean, furthest = 0.0, 0.0
            for i in range(a, a + wide):
                mean += inverse[j, i] / wide
            for i in range(a, a + wide):
                furthest = max(furthest, abs(inverse[j, i] - mean))
            most += reach[j] * furthest
        return most
    grand, down = 0.0, view.tilt
    for j in range(b, b + high):
        down[j] = 0.0
        for i in range(a, a + wide):
            down[j] += inverse[i, j] / wide
        grand += down[j] / high
    for i in range(a, a + wide):
        across = 0.0
        for j in range(b, b + high):
            across += inverse[i, j] / high
        for j in range(b, b + high):
            most = max(most, abs(inverse[i, j] - down[j] - across + grand))
    return most


@internal()
def branches_of(view: View, unit: int) -> int:
    """Count a unit's extreme points."""
    if unit < 0:
        return 2
    width = int(view.special_width[unit])
    return width if view.special_choice[unit] else (1 << (width - 1)) + 1


@internal()
def move(view: View, unit: int, number: int) -> tuple[int, int]:
    """Put the move to a unit's point of that number into `point`; say which columns it moves."""
    at, width, point = place(view, unit), width_of(view, unit), view.point
    if unit < 0:
        point[at] = view.plain[at] if number == 1 else -view.plain[at]
    elif view.special_choice[unit]:
        point[at : at + width] = -1.0 / width
        point[at + number] += 1.0
    else:
        skipped = number == branches_of(view, unit) - 1
        for j in range(width - 1):
            sign = 0.5 if (number >> j) & 1 else -0.5
            point[at + j] = 0.0 if skipped else sign
        point[at + width - 1] = 0.5 if skipped else -0.5
    return at, width


@internal()
def begin(view: View, scratch: Scratch, depth: int, weight: float) -> None:
    """Start a node's branches with the point that its tangent favours."""
    unit, field, tilt = scratch.order[depth], scratch.fields[depth], view.tilt
    at, width = place(view, unit), width_of(view, unit)
    for j in range(at, at + width):
        tilt[j] = view.linear[j] + weight * field[j]
    if unit < 0:
        number = 1 if tilt[at] > 0.0 else 0
    else:
        number = move_special(at, width, view.special_choice[unit], tilt, view.point)
        if not view.special_choice[unit]:
            if number == 1:
                number = branches_of(view, unit) - 1
            else:
                for j in range(width - 1):
                    number |= (1 << j) if tilt[at + j] > 0.0 else 0
    scratch.turn[depth], scratch.lead[depth] = 0, number


@internal()
def is_bounded(
    view: View, scratch: Scratch, depth: int, count: int, scale: float, limit: float
) -> bool:
    """Whether F is at most the limit in all of a node's branches."""
    mean, theta = scratch.border[depth], view.width
    flat = scratch.vertex[depth] + view.price[depth]
    if depth == count:
        return bool(mean + theta * math.sqrt(max(flat, 0.0)) <= limit)
    for _ in range(SCALES):
        gain, along = gains(view, scratch, depth, count, theta * scale)
        if mean + gain + 0.5 * theta * (scale * flat + 1.0 / scale) <= limit:
            return True
        q = max(flat + 2.0 * along, 1e-3 * flat)
        scale = math.sqrt(scale / math.sqrt(q))
    return False


@internal()
def gains(
    view: View, scratch: Scratch, depth: int, count: int, weight: float
) -> tuple[float, float]:
    """Return what the tangent gains at most from the units left, and that along the field."""
    gain, along, field = 0.0, 0.0, scratch.fields[depth]
    for d in range(depth, count):
        unit = scratch.order[d]
        at, width = place(view, unit), width_of(view, unit)
        if unit < 0:
            tilt, reach = view.linear[at] + weight * field[at], view.plain[at]
            gain += reach * abs(tilt)
            along += math.copysign(reach, tilt) * field[at]
            continue
        for j in range(at, at + width):
            view.tilt[j] = view.linear[j] + weight * field[j]
        move_special(at, width, view.special_choice[unit], view.tilt, view.point)
        for j in range(at, at + width):
            gain += view.tilt[j] * view.point[j]
            along += view.point[j] * field[j]
    return gain, along

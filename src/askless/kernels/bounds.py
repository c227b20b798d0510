"""How high an arm's UCB can get, whatever the unasked answers are (maths 4.1).

What is bounded is F(z) = offset + z'b + theta sqrt(z' inv(D) z), with b in `View.linear`, over all
contexts z that agree with the answers so far. The levels, cheapest first: a feasible point, which
shows that F can exceed a limit; an interval, a diagonal dual and a search, which show that it
cannot. Each says what it guarantees; each bound carries a margin for rounding.
"""

import math

from askless.kernels.asking import Scratch
from askless.kernels.compiling import internal
from askless.kernels.diagonal_dual import diagonal_dual
from askless.kernels.lanes import WIDTH, fma, load, magnitude, spread, total
from askless.kernels.triangle import add_multiple, copy, dot, whole_times
from askless.kernels.unasked import (
    EPSILON,
    PLAIN,
    SPECIAL,
    SQUARE,
    View,
    add,
    best_point,
    squared,
)
from askless.kernels.vertex_search import CANNOT, pair, vertex_search

TURNS = 4  # of a feasible point towards the best vertex
FLIPS = 8  # of single columns after that
SCALES = 6  # values of tau that the interval tries at most
NEAR = 0.01  # a change of tau that is not worth another try: it gains less than NEAR²
TINY = 1e-300


@internal()
def cannot_exceed(view: View, scratch: Scratch, offset: float, limit: float) -> bool:
    """Whether F is certainly at most `limit`; False also where no level can tell."""
    if not math.isfinite(view.width) or feasible(view, scratch, offset, limit) > limit:
        return False
    offset += rounding(view, offset)
    set_prices(view)
    bound, scale = interval(view, offset, limit)
    return (
        bound <= limit
        or diagonal_dual(view, scratch, offset, scale, limit) <= limit
        or vertex_search(view, scratch, offset, scale, limit) == CANNOT
    )


@internal()
def upper(view: View, scratch: Scratch) -> float:
    """Return an upper bound of an arm's UCB: the lower one of the interval's and the dual's."""
    if not math.isfinite(view.width):
        return math.inf
    set_linear(view)
    offset = rounding(view, 0.0)
    set_prices(view)
    bound, scale = interval(view, offset, -math.inf)
    return min(bound, diagonal_dual(view, scratch, offset, scale, -math.inf))


@internal()
def set_linear(view: View) -> None:
    """Let F be an arm's UCB itself."""
    view.linear[view.size :] = 0.0
    copy(view.estimate, view.size, view.linear)


@internal()
def rounding(view: View, offset: float) -> float:
    """Bound the rounding errors of all but z' inv(D) z, which has a margin of its own."""
    most = abs(offset) + view.width * math.sqrt(view.numbers[SQUARE])
    for j in range(view.size):
        most += abs(view.linear[j])
    return float(2.0 * EPSILON * (view.size + 8) * most)


@internal()
def feasible(view: View, scratch: Scratch, offset: float, limit: float) -> float:
    """Level 0. Return F at some context that is possible: a lower bound of its maximum.

    F is convex, so that the best vertex of its tangent is at least as high; then single columns
    are flipped. Stops as soon as the limit is exceeded.
    """
    size, theta, tilt = view.size, view.width, view.tilt
    x, turned = scratch.vertex, scratch.turned
    add(view.linear, theta / math.sqrt(max(view.numbers[SQUARE], TINY)), view.pull, size, tilt)
    value, root, square = -math.inf, 0.0, 0.0
    for _ in range(TURNS):
        best_point(view)
        add(view.centre, 1.0, view.point, size, x)
        x[size:] = 0.0
        whole_times(view.inverse, x, size, turned)
        square = dot(x, turned, size)
        root = math.sqrt(max(square, TINY))
        higher = offset + dot(x, view.linear, size) + theta * root
        stuck = higher <= value
        value = max(value, higher)
        if value > limit or stuck:
            break
        add(view.linear, theta / root, turned, size, tilt)
    for _ in range(FLIPS):
        best, gain = -1, 0.0
        if value <= limit:
            for i in range(view.counts[PLAIN]):
                j = view.plain_at[i]
                change = -2.0 * view.point[j]
                bend = 0.5 * theta * change * change * view.inverse[j, j] / root
                if change * tilt[j] + bend > gain:
                    best, gain = j, change * tilt[j] + bend
        if best < 0:
            break
        change = -2.0 * view.point[best]
        square += change * (2.0 * turned[best] + change * view.inverse[best, best])
        x[best] += change
        view.point[best] = -view.point[best]
        root = math.sqrt(max(square, TINY))
        higher = offset + dot(x, view.linear, size) + theta * root
        if higher <= value:
            break
        value = higher
        add_multiple(change, view.inverse[best], turned, size)
        add(view.linear, theta / root, turned, size, tilt)
    return value


@internal()
def set_prices(view: View) -> None:
    """Price the unasked columns: s' inv(D) s is at most their sum, for all moves s to vertices.

    A column pays for all pairs it is in with columns that are no choice's; a choice, in its first
    column, for the others.
    """
    reach, price = view.reach, view.price
    price[:] = 0.0
    for i in range(1, view.size):
        if reach[i] > 0.0:
            row, running = view.inverse[i], spread(0.0)
            for j in range(0, view.size, WIDTH):
                running = fma(magnitude(load(row, j)), load(reach, j), running)
            price[i] = reach[i] * total(running)
    for i in range(view.counts[SPECIAL]):
        if view.special_choice[i]:
            paid = 0.0
            for j in range(view.counts[PLAIN]):
                paid += 2.0 * pair(view, i, -1 - view.plain_at[j])
            for j in range(view.counts[SPECIAL]):
                both = pair(view, i, j)
                paid += both if view.special_choice[j] else 2.0 * both
            price[view.special_at[i]] = paid


@internal()
def interval(view: View, offset: float, limit: float) -> tuple[float, float]:
    """Level 1. Return an upper bound of F by intervals around the centre, and the 1/tau it took.

    sqrt(q) is at most q/(2 tau) + tau/2 for every tau > 0, the linear part is maximal question by
    question, and the quadratic part is at most the prices. Stops once the limit is reached.
    """
    size, theta = view.size, view.width
    flat = squared(view)
    for i in range(size):
        flat += view.price[i]
    base = offset + dot(view.centre, view.linear, size)
    scale = best_scale = 1.0 / math.sqrt(flat)
    best = math.inf
    for _ in range(SCALES):
        add(view.linear, theta * scale, view.pull, size, view.tilt)
        gain = best_point(view)
        bound = base + gain + 0.5 * theta * (scale * flat + 1.0 / scale)
        if bound < best:
            best, best_scale = bound, scale
        if best <= limit:
            break
        # The bound is convex in the scale, and lowest where scale² q = 1.
        q = max(flat + 2.0 * dot(view.pull, view.point, size), 1e-3 * flat)
        change = math.sqrt(1.0 / (scale * math.sqrt(q)))
        if abs(change - 1.0) < NEAR:
            break
        scale *= change
    return best, best_scale


@internal()
def paper_heuristic(view: View, scratch: Scratch) -> float:
    """Return the paper's surrogate of an arm's highest UCB: it is **not** an upper bound.

    The mean at its highest, plus the width where every unasked column has its largest value.
    """
    size, top = view.size, scratch.vertex
    copy(view.estimate, size, view.tilt)
    mean = dot(view.centre, view.estimate, size) + best_point(view)
    for j in range(size):
        top[j] = view.centre[j] + view.reach[j]
    top[size:] = 0.0
    for i in range(view.counts[SPECIAL]):
        if view.special_choice[i]:
            at = view.special_at[i]
            top[at : at + view.special_width[i]] = 1.0
    whole_times(view.inverse, top, size, scratch.turned)
    return mean + view.width * math.sqrt(max(dot(top, scratch.turned, size), 0.0))

"""The elastic net from sums alone: follow the solution with its active set (maths 3.1).

Minimises ½ b'(G + ridge I)b - c'b + Σ penalty_j |b_j|. The Gram matrix G is given whole, both
triangles; everything is padded with zeros (lanes).
"""

import math

import numpy as np

from askless.kernels.active_set import Net, Problem, enter, leave, rebuild, restart
from askless.kernels.bundles import Floats
from askless.kernels.compiling import INLINE, internal, kernel
from askless.kernels.lanes import WIDTH, load, spread, store
from askless.kernels.triangle import add_multiple

GOOD = 1e-10  # a solution's KKT residual, relative to the largest |c|
EXACT = 1e-14  # what is aimed at
REBUILD_EVERY = 512  # rank-one updates between fresh inverses
PATIENCE = 10_000  # sweeps of coordinate descent


@kernel()
def solve(problem: Problem, net: Net) -> float:
    """Go from the net's coefficients to the solution; returns its KKT residual, relative.

    Each turn heads for the minimum on the active set with its signs. Where a coefficient would
    change its sign on the way, it stops there at zero and leaves; where none does, the column that
    violates the optimality conditions most enters. The objective falls at every turn.
    """
    scale = largest_size(problem.moment, problem.size)
    if scale == 0.0:
        scale = 1.0
    admit_free(problem, net)
    slack = EXACT * scale
    entered = -1
    for _ in range(20 * problem.size + 100):
        off = aim(problem, net, slack)
        blocked, step = first_crossing(net)
        if blocked >= 0:
            if blocked == entered and step == 0.0:
                slack *= 10.0  # it had entered because of rounding
            move(net, step)
            net.coef[blocked] = 0.0
            leave(net, net.place[blocked])
            entered = -1
            continue
        move(net, 1.0)
        entered, excess = worst_outside(problem, net)
        if excess <= slack:
            residual = max(off, excess) / scale
            if residual <= GOOD:
                return residual
            break
        enter(problem, net, entered)
        net.sign[entered] = 1.0 if net.gradient[entered] > 0.0 else -1.0
    return descend(problem, net)


@internal(fastmath={"nnan", "nsz", "reassoc"}, **INLINE)
def largest_size(x: Floats, size: int) -> float:
    """Return the largest absolute entry."""
    found = 0.0
    for j in range(size):
        found = max(found, abs(x[j]))
    return found


@internal(**INLINE)
def admit_free(problem: Problem, net: Net) -> None:
    """Let every free column be active, and every other one have the sign of its coefficient."""
    for j in range(problem.size):
        if problem.penalty[j] == 0.0:
            net.sign[j] = 0.0
            if net.place[j] < 0:
                enter(problem, net, j)
        elif net.place[j] >= 0 and net.sign[j] == 0.0:
            net.sign[j] = 1.0 if net.coef[j] > 0.0 else -1.0
            if net.coef[j] == 0.0:
                net.sign[j] = 0.0
                leave(net, net.place[j])


@internal(**INLINE)
def aim(problem: Problem, net: Net, slack: float) -> float:
    """Put the minimum on the active set with its signs into `target`, refined to rounding.

    And c - G target into `gradient`. Returns by how much the active conditions are missed.
    """
    if net.counts[1] >= REBUILD_EVERY:
        rebuild(problem, net)
    count = net.counts[0]
    right, found = net.work[0], net.work[1]
    for i in range(count):
        j = net.active[i]
        right[i] = problem.moment[j] - problem.penalty[j] * net.sign[j]
        net.target[j] = 0.0
    off = np.inf
    for attempt in range(6):
        right[count : count + 2 * WIDTH] = 0.0
        for i in range(0, count, WIDTH):
            store(found, i, spread(0.0))
        for i in range(count):
            add_multiple(right[i], net.inverse[i], found, count)
        for i in range(count):
            net.target[net.active[i]] += found[i]
        set_gradient(problem, net)
        if attempt == 3:
            rebuild(problem, net)
        off = miss(problem, net)
        if off <= slack:
            break
    return off


@internal(**INLINE)
def miss(problem: Problem, net: Net) -> float:
    """Put by how much the target misses each active condition into `work`; return the most."""
    off = 0.0
    for i in range(net.counts[0]):
        j = net.active[i]
        pull = problem.penalty[j] * net.sign[j] + problem.ridge * net.target[j]
        net.work[0, i] = net.gradient[j] - pull
        size = abs(net.work[0, i])
        if not size <= off:
            off = size if size >= 0.0 else np.inf  # NaN is a miss too
    return off


@internal(**INLINE)
def set_gradient(problem: Problem, net: Net) -> None:
    """Put c - G target into `gradient`."""
    for j in range(0, problem.size, WIDTH):
        store(net.gradient, j, load(problem.moment, j))
    for i in range(net.counts[0]):
        j = net.active[i]
        add_multiple(-net.target[j], problem.gram[j], net.gradient, problem.size)


@internal(**INLINE)
def first_crossing(net: Net) -> tuple[int, float]:
    """Return the first active column to reach zero on the way to the target, and how far that is.

    (-1, 1) if none does.
    """
    blocked, step = -1, 1.0
    for i in range(net.counts[0]):
        j = net.active[i]
        if net.sign[j] * net.target[j] <= 0.0 and net.sign[j] != 0.0:
            way = net.coef[j] - net.target[j]
            until = min(max(net.coef[j] / way, 0.0), 1.0) if way != 0.0 else 0.0
            if until < step or blocked < 0:
                blocked, step = j, until
    return blocked, step


@internal(**INLINE)
def move(net: Net, step: float) -> None:
    """Go so far towards the target."""
    for i in range(net.counts[0]):
        j = net.active[i]
        if step == 1.0:
            net.coef[j] = net.target[j]
        else:
            net.coef[j] += step * (net.target[j] - net.coef[j])


@internal(**INLINE)
def worst_outside(problem: Problem, net: Net) -> tuple[int, float]:
    """Return the inactive column that should be active most, and how much; 0 if none should."""
    worst, most = -1, 0.0
    for j in range(problem.size):
        if net.place[j] < 0:
            excess = abs(net.gradient[j]) - problem.penalty[j]
            if excess > most:
                worst, most = j, excess
    return worst, most


@internal(**INLINE)
def worst_anywhere(problem: Problem, net: Net) -> float:
    """Return the largest violation of the optimality conditions, given the gradient at `coef`."""
    most = 0.0
    for j in range(problem.size):
        pull = problem.ridge * net.coef[j]
        if math.isnan(net.gradient[j]):
            return np.inf
        if net.coef[j] == 0.0:
            most = max(most, abs(net.gradient[j]) - problem.penalty[j])
        else:
            sign = 1.0 if net.coef[j] > 0.0 else -1.0
            most = max(most, abs(net.gradient[j] - problem.penalty[j] * sign - pull))
    return most


@kernel()
def descend(problem: Problem, net: Net) -> float:
    """Coordinate descent from the net's coefficients; returns the KKT residual, relative.

    The fallback where following fails, and a check of it in the tests.
    """
    scale = largest_size(problem.moment, problem.size)
    if scale == 0.0:
        scale = 1.0
    residual = np.inf
    for sweep in range(PATIENCE):
        if sweep % 32 == 0:  # the gradient is kept by updates: compute it anew now and then
            restart(problem, net)
            set_gradient(problem, net)
            residual = worst_anywhere(problem, net) / scale
            if residual <= EXACT:
                break
        change = 0.0
        for j in range(problem.size):
            diagonal = problem.gram[j, j]
            old = net.coef[j]
            reach = net.gradient[j] + diagonal * old
            new = max(abs(reach) - problem.penalty[j], 0.0) / (diagonal + problem.ridge)
            new = new if reach > 0.0 else -new
            if new != old:
                net.coef[j] = new
                add_multiple(old - new, problem.gram[j], net.gradient, problem.size)
                change = max(change, abs(new - old) * (diagonal + problem.ridge))
        if change <= EXACT * scale:
            break
    restart(problem, net)
    set_gradient(problem, net)
    residual = worst_anywhere(problem, net) / scale
    rebuild(problem, net)
    return residual

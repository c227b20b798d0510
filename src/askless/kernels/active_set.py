"""The active set of an elastic net, and the inverse on it: columns enter and leave, rows come.

See maths 3.1. The Gram matrix is given whole, both triangles; all is padded with zeros (lanes).
"""

from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Floats, Ints, aligned
from askless.kernels.compiling import INLINE, kernel
from askless.kernels.lanes import WIDTH, fma, load, padded, spread, store
from askless.kernels.triangle import add_multiple, dot


class Problem(NamedTuple):
    """What is minimised."""

    gram: Floats  # (P, P) G
    moment: Floats  # (P,) c
    penalty: Floats  # (P,) of |b_j|; 0: the coefficient is free
    ridge: float
    size: int  # how many columns count


class Net(NamedTuple):
    """A solution and the active set that it was found with."""

    coef: Floats  # (P,) b
    sign: Floats  # (P,) of the active coefficients; 0 of the free and the inactive ones
    active: Ints  # (P,) the active columns, in the order of `inverse`
    place: Ints  # (P,) a column's place among them, -1 if it is not active
    counts: Ints  # (2,) how many are active; updates since `inverse` was built
    inverse: Floats  # (P, P) of (G + ridge I) on them
    target: Floats  # (P,) where the active coefficients would go, by column
    gradient: Floats  # (P,) c - G target
    work: Floats  # (2, P) scratch, by place


def empty_net(p: int) -> Net:
    """Return room for a problem with p columns, and b = 0."""
    wide = padded(p)
    vectors = aligned(6 * wide).reshape((6, wide))
    return Net(
        coef=vectors[0],
        sign=vectors[1],
        active=np.zeros(wide, dtype=np.int64),
        place=np.full(wide, -1),
        counts=np.zeros(2, dtype=np.int64),
        inverse=aligned(wide * wide).reshape((wide, wide)),
        target=vectors[2],
        gradient=vectors[3],
        work=vectors[4:],
    )


@kernel()
def enter(problem: Problem, net: Net, j: int) -> None:
    """Make column j active: the inverse grows by a border."""
    count, inverse = net.counts[0], net.inverse
    beside, b = net.work[0], net.work[1]
    for i in range(count):
        beside[i] = problem.gram[net.active[i], j]
    b[:] = 0.0
    for i in range(count):
        add_multiple(beside[i], inverse[i], b, count)
    beside[count : count + 2 * WIDTH] = 0.0
    # The exact Schur complement is at least `ridge`; less is rounding.
    schur = max(problem.gram[j, j] + problem.ridge - dot(beside, b, count), problem.ridge)
    for i in range(count):
        add_multiple(b[i] / schur, b, inverse[i], count)
        inverse[i, count] = inverse[count, i] = -b[i] / schur
    inverse[count, count] = 1.0 / schur
    net.active[count], net.place[j] = j, count
    net.counts[0] = count + 1


@kernel()
def leave(net: Net, place: int) -> None:
    """Make the column at a place inactive: it goes last, and the inverse loses its border."""
    last, inverse = net.counts[0] - 1, net.inverse
    gone = net.active[place]
    if place != last:
        for i in range(last + 1):
            inverse[place, i], inverse[last, i] = inverse[last, i], inverse[place, i]
        for i in range(last + 1):
            inverse[i, place], inverse[i, last] = inverse[i, last], inverse[i, place]
        net.active[place] = net.active[last]
        net.place[net.active[place]] = place
    border = net.work[0]
    for i in range(last + 1):
        border[i] = inverse[last, i]
        inverse[last, i] = inverse[i, last] = 0.0
    corner = border[last]
    border[last : last + 2 * WIDTH] = 0.0
    for i in range(last):
        add_multiple(-border[i] / corner, border, inverse[i], last)
    net.place[gone] = -1
    net.sign[gone] = 0.0
    net.target[gone] = 0.0
    net.counts[0] = last


@kernel()
def rebuild(problem: Problem, net: Net) -> None:
    """Compute the inverse on the active set anew."""
    count = net.counts[0]
    net.inverse[:] = 0.0
    net.counts[0] = net.counts[1] = 0
    for i in range(count):
        enter(problem, net, net.active[i])


@kernel(**INLINE)
def add_row_to_net(net: Net, z: Floats) -> None:
    """Bring the inverse up to date when z z' has been added to the Gram matrix."""
    count = net.counts[0]
    own, u = net.work[0], net.work[1]
    for i in range(count):
        own[i] = z[net.active[i]]
    own[count : count + 2 * WIDTH] = 0.0
    for i in range(0, count, WIDTH):
        store(u, i, spread(0.0))
    for i in range(count):
        add_multiple(own[i], net.inverse[i], u, count)
    tau = 1.0 + dot(own, u, count)
    for i in range(count):
        weight = spread(-u[i] / tau)
        for j in range(0, count, WIDTH):
            store(net.inverse[i], j, fma(weight, load(u, j), load(net.inverse[i], j)))
    net.counts[1] += 1


@kernel()
def restart(problem: Problem, net: Net) -> None:
    """Let exactly the columns with a coefficient, and the free ones, be active; target = coef."""
    net.counts[0] = 0
    for j in range(problem.size):
        net.place[j], net.sign[j], net.target[j] = -1, 0.0, net.coef[j]
        if net.coef[j] != 0.0 or problem.penalty[j] == 0.0:
            net.active[net.counts[0]], net.place[j] = j, net.counts[0]
            net.counts[0] += 1
            if problem.penalty[j] > 0.0:
                net.sign[j] = 1.0 if net.coef[j] > 0.0 else -1.0

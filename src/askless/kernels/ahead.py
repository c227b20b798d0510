"""Look ahead: score the next 16 contexts together, then follow the one arm that each visit changes.

A factor is then read once for 16 contexts, and an arm that learns a row changes M z of the contexts
to come as it changes M itself. Scores differ from those taken one by one by rounding, which
decides nothing (ties: maths 2).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from askless.kernels import ridge
from askless.kernels.bundles import LATE, NET_ESTIMATES, Arms, Flags, Floats, Ints, Rule, aligned
from askless.kernels.compiling import INLINE, internal
from askless.kernels.lanes import WIDTH, fetch, fma, load, padded, product, spread, store
from askless.kernels.triangle import sweep, sweep_half

AHEAD = LATE
# A squared width that may have fallen by this factor has lost digits; it is computed anew.
FALLEN = 1e3


class Ahead(NamedTuple):
    """The contexts to come, a context a column, and what each arm makes of them."""

    contexts: Floats  # (p, AHEAD)
    projected: Floats  # (K, P, AHEAD) M z
    square: Floats  # (K, AHEAD) z' inv(D) z
    mean: Floats  # (K, AHEAD) z'b
    fallen: Floats  # (K,) by which factor at most a square has fallen since it was computed anew
    expected: Floats  # (K, AHEAD) the reward to expect, which only the simulator knows
    gain: Floats  # (AHEAD,) scratch
    asked: Ints  # (K,) how many questions a visit is asked that plays an arm, if that is known
    paid: Floats  # (K,) and what they cost


def empty(arm_count: int, p: int) -> Ahead:
    """Return room for looking ahead."""
    contexts = aligned(p * AHEAD).reshape((p, AHEAD))
    projected = aligned(arm_count * padded(p) * AHEAD).reshape((arm_count, padded(p), AHEAD))
    square, mean, expected = aligned(3 * arm_count * AHEAD).reshape((3, arm_count, AHEAD))
    return Ahead(
        *(contexts, projected, square, mean, np.ones(arm_count), expected, aligned(AHEAD)),
        *(np.zeros(arm_count, dtype=np.int64), np.zeros(arm_count)),
    )


@internal()
def look(ahead: Ahead, arms: Arms, rows: Floats) -> None:
    """Look at the next contexts, at most AHEAD rows, with every arm."""
    count = rows.shape[0]
    for t in range(count):
        row = rows[t]
        for j in range(rows.shape[1]):
            ahead.contexts[j, t] = row[j]
    ahead.contexts[:, count:] = 0.0
    for k in range(ahead.mean.shape[0]):
        score(ahead, arms, k)


@internal(**INLINE)
def fetch_row(rows: Floats, t: int) -> None:
    """Have a row at hand by the time it is looked at."""
    if t < rows.shape[0]:
        for j in range(0, rows.shape[1], WIDTH):
            fetch(rows[t], j)


@internal()
def score(ahead: Ahead, arms: Arms, k: int) -> None:
    """Compute arm k's view of every context anew."""
    ridge.catch_up(arms, k)
    size, columns = arms.active_size[k], arms.active_columns[k]
    root, weights = arms.active_root[k], arms.active_weights[k]
    out = ahead.projected[k]
    combine(ahead.contexts, columns, arms.active_estimate[k], size, ahead.mean[k])
    s0 = s1 = spread(0.0)
    for i in range(0, size, 4):
        # Four rows of M times 16 contexts: eight running sums in registers.
        row0, row1, row2, row3 = root[i], root[i + 1], root[i + 2], root[i + 3]
        a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = spread(0.0)
        for j in range(i + 4):
            z = ahead.contexts[columns[j]]
            z0, z1 = load(z, 0), load(z, WIDTH)
            m = spread(row0[j])
            a0, a1 = fma(m, z0, a0), fma(m, z1, a1)
            m = spread(row1[j])
            b0, b1 = fma(m, z0, b0), fma(m, z1, b1)
            m = spread(row2[j])
            c0, c1 = fma(m, z0, c0), fma(m, z1, c1)
            m = spread(row3[j])
            d0, d1 = fma(m, z0, d0), fma(m, z1, d1)
        s0, s1 = put(out[i], weights[i], a0, a1, s0, s1)
        s0, s1 = put(out[i + 1], weights[i + 1], b0, b1, s0, s1)
        s0, s1 = put(out[i + 2], weights[i + 2], c0, c1, s0, s1)
        s0, s1 = put(out[i + 3], weights[i + 3], d0, d1, s0, s1)
    store(ahead.square[k], 0, s0)
    store(ahead.square[k], WIDTH, s1)
    ahead.fallen[k] = 1.0


@internal(**INLINE)
def put(row: Floats, weight: float, x0: Any, x1: Any, s0: Any, s1: Any) -> tuple[Any, Any]:
    """Write a row of M z for every context; return the sums of squares with it."""
    store(row, 0, x0)
    store(row, WIDTH, x1)
    u = spread(weight)
    return fma(product(u, x0), x0, s0), fma(product(u, x1), x1, s1)


@internal(**INLINE)
def combine(contexts: Floats, columns: Ints, weights: Floats, size: int, out: Floats) -> None:
    """Put z'weights of every context into `out`."""
    # Even and odd columns apart, so that four sums run side by side.
    a0 = a1 = b0 = b1 = spread(0.0)
    for i in range(0, size, 2):
        z, weight = contexts[columns[i]], spread(weights[i])
        a0, a1 = fma(weight, load(z, 0), a0), fma(weight, load(z, WIDTH), a1)
        z, weight = contexts[columns[i + 1]], spread(weights[i + 1])
        b0, b1 = fma(weight, load(z, 0), b0), fma(weight, load(z, WIDTH), b1)
    store(out, 0, fma(spread(1.0), a0, b0))
    store(out, WIDTH, fma(spread(1.0), a1, b1))


@internal(**INLINE)
def best_arm(
    ahead: Ahead, rule: Rule, arms: Arms, ended: Ints, t: int, allowed: Flags, now: int
) -> int:
    """Return the arm to play in context t, which is that of visit `now`; see `ban`."""
    for k in range(ahead.mean.shape[0]):
        length = math.sqrt(max(ahead.square[k, t], 0.0))
        arms.scores[k] = ahead.mean[k, t] + float(arms.width[k]) * length
    if allowed.shape[0] > 0:
        ban(arms.scores, allowed, now)
    for k in range(ended.shape[0]):  # with epochs: arms in their first block are not compared
        if ended[k] == 0:
            arms.scores[k] = -math.inf
    return ridge.winner(rule, arms)


@internal()
def ban(scores: Floats, allowed: Flags, now: int) -> None:
    """Let no arm win that visit `now` may not get; `allowed` has a row a visit."""
    for k in range(scores.shape[0]):
        if not allowed[now, k]:
            scores[k] = -math.inf


@internal(**INLINE)
def learn(ahead: Ahead, rule: Rule, arms: Arms, k: int, t: int, z: Floats, y: float) -> int:
    """Learn context t, which is z, for arm k, as `ridge.learn` does; returns the number dropped.

    Its M z is known. Where the rule allows it, M itself is brought up to date only by `look`.
    """
    if rule.epochs:  # a frozen model has nothing to follow
        dropped = ridge.hold(arms, k, z, y)
        if dropped >= 0:
            score(ahead, arms, k)
        return dropped
    dropped, fresh = ridge.take(rule, arms, k, z, y)
    if fresh:
        score(ahead, arms, k)
        return dropped
    for i in range(arms.size[k]):
        arms.projected[k, i] = ahead.projected[k, i, t]
    arms.projected[k, arms.size[k] :] = 0.0
    ridge.update(rule, arms, k, rule.span * y - ahead.mean[k, t])
    follow(ahead, rule, arms, k, t)
    return dropped


@internal(**INLINE)
def follow(ahead: Ahead, rule: Rule, arms: Arms, k: int, t: int) -> None:
    """Bring arm k's view of the contexts to come up to date, once it has learned context t."""
    tau, move = arms.step[0], arms.step[1]
    ahead.fallen[k] *= tau
    if ahead.fallen[k] > FALLEN:
        score(ahead, arms, k)
        return
    # Sherman-Morrison: with g = inv(D) z of the row learned, z'inv(D)z falls by (z'g)^2 / tau,
    # and so by a factor of at most tau.
    late = max(arms.late[k] - 1, 0)
    slopes, lifts = arms.slopes[k, late], arms.lifts[k, late]
    if t < WIDTH - 1:
        sweep(ahead.projected[k], 0, 0, arms.size[k], slopes, lifts, ahead.gain)
    else:  # the first half is over and not looked at again: whatever it holds
        sweep_half(ahead.projected[k], WIDTH, arms.size[k], slopes, lifts, ahead.gain)
    if rule.net == NET_ESTIMATES:
        combine(ahead.contexts, arms.columns[k], arms.estimate[k], arms.size[k], ahead.mean[k])
        move = 0.0
    by_square, by_mean = spread(-1.0 / tau), spread(move)
    for c in range(0, AHEAD, WIDTH):
        change = load(ahead.gain, c)
        squared = product(change, change)
        store(ahead.square[k], c, fma(by_square, squared, load(ahead.square[k], c)))
        store(ahead.mean[k], c, fma(by_mean, change, load(ahead.mean[k], c)))

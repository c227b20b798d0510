"""What kernels work on: named bundles of plain arrays, each a view into one flat pair of buffers.

A call from Python with two flat arrays costs 0.3 µs, with forty arrays 6 µs; so Python hands over
the buffers, and the first thing a kernel does is to open them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askless.kernels.compiling import INLINE, kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# The kinds of columns a question can own (maths 1.1), as kernels see them.
NUMBER, SIGNS, ONE_HOT = 0, 1, 2

# The forms of the radius (maths 2.1 and 6).
VALID, PUBLISHED, PUBLISHED_SQRT, FIXED = 0, 1, 2, 3


class Columns(NamedTuple):
    """How the questions of a survey own the columns of a context; the same for every arm."""

    kind: Ints  # (m,) NUMBER, SIGNS or ONE_HOT
    first: Ints  # (m,) a question's first column
    width: Ints  # (m,) how many columns it owns, the skip column included
    skip: Ints  # (m,) 1 if its last column says that it was skipped, else 0
    start: Ints  # (m + 1,) a question's first row in `directions`
    low: Floats  # (p,) smallest value of a column
    high: Floats  # (p,) largest value of a column
    directions: Floats  # (all directions, widest question), on the question's own columns


class Rule(NamedTuple):
    """How wide a confidence set is and when a question leaves; in reward units."""

    form: int  # VALID, PUBLISHED, PUBLISHED_SQRT or FIXED
    sharp_bias: int  # 1: bound the bias by what the reward range allows, not by b2 alone
    plain: int  # 1: no question is a choice or may be skipped
    alpha: float
    sigma: float
    beta_min: float  # 0: never drop
    span: float  # length R of the reward range
    norm: float  # L2, the largest 2-norm of a context
    ridge_bias: float  # sqrt(alpha) b2
    b1: float
    fixed: float  # the radius where the form is FIXED
    log_supports: Floats  # (m + 1,) ln((m + 1) C(m, h)): the price of a support of size h


class Arms(NamedTuple):
    """The state of K arms. An arm's columns are packed: those of its support come first.

    `n`, `gram`, `moment`, `squares` are the truth, in units of the reward range and exact;
    what follows them is derived.
    """

    support: Ints  # (K, m) 1 for the questions that an arm's model still uses
    size: Ints  # (K,) how many columns that is, the constant included
    columns: Ints  # (K, p) which columns, in order; the first `size` count
    share: Floats  # (K,) the arm's part of delta
    n: Ints  # (K,) rows learned
    gram: Floats  # (K, p, p) sum of z z', lower triangle, packed
    moment: Floats  # (K, p) sum of z y / R, packed
    squares: Floats  # (K,) sum of (y / R) squared
    root: Floats  # (K, p, p) lower triangle M with inv(D) = M' M, packed
    estimate: Floats  # (K, p) ridge estimate in reward units, packed
    variance: Floats  # (K, p) diagonal of inv(D), packed; kept up where the rule needs it
    log_det: Floats  # (K,) ln(det D / alpha^size)
    radius: Floats  # (K,) theta
    stale: Ints  # (K,) rank-one updates since the last fresh factor
    dropped_at: Ints  # (K, m) the arm's rows when a question was dropped, -1 while it is kept
    evidence: Floats  # (K, m, 3) estimate, low and high of its effect at that moment
    projected: Floats  # (K, p) M z of the context scored last, packed
    scores: Floats  # (K,) UCB of each arm in the context scored last, -inf if it was not live
    work: Floats  # (5, at least 3) scratch, so that no step allocates
    block: Floats  # (widest, widest) scratch


def columns_buffers(columns: Columns) -> tuple[Ints, Floats]:
    """Return a survey's columns as one flat pair of buffers."""
    sizes = [len(columns.kind), len(columns.low), *columns.directions.shape]
    ints = [
        np.array(sizes),
        columns.kind,
        columns.first,
        columns.width,
        columns.skip,
        columns.start,
    ]
    floats = [part.ravel() for part in columns[5:]]
    return np.concatenate(ints).astype(np.int64), np.concatenate(floats)


@kernel(**INLINE)
def open_columns(ints: Ints, floats: Floats) -> Columns:
    """Name the parts of a survey's buffers."""
    m, p, count, widest = ints[0], ints[1], ints[2], ints[3]
    at = 4
    return Columns(
        ints[at : at + m],
        ints[at + m : at + 2 * m],
        ints[at + 2 * m : at + 3 * m],
        ints[at + 3 * m : at + 4 * m],
        ints[at + 4 * m : at + 5 * m + 1],
        floats[:p],
        floats[p : 2 * p],
        floats[2 * p : 2 * p + count * widest].reshape((count, widest)),
    )


def arms_buffers(count: int, m: int, p: int, widest: int, rule: Rule) -> tuple[Ints, Floats]:
    """Return the zeroed buffers of so many arms, with their rule filled in."""
    sizes = [count, m, p, widest]
    ints = np.zeros(7 + count * (2 * m + p + 3), dtype=np.int64)
    ints[:7] = [*sizes, rule.form, rule.sharp_bias, rule.plain]
    per_arm = 2 * p * p + 4 * p + 3 * m + 5
    floats = np.zeros(8 + (m + 1) + count * per_arm + 5 * max(p, 3) + widest * widest)
    floats[:8] = rule[3:11]
    floats[8 : 8 + m + 1] = rule.log_supports
    return ints, floats


@kernel(**INLINE)
def open_arms(ints: Ints, floats: Floats) -> tuple[Rule, Arms]:
    """Name the parts of the arms' buffers."""
    count, m, p, widest = ints[0], ints[1], ints[2], ints[3]
    rule = Rule(
        ints[4],
        ints[5],
        ints[6],
        floats[0],
        floats[1],
        floats[2],
        floats[3],
        floats[4],
        floats[5],
        floats[6],
        floats[7],
        floats[8 : 9 + m],
    )
    whole, real = ints[7:], floats[9 + m :]
    km, kp, kpp, wide = count * m, count * p, count * p * p, max(p, 3)
    # Offsets: integers, then reals, in the order in which they are used below.
    size, columns, n = km, km + count, km + count + kp
    stale, dropped = n + count, n + 2 * count
    gram, moment, squares = count, count + kpp, count + kpp + kp
    root, estimate = squares + count, squares + count + kpp
    variance, log_det = estimate + kp, estimate + 2 * kp
    radius, evidence = log_det + count, log_det + 2 * count
    projected = evidence + 3 * km
    scores, work = projected + kp, projected + kp + count
    block = work + 5 * wide
    return rule, Arms(
        whole[:size].reshape((count, m)),
        whole[size:columns],
        whole[columns:n].reshape((count, p)),
        real[:gram],
        whole[n:stale],
        real[gram:moment].reshape((count, p, p)),
        real[moment:squares].reshape((count, p)),
        real[squares:root],
        real[root:estimate].reshape((count, p, p)),
        real[estimate:variance].reshape((count, p)),
        real[variance:log_det].reshape((count, p)),
        real[log_det:radius],
        real[radius:evidence],
        whole[stale:dropped],
        whole[dropped:].reshape((count, m)),
        real[evidence:projected].reshape((count, m, 3)),
        real[projected:scores].reshape((count, p)),
        real[scores:work],
        real[work:block].reshape((5, wide)),
        real[block:].reshape((widest, widest)),
    )

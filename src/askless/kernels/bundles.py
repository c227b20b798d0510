"""The named bundles of plain arrays that kernels work on: a survey's columns, a rule, the arms."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    low: Floats  # (p,) smallest value of a column
    high: Floats  # (p,) largest value of a column
    start: Ints  # (m + 1,) a question's first row in `directions`
    directions: Floats  # (all directions, widest question), on the question's own columns


class Rule(NamedTuple):
    """How wide a confidence set is and when a question leaves; in reward units."""

    form: int  # VALID, PUBLISHED, PUBLISHED_SQRT or FIXED
    alpha: float
    sigma: float
    beta_min: float  # 0: never drop
    span: float  # length R of the reward range
    norm: float  # L2, the largest 2-norm of a context
    ridge_bias: float  # sqrt(alpha) b2
    b1: float
    sharp_bias: bool  # bound the bias by what the reward range allows, not by b2 alone
    plain: bool  # no question is a choice or may be skipped
    fixed: float  # the radius where the form is FIXED
    log_supports: Floats  # (m + 1,) ln((m + 1) C(m, h)): the price of a support of size h


class Arms(NamedTuple):
    """The state of K arms. An arm's columns are packed: those of its support come first.

    `n`, `gram`, `moment`, `squares` are the truth, in units of the reward range and exact;
    what follows them is derived.
    """

    support: Flags  # (K, m) which questions an arm's model still uses
    size: Ints  # (K,) how many columns that is, the constant included
    columns: Ints  # (K, p) which columns, in order; the first `size` count
    share: Floats  # (K,) the arm's part of delta
    n: Ints  # (K,) rows learned
    gram: Floats  # (K, p, p) sum of z z', lower triangle, packed
    moment: Floats  # (K, p) sum of z y / R, packed
    squares: Floats  # (K,) sum of (y / R) squared
    root: Floats  # (K, p, p) lower triangle M with inv(D) = M' M, packed
    estimate: Floats  # (K, p) ridge estimate in reward units, packed
    variance: Floats  # (K, p) diagonal of inv(D), packed
    log_det: Floats  # (K,) ln(det D / alpha^size)
    radius: Floats  # (K,) theta
    stale: Ints  # (K,) rank-one updates since the last fresh factor
    dropped_at: Ints  # (K, m) the arm's rows when a question was dropped, -1 while it is kept
    evidence: Floats  # (K, m, 3) estimate, low and high of its effect at that moment
    work: Floats  # (4, p) scratch, so that no step allocates
    block: Floats  # (widest, widest) scratch

"""What kernels work on: named bundles of plain arrays, each a view into one flat pair of buffers.

A call from Python with forty arrays costs 6 µs, with one number 0.1 µs; so Python hands over the
address of a header, which has the addresses of the buffers, and a kernel opens them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askless.kernels.compiling import INLINE, internal
from askless.kernels.lanes import WIDTH, padded
from askless.kernels.machine import floats_at, ints_at, part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# The kinds of columns a question can own (maths 1.1), as kernels see them.
NUMBER, SIGNS, ONE_HOT = 0, 1, 2

RECENT = 32  # rows that wait: a Gram matrix is read and written once for all of them
LATE = 2 * WIDTH  # updates that wait, likewise

# The forms of the radius (maths 2.1, 6, 8.8 and 3.2).
VALID, PUBLISHED, PUBLISHED_SQRT, FIXED, NOISE = 0, 1, 2, 3, 4
NET_VALID, NET_PUBLISHED, NET_PUBLISHED_SQRT, NET_SCALED, NET_SCALED_SQRT = 5, 6, 7, 8, 9

# What an elastic net is for (maths 3): nothing, the estimate, or only to say what is zero.
NO_NET, NET_ESTIMATES, NET_SELECTS = 0, 1, 2

# Its penalties (maths 3.2): of each column its own, the same for all, that divided by the columns.
OWN, UNIFORM, SCALED = 0, 1, 2

# Where in Arms.links the address of a step is that is compiled on its own (`links`).
REFRESH, RADIUS, DROP, REFIT, RENEW, SOLVE = 1, 2, 3, 4, 5, 6
ASK, SCORE_KNOWN, CANNOT_WIN = 7, 8, 9
LOOK, FIT, ACTIVATE, RENOISE = 10, 11, 12, 13
LINKS = 14

# What is asked of a visit (maths 4): everything that some arm uses, or only what can matter still.
EVERYTHING, CERTIFIED, PAPER_HEURISTIC = 0, 1, 2
# How much of it at once: all questions of an arm, or one question.
BY_ARM, BY_QUESTION = 0, 1


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

    form: int  # VALID, PUBLISHED, PUBLISHED_SQRT, FIXED, NOISE, or one of the net's
    sharp_bias: int  # 1: bound the bias by what the reward range allows, not by b2 alone
    plain: int  # 1: no question is a choice or may be skipped
    raw: int  # 1: rewards are measured from 0, not from the middle of their range
    net: int  # NO_NET, NET_ESTIMATES or NET_SELECTS
    penalty: int  # OWN, UNIFORM or SCALED
    interactive: int  # EVERYTHING, CERTIFIED or PAPER_HEURISTIC
    grain: int  # BY_ARM or BY_QUESTION
    epochs: int  # 1: an arm's model changes only at the ends of its epochs (maths 5)
    by_sets: int  # 1: of those, arms are chosen by the UCBs of their sets (maths 8.4)
    payback: int  # 1: visits pay back what they ask for other arms (maths 8.5)
    judge_skips: int  # 0: a question is judged by its answers alone (maths 5.4)
    start: int  # rows that an arm is given before arms are compared (maths 8.7)
    alpha: float
    sigma: float
    beta_min: float  # 0: never drop
    span: float  # length R of the reward range
    norm: float  # L2, the largest 2-norm of a context
    ridge_bias: float  # sqrt(alpha) b2
    b1: float
    b2: float
    multiple: float  # of the elastic net's own penalties
    fixed: float  # the radius where the form is FIXED
    growth: float  # by which factor an epoch makes an arm's rows grow
    low: float  # the smallest and the largest reward
    high: float
    optimism: float  # tau, how many noises wide a score is (maths 8.4)
    set_part: float  # of an arm's share of delta: what its confidence set gets (maths 5.1)
    log_supports: Floats  # (m + 1,) ln((m + 1) C(m, h)): the price of a support of size h


class Arms(NamedTuple):
    """The state of K arms. An arm's columns are packed: those of its support come first.

    `n`, `gram` with the rows that wait to be added to it, `moment` and `squares` are the truth, in
    units of the reward range and exact; what follows them is derived. P is the number of columns,
    padded; beyond `size`, what has P columns is zero (of `gram` the lower triangle counts).

    An arm's *set* has a radius; its *decision* model, by which it is chosen, has a width (maths 8).
    Without epochs both are the same, in the same memory.
    """

    support: Ints  # (K, m) 1 for the questions that an arm's model still uses
    size: Ints  # (K,) how many columns that is, the constant included
    columns: Ints  # (K, P) which columns, in order; the first `size` count
    share: Floats  # (K,) the arm's part of delta
    n: Ints  # (K,) rows learned
    gram: Floats  # (K, P, P) sum of z z', lower triangle, packed
    waiting: Ints  # (K,) how many rows learned last are not yet in `gram`
    recent: Floats  # (K, RECENT, P) those rows, packed
    moment: Floats  # (K, P) sum of z y / R, packed
    squares: Floats  # (K,) sum of (y / R) squared
    root: Floats  # (K, P, P) lower triangle M with inv(D) = M' diag(weights) M, packed
    weights: Floats  # (K, P) those weights, packed
    estimate: Floats  # (K, P) ridge estimate in reward units, packed
    variance: Floats  # (K, P) diagonal of inv(D), packed; kept up where the rule needs it
    log_det: Floats  # (K,) ln(det D / alpha^size)
    radius: Floats  # (K,) theta
    stale: Ints  # (K,) rank-one updates since the last fresh factor
    dropped_at: Ints  # (K, m) the arm's rows when a question was dropped, -1 while it is kept
    evidence: Floats  # (K, m, 3) estimate, low and high of its effect at that moment
    late: Ints  # (K,) how many updates of M and the estimate have been put off
    slopes: Floats  # (K, LATE, P) what they are made of (maths 2.3), packed
    lifts: Floats  # (K, LATE, P)
    moves: Floats  # (K, LATE) error / tau
    net_coef: Floats  # (K, Q) elastic net, in units of the range, packed; Q is P with a net, else 0
    net_sign: Floats  # (K, Q) the rest of it: `active_set.Net`
    net_active: Ints  # (K, Q)
    net_place: Ints  # (K, Q)
    net_count: Ints  # (K, 2)
    net_inverse: Floats  # (K, Q, Q)
    net_residual: Floats  # (K,) how exact it is, relatively
    projected: Floats  # (K, P) M z of the context scored last, packed
    ready: Ints  # (K,) 1 if `projected` is that of `row` and of M as it is
    inverted: Ints  # (K,) 1 if `Asking.inverse` is that of M as it is
    complete: Ints  # (1,) 1 if `row` is one
    row: Floats  # (P and a lane more,) the row checked last, on the grid
    scores: Floats  # (K,) of each arm in the context scored last, -inf if it was not live
    step: Floats  # (2,) of the row learned last: tau and error / tau
    active: Ints  # (K, m) 1 for the questions by which an arm is chosen
    active_size: Ints  # (K,) how many columns that is, the constant included
    active_columns: Ints  # (K, P) which columns, in order
    active_root: Floats  # (K, P, P) as `root`, of the decision model
    active_weights: Floats  # (K, P)
    active_estimate: Floats  # (K, P) in reward units, packed
    width: Floats  # (K,) by which ‖z‖ in the norm of inv(D) is multiplied in a score
    noise: Floats  # (K,) estimated variance of the noise, in units of the range squared (maths 8.1)
    ridge: Floats  # (K,) the penalty that follows from it (maths 8.2)
    misfit: Floats  # (K,) squared residuals of the arm's rows when it was renewed last
    freedom: Floats  # (K,) their degrees of freedom
    renewed: Ints  # (K,) the arm's rows then
    links: Ints  # (LINKS,) the address of the header, and of the steps from REFRESH on
    work: Floats  # (3, P and a lane more) scratch, so that no step allocates
    block: Floats  # (widest, widest) scratch
    net_work: Floats  # (5, Q) scratch


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


@internal(**INLINE)
def open_columns(ints: Ints, floats: Floats) -> Columns:
    """Name the parts of a survey's buffers."""
    m, p, count, widest = ints[0], ints[1], ints[2], ints[3]
    return Columns(
        part(ints, 4, (m,)),
        part(ints, 4 + m, (m,)),
        part(ints, 4 + 2 * m, (m,)),
        part(ints, 4 + 3 * m, (m,)),
        part(ints, 4 + 4 * m, (m + 1,)),
        part(floats, 0, (p,)),
        part(floats, p, (p,)),
        part(floats, 2 * p, (count, widest)),
    )


def aligned(length: int) -> Floats:
    """Return zeros that start on a cache line, where loads of whole lanes are fastest."""
    room = np.zeros(length + WIDTH)
    first = -room.ctypes.data // room.itemsize % WIDTH
    return room[first : first + length]


RULE_INTS, RULE_FLOATS = 13, 15
FIRST = 4 + RULE_INTS + 1 + LINKS  # where the arms' integers begin


def arms_buffers(count: int, m: int, p: int, widest: int, rule: Rule) -> tuple[Ints, Floats]:
    """Return the zeroed buffers of so many arms, with their rule filled in."""
    wide = padded(p)
    net, own = wide if rule.net else 0, 1 if rule.epochs else 0
    per_arm = 2 * m + wide + 8 + 2 * net + 2 + own * (m + wide + 1)
    ints = np.zeros(FIRST + count * per_arm, dtype=np.int64)
    ints[: 4 + RULE_INTS] = [count, m, wide, widest, *rule[:RULE_INTS]]
    per_arm = (2 + own) * wide * wide + (5 + 2 * own + RECENT + 2 * LATE) * wide + LATE + 11 + 3 * m
    per_arm += net * net + 2 * net
    shared = 4 * (wide + WIDTH) + 5 * net + 2 + widest * widest
    floats = aligned(count * per_arm + shared + RULE_FLOATS + (m + 1))
    floats[-RULE_FLOATS - 1 - m :] = [
        *rule[RULE_INTS : RULE_INTS + RULE_FLOATS],
        *rule.log_supports,
    ]
    return ints, floats


def named_arms(ints: Ints, floats: Floats) -> tuple[Rule, Arms]:
    """Name the parts of the arms' buffers."""
    count, m, wide, widest = ints[0], ints[1], ints[2], ints[3]
    last = len(floats) - RULE_FLOATS - 1 - m
    rule = Rule(
        ints[4],
        ints[5],
        ints[6],
        ints[7],
        ints[8],
        ints[9],
        ints[10],
        ints[11],
        ints[12],
        ints[13],
        ints[14],
        ints[15],
        ints[16],
        floats[last],
        floats[last + 1],
        floats[last + 2],
        floats[last + 3],
        floats[last + 4],
        floats[last + 5],
        floats[last + 6],
        floats[last + 7],
        floats[last + 8],
        floats[last + 9],
        floats[last + 10],
        floats[last + 11],
        floats[last + 12],
        floats[last + 13],
        floats[last + 14],
        part(floats, last + RULE_FLOATS, (m + 1,)),
    )
    # Where each part begins: integers, then reals; what is loaded in lanes comes first.
    net, own = wide if rule.net else 0, 1 if rule.epochs else 0
    square, row, long = count * wide * wide, count * wide, wide + WIDTH
    support, dropped = FIRST, FIRST + count * m
    columns = dropped + count * m
    size, n, stale = columns + row, columns + row + count, columns + row + 2 * count
    waiting, late, ready = stale + count, stale + 2 * count, stale + 3 * count
    inverted, renewed = ready + count, ready + 2 * count
    net_active = ready + 3 * count
    net_place, net_count = net_active + count * net, net_active + 2 * count * net
    # A policy with epochs chooses by models of their own; else these are the same arrays.
    behind = net_count + 2 * count
    active = behind if own else support
    active_size = behind + count * m if own else size
    active_columns = behind + count * (m + 1) if own else columns
    gram, root = 0, square
    active_root = 2 * square if own else root
    moment = (2 + own) * square
    estimate, variance, weights = moment + row, moment + 2 * row, moment + 3 * row
    projected = moment + 4 * row
    active_estimate = moment + 5 * row if own else estimate
    active_weights = moment + 6 * row if own else weights
    recent = moment + (5 + 2 * own) * row
    slopes = recent + RECENT * row
    lifts, net_inverse = slopes + LATE * row, slopes + 2 * LATE * row
    net_coef = net_inverse + count * net * net
    net_sign, net_work = net_coef + count * net, net_coef + 2 * count * net
    latest = net_work + 5 * net
    work, moves = latest + long, latest + 4 * long
    share = moves + LATE * count
    squares, log_det, radius = share + count, share + 2 * count, share + 3 * count
    scores, residual, evidence = share + 4 * count, share + 5 * count, share + 6 * count
    noise = evidence + 3 * count * m
    width = noise + 4 * count if own else radius
    step = noise + 5 * count
    return rule, Arms(
        support=part(ints, support, (count, m)),
        size=part(ints, size, (count,)),
        columns=part(ints, columns, (count, wide)),
        share=part(floats, share, (count,)),
        n=part(ints, n, (count,)),
        gram=part(floats, gram, (count, wide, wide)),
        waiting=part(ints, waiting, (count,)),
        recent=part(floats, recent, (count, RECENT, wide)),
        moment=part(floats, moment, (count, wide)),
        squares=part(floats, squares, (count,)),
        root=part(floats, root, (count, wide, wide)),
        weights=part(floats, weights, (count, wide)),
        estimate=part(floats, estimate, (count, wide)),
        variance=part(floats, variance, (count, wide)),
        log_det=part(floats, log_det, (count,)),
        radius=part(floats, radius, (count,)),
        stale=part(ints, stale, (count,)),
        dropped_at=part(ints, dropped, (count, m)),
        evidence=part(floats, evidence, (count, m, 3)),
        late=part(ints, late, (count,)),
        slopes=part(floats, slopes, (count, LATE, wide)),
        lifts=part(floats, lifts, (count, LATE, wide)),
        moves=part(floats, moves, (count, LATE)),
        net_coef=part(floats, net_coef, (count, net)),
        net_sign=part(floats, net_sign, (count, net)),
        net_active=part(ints, net_active, (count, net)),
        net_place=part(ints, net_place, (count, net)),
        net_count=part(ints, net_count, (count, 2)),
        net_inverse=part(floats, net_inverse, (count, net, net)),
        net_residual=part(floats, residual, (count,)),
        projected=part(floats, projected, (count, wide)),
        ready=part(ints, ready, (count,)),
        inverted=part(ints, inverted, (count,)),
        complete=part(ints, 4 + RULE_INTS, (1,)),
        row=part(floats, latest, (long,)),
        scores=part(floats, scores, (count,)),
        step=part(floats, step, (2,)),
        active=part(ints, active, (count, m)),
        active_size=part(ints, active_size, (count,)),
        active_columns=part(ints, active_columns, (count, wide)),
        active_root=part(floats, active_root, (count, wide, wide)),
        active_weights=part(floats, active_weights, (count, wide)),
        active_estimate=part(floats, active_estimate, (count, wide)),
        width=part(floats, width, (count,)),
        noise=part(floats, noise, (count,)),
        ridge=part(floats, noise + count, (count,)),
        misfit=part(floats, noise + 2 * count, (count,)),
        freedom=part(floats, noise + 3 * count, (count,)),
        renewed=part(ints, renewed, (count,)),
        links=part(ints, 5 + RULE_INTS, (LINKS,)),
        work=part(floats, work, (3, long)),
        block=part(floats, step + 2, (widest, widest)),
        net_work=part(floats, net_work, (5, net)),
    )


open_arms = internal(**INLINE)(named_arms)


def header_of(buffers: tuple[NDArray[Any], ...]) -> Ints:
    """Return where the buffers of a survey and its arms are, and how long; keep them alive."""
    return np.array([[part.ctypes.data, len(part)] for part in buffers]).ravel()


@internal(**INLINE)
def open_header(address: int) -> tuple[Columns, Rule, Arms]:
    """Name the parts of all buffers, given the address of their header."""
    at = ints_at(address, 8)
    columns = open_columns(ints_at(at[0], at[1]), floats_at(at[2], at[3]))
    rule, arms = open_arms(ints_at(at[4], at[5]), floats_at(at[6], at[7]))
    return columns, rule, arms

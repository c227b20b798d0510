"""What to ask next, or which arm to play: a function of the state and the answers so far (maths 4).

The arm is the one that the full survey would give. That rests on the last step alone, in which the
arms that are not known in full certainly do not win against those that are; what was asked on the
way only decides how soon that is so.
"""

import math

import numpy as np

from askless.kernels import ridge
from askless.kernels.asking import Asking, open_asking
from askless.kernels.bounds import (
    cannot_exceed,
    interval,
    paper_heuristic,
    rounding,
    set_linear,
    set_prices,
)
from askless.kernels.bundles import (
    CANNOT_WIN,
    ONE_HOT,
    SCORE_KNOWN,
    Arms,
    Columns,
    Floats,
    Ints,
    Rule,
    open_header,
)
from askless.kernels.compiling import INLINE, internal
from askless.kernels.machine import call_at
from askless.kernels.unasked import SQUARE, VALUE, View, look, rise, view_of, weigh

UNDECIDED = -1
CLEAR = 1e-8  # relatively; an arm that far below the leader is not worth a question (maths 4)


@internal()
def pending(first: Ints, always: Ints, z: Floats, most: int, asks: Ints) -> int:
    """Ask the questions that everyone is asked, so many of them; return how many there were."""
    count = 0
    asks[:] = 0
    for g in range(first.shape[0]):
        if always[g] and math.isnan(z[first[g]]) and count < most:
            asks[g] = 1
            count += 1
    return count


@internal()
def ask_active(first: Ints, active: Ints, z: Floats, asks: Ints) -> None:
    """Ask what an arm's score needs and has not been asked."""
    for g in range(first.shape[0]):
        if active[g] and math.isnan(z[first[g]]):
            asks[g] = 1


@internal()
def most_played(n: Ints, live: Ints, after: int) -> int:
    """Return the live arm that comes after another in the order of plays; -1: there is none.

    Arms with the same number of plays come in their own order; `after` -1 gives the first.
    """
    best = -1
    for k in range(n.shape[0]):
        later = after < 0 or n[k] < n[after] or (n[k] == n[after] and k > after)
        if live[k] and later and (best < 0 or n[k] > n[best]):
            best = k
    return best


def cannot_win(address: int, k: int) -> int:
    """Say whether arm k, which has been weighed, certainly stays at or below its limit."""
    _, rule, arms = open_header(address)
    asking, scratch = open_asking(address)
    view = view_of(rule, arms, asking, k)
    set_linear(view)
    return 1 if cannot_exceed(view, scratch, 0.0, asking.limit[k]) else 0


def score_known(address: int, _: int) -> int:
    """Score the arms that are known in full, the others at -inf; find each arm's limit.

    Returns how many of the others there are; without any known arm, nothing limits them.
    """
    columns, rule, arms = open_header(address)
    asking = open_asking(address)[0]
    unknown, highest = 0, -math.inf
    for k in range(arms.n.shape[0]):
        arms.scores[k] = -np.inf
        asking.possible[k] = 0
        if asking.live[k] and look(columns, view_of(rule, arms, asking, k), asking.z) == 0:
            arms.scores[k] = ridge.score(arms, k, asking.z)
            asking.possible[k] = 1
            highest = max(highest, arms.scores[k])
        elif asking.live[k]:
            unknown += 1
    limit = highest - ridge.TIED * (rule.span + abs(highest))
    for k in range(arms.n.shape[0]):
        # To win, an arm must not be below the tied ones, and exceed those before it (maths 2).
        asking.limit[k] = limit if highest > -math.inf else -math.inf
        limit = max(limit, arms.scores[k])
    return unknown


@internal(**INLINE)
def is_out(address: int, rule: Rule, arms: Arms, asking: Asking, k: int) -> bool:
    """Weigh arm k; whether it certainly does not win against the arms that are known in full."""
    weigh(view_of(rule, arms, asking, k))
    known = asking.limit[k] > -math.inf
    return known and bool(call_at(arms.links[CANNOT_WIN], address, k))


def ask_an_arm(address: int, _: int) -> int:
    """Ask all questions of the most played arm that can still win.

    Nothing is remembered: what is discarded now is tested again when more is known.
    """
    columns, rule, arms = open_header(address)
    asking = open_asking(address)[0]
    call_at(arms.links[SCORE_KNOWN], address, 0)
    waiting = pending(columns.first, asking.always, asking.z, columns.first.shape[0], asking.asks)
    k, chosen = most_played(arms.n, asking.live, -1), -1
    while k >= 0:
        if arms.scores[k] == -np.inf and (
            chosen >= 0 or not is_out(address, rule, arms, asking, k)
        ):
            asking.possible[k] = 1
            if chosen < 0:
                chosen = k
        k = most_played(arms.n, asking.live, k)
    if chosen >= 0:
        ask_active(columns.first, arms.active[chosen], asking.z, asking.asks)
        return UNDECIDED
    return UNDECIDED if waiting > 0 else ridge.winner(rule, arms)


def ask_as_the_paper(address: int, _: int) -> int:
    """Do as the paper's protocol with its heuristic; winners may be discarded.

    It is gone through from its start, with the answers of the arms that it has come to.
    """
    columns, rule, arms = open_header(address)
    asking, scratch = open_asking(address)
    waiting = pending(columns.first, asking.always, asking.z, columns.first.shape[0], asking.asks)
    seen, highest = asking.seen, -math.inf
    seen[:] = np.nan
    seen[0] = 1.0
    for k in range(arms.n.shape[0]):
        arms.scores[k] = -np.inf
        asking.possible[k] = asking.live[k]
    k = most_played(arms.n, asking.live, -1)
    while k >= 0:
        if asking.possible[k]:
            if look(columns, view_of(rule, arms, asking, k), asking.z) > 0:
                ask_active(columns.first, arms.active[k], asking.z, asking.asks)
                return UNDECIDED
            arms.scores[k] = ridge.score(arms, k, asking.z)
            highest = max(highest, arms.scores[k])
            for i in range(1, arms.active_size[k]):
                seen[arms.active_columns[k, i]] = asking.z[arms.active_columns[k, i]]
            for other in range(arms.n.shape[0]):
                if asking.possible[other] and arms.scores[other] == -np.inf:
                    view = view_of(rule, arms, asking, other)
                    look(columns, view, seen)
                    weigh(view)
                    if paper_heuristic(view, scratch) <= highest:
                        asking.possible[other] = 0
        k = most_played(arms.n, asking.live, k)
    return UNDECIDED if waiting > 0 else ridge.winner(rule, arms)


def ask_a_question(address: int, _: int) -> int:
    """Ask the one question that is expected to settle most for its cost."""
    columns, rule, arms = open_header(address)
    asking = open_asking(address)[0]
    call_at(arms.links[SCORE_KNOWN], address, 0)
    waiting = pending(columns.first, asking.always, asking.z, 1, asking.asks)
    leader, unknown = -1, 0
    for k in range(arms.n.shape[0]):
        if asking.possible[k]:
            weigh(view_of(rule, arms, asking, k))
        elif asking.live[k] and not is_out(address, rule, arms, asking, k):
            asking.possible[k] = 1
            unknown += 1
        if asking.possible[k]:
            view = view_of(rule, arms, asking, k)
            take_slope(view, arms.active_columns[k], asking.slope[k])
            if leader < 0 or view.numbers[VALUE] > asking.numbers[leader, VALUE]:
                leader = k
    if waiting > 0:
        return UNDECIDED
    if unknown == 0:
        return ridge.winner(rule, arms)
    height, slope = asking.numbers[leader, VALUE], asking.slope[leader]
    clear = CLEAR * (rule.span + abs(height))
    for k in range(arms.n.shape[0]):
        if asking.possible[k] and k != leader:
            view = view_of(rule, arms, asking, k)
            gap = gap_to(columns, view, asking.z, height, slope)
            asking.gap[k] = max(gap, clear)
            if gap < -clear and arms.scores[leader] == -np.inf:
                asking.possible[k] = 0
    asking.asks[most_settling(columns, arms.active, asking, leader)] = 1
    return UNDECIDED


@internal()
def take_slope(view: View, columns: Ints, slope: Floats) -> None:
    """Put into place how an arm's UCB changes at the centre with each column of a context."""
    weight = view.width / math.sqrt(view.numbers[SQUARE])
    slope[:] = 0.0
    for i in range(view.size):
        slope[columns[i]] = view.estimate[i] + weight * view.pull[i]


@internal()
def gap_to(columns: Columns, view: View, z: Floats, height: float, slope: Floats) -> float:
    """Return by how much an arm's UCB can exceed the leader's at most, by intervals.

    The leader's is convex, so it is nowhere below its tangent at the centre, of that height and
    slope; that is subtracted from the arm's linear part, so that answers which move both alike
    move nothing.
    """
    set_linear(view)
    offset, at = -height, 1
    for g in range(columns.first.shape[0]):
        first, width = columns.first[g], columns.width[g]
        if math.isnan(z[first]):
            if view.active[g]:
                for j in range(width):
                    view.linear[at + j] -= slope[first + j]
                    offset += slope[first + j] * view.centre[at + j]
            else:
                offset += rise(columns, g, first, slope, -1.0)
        if view.active[g]:
            at += width
    set_prices(view)
    return interval(view, offset + rounding(view, offset), -math.inf)[0]


@internal()
def most_settling(columns: Columns, active: Ints, asking: Asking, leader: int) -> int:
    """Return the unasked question that settles most for its cost.

    The leader's own come first: they must be asked in any case, if it wins. For each arm that may
    yet exceed the leader, an answer settles at most as much of the gap between the two as it
    moves them apart.
    """
    best, most, best_is_own = -1, -1.0, False
    for g in range(columns.first.shape[0]):
        if not math.isnan(asking.z[columns.first[g]]):
            continue
        worth, own, wanted = 0.0, bool(active[leader, g]), bool(active[leader, g])
        for k in range(active.shape[0]):
            if asking.possible[k] and k != leader:
                wanted |= bool(active[k, g])
                apart = swing(columns, g, asking.slope[k], asking.slope[leader], asking.tilt)
                worth += min(1.0, apart / asking.gap[k])
        worth /= asking.cost[g]
        better = (own and not best_is_own) or (own == best_is_own and worth > most)
        if wanted and better:
            best, most, best_is_own = g, worth, own
    return best


@internal()
def swing(columns: Columns, g: int, one: Floats, other: Floats, apart: Floats) -> float:
    """Return by how much the answer to question g moves two slopes apart."""
    first = columns.first[g]
    for j in range(first, first + columns.width[g]):
        apart[j] = one[j] - other[j]
    up = rise(columns, g, first, apart, 1.0)
    if columns.kind[g] != ONE_HOT and not columns.skip[g]:
        return 2.0 * up  # as far down as up
    return up + rise(columns, g, first, apart, -1.0)

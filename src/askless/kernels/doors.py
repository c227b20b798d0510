"""The doors to the kernels: what Python calls, with the address of a policy's buffers.

The doors that take a row as it comes either do their work or decline; the caller then finds out
why, at leisure.
"""

import math

from askless.kernels import bounds, choosing, protocol, ridge, unasked
from askless.kernels.asking import open_asking
from askless.kernels.bundles import (
    ACTIVATE,
    ASK,
    FIT,
    LOOK,
    REFRESH,
    RENOISE,
    Arms,
    Columns,
    Flags,
    Floats,
    Ints,
    open_columns,
    open_header,
)
from askless.kernels.compiling import INLINE, internal, kernel
from askless.kernels.epochs import FULL, open_epochs
from askless.kernels.machine import call_at
from askless.kernels.rows import COMPLETE, check_row, reward_units, same_row

DECLINED = -3
REFUSED = max(DECLINED, FULL)  # what is above has been done


@kernel()
def read_row(survey_ints: Ints, survey_floats: Floats, z: Floats, out: Floats) -> int:
    """Check a row and put it on the grid, as `rows.check_row` does."""
    return check_row(open_columns(survey_ints, survey_floats), z, out)


@kernel()
def read_rows(
    survey_ints: Ints, survey_floats: Floats, rows: Floats, out: Floats
) -> tuple[int, int]:
    """Check rows and put them on the grid; return the first that is not complete, and why.

    The row is `rows.shape[0]` if all are in order; why is what `rows.check_row` says.
    """
    columns = open_columns(survey_ints, survey_floats)
    for i in range(rows.shape[0]):
        wrong = check_row(columns, rows[i], out[i])
        if wrong != COMPLETE:
            return i, wrong
    return rows.shape[0], COMPLETE


@internal(**INLINE)
def admit(columns: Columns, arms: Arms, z: Floats) -> bool:
    """Put a row into `arms.row`, on the grid; refuse one that is not in order and complete."""
    if z.shape[0] != columns.low.shape[0]:
        return False
    if arms.complete[0] and same_row(z, arms.row):
        return True
    arms.ready[:] = 0
    arms.complete[0] = 1 if check_row(columns, z, arms.row) == COMPLETE else 0
    return bool(arms.complete[0])


@kernel()
def play_row(address: int, live: Flags, z: Floats) -> int:
    """Check a row and return the arm to play; DECLINED if the row is not in order."""
    columns, rule, arms = open_header(address)
    if not admit(columns, arms, z):
        return DECLINED
    best = ridge.best_arm(rule, arms, live, arms.row[: z.shape[0]])
    for k in range(live.shape[0]):
        arms.ready[k] = 1 if live[k] else 0
    return best


@kernel()
def choose_row(address: int, live: Flags, z: Floats, number: int, draws: Floats) -> int:
    """Check a row and return the arm that the visit of that number gets; DECLINED as above.

    For policies with epochs (maths 8); `live` is a table with one row.
    """
    columns, rule, arms = open_header(address)
    if not admit(columns, arms, z):
        return DECLINED
    epochs = open_epochs(address)
    winner = choosing.starter(epochs, live, 0, number)
    started = winner != choosing.NOBODY
    if not started:
        for k in range(live.shape[1]):
            compared = choosing.is_compared(epochs, live, 0, k)
            arms.scores[k] = ridge.score(arms, k, arms.row[: z.shape[0]]) if compared else -math.inf
        winner = ridge.winner(rule, arms)
    return choosing.drawn(rule, arms, epochs, winner, started, live, 0, draws)


@kernel()
def score_row(address: int, live: Flags, z: Floats, out: Floats) -> int:
    """Put the UCB of every live arm into `out`, the others' at -inf; return the best arm."""
    _, rule, arms = open_header(address)
    best = ridge.best_arm(rule, arms, live, z)
    for k in range(live.shape[0]):
        out[k] = arms.scores[k]
    return best


@kernel()
def learn_row(address: int, k: int, z: Floats, reward: float) -> int:
    """Check a row and its reward and learn it for arm k; DECLINED if they are not in order.

    FULL if an epoch has no room for it.
    """
    columns, rule, arms = open_header(address)
    y = reward_units(rule, reward)
    if not 0 <= k < arms.n.shape[0] or math.isnan(y) or not admit(columns, arms, z):
        return DECLINED
    return ridge.learn(rule, arms, k, arms.row[: z.shape[0]], y, int(arms.ready[k]))


@kernel()
def learn_rows(address: int, played: Ints, rows: Floats, ys: Floats) -> None:
    """Learn checked rows, one after the other."""
    _, rule, arms = open_header(address)
    for i in range(played.shape[0]):
        ridge.learn(rule, arms, played[i], rows[i], ys[i], 0)


@kernel()
def ask(address: int, live: Flags, z: Floats, asks: Flags, possible: Flags) -> int:
    """Return the arm to play, or UNDECIDED; say what to ask next and which arms can still win."""
    _, _, arms = open_header(address)
    asking = open_asking(address)[0]
    for k in range(live.shape[0]):
        asking.live[k] = 1 if live[k] else 0
    for j in range(z.shape[0]):
        asking.z[j] = z[j]
    arm: int = call_at(arms.links[ASK], address, 0)
    for g in range(asks.shape[0]):
        asks[g] = asking.asks[g] != 0
    for k in range(live.shape[0]):
        possible[k] = asking.possible[k] != 0
    return arm


@kernel()
def reach(address: int, live: Flags, z: Floats, low: Floats, high: Floats) -> None:
    """Put bounds of every live arm's UCB into place, whatever is answered to what z leaves open."""
    columns, rule, arms = open_header(address)
    asking, scratch = open_asking(address)
    for k in range(live.shape[0]):
        if not live[k]:
            continue
        view = unasked.view_of(rule, arms, asking, k)
        if unasked.look(columns, view, z) == 0:
            low[k] = high[k] = ridge.score(arms, k, z)
            continue
        unasked.weigh(view)
        high[k] = bounds.upper(view, scratch)
        # A convex function is nowhere below its tangent at the centre.
        low[k] = view.numbers[unasked.VALUE] - bounds.rounding(view, 0.0)
        slope = asking.slope[k]
        protocol.take_slope(view, arms.active_columns[k], slope)
        for g in range(columns.first.shape[0]):
            if arms.active[k, g] and math.isnan(z[columns.first[g]]):
                low[k] -= unasked.rise(columns, g, columns.first[g], slope, -1.0)


@kernel()
def refresh(address: int, chosen: Ints) -> None:
    """Derive the chosen arms anew from their statistics alone."""
    _, rule, arms = open_header(address)
    for i in range(chosen.shape[0]):
        arms.net_coef[chosen[i], :] = 0.0
        call_at(arms.links[REFRESH], address, chosen[i])
        if rule.epochs:
            call_at(arms.links[FIT], address, chosen[i])
            call_at(arms.links[ACTIVATE], address, chosen[i])


@kernel()
def end_blocks(address: int) -> None:
    """End every arm's block as if no more rows were to come."""
    _, _, arms = open_header(address)
    epochs = open_epochs(address)
    for k in range(arms.n.shape[0]):
        if epochs.held[k] > 0:
            epochs.need[k] = epochs.held[k]
            call_at(arms.links[LOOK], address, k)


@kernel()
def renew(address: int) -> None:
    """Measure the noise of every arm that learns row by row anew, one after the other."""
    _, _, arms = open_header(address)
    for k in range(arms.n.shape[0]):
        call_at(arms.links[RENOISE], address, k)

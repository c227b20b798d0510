"""The fused loop: simulated visits from context to learned row, without leaving compiled code."""

import math

from askless.kernels import ahead, ridge
from askless.kernels.asking import open_asking
from askless.kernels.bundles import ASK, Arms, Flags, Floats, Ints, Rule, open_header
from askless.kernels.choosing import NOBODY, count_asked, is_compared, may_get, starter
from askless.kernels.choosing import drawn as choose
from askless.kernels.compiling import internal, kernel
from askless.kernels.epochs import GOES_ON, open_epochs
from askless.kernels.machine import call_at
from askless.kernels.outcome import outcome
from askless.kernels.protocol import UNDECIDED
from askless.kernels.rows import reward_units
from askless.kernels.triangle import largest

UNKNOWN = -1  # how many questions a visit is asked that plays an arm


@kernel()
def play_visits(
    address: int,
    future: ahead.Ahead,
    contexts: Floats,
    luck: Floats,
    matter: Ints,
    coefficients: Floats,
    noise: tuple[int, float, float],
    table: Floats,
    drawn: Floats,
    always: Ints,
    cost: Floats,
    number: int,
    draws: Floats,
    allowed: Flags,
    begun: int,
    drops: Ints,
    played: Ints,
    radii: Floats,
    regret: Floats,
    earned: Floats,
    asked: Ints,
    paid: Floats,
) -> None:
    """Play one visit a row of `contexts` and learn from it.

    `address` is that of the header of a policy's buffers. Where `drawn` has rows, it says what each
    arm brings each visit, in reward units, and `table` what is expected of it; without rows,
    nobody knows. Else rewards depend on the columns that `matter` by `coefficients`, both with
    one more at the end, which is zero; on `noise` (form, spread, smallest reward in units); and on
    `luck`. `always` says which questions everyone is asked, `cost` what each costs. `number` is
    that of the first visit; `draws` has four numbers each (`choosing.drawn`), without epochs no
    row. `allowed` says which arms a visit may get; without a row, every visit may get them all.
    `begun` visits were played before; `drops` gets the visit at which an arm dropped a question.
    Per visit: the arm `played`, the radius of its set (of `radii`), its expected `regret`, the
    reward `earned` in units on the grid, how many questions were `asked`, and what was `paid` for
    them.
    """
    _, rule, arms = open_header(address)
    epochs = open_epochs(address)
    form, spread, low = noise
    expected, arm_count, count = future.expected, coefficients.shape[0], matter.shape[0] - 1
    limited, tabled = allowed.shape[0] > 0, drawn.shape[0] > 0
    future.asked[:] = UNKNOWN
    for start in range(0, contexts.shape[0], ahead.AHEAD):
        block = contexts[start : start + ahead.AHEAD]
        ahead.look(future, arms, block)
        if tabled:
            look_up(table, start, block.shape[0], expected)
        else:
            for k in range(arm_count):
                ahead.combine(future.contexts, matter, coefficients[k], count, expected[k])
        for t in range(block.shape[0]):
            now, z = start + t, block[t]
            ahead.fetch_row(contexts, now + ahead.AHEAD)
            best = starter(epochs, allowed, now, number + now) if rule.epochs else NOBODY
            started = best != NOBODY
            if not started:
                best = ahead.best_arm(future, rule, arms, epochs.ended, t, allowed, now)
            if rule.epochs:
                best = choose(rule, arms, epochs, best, started, allowed, now, draws[now])
            played[now], radii[now] = best, arms.radius[best]
            regret[now] = largest(expected[:, t]) - expected[best, t]
            if limited:
                regret[now] = highest_allowed(expected[:, t], allowed, now) - expected[best, t]
            if limited or started or future.asked[best] == UNKNOWN:
                asked[now], paid[now] = count_asked(
                    arms, epochs.ended, best, started, always, cost, allowed, now
                )
                if not (limited or started):
                    future.asked[best], future.paid[best] = asked[now], paid[now]
            else:
                asked[now], paid[now] = future.asked[best], future.paid[best]
            if tabled:
                y = units_of(rule, drawn, now, best)
            else:
                y = outcome(form, spread, low, rule.span, expected[best, t], luck[now])
            earned[now] = y
            dropped = ahead.learn(future, rule, arms, best, t, z, y)
            if dropped > 0 or (rule.epochs and dropped != GOES_ON):
                future.asked[:] = UNKNOWN
            if dropped > 0:
                note_drops(arms, best, rule.epochs, begun + now + 1, drops)
    for k in range(arm_count):
        ridge.catch_up(arms, k)


@kernel()
def play_interactive_visits(
    address: int,
    contexts: Floats,
    luck: Floats,
    coefficients: Floats,
    noise: tuple[int, float, float],
    table: Floats,
    drawn: Floats,
    number: int,
    draws: Floats,
    allowed: Flags,
    begun: int,
    drops: Ints,
    played: Ints,
    radii: Floats,
    regret: Floats,
    earned: Floats,
    asked: Ints,
    paid: Floats,
    others: Ints,
) -> None:
    """Play visits one after the other, each asked no more than it must be; see `play_visits`.

    `others` gets 1 where the full survey would have given another arm.
    """
    columns, rule, arms = open_header(address)
    asking, epochs = open_asking(address)[0], open_epochs(address)
    form, spread, low = noise
    count, p = coefficients.shape[0], contexts.shape[1]
    tabled, unknown = drawn.shape[0] > 0, table.shape[0] == 0
    for now in range(contexts.shape[0]):
        z = contexts[now]
        for k in range(count):
            asking.live[k] = may_get(allowed, now, k)
        asking.z[:] = math.nan
        asking.z[0] = 1.0
        asked[now], paid[now] = 0, 0.0
        best = starter(epochs, allowed, now, number + now) if rule.epochs else NOBODY
        started, others[now] = best != NOBODY, 0
        if not started:
            if rule.epochs:  # arms in their first block are not compared
                for k in range(count):
                    asking.live[k] = is_compared(epochs, allowed, now, k)
            best = call_at(arms.links[ASK], address, 0)
            while best == UNDECIDED:
                for g in range(asking.asks.shape[0]):
                    if asking.asks[g]:
                        asked[now] += 1
                        paid[now] += asking.cost[g]
                        for j in range(columns.first[g], columns.first[g] + columns.width[g]):
                            asking.z[j] = z[j]
                best = call_at(arms.links[ASK], address, 0)
            others[now] = ridge.best_arm(rule, arms, asking.live, z) != best
        if rule.epochs:
            best = choose(rule, arms, epochs, best, started, allowed, now, draws[now])
        for g in range(columns.first.shape[0]):  # it must be asked what it learns
            needed = arms.support[best, g] != 0 or (started and asking.always[g] != 0)
            if needed and math.isnan(asking.z[columns.first[g]]):
                asked[now] += 1
                paid[now] += asking.cost[g]
        played[now], radii[now] = best, arms.radius[best]
        expected, most = 0.0, -math.inf
        for k in range(count):
            mean = 0.0
            if tabled:
                mean = math.nan if unknown else table[now, k]
            else:
                for j in range(p):
                    mean += coefficients[k, j] * z[j]
            if may_get(allowed, now, k):
                most = max(most, mean)
            if k == best:
                expected = mean
        regret[now] = most - expected
        if tabled:
            y = units_of(rule, drawn, now, best)
        else:
            y = outcome(form, spread, low, rule.span, expected, luck[now])
        earned[now] = y
        if ridge.learn(rule, arms, best, z, y, 0) > 0:
            note_drops(arms, best, rule.epochs, begun + now + 1, drops)


@internal()
def look_up(table: Floats, start: int, count: int, expected: Floats) -> None:
    """Put what is expected of each arm in the next visits into `expected`; NaN if nobody knows."""
    for k in range(expected.shape[0]):
        for t in range(count):
            expected[k, t] = table[start + t, k] if table.shape[0] > 0 else math.nan


@internal()
def units_of(rule: Rule, drawn: Floats, now: int, k: int) -> float:
    """Return what arm k brings visit `now`, in units on the grid; by itself, off the fast path."""
    return reward_units(rule, drawn[now, k])


@internal()
def note_drops(arms: Arms, k: int, epochs: int, visit: int, drops: Ints) -> None:
    """Note the visit at which arm k has just dropped questions."""
    since = arms.n[k] if epochs else arms.n[k] - 1  # else perhaps before the row learned since
    for g in range(drops.shape[1]):
        if arms.dropped_at[k, g] >= since:
            drops[k, g] = visit


@internal()
def highest_allowed(expected: Floats, allowed: Flags, now: int) -> float:
    """Return what the best arm that visit `now` may get brings."""
    most = -math.inf
    for k in range(expected.shape[0]):
        if allowed[now, k]:
            most = max(most, float(expected[k]))
    return most

"""A simulation's visits with short forms in one compiled loop, up to the next choice (maths 9)."""

import math

from askless.kernels import short_models
from askless.kernels.bundles import Arms, Flags, Floats, Ints, Rule, open_header
from askless.kernels.choosing import NOBODY, is_compared, may_get, nth_allowed, starter
from askless.kernels.compiling import internal, kernel
from askless.kernels.epochs import GOES_ON, Epochs, open_epochs
from askless.kernels.outcome import outcome
from askless.kernels.ridge import learn, score, winner
from askless.kernels.short_check import bet, enter
from askless.kernels.short_models import (
    ASKED,
    ASKED_SHORT,
    COST,
    COST_SHORT,
    DUE,
    FULL_VISITS,
    NEXT,
    STANDS,
    VISITS,
    Shorts,
    tell,
    whole_score,
)
from askless.kernels.short_visits import (
    COIN,
    TOSS,
    count_questions,
    expected_of_two,
    full_share,
    is_short,
    is_starting,
    is_whole,
    keep_person,
    loss_of,
    saving,
)
from askless.kernels.simulation import note_drops, units_of


@kernel()
def play_visits(
    address: int,
    shorts: Shorts,
    first: int,
    contexts: Floats,
    luck: Floats,
    matter: Ints,
    slopes: Floats,
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
) -> int:
    """Play visits from the `first` on; see `simulation.play_visits`.

    Returns which comes next: it stops where a form is to be chosen.
    """
    columns, rule, arms = open_header(address)
    epochs, p = open_epochs(address), contexts.shape[1]
    form, spread, low = noise
    count, tabled, unknown = slopes.shape[0], drawn.shape[0] > 0, table.shape[0] == 0
    counts, numbers = shorts.counts, shorts.numbers
    count_questions(columns, arms, shorts)
    for now in range(first, contexts.shape[0]):
        z, coins = contexts[now], draws[now]
        full = coins[2] < full_share(arms, shorts, epochs, allowed, now, number + now, p)
        winner_of_all, rival = NOBODY, NOBODY
        if full:
            best, winner_of_all, rival = full_choice(
                *(rule, arms, epochs, shorts, allowed, now, number + now, z, coins)
            )
        else:
            best = short_models.winner(shorts, epochs, allowed, now, z)
        asked[now] = counts[ASKED] if full else counts[ASKED_SHORT]
        paid[now] = numbers[COST] if full else numbers[COST_SHORT]
        played[now], radii[now] = best, arms.radius[best]
        expected, most = 0.0, -math.inf
        for k in range(count):
            mean = 0.0
            if tabled:
                mean = math.nan if unknown else table[now, k]
            else:
                for j in range(matter.shape[0] - 1):
                    mean += slopes[k, j] * z[matter[j]]
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
        counts[VISITS] += 1
        if not full:
            short_models.learn(rule, arms, shorts, best, z, y, 1.0)
            continue
        checked = is_check(winner_of_all, rival, coins)
        if rival != NOBODY:
            enter_visit(rule, arms, shorts, winner_of_all, rival, best, checked, z, y)
        dropped, moved = teach(rule, arms, epochs, shorts, best, checked, z, y)
        if dropped > 0:
            note_drops(arms, best, rule.epochs, begun + now + 1, drops)
            count_questions(columns, arms, shorts)
        keep_person(columns, shorts, z, allowed, now)
        counts[FULL_VISITS] += 1
        if is_due(shorts, moved):
            counts[DUE] = 1
            return now + 1
    return int(contexts.shape[0])


@internal()
def is_check(winner_of_all: int, rival: int, coins: Floats) -> bool:
    """Whether a full visit is a check: the two arms differ, and a coin says so."""
    return rival not in (NOBODY, winner_of_all) and bool(coins[3] < COIN)


@internal()
def full_choice(
    rule: Rule,
    arms: Arms,
    epochs: Epochs,
    shorts: Shorts,
    allowed: Flags,
    now: int,
    number: int,
    z: Floats,
    coins: Floats,
) -> tuple[int, int, int]:
    """Return what a full visit plays; and, where it counts in the check, the two arms of that."""
    best = starter(epochs, allowed, now, number)
    if best == NOBODY:
        whole = is_whole(rule, shorts)
        for k in range(arms.n.shape[0]):
            if not is_compared(epochs, allowed, now, k):
                arms.scores[k] = -math.inf
            elif whole:
                arms.scores[k] = whole_score(rule, arms, shorts, k, z)
            else:
                arms.scores[k] = score(arms, k, z)
        best = winner(rule, arms)
    if coins[0] >= 0.0:
        return nth_allowed(arms, allowed, now, coins[0]), NOBODY, NOBODY
    if not is_short(shorts) or is_starting(epochs, allowed, now):
        return best, NOBODY, NOBODY
    rival = short_models.winner(shorts, epochs, allowed, now, z)
    if is_check(best, rival, coins) and coins[3] < TOSS:
        return rival, best, rival
    return best, best, rival


@internal()
def teach(
    rule: Rule,
    arms: Arms,
    epochs: Epochs,
    shorts: Shorts,
    k: int,
    checked: bool,
    z: Floats,
    y: float,
) -> tuple[int, bool]:
    """Let a full visit teach arm k; return how many questions that dropped, or GOES_ON.

    And whether the arm has moved: it has dropped some, or ended its first block.
    """
    if checked:
        tell(rule, arms, shorts, k, z, y, 1.0)
        return GOES_ON, False
    began = epochs.ended[k] == 0
    dropped = learn(rule, arms, k, z, y, 0)
    return dropped, dropped > 0 or (began and dropped != GOES_ON)


@internal()
def enter_visit(
    rule: Rule,
    arms: Arms,
    shorts: Shorts,
    winner_of_all: int,
    rival: int,
    played: int,
    checked: bool,
    z: Floats,
    y: float,
) -> None:
    """Let a full visit count in the check, on the terms of its decision: nothing came between."""
    saved, x = saving(shorts), 0.0
    if checked:
        guess = expected_of_two(arms, shorts, winner_of_all, rival, z)
        x = loss_of(rule, y, guess, played == winner_of_all)
    enter(shorts, x, bet(shorts.numbers, saved), saved)


@internal()
def is_due(shorts: Shorts, moved: bool) -> bool:
    """Whether it is time to choose a form: by the visits learned, or since an arm has `moved`."""
    counts = shorts.counts
    return bool((moved and counts[STANDS]) or counts[FULL_VISITS] >= counts[NEXT])

"""Full, check and short visits: which kind comes, what it plays, what it teaches (maths 9.1)."""

import math

from askless.kernels import short_models
from askless.kernels.bundles import Arms, Columns, Flags, Floats, Ints, Rule, open_header
from askless.kernels.choosing import NOBODY, is_compared, may_get, nth_allowed, starter
from askless.kernels.compiling import internal, kernel
from askless.kernels.epochs import GOES_ON, Epochs, open_epochs
from askless.kernels.noise import middle, pooled
from askless.kernels.outcome import outcome
from askless.kernels.ridge import learn, score, winner
from askless.kernels.short_check import MOST, bet, enter
from askless.kernels.short_models import (
    ASKED,
    ASKED_SHORT,
    COST,
    COST_SHORT,
    DUE,
    FLOOR,
    FULL_VISITS,
    NEXT,
    OLDEST,
    PEOPLE,
    PRICE,
    RING,
    STANDS,
    VISITS,
    WHOLE_WIDTH,
    Shorts,
    tell,
    whole_mean,
    whole_score,
)
from askless.kernels.simulation import note_drops, units_of

BALANCE = 0.1  # what a row is worth, beside what a full visit costs
COIN = 0.5  # below it a visit on which the arms differ is a check
TOSS = 0.25  # below it the short visit's arm is played


@internal()
def count_questions(columns: Columns, arms: Arms, shorts: Shorts) -> None:
    """Count what full and short visits are asked, and what that costs; say where a form stands."""
    asked, asked_short, cost, cost_short = 0, 0, 0.0, 0.0
    for g in range(columns.first.shape[0]):
        wanted = shorts.everyone[g] != 0
        for k in range(arms.n.shape[0]):
            wanted |= shorts.live[k] != 0 and arms.support[k, g] != 0
        shorts.wanted[g] = wanted
        if wanted:
            asked += 1
            cost += shorts.cost[g]
        if shorts.form[g]:
            asked_short += 1
            cost_short += shorts.cost[g]
    shorts.counts[ASKED], shorts.counts[ASKED_SHORT] = asked, asked_short
    shorts.numbers[COST], shorts.numbers[COST_SHORT] = cost, cost_short


@kernel()
def recount(address: int, shorts: Shorts) -> None:
    """Count what full and short visits are asked, as it is now."""
    columns, _, arms = open_header(address)
    count_questions(columns, arms, shorts)


@internal()
def is_short(shorts: Shorts) -> bool:
    """Whether a form stands that asks less than full visits do."""
    return bool(shorts.counts[STANDS]) and shorts.counts[ASKED_SHORT] < shorts.counts[ASKED]


@internal()
def is_starting(epochs: Epochs, allowed: Flags, now: int) -> bool:
    """Whether an arm that visit `now` may get is in its first block."""
    starting = False
    for k in range(epochs.ended.shape[0]):
        starting |= may_get(allowed, now, k) and epochs.ended[k] == 0
    return starting


@internal()
def saving(shorts: Shorts) -> float:
    """Return what a short visit saves, in units of the range."""
    return float(shorts.numbers[PRICE] * (shorts.numbers[COST] - shorts.numbers[COST_SHORT]))


@internal()
def share(arms: Arms, shorts: Shorts, columns: int, number: int) -> float:
    """Return the share of full visits at a visit's number, while a form stands."""
    saved, live = saving(shorts), 0
    for k in range(shorts.live.shape[0]):
        live += shorts.live[k]
    if saved <= 0.0:
        return 1.0
    wanted = math.sqrt(BALANCE * pooled(arms) * columns * live / (saved * (number + 1.0)))
    return min(1.0, max(wanted, float(shorts.numbers[FLOOR])))


@internal()
def full_share(
    arms: Arms, shorts: Shorts, epochs: Epochs, allowed: Flags, now: int, number: int, p: int
) -> float:
    """Return with which probability visit `now` is full."""
    if not is_short(shorts) or is_starting(epochs, allowed, now):
        return 1.0
    return share(arms, shorts, p, number)


@kernel()
def full_share_of(address: int, shorts: Shorts, allowed: Flags, number: int) -> float:
    """Return with which probability a visit is full; `allowed` is a table with one row."""
    columns, _, arms = open_header(address)
    p = columns.low.shape[0]
    return full_share(arms, shorts, open_epochs(address), allowed, 0, number, p)


@kernel()
def share_of(address: int, shorts: Shorts, number: int) -> float:
    """Return the share of full visits with a form, at a visit's number."""
    columns, _, arms = open_header(address)
    count_questions(columns, arms, shorts)
    return share(arms, shorts, columns.low.shape[0], number)


@kernel()
def short_arm(address: int, shorts: Shorts, allowed: Flags, z: Floats) -> int:
    """Return what a short visit plays, NOBODY if no arm is past its start; scores in `shorts`."""
    return short_models.winner(shorts, open_epochs(address), allowed, 0, z)


@internal()
def is_whole(rule: Rule, shorts: Shorts) -> bool:
    """Whether full visits are decided by whole models: while a form stands."""
    return bool(shorts.counts[STANDS]) and not rule.by_sets


@kernel()
def score_whole(address: int, shorts: Shorts, mask: Flags, z: Floats, scores: Floats) -> int:
    """Score the arms in `mask` by their whole models, the others at -inf; return the best one."""
    _, rule, arms = open_header(address)
    for k in range(mask.shape[0]):
        scored = whole_score(rule, arms, shorts, k, z) if mask[k] else -math.inf
        arms.scores[k] = scores[k] = scored
    return winner(rule, arms)


@internal()
def expected_of_two(arms: Arms, shorts: Shorts, one: int, other: int, z: Floats) -> float:
    """Return the mean of what two arms are expected to bring, in [0, 1]."""
    mean = whole_mean(arms, shorts, one, z) + whole_mean(arms, shorts, other, z)
    return min(1.0, max(0.0, 0.5 * mean + 0.5))


@kernel()
def terms_of(address: int, shorts: Shorts, one: int, other: int, z: Floats, out: Floats) -> None:
    """Put the terms of a check between two arms into `out`: expected reward, bet, saving."""
    _, _, arms = open_header(address)
    saved = saving(shorts)
    out[0] = expected_of_two(arms, shorts, one, other, z)
    out[1] = bet(shorts.numbers, saved)
    out[2] = saved


@internal()
def loss_of(rule: Rule, y: float, mean: float, of_full: bool) -> float:
    """Return X of a check visit, whose reward is y in units of the range."""
    excess = y - middle(rule) + 0.5 - mean
    return MOST * excess if of_full else -MOST * excess


@kernel()
def loss_units(address: int, y: float, mean: float, of_full: bool) -> float:
    """Return X of a check visit, whose reward is y in units of the range."""
    _, rule, _ = open_header(address)
    return loss_of(rule, y, mean, of_full)


@kernel()
def keep_person(questions: Columns, shorts: Shorts, z: Floats, allowed: Flags, now: int) -> None:
    """Put what a full visit was asked, and which arms it could get, into the ring."""
    at = shorts.counts[OLDEST]
    shorts.ring[at, 0] = z[0]
    for g in range(questions.first.shape[0]):
        for j in range(questions.first[g], questions.first[g] + questions.width[g]):
            shorts.ring[at, j] = z[j] if shorts.wanted[g] else math.nan
    for k in range(shorts.may.shape[1]):
        shorts.may[at, k] = may_get(allowed, now, k)
    shorts.counts[OLDEST] = (at + 1) % RING
    shorts.counts[PEOPLE] = min(shorts.counts[PEOPLE] + 1, RING)


@internal()
def is_due(shorts: Shorts, moved: bool) -> bool:
    """Whether it is time to choose a form: by the visits learned, or since an arm has `moved`."""
    counts = shorts.counts
    return bool((moved and counts[STANDS]) or counts[FULL_VISITS] >= counts[NEXT])


@kernel()
def learn_check(address: int, shorts: Shorts, k: int, z: Floats, y: float, sign: float) -> None:
    """Let a check tell arm k what it has brought; sign -1 takes it back."""
    _, rule, arms = open_header(address)
    tell(rule, arms, shorts, k, z, y, sign)


@kernel()
def learn_short(address: int, shorts: Shorts, k: int, z: Floats, y: float, sign: float) -> None:
    """Let a short visit of the form that stands teach arm k; sign -1 takes it out again."""
    _, rule, arms = open_header(address)
    short_models.learn(rule, arms, shorts, k, z, y, sign)


@kernel()
def know_whole(address: int, shorts: Shorts) -> None:
    """Derive the whole models of all arms, and how wide their scores are (maths 9.3)."""
    _, rule, arms = open_header(address)
    epochs = open_epochs(address)
    for k in range(arms.n.shape[0]):
        root, estimate = shorts.whole_root[k], shorts.whole_estimate[k]
        short_models.know(rule, arms, epochs, shorts, k, True, root, estimate)
    shorts.numbers[WHOLE_WIDTH] = rule.optimism * math.sqrt(pooled(arms))


@kernel()
def derive_all(address: int, shorts: Shorts) -> None:
    """Derive the short models of all arms, on the form's columns and its projection (maths 9.3)."""
    _, rule, arms = open_header(address)
    epochs = open_epochs(address)
    for k in range(arms.n.shape[0]):
        short_models.set_prior(rule, arms, epochs, shorts, k)
        short_models.derive(rule, arms, shorts, k)


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

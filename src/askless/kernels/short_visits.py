"""Full, check and short visits: which kind comes, what it plays, what it teaches (maths 9.1)."""

import math

from askless.kernels import short_models
from askless.kernels.bundles import Arms, Columns, Flags, Floats, Rule, open_header
from askless.kernels.choosing import may_get
from askless.kernels.compiling import internal, kernel
from askless.kernels.epochs import Epochs, open_epochs
from askless.kernels.noise import middle, pooled
from askless.kernels.ridge import winner
from askless.kernels.short_check import MOST, bet
from askless.kernels.short_models import (
    ASKED,
    ASKED_SHORT,
    COST,
    COST_SHORT,
    FLOOR,
    OLDEST,
    PEOPLE,
    PRICE,
    RING,
    STANDS,
    WHOLE_WIDTH,
    Shorts,
    tell,
    whole_mean,
    whole_score,
)

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
def fold_all(address: int, shorts: Shorts) -> None:
    """Move what the present form's visits have told into T and t, for all arms (maths 9.3)."""
    _, rule, arms = open_header(address)
    for k in range(arms.n.shape[0]):
        short_models.fold(rule, arms, shorts, k)


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

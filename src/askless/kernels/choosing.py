"""Which arm a visit gets: the winner, an arm drawn, in the start one after the other (maths 8)."""

from askless.kernels.bundles import Arms, Flags, Floats, Ints, Rule
from askless.kernels.compiling import INLINE, internal
from askless.kernels.epochs import Epochs

NOBODY = -1
BACK = 0.3  # the largest share of visits that pay back what they ask for other arms


@internal(**INLINE)
def may_get(allowed: Flags, now: int, k: int) -> bool:
    """Whether visit `now` may get arm k; without a row, every visit may get every arm."""
    return allowed.shape[0] == 0 or bool(allowed[now, k])


@internal(**INLINE)
def starter(epochs: Epochs, allowed: Flags, now: int, number: int) -> int:
    """Return whose turn it is, if that arm is in its first block still; else NOBODY (maths 8.7)."""
    starting = False
    for k in range(epochs.ended.shape[0]):
        starting |= epochs.ended[k] == 0
    return turn(epochs, allowed, now, number) if starting else NOBODY


@internal()
def turn(epochs: Epochs, allowed: Flags, now: int, number: int) -> int:
    """Return the arm whose turn it is among those that visit `now` may get, if it is starting."""
    count = 0
    for k in range(epochs.ended.shape[0]):
        count += may_get(allowed, now, k)
    left, k = number % count, 0
    while left > 0 or not may_get(allowed, now, k):
        left -= may_get(allowed, now, k)
        k += 1
    return k if epochs.ended[k] == 0 else NOBODY


@internal(**INLINE)
def is_compared(epochs: Epochs, allowed: Flags, now: int, k: int) -> bool:
    """Whether visit `now` may get arm k, and the arm has more than its first rows to come."""
    return may_get(allowed, now, k) and epochs.ended[k] > 0


@internal(**INLINE)
def is_other(epochs: Epochs, winner: int, allowed: Flags, now: int, k: int) -> bool:
    """Whether pay-back may draw arm k: not the winner, and undecided."""
    return k != winner and epochs.undecided[k] > 0 and is_compared(epochs, allowed, now, k)


@internal()
def payback(
    rule: Rule, arms: Arms, epochs: Epochs, winner: int, allowed: Flags, now: int
) -> tuple[float, int]:
    """Return with which probability a visit pays back, and among how many arms (maths 8.5)."""
    others = 0
    for k in range(arms.n.shape[0]):
        others += is_other(epochs, winner, allowed, now, k)
    if others == 0:
        return 0.0, 0
    lacking, own = 0, 0
    for g in range(arms.support.shape[1]):
        if arms.support[winner, g]:
            own += 1
            continue
        wanted = 0
        for k in range(arms.n.shape[0]):
            wanted |= arms.active[k, g] != 0 and is_compared(epochs, allowed, now, k)
        lacking += wanted
    if lacking == 0:
        return 0.0, others
    worth = min(1.0, (rule.beta_min / rule.span) ** 2 / arms.noise[winner])
    return BACK * worth * lacking / (lacking + own), others


@internal()
def nth_allowed(arms: Arms, allowed: Flags, now: int, draw: float) -> int:
    """Return one of the arms that visit `now` may get, by a number in [0, 1)."""
    count = 0
    for k in range(arms.n.shape[0]):
        count += may_get(allowed, now, k)
    left, k = int(draw * count), 0
    while True:
        if may_get(allowed, now, k):
            if left == 0:
                return k
            left -= 1
        k += 1


@internal()
def nth_other(epochs: Epochs, winner: int, allowed: Flags, now: int, wanted: int) -> int:
    """Return the arm that comes so many places after the first of the others that are undecided."""
    k, left = 0, int(wanted)
    while True:
        if is_other(epochs, winner, allowed, now, k):
            if left == 0:
                return k
            left -= 1
        k += 1


@internal(**INLINE)
def drawn(
    rule: Rule,
    arms: Arms,
    epochs: Epochs,
    winner: int,
    started: bool,
    allowed: Flags,
    now: int,
    draws: Floats,
) -> int:
    """Return the arm to play: the winner, or one that is drawn (maths 8.5, 8.6).

    `draws` has four numbers: for the arm that insurance draws, -1 where it does not; one that is
    used up; whether pay-back draws; and for its arm.
    """
    if draws[0] >= 0.0:
        return nth_allowed(arms, allowed, now, draws[0])
    if started or not rule.payback or draws[2] >= BACK:  # most visits end here
        return winner
    chance, others = payback(rule, arms, epochs, winner, allowed, now)
    if draws[2] >= chance:
        return winner
    return nth_other(epochs, winner, allowed, now, int(draws[3] * others))


@internal()
def count_asked(
    arms: Arms,
    ended: Ints,
    played: int,
    started: bool,
    always: Ints,
    cost: Floats,
    allowed: Flags,
    now: int,
) -> tuple[int, float]:
    """Count what visit `now` is asked, and what it costs: what scores need, then the played arm.

    In the start nothing is scored; `ended` are the blocks that each arm has ended, without epochs
    no entry. Costs are added up in the order in which questions are put.
    """
    count, price = 0, 0.0
    for turn in range(2):
        for g in range(always.shape[0]):
            used = always[g] != 0
            if started:
                used |= arms.support[played, g] != 0
            else:
                for k in range(arms.n.shape[0]):
                    scored = may_get(allowed, now, k) and (ended.shape[0] == 0 or ended[k] > 0)
                    used |= arms.active[k, g] != 0 and scored
            if (used and turn == 0) or (not used and turn == 1 and arms.support[played, g] != 0):
                count += 1
                price += cost[g]
    return count, price

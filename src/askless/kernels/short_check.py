"""The check: what short forms cost, by fair tosses between two arms (maths 9.4)."""

import math

from askless.kernels.bundles import Floats
from askless.kernels.compiling import internal, kernel
from askless.kernels.short_models import BETS, CAUTION, LOG_WEALTH, LOSS, STANDS, WITHDRAWN, Shorts

LEVEL = 0.05  # how often a form may be withdrawn that should stand, or the interval be wrong
FORGET = 1.0 - 1.0 / 300.0
LEAST = 0.002  # the smallest loss that is bet on
MOST = 4.0  # |X|, 2 for the coin times 2 for the toss
LEAST_CAUTION = 1.0 / 32.0


@kernel()
def bet(numbers: Floats, saving: float) -> float:
    """Return lambda, what is bet against a form that saves so much a visit."""
    weight, total, squares = numbers[BETS], numbers[BETS + 1], numbers[BETS + 2]
    mean = total / weight
    stake = max(mean, saving, LEAST) / (squares / weight + mean * mean)
    return float(min(stake, 0.5 / (MOST + saving)))


@kernel()
def enter(shorts: Shorts, x: float, lam: float, saving: float) -> int:
    """Let a visit with the loss x count, with its own bet and saving; return 1 if a form goes."""
    numbers, counts = shorts.numbers, shorts.counts
    excess = x - saving
    numbers[LOG_WEALTH] += math.log1p(lam * excess)
    numbers[BETS] = FORGET * numbers[BETS] + 1.0
    numbers[BETS + 1] = FORGET * numbers[BETS + 1] + excess
    numbers[BETS + 2] = FORGET * numbers[BETS + 2] + excess * excess
    measure(numbers, (x + MOST) / (2.0 * MOST))
    j = counts[WITHDRAWN]
    if not counts[STANDS] or numbers[LOG_WEALTH] < math.log((j + 1) * (j + 2) / LEVEL):
        return 0
    counts[STANDS], counts[WITHDRAWN] = 0, j + 1
    numbers[LOG_WEALTH] = 0.0
    numbers[CAUTION] = max(numbers[CAUTION] / 2.0, LEAST_CAUTION)
    return 1


@internal()
def measure(numbers: Floats, u: float) -> None:
    """Add a visit to what the interval of the loss so far is made of."""
    loss = numbers[LOSS : LOSS + 6]
    before = loss[0]
    mean = (0.5 + loss[1]) / (before + 1.0)
    variance = (0.25 + loss[2]) / (before + 1.0)
    n = before + 1.0
    stake = min(0.5, math.sqrt(2.0 * math.log(2.0 / LEVEL) / (variance * n * math.log1p(n))))
    squared = (u - mean) ** 2
    loss[0] = n
    loss[1] += u
    loss[2] += squared
    loss[3] += stake
    loss[4] += stake * u
    loss[5] += squared * (-math.log1p(-stake) - stake)


def interval(numbers: Floats) -> tuple[float, float, float] | None:
    """Return the loss so far and its ends at all times, in units of the range; None without one."""
    _, _, _, stakes, total, spent = numbers[LOSS : LOSS + 6].tolist()
    if stakes == 0.0:
        return None
    half, centre = (math.log(2.0 / LEVEL) + spent) / stakes, total / stakes
    low, middle, high = (2.0 * MOST * u - MOST for u in (centre - half, centre, centre + half))
    return middle, low, high

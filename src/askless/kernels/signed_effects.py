"""What an epoch says of a direction's effect, with its sign: sums for both intervals (maths 10).

Which epochs count, and how much, is settled by contexts and by what came before them.
"""

import math

import numpy as np

from askless.kernels.bundles import Floats
from askless.kernels.compiling import internal
from askless.kernels.e_process import LEAST, Design
from askless.kernels.epochs import COUNTED, ESTIMATES, PRICES, ROOTS, SQUARES, WEIGHT, WEIGHTED
from askless.kernels.triangle import sum_of

# The half-widths at which the five intervals at all times are sharpest, in units of beta_min.
HALF_WIDTHS = np.array([2.0, 1.0, 0.5, 0.25, 0.125])
SCALE = 0.05  # of the range: stands in for beta_min where that is 0
BOLDEST = 0.9  # of what would lose everything: the most that is bet on a row by its error
MOST_COUNTED = 15  # epochs at the end, of any direction: what Pocock's constant is for
FEWEST = 10.0  # rows that must carry an estimate, if all had the largest lever


def add_at_the_end(
    estimate: float, variance: float, measured: float, top: float, sums: Floats
) -> None:
    """Let an epoch count at the end if enough rows carry it and it narrows the interval.

    `measured` is the sum of squared levers times squared errors. Python calls it, too.
    """
    counted, root = sums[COUNTED], 1.0 / math.sqrt(variance)
    narrows = counted == 0.0 or root > (math.sqrt((counted + 1.0) / counted) - 1.0) * sums[ROOTS]
    if counted < MOST_COUNTED and variance >= FEWEST * top * top and narrows:
        sums[ESTIMATES] += root * estimate
        sums[ROOTS] += root
        sums[SQUARES] += measured / variance
        sums[COUNTED] += 1.0


count_at_the_end = internal()(add_at_the_end)


@internal()
def add_epoch(design: Design, estimate: float, top: float, sums: Floats) -> None:
    """Add an epoch to the sums of a direction: its levers are in place, the largest is `top`."""
    signed, errors, prices = design.signed, design.errors, design.prices
    for i in range(design.n):
        prices[i] = signed[i] * signed[i]
    variance = sum_of(prices, design.n)  # of the estimate, in units of the noise's
    for i in range(design.n):
        prices[i] *= errors[i]
    measured = sum_of(prices, design.n)
    count_at_the_end(estimate, variance, measured, top, sums)
    unit = 1.0 / (design.noise * variance)
    sums[WEIGHT] += unit
    sums[WEIGHTED] += unit * estimate
    scale = design.beta_min if design.beta_min > 0.0 else SCALE
    for side in range(2):
        cubes, most = cubes_of(design, side)
        for c in range(HALF_WIDTHS.shape[0]):
            bet = HALF_WIDTHS[c] * scale * unit
            boldest = bet * top
            # Both prices are expected, not seen, where one of them is chosen.
            excess = 1.0 + boldest / 3.0 / (1.0 - 0.5 * boldest)
            if boldest < BOLDEST and 4.0 * design.noise * excess < 1.0:
                price = 0.5 * bet * bet * measured + bet**3 * cubes / 3.0 / (1.0 - bet * most)
            else:
                price = 0.125 * bet * bet * variance
            sums[PRICES + HALF_WIDTHS.shape[0] * side + c] += price


@internal(fastmath={"nsz", "nnan"})
def cubes_of(design: Design, side: int) -> tuple[float, float]:
    """Return the sum of |lever|^3 b (y - prediction)^2 of all rows, and the largest |lever| b.

    Here b is the most that a reward can lose on that side (maths 5.2).
    """
    turn, most = 1.0 - 2.0 * side, 0.0
    signed, predicted, errors, prices = (
        design.signed,
        design.predicted,
        design.errors,
        design.prices,
    )
    for i in range(design.n):
        lever = turn * signed[i]
        loss = max(LEAST, 0.5 - (predicted[i] if lever > 0.0 else -predicted[i]))
        at_stake = abs(lever) * loss
        most = max(most, at_stake)
        prices[i] = lever * lever * at_stake * errors[i]
    return sum_of(prices, design.n), most

"""What reward a respondent brings: expected reward plus noise, on the grid."""

import math

from askless.kernels.bundles import Floats
from askless.kernels.compiling import kernel
from askless.kernels.rows import on_reward_grid

# The shapes of the noise.
UNIFORM, TWO_POINT, TRUNCATED_NORMAL, AT_THE_ENDS = 0, 1, 2, 3

SQRT2 = math.sqrt(2.0)


@kernel()
def noise(form: int, spread: float, luck: float) -> float:
    """Noise of mean zero out of a uniform number."""
    if form == UNIFORM:
        return spread * (2.0 * luck - 1.0)
    if form == TWO_POINT:
        return spread if luck < 0.5 else -spread
    # A normal with standard deviation spread / 2 has its mass beyond two deviations cut off.
    tail = 0.5 * math.erfc(2.0 / SQRT2)
    return 0.5 * spread * normal_quantile(tail + luck * (1.0 - 2.0 * tail))


@kernel()
def normal_quantile(u: float) -> float:
    """Inverse of the normal distribution function on (0.01, 0.99), by Newton's method."""
    x = 0.0
    for _ in range(40):
        step = (0.5 * math.erfc(-x / SQRT2) - u) * math.sqrt(2.0 * math.pi) * math.exp(0.5 * x * x)
        x -= step
        if abs(step) < 1e-14:
            break
    return x


@kernel()
def outcome(
    form: int, spread: float, low: float, span: float, expected: float, luck: float
) -> float:
    """Return a reward in units of its range, on the grid.

    `low` is the smallest reward in those units (centred: -½), `expected` is in reward units.
    """
    if form == AT_THE_ENDS:
        value = low + 1.0 if luck < expected / span - low else low
    else:
        value = (expected + noise(form, spread, luck)) / span
    return on_reward_grid(value)


@kernel()
def outcomes(
    form: int,
    spread: float,
    low: float,
    span: float,
    expected: Floats,
    luck: Floats,
    out: Floats,
) -> None:
    """Put the reward of every arm (a column) in every visit (a row) into `out`; see `outcome`."""
    for t in range(expected.shape[0]):
        for k in range(expected.shape[1]):
            out[t, k] = outcome(form, spread, low, span, expected[t, k], luck[t])

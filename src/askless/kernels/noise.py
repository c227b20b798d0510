"""How noisy rewards are, pooled over arms, and the ridge that follows from it (maths 8.1, 8.2)."""

import math

from askless.kernels.bundles import RADIUS, REFRESH, Arms, Floats, Rule, open_header
from askless.kernels.compiling import INLINE, internal
from askless.kernels.machine import call_at
from askless.kernels.triangle import diagonal_of, dot, times, transposed_times

PRIOR_ROWS = 1.0  # what the prior guess of the noise counts for
PRIOR_NOISE = 1.0 / 16.0  # that guess, in units of the range squared
PRIOR_SPREAD = 0.25  # standard deviation of a coefficient, before anything is known
LEAST_RIDGE = 0.01


@internal()
def pooled(arms: Arms) -> float:
    """Return the variance of the noise that all arms' latest residuals show."""
    squares, freedom = PRIOR_ROWS * PRIOR_NOISE, PRIOR_ROWS
    for k in range(arms.n.shape[0]):
        squares += arms.misfit[k]
        freedom += arms.freedom[k]
    return float(squares / freedom)


@internal()
def set_ridge(arms: Arms, k: int) -> None:
    """Let arm k's ridge follow from the noise as it is known before the arm is renewed."""
    arms.ridge[k] = max(pooled(arms) / PRIOR_SPREAD**2, LEAST_RIDGE)


@internal(**INLINE)
def middle(rule: Rule) -> float:
    """Return where the middle of the range is in an arm's sums, in units of the range."""
    return (rule.low + 0.5 * rule.span) / rule.span if rule.raw else 0.0


@internal()
def centred_moment(rule: Rule, arms: Arms, k: int, out: Floats) -> None:
    """Put arm k's sum of z y, rewards measured from the middle of the range, into `out`."""
    shift, size = middle(rule), arms.size[k]
    for i in range(size):
        out[i] = arms.moment[k, i] - shift * arms.gram[k, i, 0]
    out[size:] = 0.0


@internal()
def solve(
    root: Floats, weights: Floats, moment: Floats, size: int, work: Floats, out: Floats
) -> None:
    """Put inv(D) times a moment into `out`."""
    times(root, moment, size, work)
    for i in range(size):
        work[i] *= weights[i]
    transposed_times(root, work, size, out)


@internal()
def measure(
    rule: Rule, arms: Arms, k: int, root: Floats, weights: Floats, estimate: Floats
) -> None:
    """Measure arm k's residuals; its noise becomes the pooled one that they lead to (maths 8.1).

    The model is that on all of its columns, in units of the range from its middle.
    """
    size, ridge, shift, n = arms.size[k], arms.ridge[k], middle(rule), arms.n[k]
    moment, variance = arms.work[0], arms.work[2]
    centred_moment(rule, arms, k, moment)
    squares = arms.squares[k] - 2.0 * shift * arms.moment[k, 0] + shift * shift * n
    # (G + ridge) b = c, so that b'Gb is b'c less the ridge's part.
    squares -= dot(moment, estimate, size) + ridge * dot(estimate, estimate, size)
    variance[:] = 0.0
    diagonal_of(root, weights, size, variance)
    fitted = 0.0
    for i in range(size):
        fitted += 1.0 - ridge * variance[i]
    arms.misfit[k] = max(squares, 0.0)
    arms.freedom[k] = max(n - fitted, 0.0)
    arms.noise[k] = pooled(arms)


@internal(**INLINE)
def is_due(arms: Arms, k: int) -> bool:
    """Whether arm k has a tenth more rows than when its noise was measured last."""
    return bool(arms.n[k] - arms.renewed[k] >= max(1, arms.renewed[k] // 10))


def renew(address: int, k: int) -> int:
    """Renew ridge and width of arm k, which learns row by row (maths 8.8)."""
    _, rule, arms = open_header(address)
    set_ridge(arms, k)
    call_at(arms.links[REFRESH], address, k)
    size, estimate = arms.size[k], arms.work[1]
    for i in range(size):
        estimate[i] = arms.estimate[k, i] / rule.span
    estimate[0] -= middle(rule)
    estimate[size:] = 0.0
    measure(rule, arms, k, arms.root[k], arms.weights[k], estimate)
    arms.renewed[k] = arms.n[k]
    call_at(arms.links[RADIUS], address, k)
    return 0


@internal(**INLINE)
def width_of(rule: Rule, arms: Arms, k: int) -> float:
    """Return how wide arm k's score is: so many times its noise, in reward units (maths 8.4)."""
    return rule.optimism * math.sqrt(arms.noise[k]) * rule.span

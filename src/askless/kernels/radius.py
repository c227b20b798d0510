"""How wide an arm's confidence set is: the radii of maths 2.1 and the bound on the ridge bias."""

import math

from askless.kernels.bundles import (
    FIXED,
    NET_PUBLISHED_SQRT,
    NET_SCALED,
    NET_SCALED_SQRT,
    NET_VALID,
    NOISE,
    ONE_HOT,
    PUBLISHED_SQRT,
    VALID,
    Arms,
    Columns,
    Rule,
)
from askless.kernels.compiling import INLINE, internal
from askless.kernels.elastic_net import GOOD
from askless.kernels.net_arms import noise_level
from askless.kernels.noise import width_of
from askless.kernels.triangle import largest


@internal(**INLINE)
def radius(columns: Columns, rule: Rule, arms: Arms, k: int) -> float:
    """Radius theta of arm k's confidence set (maths 2.1); of LinUCB its width (maths 6, 8.8)."""
    if rule.form == FIXED:
        return rule.fixed
    if rule.form == NOISE:
        return width_of(rule, arms, k)
    if rule.form >= NET_VALID:
        return net_radius(columns, rule, arms, k)
    n = arms.n[k]
    if rule.form == VALID:
        questions = 0
        for g in range(arms.support.shape[1]):
            questions += arms.support[k, g]
        price = rule.log_supports[questions] - math.log(rule.set_part * arms.share[k])
        spread = rule.sigma * math.sqrt(max(arms.log_det[k], 0.0) + 2.0 * price)
        return spread + bias(columns, rule, arms, k)
    theta = rule.ridge_bias
    if n > 0:
        growth = math.log1p(n * rule.norm**2 / rule.alpha) + 2.0 * math.log(1.0 + n)
        price = growth - math.log(arms.share[k])
        theta += rule.sigma * math.sqrt(arms.size[k] * price)  # paper eq. for theta, ridge
    return math.sqrt(theta) if rule.form == PUBLISHED_SQRT else theta


@internal(**INLINE)
def bias(columns: Columns, rule: Rule, arms: Arms, k: int) -> float:
    """Bound B on the ridge bias over the parameters that the reward range allows (maths 2.1)."""
    if not rule.sharp_bias:
        return rule.ridge_bias
    constant = arms.variance[k, 0]
    found = largest_projected(columns, arms, k)
    bound = rule.b1 * math.sqrt(max(constant, found))
    if rule.plain:
        box = rule.span * max(0.5 * math.sqrt(constant), math.sqrt(found))
        bound = min(bound, box)
    return min(rule.ridge_bias, rule.alpha * bound)


@internal()
def largest_projected(columns: Columns, arms: Arms, k: int) -> float:
    """Largest e_j' P inv(D) P e_j over the questions' columns; P makes each choice sum to zero."""
    found = 0.0
    at = 1
    for g in range(columns.first.shape[0]):
        if arms.support[k, g]:
            width = columns.width[g]
            if columns.kind[g] == ONE_HOT:
                options = width - columns.skip[g]
                squares = arms.work[2, :options]
                squares[:] = 0.0
                for i in range(at, arms.size[k]):
                    row = arms.root[k, i, at : at + options]
                    mean = 0.0
                    for j in range(options):
                        mean += row[j] / options
                    for j in range(options):
                        squares[j] += arms.weights[k, i] * (row[j] - mean) ** 2
                found = max(found, largest(squares))
                if columns.skip[g]:
                    found = max(found, arms.variance[k, at + options])
            else:
                found = max(found, largest(arms.variance[k, at : at + width]))
            at += width
    return found


@internal()
def net_radius(columns: Columns, rule: Rule, arms: Arms, k: int) -> float:
    """Radius of an elastic net's confidence set (maths 3.2)."""
    if not arms.net_residual[k] <= GOOD:
        # Zeros are at most this far from parameters whose means stay in the range (maths 3.2).
        furthest = max(abs(rule.low), abs(rule.high)) if rule.raw else rule.span / 2.0
        return math.sqrt(arms.n[k] * furthest**2 + rule.alpha * rule.b2**2)
    level = noise_level(columns, rule, arms, k) if arms.n[k] > 0 else 0.0
    if rule.form == NET_VALID:
        return math.sqrt(max(net_bound(columns, rule, arms, k, level), 0.0))
    taxicab = 0.0
    for i in range(arms.size[k]):
        taxicab += abs(arms.estimate[k, i])
    scaled = rule.form in (NET_SCALED, NET_SCALED_SQRT)
    norm = (rule.b1 + taxicab) * columns.low.shape[0] if scaled else rule.b1
    theta = math.sqrt(6.0 * level * norm + 4.0 * rule.alpha * rule.b1**2)
    if rule.form in (NET_PUBLISHED_SQRT, NET_SCALED_SQRT):
        return math.sqrt(theta)
    return theta


@internal()
def net_bound(columns: Columns, rule: Rule, arms: Arms, k: int, level: float) -> float:
    """The largest right-hand side of maths 3.2 over the parameters that are possible."""
    longest, fitted, squared = 0.0, 0.0, 0.0
    for j in range(1, columns.low.shape[0]):
        longest = max(longest, abs(columns.low[j]), abs(columns.high[j]))
    for i in range(arms.size[k]):
        j, size = arms.columns[k, i], abs(arms.estimate[k, i])
        reach = max(abs(columns.low[j]), abs(columns.high[j]))
        fitted += size if j == 0 else (1.0 - rule.multiple) * reach * size
        squared += size * size
    possible = max(1.0, (1.0 + rule.multiple) * longest) * rule.b1
    if rule.plain and not rule.raw:
        possible = min(possible, (1.0 + rule.multiple) * rule.span / 2.0)
    return level * (possible + fitted) + rule.alpha * (rule.b2**2 - squared)

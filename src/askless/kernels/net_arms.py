"""The elastic net of an arm: its penalties, and its refit after every row (maths 3)."""

import math

from askless.kernels.active_set import Net, Problem, add_row_to_net, rebuild, restart
from askless.kernels.bundles import (
    NET_ESTIMATES,
    OWN,
    SCALED,
    SOLVE,
    Arms,
    Columns,
    Rule,
    open_header,
)
from askless.kernels.compiling import INLINE, internal
from askless.kernels.elastic_net import GOOD, solve
from askless.kernels.machine import call_at


@internal(**INLINE)
def net_of(arms: Arms, k: int) -> Net:
    """Return arm k's net."""
    return Net(
        arms.net_coef[k],
        arms.net_sign[k],
        arms.net_active[k],
        arms.net_place[k],
        arms.net_count[k],
        arms.net_inverse[k],
        arms.net_work[0],
        arms.net_work[1],
        arms.net_work[2:4],
    )


@internal(**INLINE)
def noise_level(columns: Columns, rule: Rule, arms: Arms, k: int) -> float:
    """N tau / 2, where tau L_j is the paper's lambda_0 of column j (maths 3.2); in reward units."""
    n, d = float(arms.n[k]), columns.low.shape[0]
    return rule.sigma * math.sqrt(2.0 * n * math.log(4.0 * d * n * n / arms.share[k]))


@internal(**INLINE)
def problem_of(columns: Columns, rule: Rule, arms: Arms, k: int) -> Problem:
    """Return what arm k's net minimises, in units of the reward range."""
    size, penalty = arms.size[k], arms.net_work[4]
    level = noise_level(columns, rule, arms, k) / rule.span
    for i in range(size):
        j = arms.columns[k, i]
        if rule.penalty == OWN:
            largest = max(abs(columns.low[j]), abs(columns.high[j]))
            penalty[i] = 0.0 if j == 0 else rule.multiple * level * largest
        else:
            penalty[i] = 2.0 * level / (columns.low.shape[0] if rule.penalty == SCALED else 1)
    return Problem(arms.gram[k], arms.moment[k], penalty, 2.0 * rule.alpha, size)


def refit(address: int, k: int) -> int:
    """Bring arm k's net up to date after its newest row, which is in `recent`."""
    _, _, arms = open_header(address)
    add_row_to_net(net_of(arms, k), arms.recent[k, 0])
    return call_at(arms.links[SOLVE], address, k)  # type: ignore[no-any-return]


def refit_anew(address: int, k: int) -> int:
    """Derive arm k's net anew from its statistics, starting at the coefficients it has."""
    columns, rule, arms = open_header(address)
    size = arms.size[k]
    arms.net_coef[k, size:] = 0.0
    arms.net_place[k, :] = -1
    for i in range(size):
        for j in range(i):
            arms.gram[k, j, i] = arms.gram[k, i, j]
    if arms.n[k] == 0:
        arms.net_coef[k] = 0.0
        arms.net_count[k] = 0
        arms.net_residual[k] = 0.0
        return 0
    net, problem = net_of(arms, k), problem_of(columns, rule, arms, k)
    restart(problem, net)
    rebuild(problem, net)
    return call_at(arms.links[SOLVE], address, k)  # type: ignore[no-any-return]


def solve_net(address: int, k: int) -> int:
    """Solve; where the net is what estimates, hand its coefficients over, in reward units.

    A net that has not converged hands over zeros, for which `radius` has a bound of its own.
    """
    columns, rule, arms = open_header(address)
    arms.net_residual[k] = solve(problem_of(columns, rule, arms, k), net_of(arms, k))
    if not arms.net_residual[k] <= GOOD:
        arms.net_coef[k] = 0.0
    if rule.net == NET_ESTIMATES:
        for i in range(arms.size[k]):
            arms.estimate[k, i] = rule.span * arms.net_coef[k, i]
    return 0


@internal(**INLINE)
def is_zero(arms: Arms, k: int, at: int, width: int) -> bool:
    """Whether the net says that all coefficients of a question are exactly zero, and is exact."""
    zero = bool(arms.net_residual[k] <= GOOD)
    for i in range(at, at + width):
        zero &= bool(arms.net_coef[k, i] == 0.0)
    return zero

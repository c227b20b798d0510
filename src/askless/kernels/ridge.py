"""The steps of Ridge SurveyUCB: score the arms, test for drops, learn a row, refresh (maths 2).

Each step is written once; a single visit and a fused loop call the same functions.
"""

import math

import numpy as np
from numba import njit

from askless.kernels.bundles import (
    FIXED,
    ONE_HOT,
    PUBLISHED_SQRT,
    VALID,
    Arms,
    Columns,
    Flags,
    Floats,
    Ints,
    Rule,
)
from askless.kernels.triangle import add_row, diagonal_of, dot, factor, times, transposed_times

REFRESH_EVERY = 1024  # rank-one updates between fresh factors (maths 2.3)


@njit(cache=True)
def gather(arms: Arms, k: int, z: Floats, out: Floats) -> Floats:
    """Pick the columns of arm k's support out of a context."""
    size = arms.size[k]
    columns = arms.columns[k]
    for i in range(size):
        out[i] = z[columns[i]]
    return out[:size]


@njit(cache=True)
def score(arms: Arms, k: int, z: Floats) -> float:
    """UCB of arm k in a context: z'b + theta sqrt(z' inv(D) z) (maths 2)."""
    packed = gather(arms, k, z, arms.work[0])
    squared_width = times(arms.root[k], packed, arms.work[1])
    mean = dot(packed, arms.estimate[k, : packed.shape[0]])
    return mean + float(arms.radius[k]) * math.sqrt(squared_width)


@njit(cache=True)
def score_arms(arms: Arms, live: Flags, z: Floats, out: Floats) -> int:
    """UCB of every live arm; returns the best one, ties to the lowest index. Others get -inf."""
    best = -1
    for k in range(live.shape[0]):
        out[k] = -np.inf
        if live[k]:
            out[k] = score(arms, k, z)
            if best < 0 or out[k] > out[best]:
                best = k
    return best


@njit(cache=True)
def effect(columns: Columns, arms: Arms, k: int, g: int, at: int, enough: float) -> Floats:
    """Estimate, low and high end of question g's effect in arm k, in work[3, :3] (maths 1.1, 2.2).

    `at` is the question's first packed column. Stops at the first direction whose high end
    exceeds `enough`.
    """
    result = arms.work[3, :3]
    result[:] = 0.0
    width = columns.width[g]
    coefficients = arms.estimate[k, at : at + width]
    if width == 1:
        include(result, abs(coefficients[0]), arms.radius[k] * math.sqrt(arms.variance[k, at]))
        return result
    block = inverse_block(arms, k, at, width)
    for row in range(columns.start[g], columns.start[g + 1]):
        direction = columns.directions[row, :width]
        squared = 0.0
        for i in range(width):
            squared += direction[i] * dot(block[i, :width], direction)
        include(
            result,
            abs(dot(direction, coefficients)),
            arms.radius[k] * math.sqrt(max(squared, 0.0)),
        )
        if result[2] > enough:
            break
    return result


@njit(cache=True)
def include(result: Floats, size: float, slack: float) -> None:
    """Let one direction's interval widen (estimate, low, high)."""
    result[0] = max(result[0], size)
    result[1] = max(result[1], size - slack)
    result[2] = max(result[2], size + slack)


@njit(cache=True)
def inverse_block(arms: Arms, k: int, at: int, width: int) -> Floats:
    """Diagonal block of inv(D) = M'M on `width` packed columns; M is zero there above row `at`."""
    block = arms.block[:width, :width]
    block[:] = 0.0
    for i in range(at, arms.size[k]):
        row = arms.root[k, i, at : at + width]
        for a in range(width):
            for b in range(width):
                block[a, b] += row[a] * row[b]
    return block


@njit(cache=True)
def drop_questions(columns: Columns, rule: Rule, arms: Arms, k: int) -> int:
    """Drop arm k's questions whose effect is at most beta_min; returns how many (maths 2.2).

    All questions are tested on the same confidence set; the derived state is left to a refresh.
    """
    if rule.beta_min <= 0.0 or arms.n[k] == 0:
        return 0
    dropped = 0
    at = 1
    for g in range(columns.first.shape[0]):
        if arms.support[k, g]:
            interval = effect(columns, arms, k, g, at, rule.beta_min)
            if interval[2] <= rule.beta_min:
                arms.dropped_at[k, g] = arms.n[k]
                arms.evidence[k, g] = interval
                dropped += 1
            at += columns.width[g]
    if dropped > 0:
        for g in range(columns.first.shape[0]):
            arms.support[k, g] = arms.dropped_at[k, g] < 0
        pack(columns, arms, k)
    return dropped


@njit(cache=True)
def pack(columns: Columns, arms: Arms, k: int) -> None:
    """Delete from arm k's statistics the rows and columns outside its support, exactly."""
    kept = 0
    g = -1
    for i in range(arms.size[k]):
        column = arms.columns[k, i]
        while g + 1 < columns.first.shape[0] and columns.first[g + 1] <= column:
            g += 1
        if column > 0 and not arms.support[k, g]:
            continue
        arms.columns[k, kept] = column
        arms.moment[k, kept] = arms.moment[k, i]
        arms.work[0, kept] = i
        for j in range(kept + 1):
            arms.gram[k, kept, j] = arms.gram[k, i, int(arms.work[0, j])]
        kept += 1
    arms.moment[k, kept:] = 0.0
    arms.gram[k, kept:] = 0.0
    for i in range(kept):
        arms.gram[k, i, i + 1 :] = 0.0
    arms.size[k] = kept


@njit(cache=True)
def count_row(arms: Arms, k: int, packed: Floats, y: float, sign: float) -> None:
    """Add a row to arm k's statistics (sign 1) or take it out again (sign -1), exactly."""
    for i in range(packed.shape[0]):
        weight = sign * packed[i]
        row = arms.gram[k, i, : i + 1]
        for j in range(i + 1):
            row[j] += weight * packed[j]
        arms.moment[k, i] += weight * y
    arms.squares[k] += sign * y * y
    arms.n[k] += int(sign)


@njit(cache=True)
def learn(columns: Columns, rule: Rule, arms: Arms, k: int, z: Floats, y: float) -> int:
    """Test arm k's questions, then learn a row on what is left; returns the number dropped.

    `z` and `y` (in units of the reward range) lie on the grid.
    """
    dropped = drop_questions(columns, rule, arms, k)
    packed = gather(arms, k, z, arms.work[0])
    size = packed.shape[0]
    count_row(arms, k, packed, y, 1.0)
    if dropped > 0 or arms.stale[k] >= REFRESH_EVERY:
        refresh(columns, rule, arms, k)
        return dropped
    w, gain = arms.work[1, :size], arms.work[2, :size]
    times(arms.root[k], packed, w)
    estimate = arms.estimate[k, :size]
    error = rule.span * y - dot(packed, estimate)
    tau = add_row(arms.root[k], w, gain, arms.variance[k, :size])
    for i in range(size):
        estimate[i] += gain[i] * (error / tau)
    arms.log_det[k] += math.log(tau)
    arms.stale[k] += 1
    arms.radius[k] = radius(columns, rule, arms, k)
    return dropped


@njit(cache=True)
def learn_all(
    columns: Columns, rule: Rule, arms: Arms, played: Ints, rows: Floats, ys: Floats
) -> None:
    """Learn many rows, one after the other."""
    for i in range(played.shape[0]):
        learn(columns, rule, arms, played[i], rows[i], ys[i])


@njit(cache=True)
def refresh(columns: Columns, rule: Rule, arms: Arms, k: int) -> None:
    """Derive everything of arm k anew from its statistics (maths 2.3)."""
    size = arms.size[k]
    root = arms.root[k, :size, :size]
    arms.log_det[k] = factor(arms.gram[k, :size, :size], rule.alpha, root)
    diagonal_of(root, arms.variance[k, :size])
    w = arms.work[1, :size]
    times(root, arms.moment[k, :size], w)
    estimate = arms.estimate[k, :size]
    transposed_times(root, w, estimate)
    for i in range(size):
        estimate[i] *= rule.span
    arms.stale[k] = 0
    arms.radius[k] = radius(columns, rule, arms, k)


@njit(cache=True)
def radius(columns: Columns, rule: Rule, arms: Arms, k: int) -> float:
    """Radius theta of arm k's confidence set (maths 2.1; FIXED: maths 6)."""
    if rule.form == FIXED:
        return rule.fixed
    n = arms.n[k]
    if rule.form == VALID:
        questions = 0
        for g in range(arms.support.shape[1]):
            questions += arms.support[k, g]
        price = rule.log_supports[questions] - math.log(arms.share[k])
        spread = rule.sigma * math.sqrt(max(arms.log_det[k], 0.0) + 2.0 * price)
        return spread + bias(columns, rule, arms, k)
    theta = rule.ridge_bias
    if n > 0:
        growth = math.log1p(n * rule.norm**2 / rule.alpha) + 2.0 * math.log(1.0 + n)
        price = growth - math.log(arms.share[k])
        theta += rule.sigma * math.sqrt(arms.size[k] * price)  # paper eq. for theta, ridge
    return math.sqrt(theta) if rule.form == PUBLISHED_SQRT else theta


@njit(cache=True)
def bias(columns: Columns, rule: Rule, arms: Arms, k: int) -> float:
    """Bound B on the ridge bias over the parameters that the reward range allows (maths 2.1)."""
    if not rule.sharp_bias:
        return rule.ridge_bias
    constant = arms.variance[k, 0]
    largest = largest_projected(columns, arms, k)
    bound = rule.b1 * math.sqrt(max(constant, largest))
    if rule.plain:
        box = rule.span * max(0.5 * math.sqrt(constant), math.sqrt(largest))
        bound = min(bound, box)
    return min(rule.ridge_bias, rule.alpha * bound)


@njit(cache=True)
def largest_projected(columns: Columns, arms: Arms, k: int) -> float:
    """Largest e_j' P inv(D) P e_j over the questions' columns; P makes each choice sum to zero."""
    largest = 0.0
    at = 1
    for g in range(columns.first.shape[0]):
        if arms.support[k, g]:
            width = columns.width[g]
            if columns.kind[g] == ONE_HOT:
                options = width - columns.skip[g]
                squares = arms.work[3, :options]
                squares[:] = 0.0
                for i in range(at, arms.size[k]):
                    row = arms.root[k, i, at : at + options]
                    mean = row.sum() / options
                    for j in range(options):
                        squares[j] += (row[j] - mean) ** 2
                largest = max(largest, squares.max())
                if columns.skip[g]:
                    largest = max(largest, arms.variance[k, at + options])
            else:
                largest = max(largest, arms.variance[k, at : at + width].max())
            at += width
    return largest

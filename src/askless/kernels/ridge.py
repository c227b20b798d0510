"""The steps of Ridge SurveyUCB: score the arms, test for drops, learn a row, refresh (maths 2).

Each step is written once; a single visit and a fused loop call the same functions.
"""

import math

import numpy as np

from askless.kernels.bundles import Arms, Columns, Flags, Floats, Rule
from askless.kernels.compiling import INLINE, kernel
from askless.kernels.radius import radius
from askless.kernels.triangle import add_row, diagonal_of, dot, factor, times, transposed_times

REFRESH_EVERY = 1024  # rank-one updates between fresh factors (maths 2.3)


@kernel(**INLINE)
def gather(arms: Arms, k: int, z: Floats, out: Floats) -> Floats:
    """Pick the columns of arm k's support out of a context."""
    size = arms.size[k]
    columns = arms.columns[k]
    for i in range(size):
        out[i] = z[columns[i]]
    return out[:size]


@kernel(**INLINE)
def score(arms: Arms, k: int, z: Floats) -> float:
    """UCB of arm k in a context: z'b + theta sqrt(z' inv(D) z) (maths 2)."""
    packed = gather(arms, k, z, arms.work[0])
    squared_width = times(arms.root[k], packed, arms.projected[k])
    mean = dot(packed, arms.estimate[k, : packed.shape[0]])
    return mean + float(arms.radius[k]) * math.sqrt(squared_width)


@kernel(**INLINE)
def best_arm(arms: Arms, live: Flags, z: Floats) -> int:
    """Score the live arms, in `arms.scores`; return the best one, ties to the lowest index."""
    best = -1
    for k in range(live.shape[0]):
        arms.scores[k] = -np.inf
        if live[k]:
            arms.scores[k] = score(arms, k, z)
            if best < 0 or arms.scores[k] > arms.scores[best]:
                best = k
    return best


@kernel()
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


@kernel()
def include(result: Floats, size: float, slack: float) -> None:
    """Let one direction's interval widen (estimate, low, high)."""
    result[0] = max(result[0], size)
    result[1] = max(result[1], size - slack)
    result[2] = max(result[2], size + slack)


@kernel()
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


@kernel()
def drop_questions(columns: Columns, rule: Rule, arms: Arms, k: int) -> int:
    """Drop arm k's questions whose effect is at most beta_min; returns how many (maths 2.2).

    All questions are tested on the same confidence set; the derived state is left to a refresh.
    """
    if rule.beta_min <= 0.0 or arms.n[k] == 0 or not math.isfinite(arms.radius[k]):
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
            arms.support[k, g] = 1 if arms.dropped_at[k, g] < 0 else 0
        pack(columns, arms, k)
    return dropped


@kernel()
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


@kernel(**INLINE)
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


@kernel(**INLINE)
def learn(
    columns: Columns, rule: Rule, arms: Arms, k: int, z: Floats, y: float, scored: bool
) -> int:
    """Test arm k's questions, then learn a row on what is left; returns the number dropped.

    `z` and `y` (in units of the reward range) lie on the grid. `scored` says that the arm was
    scored on this very row just before, so that its projection need not be computed again.
    """
    dropped = drop_questions(columns, rule, arms, k)
    packed = gather(arms, k, z, arms.work[0])
    size = packed.shape[0]
    count_row(arms, k, packed, y, 1.0)
    if dropped > 0 or arms.stale[k] >= REFRESH_EVERY:
        refresh(columns, rule, arms, k)
        return dropped
    w, gain = arms.projected[k, :size], arms.work[2, :size]
    if not scored:
        times(arms.root[k], packed, w)
    estimate = arms.estimate[k, :size]
    error = rule.span * y - dot(packed, estimate)
    tau = add_row(arms.root[k], w, gain)
    if rule.beta_min > 0.0 or rule.sharp_bias:  # the drop test or the bias needs it
        diagonal_of(arms.root[k], arms.variance[k, :size])
    for i in range(size):
        estimate[i] += gain[i] * (error / tau)
    arms.log_det[k] += math.log(tau)
    arms.stale[k] += 1
    arms.radius[k] = radius(columns, rule, arms, k)
    return dropped


@kernel()
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

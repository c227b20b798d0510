"""The steps of Ridge SurveyUCB: score the arms, test for drops, learn a row, refresh (maths 2).

Each step is written once; a single visit and a fused loop call the same functions.
"""

import math

import numpy as np

from askless.kernels.bundles import (
    DROP,
    FIXED,
    LOOK,
    NET_ESTIMATES,
    NO_NET,
    NOISE,
    RADIUS,
    REFIT,
    REFRESH,
    RENEW,
    RENOISE,
    Arms,
    Columns,
    Flags,
    Floats,
    Ints,
    Rule,
    open_header,
)
from askless.kernels.compiling import INLINE, internal, kernel
from askless.kernels.epochs import BLOCK, FULL, GOES_ON, most_rows, open_epochs, rows_of
from askless.kernels.lanes import WIDTH, load, store
from askless.kernels.machine import call_at
from askless.kernels.net_arms import is_zero
from askless.kernels.noise import centred_moment, is_due, middle
from askless.kernels.triangle import (
    add_multiple,
    add_row,
    add_rows,
    diagonal_of,
    dot,
    factor,
    inner,
    largest,
    squared_length,
    sweep,
    sweep_twice,
    times,
    transposed_times,
)

REFRESH_EVERY = 4096  # rank-one updates between fresh factors (maths 2.3)
TIED = 1e-9  # scores nearer than this, relatively, are tied: rounding shall not decide (maths 2)


@internal(**INLINE)
def gather(arms: Arms, k: int, z: Floats, out: Floats) -> None:
    """Pick the columns of arm k's support out of a context; zeros fill the last lane."""
    pick(arms.columns[k], arms.size[k], z, out)


@internal(**INLINE)
def pick(columns: Ints, size: int, z: Floats, out: Floats) -> None:
    """Pick so many columns out of a context, in their order; zeros fill the last lane."""
    if size == z.shape[0]:  # all of them: whole lanes
        for i in range(0, size - WIDTH + 1, WIDTH):
            store(out, i, load(z, i))
        for i in range(size // WIDTH * WIDTH, size):
            out[i] = z[i]
    else:
        for i in range(size):
            out[i] = z[columns[i]]
    out[size : size + WIDTH] = 0.0


@internal(**INLINE)
def score(arms: Arms, k: int, z: Floats) -> float:
    """Score of arm k in a context: z'b + width sqrt(z' inv(D) z) (maths 2, 8.4)."""
    size, packed = arms.active_size[k], arms.work[0]
    pick(arms.active_columns[k], size, z, packed)
    times(arms.active_root[k], packed, size, arms.projected[k])
    arms.ready[k] = 0
    length = math.sqrt(squared_length(arms.active_weights[k], arms.projected[k], size))
    return dot(packed, arms.active_estimate[k], size) + float(arms.width[k]) * length


@internal(**INLINE)
def best_arm(rule: Rule, arms: Arms, live: Flags | Ints, z: Floats) -> int:
    """Score the live arms, in `arms.scores`, the others at -inf; return the best one."""
    for k in range(live.shape[0]):
        arms.scores[k] = score(arms, k, z) if live[k] else -np.inf
    return winner(rule, arms)


@internal(**INLINE)
def winner(rule: Rule, arms: Arms) -> int:
    """Return the arm with the highest score; of tied ones the first (maths 2)."""
    highest = largest(arms.scores)
    enough = highest - TIED * (rule.span + abs(highest))
    k = 0
    while arms.scores[k] < enough:
        k += 1
    return k


@kernel()
def effect(columns: Columns, arms: Arms, k: int, g: int, at: int, enough: float) -> None:
    """Estimate, low and high end of question g's effect in arm k, in work[2, :3] (maths 1.1, 2.2).

    `at` is the question's first packed column. Stops at the first direction whose high end
    exceeds `enough`.
    """
    result = arms.work[2, :3]
    result[:] = 0.0
    width = columns.width[g]
    coefficients = arms.estimate[k, at : at + width]
    if width == 1:
        include(result, abs(coefficients[0]), arms.radius[k] * math.sqrt(arms.variance[k, at]))
        return
    block = arms.block
    inverse_block(arms.root[k], arms.weights[k], arms.size[k], at, width, block)
    for row in range(columns.start[g], columns.start[g + 1]):
        direction = columns.directions[row, :width]
        squared = 0.0
        for i in range(width):
            squared += direction[i] * inner(block[i, :width], direction)
        include(
            result,
            abs(inner(direction, coefficients)),
            arms.radius[k] * math.sqrt(max(squared, 0.0)),
        )
        if result[2] > enough:
            break


@internal()
def include(result: Floats, size: float, slack: float) -> None:
    """Let one direction's interval widen (estimate, low, high)."""
    result[0] = max(result[0], size)
    result[1] = max(result[1], size - slack)
    result[2] = max(result[2], size + slack)


@internal()
def inverse_block(
    root: Floats, weights: Floats, size: int, at: int, width: int, block: Floats
) -> None:
    """Put the block of inv(D) on `width` packed columns into place; M is zero above row `at`."""
    block[:width, :width] = 0.0
    for i in range(at, size):
        row = root[i, at : at + width]
        for a in range(width):
            for b in range(width):
                block[a, b] += weights[i] * row[a] * row[b]


def drop_questions(address: int, k: int) -> int:
    """Drop arm k's questions whose effect is at most beta_min; returns how many (maths 2.2).

    All questions are tested on the same confidence set; the derived state is left to a refresh.
    """
    columns, rule, arms = open_header(address)
    if arms.n[k] == 0 or not math.isfinite(arms.radius[k]):
        return 0
    dropped = 0
    at = int(np.int64(1))  # not a literal: callees compile once
    # A squared slack beyond this exceeds beta_min whatever the estimate, and an estimate beyond it
    # whatever the slack; most tests end here.
    hopeless = (1.0 + 1e-9) * rule.beta_min**2
    for g in range(columns.first.shape[0]):
        if arms.support[k, g]:
            if rule.net != NO_NET and not is_zero(arms, k, at, columns.width[g]):
                at += columns.width[g]
                continue
            if columns.width[g] == 1 and (
                arms.radius[k] ** 2 * arms.variance[k, at] > hopeless
                or abs(arms.estimate[k, at]) > rule.beta_min
            ):
                at += 1
                continue
            effect(columns, arms, k, g, at, rule.beta_min)
            interval = arms.work[2, :3]
            if interval[2] <= rule.beta_min:
                arms.dropped_at[k, g] = arms.n[k]
                for i in range(3):
                    arms.evidence[k, g, i] = interval[i]
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
    settle(arms, k)
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
        if arms.net_coef.shape[1] > 0:
            arms.net_coef[k, kept] = arms.net_coef[k, i]
        arms.work[0, kept] = i
        for j in range(kept + 1):
            arms.gram[k, kept, j] = arms.gram[k, i, int(arms.work[0, j])]
        kept += 1
    arms.moment[k, kept:] = 0.0
    arms.gram[k, kept:] = 0.0
    for i in range(kept):
        arms.gram[k, i, i + 1 :] = 0.0
    arms.size[k] = kept


@kernel()
def settle(arms: Arms, k: int) -> None:
    """Add arm k's waiting rows to its Gram matrix, exactly."""
    add_rows(arms.gram[k], arms.recent[k], arms.waiting[k], arms.size[k])
    arms.waiting[k] = 0


@internal(**INLINE)
def count_row(rule: Rule, arms: Arms, k: int, z: Floats, y: float) -> None:
    """Add a row to arm k's statistics, exactly."""
    if arms.waiting[k] == arms.recent.shape[1]:
        settle(arms, k)
    packed = arms.recent[k, arms.waiting[k]]
    gather(arms, k, z, packed)
    if rule.net == NO_NET:
        arms.waiting[k] += 1
    else:  # a net needs the Gram matrix at once, and whole
        for i in range(arms.size[k]):
            add_multiple(packed[i], packed, arms.gram[k, i], arms.size[k])
    add_multiple(y, packed, arms.moment[k], arms.size[k])
    arms.squares[k] += y * y
    arms.n[k] += 1


@kernel()
def take_out_row(arms: Arms, k: int, z: Floats, y: float) -> None:
    """Take a row out of arm k's statistics, exactly."""
    settle(arms, k)
    packed = arms.work[0]
    gather(arms, k, z, packed)
    for i in range(arms.size[k]):
        add_multiple(-packed[i], packed, arms.gram[k, i], i + 1)
    add_multiple(-y, packed, arms.moment[k], arms.size[k])
    arms.squares[k] -= y * y
    arms.n[k] -= 1


@internal(**INLINE)
def learn(rule: Rule, arms: Arms, k: int, z: Floats, y: float, ready: int) -> int:
    """Test arm k's questions, then learn a row on what is left; returns the number dropped.

    `z` and `y` (in units of the reward range) lie on the grid; `ready`: M z is in place already.
    With epochs, see `hold`.
    """
    if rule.epochs:
        return hold(arms, k, z, y)
    dropped, fresh = take(rule, arms, k, z, y)
    if not fresh:
        packed, size = arms.recent[k, max(arms.waiting[k] - 1, 0)], arms.size[k]
        if not ready:
            times(arms.root[k], packed, size, arms.projected[k])
        update(rule, arms, k, rule.span * y - dot(packed, arms.estimate[k], size))
        catch_up(arms, k)
    return dropped


@internal(**INLINE)
def hold(arms: Arms, k: int, z: Floats, y: float) -> int:
    """Put a row into arm k's epoch; returns GOES_ON, or at the end how many questions it dropped.

    FULL where there is no room; then nothing has happened.
    """
    epochs, size = open_epochs(arms.links[0]), arms.size[k]
    rows, lanes = rows_of(epochs, k, size)
    at = epochs.kept[k]
    # At the end of the epoch all rows must fit into the table.
    if at >= rows.shape[0] or at >= most_rows(epochs):
        return FULL
    gather(arms, k, z, rows[at])
    rows[at, lanes] = y
    epochs.kept[k] += 1
    epochs.held[k] += 1
    if epochs.kept[k] % BLOCK == 0 or epochs.held[k] >= epochs.need[k]:
        return call_at(arms.links[LOOK], arms.links[0], k)  # type: ignore[no-any-return]
    return GOES_ON


@internal(**INLINE)
def take(rule: Rule, arms: Arms, k: int, z: Floats, y: float) -> tuple[int, bool]:
    """Test arm k's questions and count a row; returns how many it dropped.

    And whether everything was derived anew, the row included: after a drop, or when it is time.
    """
    dropped = call_at(arms.links[DROP], arms.links[0], k) if rule.beta_min > 0.0 else 0
    count_row(rule, arms, k, z, y)
    if rule.form == NOISE and is_due(arms, k):
        call_at(arms.links[RENOISE], arms.links[0], k)
        return dropped, True
    fresh = dropped > 0 or arms.stale[k] >= REFRESH_EVERY
    if fresh:
        call_at(arms.links[REFRESH], arms.links[0], k)
    return dropped, fresh


@internal(**INLINE)
def update(rule: Rule, arms: Arms, k: int, error: float) -> None:
    """Update what is derived, once a row is counted; its M z and its error are known (maths 2.3).

    M and the estimate are left to `catch_up`, unless the rule needs the diagonal of inv(D) now.
    """
    late = arms.late[k]
    slopes, lifts = arms.slopes[k, late], arms.lifts[k, late]
    tau = add_row(arms.weights[k], arms.projected[k], arms.size[k], arms.work[1], slopes, lifts)
    arms.moves[k, late] = error / tau if rule.net != NET_ESTIMATES else 0.0
    arms.late[k], arms.ready[k], arms.inverted[k] = late + 1, 0, 0
    if rule.beta_min > 0.0 or rule.sharp_bias or rule.net != NO_NET:
        catch_up(arms, k)
        diagonal_of(arms.root[k], arms.weights[k], arms.size[k], arms.variance[k])
    if rule.net != NO_NET:
        call_at(arms.links[REFIT], arms.links[0], k)
    arms.stale[k] += 1
    arms.step[0], arms.step[1] = tau, error / tau
    if rule.form not in (FIXED, NOISE):
        arms.log_det[k] += math.log(tau)
        call_at(arms.links[RADIUS], arms.links[0], k)


@internal(**INLINE)
def catch_up(arms: Arms, k: int) -> None:
    """Bring arm k's M and estimate up to date, sixteen columns at a time."""
    size, count, slopes, lifts = arms.size[k], arms.late[k], arms.slopes[k], arms.lifts[k]
    gain, other, estimate = arms.work[1], arms.work[2], arms.estimate[k]
    for j in range(0, size, 2 * WIDTH):
        for late in range(0, count - 1, 2):
            both = (slopes[late], slopes[late + 1]), (lifts[late], lifts[late + 1])
            sweep_twice(arms.root[k], j, j, size, both[0], both[1], (gain, other))
            add_multiple(arms.moves[k, late], gain[j:], estimate[j:], 2 * WIDTH)
            add_multiple(arms.moves[k, late + 1], other[j:], estimate[j:], 2 * WIDTH)
        if count % 2 == 1:
            sweep(arms.root[k], j, j, size, slopes[count - 1], lifts[count - 1], gain)
            add_multiple(arms.moves[k, count - 1], gain[j:], estimate[j:], 2 * WIDTH)
    arms.late[k] = 0


def refresh(address: int, k: int) -> int:
    """Derive everything of arm k anew from its statistics (maths 2.3)."""
    _, rule, arms = open_header(address)
    settle(arms, k)
    arms.late[k] = arms.ready[k] = arms.inverted[k] = 0
    size, root, w = arms.size[k], arms.root[k], arms.work[1]
    noisy = rule.form == NOISE
    alpha = arms.ridge[k] if noisy else rule.alpha
    arms.log_det[k] = factor(arms.gram[k], alpha, size, root, arms.weights[k])
    arms.variance[k] = 0.0
    diagonal_of(root, arms.weights[k], size, arms.variance[k])
    moment, shift = arms.moment[k], 0.0
    if noisy:  # measured from the middle of the range
        moment, shift = arms.work[0], middle(rule)
        centred_moment(rule, arms, k, moment)
    times(root, moment, size, w)
    for i in range(size):
        w[i] *= rule.span * arms.weights[k, i]
    transposed_times(root, w, size, arms.estimate[k])
    arms.estimate[k, 0] += rule.span * shift
    if rule.net != NO_NET:
        call_at(arms.links[RENEW], arms.links[0], k)
    arms.stale[k] = 0
    call_at(arms.links[RADIUS], arms.links[0], k)
    return 0

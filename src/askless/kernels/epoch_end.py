"""The end of a block of rows: test, take them in, drop, decide anew, freeze again (maths 5.1)."""

import math

import numpy as np

from askless.kernels import e_process, ridge, signed_effects
from askless.kernels.bundles import (
    ACTIVATE,
    FIT,
    REFRESH,
    Arms,
    Columns,
    Floats,
    Ints,
    Rule,
    open_header,
)
from askless.kernels.compiling import internal
from askless.kernels.epochs import (
    BY_ELLIPSOID,
    BY_EPOCHS,
    GOES_ON,
    GROUP,
    MOST_ROWS,
    NOT_DROPPED,
    TALLIES,
    Epochs,
    open_epochs,
    rows_of,
    shortest,
    table_of,
)
from askless.kernels.machine import call_at
from askless.kernels.noise import measure, middle, set_ridge
from askless.kernels.online import predict
from askless.kernels.triangle import add_multiple, add_rows, dot, inner, times, transposed_times

HOPELESS = 2.0  # a side this far below where it started is not what an epoch is planned for
AMPLE = 1.3  # how much more than the expected growth an epoch is planned for
WARM = 0.2  # of the rows that tests will need, before the first one
MOVED = 3.0  # an epoch with this many times the information of all before it must end


def look(address: int, k: int) -> int:
    """Look at arm k's block after some rows: end it where it is time (maths 5.1).

    Returns how many questions were dropped at its end, or GOES_ON. Only contexts and counts are
    looked at before it ends.
    """
    columns, rule, arms = open_header(address)
    epochs = open_epochs(address)
    add_to_block(epochs, k, arms.size[k])
    full = epochs.held[k] >= epochs.need[k]
    if not (full or has_moved(arms, epochs, k)):
        if arms.size[k] == 1:  # nothing left to judge: its rows are not needed again
            epochs.kept[k] = epochs.added[k] = 0
        return GOES_ON
    if arms.size[k] > 1 and not epochs.warm[k]:
        judge(columns, rule, arms, epochs, k)
    take_in(arms, epochs, k)
    call_at(arms.links[REFRESH], address, k)
    dropped = drop(columns, rule, arms, epochs, k)
    if dropped > 0:
        ridge.pack(columns, arms, k)
        call_at(arms.links[REFRESH], address, k)
    set_ridge(arms, k)
    call_at(arms.links[FIT], address, k)
    measure(
        *(rule, arms, k),
        *(epochs.model_root[k], epochs.model_weights[k], epochs.model_estimate[k]),
    )
    arms.renewed[k] = arms.n[k]
    call_at(arms.links[ACTIVATE], address, k)
    set_need(columns, rule, arms, epochs, k)
    return dropped


@internal()
def set_need(columns: Columns, rule: Rule, arms: Arms, epochs: Epochs, k: int) -> None:
    """Say with how many rows arm k's next block ends, and whether that is warm-up (maths 5.1)."""
    if epochs.warm[k] and arms.n[k] >= warm_rows(rule, arms, epochs, k):
        epochs.warm[k] = 0
    if epochs.warm[k]:
        epochs.need[k] = max(1, arms.n[k] // 10)
        return
    size, least = arms.size[k], shortest(arms.size[k])
    epochs.need[k] = max(least, int((rule.growth - 1.0) * arms.n[k]))
    if size == 1:
        return
    epochs.need[k] = min(epochs.need[k], MOST_ROWS)
    line, total, count = line_of(rule, arms, k), 0.0, 0
    for g in range(columns.first.shape[0]):
        if arms.support[k, g]:
            for d in range(columns.start[g], columns.start[g + 1]):
                for side in range(2):
                    far, pace = line - epochs.logs[k, d, side], epochs.pace[k, d, side]
                    unsure = far < line + HOPELESS and not epochs.passed[k, d, side]
                    if unsure and pace > 0.0:
                        total += min(size + AMPLE * far / pace, float(epochs.need[k]))
                        count += 1
    if count > 0:
        epochs.need[k] = max(least, min(epochs.need[k], 1 + int(total / count)))


@internal()
def warm_rows(rule: Rule, arms: Arms, epochs: Epochs, k: int) -> float:
    """Return with how many rows warm-up ends in arm k: a part of what tests need (maths 8.7)."""
    rows = 3.0 * arms.size[k]
    if rule.beta_min > 0.0 and arms.size[k] > 1:
        spread = arms.n[k] * epochs.spread[k] * (rule.span / rule.beta_min) ** 2
        rows = max(rows, WARM * 2.0 * arms.noise[k] * line_of(rule, arms, k) * spread)
    return float(min(rows, MOST_ROWS))


@internal()
def line_of(rule: Rule, arms: Arms, k: int) -> float:
    """Return the logarithm at which a side of a test passes in arm k."""
    return math.log(count_kept(arms, k) / ((1.0 - rule.set_part) * arms.share[k]))


@internal()
def count_kept(arms: Arms, k: int) -> int:
    """Count the questions of arm k's support."""
    kept = 0
    for g in range(arms.support.shape[1]):
        kept += arms.support[k, g]
    return kept


@internal()
def add_to_block(epochs: Epochs, k: int, size: int) -> None:
    """Add the newest rows in the room to the sums of arm k's block, exactly."""
    rows, lanes = rows_of(epochs, k, size)
    first, count = epochs.added[k], epochs.kept[k]
    add_rows(epochs.gram[k], rows[first:count], count - first, size)
    for i in range(first, count):
        y = rows[i, lanes]
        add_multiple(y, rows[i], epochs.moment[k], lanes)
        epochs.squares[k] += y * y
    epochs.added[k] = count


@internal()
def has_moved(arms: Arms, epochs: Epochs, k: int) -> bool:
    """Whether contexts have moved: the newest row is where earlier epochs knew little (maths 5.1).

    In its direction g = inv(D) z the epoch then has three times the information g'Dg = z'inv(D)z.
    """
    size = arms.size[k]
    if epochs.warm[k] or size == 1:
        return False
    rows, _ = rows_of(epochs, k, size)
    z, projected, g = rows[epochs.kept[k] - 1], arms.work[1], arms.work[2]
    times(arms.root[k], z, size, projected)
    for i in range(size):
        projected[i] *= arms.weights[k, i]
    transposed_times(arms.root[k], projected, size, g)
    gained = 0.0
    for i in range(size):
        row = epochs.gram[k, i]
        gained += g[i] * (2.0 * inner(row[:i], g[:i]) + row[i] * g[i])
    return gained > MOVED * dot(z, g, size)


@internal()
def judge(columns: Columns, rule: Rule, arms: Arms, epochs: Epochs, k: int) -> None:
    """Let the tests and the effects of all arm k's questions take in what the epoch says."""
    size, count, shift = arms.size[k], epochs.kept[k], middle(rule)
    rows, lanes = rows_of(epochs, k, size)
    (table,) = table_of(epochs, count)
    group = table.shape[0] - TALLIES
    guesses, predicted, errors, prices = (
        table[group + 1],
        table[group + 2],
        table[group + 3],
        table[group + 4],
    )
    prices[:] = 0.0
    for i in range(count):
        guess = dot(rows[i], epochs.model_estimate[k], size)
        guesses[i] = min(max(guess, -0.5), 0.5)
        errors[i] = rows[i, lanes] - shift
    predict(arms, epochs, k, rows, count, errors, predicted)
    for i in range(count):
        error = errors[i] - predicted[i]
        errors[i] = error * error
    whole, moment = epochs.whole, epochs.online[0]
    whole[:] = 0.0
    moment[:] = 0.0
    for i in range(size):
        for j in range(i + 1):
            whole[i, j] = whole[j, i] = epochs.gram[k, i, j]
        moment[i] = epochs.moment[k, i] - shift * epochs.gram[k, i, 0]
    rank = e_process.factor_by_rank(whole, size, epochs.factor, epochs.order, epochs.left)
    if count < 1.5 * rank + 5.0:
        return
    design = e_process.Design(
        rows=rows,
        n=count,
        size=size,
        whole=whole,
        factor=epochs.factor,
        order=epochs.order,
        moment=moment,
        solutions=epochs.solutions,
        residues=epochs.residues,
        levers=table,
        signed=table[group],
        guesses=guesses,
        predicted=predicted,
        errors=errors,
        prices=prices,
        left=epochs.left,
        cells=epochs.cells,
        beta_min=rule.beta_min / rule.span,
        noise=min(0.25, arms.noise[k] * (1.0 + size / (arms.n[k] + 0.5 * count))),
    )
    judge_questions(columns, design, arms.support[k], rank, epochs, k)


@internal()
def judge_questions(
    columns: Columns, design: e_process.Design, support: Ints, rank: int, epochs: Epochs, k: int
) -> None:
    """Add the epoch to the sums of all directions; bet on those in which a side has yet to pass.

    Rows are read for some questions at a time: they do not fit into the processor's caches.
    """
    m, begin, at = columns.first.shape[0], 0, int(np.int64(1))
    while begin < m:
        end, width = begin, int(np.int64(0))
        while end < m and width < GROUP:
            width += columns.width[end] * support[end]
            end += 1
        e_process.prepare(design, rank, at, width)
        first = int(np.int64(0))
        for g in range(begin, end):
            if support[g]:
                for d in range(columns.start[g], columns.start[g + 1]):
                    direction = columns.directions[d, : columns.width[g]]
                    judge_direction(design, first, direction, rank, epochs, k, d)
                first += columns.width[g]
        begin, at = end, at + width


@internal()
def judge_direction(
    design: e_process.Design,
    first: int,
    direction: Floats,
    rank: int,
    epochs: Epochs,
    k: int,
    d: int,
) -> None:
    """Judge one direction; `first` is where the solutions of its question begin."""
    estimate, top = e_process.estimate_of(design, first, direction)
    if top > 0.0:
        signed_effects.add_epoch(design, estimate, top, epochs.signed[k, d])
    passed, pace = epochs.passed[k, d], epochs.pace[k, d]
    if design.beta_min > 0.0 and not (passed[0] and passed[1]):
        e_process.bet_on(design, estimate, top, passed, epochs.logs[k, d], pace)
        for side in range(2):
            pace[side] /= max(design.n - rank, 1)


@internal()
def has_passed(epochs: Epochs, k: int, first: int, last: int) -> bool:
    """Whether both sides of all directions of a question have passed."""
    passed = True
    for d in range(first, last):
        passed &= bool(epochs.passed[k, d, 0]) and bool(epochs.passed[k, d, 1])
    return passed


@internal()
def take_in(arms: Arms, epochs: Epochs, k: int) -> None:
    """Add the epoch's sums to those of arm k, exactly, and begin a new epoch."""
    size = arms.size[k]
    for i in range(size):
        for j in range(i + 1):
            arms.gram[k, i, j] += epochs.gram[k, i, j]
        arms.moment[k, i] += epochs.moment[k, i]
    arms.squares[k] += epochs.squares[k]
    arms.n[k] += epochs.held[k]
    epochs.ended[k] += 1
    epochs.tested[k] += not epochs.warm[k]
    epochs.held[k] = epochs.kept[k] = epochs.added[k] = 0
    epochs.gram[k, :size] = 0.0
    epochs.moment[k] = 0.0
    epochs.squares[k] = 0.0


@internal()
def drop(columns: Columns, rule: Rule, arms: Arms, epochs: Epochs, k: int) -> int:
    """Drop arm k's questions that either test is sure of; returns how many (maths 5.1)."""
    m, kept, at = columns.first.shape[0], count_kept(arms, k), int(np.int64(1))
    for g in range(m):
        if arms.support[k, g]:
            ridge.effect(columns, arms, k, g, at, math.inf)
            for i in range(3):
                arms.evidence[k, g, i] = arms.work[2, i]
            at += columns.width[g]
    before, found = kept, 1
    while found > 0:  # the fewer questions are left, the less a side needs to pass (Holm)
        found, enough = 0, math.log(kept / ((1.0 - rule.set_part) * arms.share[k]))
        for g in range(m):
            if not arms.support[k, g]:
                continue
            for d in range(columns.start[g], columns.start[g + 1]):
                for side in range(2):
                    epochs.passed[k, d, side] |= epochs.logs[k, d, side] >= enough
            test = NOT_DROPPED
            if has_passed(epochs, k, columns.start[g], columns.start[g + 1]):
                test = BY_EPOCHS
            elif arms.evidence[k, g, 2] <= rule.beta_min and rule.beta_min > 0.0:
                test = BY_ELLIPSOID
            if test != NOT_DROPPED:
                arms.support[k, g] = 0
                arms.dropped_at[k, g] = arms.n[k]
                epochs.test[k, g] = test
                found += 1
        kept -= found
    for g in range(m):
        if arms.support[k, g]:
            arms.evidence[k, g] = 0.0
    return before - kept

"""What an arm is chosen by: its ridge model, the questions that are active in it (maths 8.2-8.4).

An arm's set is another thing: `ridge.refresh` and `radius`.
"""

import math

from askless.kernels.bundles import Arms, Columns, Floats, Rule, open_header
from askless.kernels.compiling import INLINE, internal
from askless.kernels.epochs import Epochs, open_epochs
from askless.kernels.noise import centred_moment, middle, solve, width_of
from askless.kernels.ridge import inverse_block, settle
from askless.kernels.triangle import copy, copy_rows, diagonal_of, factor, inner

SURE = 2.0  # kappa: so many standard errors may be chance


def fit(address: int, k: int) -> int:
    """Derive arm k's model on its whole support, with the ridge that the arm has (maths 8.2)."""
    _, rule, arms = open_header(address)
    epochs = open_epochs(address)
    settle(arms, k)
    size, root, weights = arms.size[k], epochs.model_root[k], epochs.model_weights[k]
    factor(arms.gram[k], arms.ridge[k], size, root, weights)
    centred_moment(rule, arms, k, arms.work[0])
    solve(root, weights, arms.work[0], size, arms.work[1], epochs.model_estimate[k])
    return 0


def activate(address: int, k: int) -> int:
    """Find arm k's active questions and derive the model by which it is chosen (maths 8.3, 8.4)."""
    columns, rule, arms = open_header(address)
    epochs = open_epochs(address)
    find_active(columns, rule, arms, epochs, k)
    arms.ready[k] = arms.inverted[k] = 0
    if rule.by_sets:
        for g in range(columns.first.shape[0]):
            arms.active[k, g] = arms.support[k, g]
    count = pack_active(columns, arms, k)
    size, wide = arms.active_size[k], arms.weights.shape[1]
    if rule.by_sets:
        copy_rows(arms.root[k], size, arms.active_root[k])
        copy(arms.weights[k], wide, arms.active_weights[k])
        copy(arms.estimate[k], wide, arms.active_estimate[k])
        arms.width[k] = arms.radius[k]
        return count
    if size == arms.size[k]:
        copy_rows(epochs.model_root[k], size, arms.active_root[k])
        copy(epochs.model_weights[k], wide, arms.active_weights[k])
        copy(epochs.model_estimate[k], wide, arms.active_estimate[k])
    else:
        fit_active(rule, arms, epochs, k)
    for i in range(size):
        arms.active_estimate[k, i] *= rule.span
    arms.active_estimate[k, 0] += rule.span * middle(rule)
    arms.width[k] = width_of(rule, arms, k)
    return count


@internal()
def find_active(columns: Columns, rule: Rule, arms: Arms, epochs: Epochs, k: int) -> None:
    """Say which questions of arm k are active, how many of them undecided (maths 8.3)."""
    root, weights, size = epochs.model_root[k], epochs.model_weights[k], arms.size[k]
    beta_min, noise = rule.beta_min / rule.span, math.sqrt(arms.noise[k])
    variance = epochs.left
    variance[:] = 0.0
    diagonal_of(root, weights, size, variance)
    arms.active[k] = 0
    at, undecided, judged = 1, 0, 0
    for g in range(columns.first.shape[0]):
        if not arms.support[k, g]:
            continue
        width = columns.width[g]
        estimate = epochs.model_estimate[k, at : at + width]
        if width > 1:
            inverse_block(root, weights, size, at, width, arms.block)
        else:
            arms.block[0, 0] = variance[at]
        most, surest = 0.0, 0.0
        for d in range(columns.start[g], columns.start[g + 1]):
            direction = columns.directions[d, :width]
            if is_judged(columns, rule, g, direction):
                squared = quadratic(arms.block, direction)
                slack, effect = noise * math.sqrt(squared), abs(inner(direction, estimate))
                most = max(most, effect + SURE * slack)
                surest = max(surest, effect / slack)
                if arms.ridge[k] * squared < 0.5 * inner(direction, direction):
                    epochs.spreads[judged] = squared
                    judged += 1
        if most > beta_min or rule.by_sets:
            arms.active[k, g] = 1
            undecided += surest < SURE
        at += width
    epochs.undecided[k] = undecided
    if epochs.warm[k]:
        epochs.spread[k] = median(epochs.spreads, judged) if judged > 0 else 0.0


@internal(**INLINE)
def is_judged(columns: Columns, rule: Rule, g: int, direction: Floats) -> bool:
    """Whether a direction counts: not where skips are not judged and it is of a skip."""
    skips = columns.skip[g] and direction[direction.shape[0] - 1] != 0.0
    return bool(rule.judge_skips) or not skips


@internal()
def quadratic(matrix: Floats, direction: Floats) -> float:
    """Return w' A w on a direction's own columns; above 0, as it must be."""
    squared, width = 0.0, direction.shape[0]
    for i in range(width):
        squared += direction[i] * inner(matrix[i, :width], direction)
    return max(squared, 1e-300)


@internal()
def median(values: Floats, count: int) -> float:
    """Return the entry with index count // 2 of the sorted values; their order changes."""
    low, high, wanted = 0, count - 1, count // 2
    while low < high:  # Hoare's selection
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return float(values[wanted])


@internal()
def pack_active(columns: Columns, arms: Arms, k: int) -> int:
    """List the columns of arm k's active questions; return how many questions they are."""
    arms.active_columns[k, 0] = 0
    size, count = 1, 0
    for g in range(columns.first.shape[0]):
        if arms.active[k, g]:
            count += 1
            for j in range(columns.first[g], columns.first[g] + columns.width[g]):
                arms.active_columns[k, size] = j
                size += 1
    arms.active_size[k] = size
    return count


@internal()
def fit_active(rule: Rule, arms: Arms, epochs: Epochs, k: int) -> None:
    """Do arm k's regression again on the columns of its active questions, with the same ridge."""
    size, gram, moment = arms.active_size[k], epochs.whole, arms.work[2]
    place, centred = arms.work[1], arms.work[0]
    centred_moment(rule, arms, k, centred)
    at = 0
    for i in range(size):  # both lists of columns are in their order
        while arms.columns[k, at] != arms.active_columns[k, i]:
            at += 1
        place[i] = at
        moment[i] = centred[at]
        for j in range(i + 1):
            gram[i, j] = arms.gram[k, at, int(place[j])]
    moment[size:] = 0.0
    root, weights = arms.active_root[k], arms.active_weights[k]
    factor(gram, arms.ridge[k], size, root, weights)
    solve(root, weights, moment, size, arms.work[1], arms.active_estimate[k])

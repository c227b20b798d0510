"""What a short form is chosen by: the path of questions, each worth most next, and trimming it.

Contexts lie here a column a row, so that a step over all people is one over whole lanes.
"""

import math
from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Columns, Flags, Floats, Ints, aligned
from askless.kernels.compiling import internal, kernel
from askless.kernels.lanes import padded
from askless.kernels.triangle import add_multiple, copy, dot, sum_of

BARRED = -1e300  # the reward of an arm that a person may not get
TINY = 1e-5  # of the rows: a column with less left over adds nothing
TIE = 0.001  # what explaining differences between arms counts, where no question alone decides


class Forming(NamedTuple):
    """The people by whom a form is chosen, n of them, and the room to do it. K counts live arms."""

    people: Floats  # (p, n and zeros) their contexts, a column a row
    fitted: Floats  # (K, n and zeros) what each arm's model expects
    may: Floats  # (K, n and zeros) 0, or BARRED where a person may not get an arm
    candidate: Ints  # (m,) 1 for the questions that a form may have
    forced: Ints  # (m,) 1 for those that it must have
    cost: Floats  # (m,)
    taken: Ints  # (m,) 1 for the questions taken so far
    path: Ints  # (m,) in which order they were taken
    values: Floats  # (m + 1,) what each part of the path is worth, that which is forced first
    left: Floats  # (p, n and zeros) what of each column the questions taken do not tell
    shown: Floats  # (K, n and zeros) the models, projected on them
    basis: Floats  # (widest, n and zeros) scratch
    slopes: Floats  # (widest, K) scratch
    best: Floats  # (n and zeros,) scratch
    row: Floats  # (n and zeros,) scratch
    gram: Floats  # (p, p) sums of products of the contexts' columns
    cross: Floats  # (p, K) of those and what the models expect
    factor: Floats  # (p, p) scratch
    pivots: Floats  # (p,) scratch
    solution: Floats  # (p, K) scratch
    columns: Ints  # (p,) scratch


def forming(
    people: Floats,
    fitted: Floats,
    allowed: Flags,
    *,
    candidate: Ints,
    forced: Ints,
    cost: Floats,
    widest: int,
) -> Forming:
    """Return people (n × p), what arms expect of them (n × K), which they may get, and room."""
    (n, p), count = people.shape, fitted.shape[1]
    m, wide = len(candidate), padded(n)

    def room(*shape: int) -> Floats:
        return aligned(math.prod(shape)).reshape(shape)

    made = Forming(
        people=room(p, wide),
        fitted=room(count, wide),
        may=room(count, wide),
        candidate=candidate,
        forced=forced,
        cost=cost,
        taken=np.zeros(m, dtype=np.int64),
        path=np.zeros(m, dtype=np.int64),
        values=np.zeros(m + 1),
        left=room(p, wide),
        shown=room(count, wide),
        basis=room(widest, wide),
        slopes=np.zeros((widest, count)),
        best=room(wide),
        row=room(wide),
        gram=people.T @ people,
        cross=people.T @ fitted,
        factor=np.zeros((p, p)),
        pivots=np.zeros(p),
        solution=np.zeros((p, count)),
        columns=np.zeros(p, dtype=np.int64),
    )
    made.people[:, :n], made.fitted[:, :n] = people.T, fitted.T
    made.may[:, :n] = np.where(allowed.T, 0.0, BARRED)
    return made


@kernel()
def find_path(questions: Columns, form: Forming, n: int, price: float) -> int:
    """Take every candidate, that which is worth most first; return how many are not forced.

    `form.path` has the forced ones first.
    """
    form.taken[:] = 0
    wide = form.best.shape[0]
    for j in range(form.people.shape[0]):
        mean = sum_of(form.people[j], wide) / n
        for i in range(n):
            form.left[j, i] = form.people[j, i] - mean
    for k in range(form.fitted.shape[0]):
        mean = sum_of(form.fitted[k], wide) / n
        for i in range(n):
            form.shown[k, i] = mean + form.may[k, i]
    taken, paid = 0, 0.0
    for g in range(form.cost.shape[0]):
        if form.forced[g]:
            take(questions, form, g, n)
            form.path[taken] = g
            taken += 1
            paid += form.cost[g]
    form.values[0] = worth(form, 0, n) - price * paid
    steps = 0
    while True:
        chosen, most, value = -1, 0.0, 0.0
        for g in range(form.cost.shape[0]):
            if form.candidate[g] and not form.taken[g]:
                count, explained = span(questions, form, g, n)
                own = worth(form, count, n) - price * (paid + form.cost[g])
                if chosen < 0 or own + TIE * math.sqrt(explained) > most:
                    chosen, most, value = g, own + TIE * math.sqrt(explained), own
        if chosen < 0:
            return steps
        take(questions, form, chosen, n)
        form.path[taken] = chosen
        taken += 1
        steps += 1
        paid += form.cost[chosen]
        form.values[steps] = value


@internal()
def span(questions: Columns, form: Forming, g: int, n: int) -> tuple[int, float]:
    """Put an orthonormal basis of what question g adds into `basis`, its slopes beside it.

    Returns its size, and what it explains of how arms differ.
    """
    count, explained, arms, wide = 0, 0.0, form.fitted.shape[0], form.best.shape[0]
    for j in range(questions.first[g], questions.first[g] + questions.width[g]):
        own = form.basis[count]
        copy(form.left[j], wide, own)
        for b in range(count):
            add_multiple(-dot(form.basis[b], own, wide), form.basis[b], own, wide)
        squares = dot(own, own, wide)
        if squares < TINY * n:
            continue
        scale, mean = 1.0 / math.sqrt(squares), 0.0
        for i in range(n):
            own[i] *= scale
        for k in range(arms):
            form.slopes[count, k] = dot(own, form.fitted[k], wide)
            mean += form.slopes[count, k] / arms
        for k in range(arms):
            explained += (form.slopes[count, k] - mean) ** 2 / (n * arms)
        count += 1
    return count, explained


@internal()
def worth(form: Forming, count: int, n: int) -> float:
    """Return the mean reward of everyone's best arm, with so much of `basis` added to `shown`."""
    wide = form.best.shape[0]
    form.best[:n] = BARRED
    for k in range(form.shown.shape[0]):
        row, last = form.shown[k], max(count - 1, 0)
        if count > 1:
            row = form.row
            copy(form.shown[k], wide, row)
            for b in range(last):
                add_multiple(form.slopes[b, k], form.basis[b], row, wide)
        slope = form.slopes[last, k] if count > 0 else 0.0
        keep_larger(row, slope, form.basis[last], form.best, n)
    return sum_of(form.best, wide) / n


@internal()
def keep_larger(row: Floats, slope: float, column: Floats, best: Floats, n: int) -> None:
    """Let `best` be no smaller than a row and a multiple of a column."""
    for i in range(n):
        own = row[i] + slope * column[i]
        best[i] = own if own > best[i] else best[i]


@internal()
def take(questions: Columns, form: Forming, g: int, n: int) -> None:
    """Add question g to those taken: to `shown` what it adds, out of `left` what it tells."""
    count, _ = span(questions, form, g, n)
    wide = form.best.shape[0]
    form.taken[g] = 1
    for b in range(count):
        for k in range(form.shown.shape[0]):
            add_multiple(form.slopes[b, k], form.basis[b], form.shown[k], wide)
        for h in range(form.cost.shape[0]):
            if (form.candidate[h] or form.forced[h]) and not form.taken[h]:
                for j in range(questions.first[h], questions.first[h] + questions.width[h]):
                    own = form.left[j]
                    add_multiple(-dot(form.basis[b], own, wide), form.basis[b], own, wide)


@kernel()
def trim(questions: Columns, form: Forming, n: int, price: float, value: float) -> float:
    """Take questions out of `form.taken` while that raises its value; return the value then."""
    while True:
        chosen, most = -1, value
        for g in range(form.cost.shape[0]):
            if form.taken[g] and not form.forced[g]:
                form.taken[g] = 0
                own = value_of(questions, form, n, price)
                form.taken[g] = 1
                if own > most:
                    chosen, most = g, own
        if chosen < 0:
            return value
        form.taken[chosen] = 0
        value = most


@internal()
def value_of(questions: Columns, form: Forming, n: int, price: float) -> float:
    """Return what the questions in `form.taken` are worth: by elimination in their Gram matrix."""
    size, paid, count = 1, 0.0, form.fitted.shape[0]
    columns, factor, pivots, solution = form.columns, form.factor, form.pivots, form.solution
    columns[0] = 0
    for g in range(form.cost.shape[0]):
        if form.taken[g]:
            paid += form.cost[g]
            for j in range(questions.first[g], questions.first[g] + questions.width[g]):
                columns[size] = j
                size += 1
    for i in range(size):  # gram = L diag(pivots) L', a column that adds nothing left out
        for j in range(i + 1):
            left = form.gram[columns[i], columns[j]]
            for b in range(j):
                left -= factor[i, b] * factor[j, b] * pivots[b]
            if j < i:
                factor[i, j] = left / pivots[j] if pivots[j] > 0.0 else 0.0
            else:
                pivots[i] = left if left >= TINY * n else 0.0
        for k in range(count):
            left = form.cross[columns[i], k]
            for b in range(i):
                left -= factor[i, b] * solution[b, k]
            solution[i, k] = left if pivots[i] > 0.0 else 0.0
    for i in range(size - 1, -1, -1):
        for k in range(count):
            left = solution[i, k] / pivots[i] if pivots[i] > 0.0 else 0.0
            if pivots[i] > 0.0:
                for b in range(i + 1, size):
                    left -= factor[b, i] * solution[b, k]
            solution[i, k] = left
    wide = form.best.shape[0]
    form.best[:n] = BARRED
    for k in range(count):
        copy(form.may[k], wide, form.row)
        for i in range(size):
            add_multiple(solution[i, k], form.people[columns[i]], form.row, wide)
        keep_larger(form.row, 0.0, form.row, form.best, n)
    return sum_of(form.best, wide) / n - price * paid

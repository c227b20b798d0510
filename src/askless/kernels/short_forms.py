"""What a short form is chosen by: the path of questions, each worth most next, and trimming it.

Contexts lie here a column a row, so that a step over all people is one over whole lanes.
"""

import math
from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Columns, Flags, Floats, Ints, aligned
from askless.kernels.compiling import internal, kernel
from askless.kernels.lanes import WIDTH, fma, larger, load, padded, spread, spread_from, total
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
    within: Floats  # (p, p) sums of products of these
    products: Floats  # (p, K) sums of their products with what the models expect
    shown: Floats  # (K, n and zeros) the models, projected on them
    basis: Floats  # (widest, n and zeros) scratch
    row: Floats  # (p,) scratch
    slopes: Floats  # (widest, K) scratch
    gram: Floats  # (p, p) sums of products of the contexts' columns
    cross: Floats  # (p, K) of those and what the models expect
    factor: Floats  # (p, p) scratch
    pivots: Floats  # (p,) scratch
    solution: Floats  # (p, K) scratch
    columns: Ints  # (p,) scratch


def forming(
    people: Floats,
    gram: Floats,
    fitted: Floats,
    allowed: Flags,
    *,
    candidate: Ints,
    forced: Ints,
    cost: Floats,
    widest: int,
) -> Forming:
    """Return people (n × p), what arms expect of them (n × K), which they may get, and room.

    `gram` has the sums of products of the people's columns.
    """
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
        within=np.zeros((p, p)),
        products=np.zeros((p, count)),
        shown=room(count, wide),
        basis=room(widest, wide),
        row=np.zeros(p),
        slopes=np.zeros((widest, count)),
        gram=gram,
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
    wide = form.people.shape[1]
    for j in range(form.people.shape[0]):  # the constant, column 0, is taken from the start
        mean = form.gram[0, j] / n
        for i in range(n):
            form.left[j, i] = form.people[j, i] - mean
        for i in range(form.people.shape[0]):
            form.within[j, i] = form.gram[j, i] - mean * form.gram[0, i]
        for k in range(form.fitted.shape[0]):
            form.products[j, k] = form.cross[j, k] - mean * form.cross[0, k]
    for k in range(form.fitted.shape[0]):
        mean = sum_of(form.fitted[k], wide) / n
        for i in range(n):
            form.shown[k, i] = mean + form.may[k, i]
    taken, paid = 0, 0.0
    for g in range(form.cost.shape[0]):
        if form.forced[g]:
            take_question(questions, form, g, n)
            form.path[taken] = g
            taken += 1
            paid += form.cost[g]
    form.values[0] = worth(form, form.basis, 0, 0, n) - price * paid
    steps = 0
    while True:
        chosen, most, value = -1, 0.0, 0.0
        for g in range(form.cost.shape[0]):
            if form.candidate[g] and not form.taken[g]:
                own, explained = with_question(questions, form, g, n)
                own -= price * (paid + form.cost[g])
                if chosen < 0 or own + TIE * math.sqrt(explained) > most:
                    chosen, most, value = g, own + TIE * math.sqrt(explained), own
        if chosen < 0:
            return steps
        take_question(questions, form, chosen, n)
        form.path[taken] = chosen
        taken += 1
        steps += 1
        paid += form.cost[chosen]
        form.values[steps] = value


@internal()
def with_question(questions: Columns, form: Forming, g: int, n: int) -> tuple[float, float]:
    """Return what the questions taken are worth with g, and what g explains of how arms differ."""
    j = questions.first[g]
    if questions.width[g] > 1:
        count, explained = span(questions, form, g, n)
        return worth(form, form.basis, 0, count, n), explained
    # One column is a basis by itself, and what it has to do with the models is known.
    squares = float(form.within[j, j])
    if squares < TINY * n:
        return worth(form, form.left, j, 0, n), 0.0
    for k in range(form.fitted.shape[0]):
        form.slopes[0, k] = form.products[j, k] / squares
    return worth_of_one(form, j, n), squares * apart(form, 0, n)


@internal()
def apart(form: Forming, b: int, n: int) -> float:
    """Return how far arms' slopes along a column are apart, a person and arm."""
    count, mean, squares = int(form.fitted.shape[0]), 0.0, 0.0
    for k in range(count):
        mean += float(form.slopes[b, k]) / count
    for k in range(count):
        squares += (float(form.slopes[b, k]) - mean) ** 2
    return squares / (n * count)


@internal()
def span(questions: Columns, form: Forming, g: int, n: int) -> tuple[int, float]:
    """Put an orthonormal basis of what question g adds into `basis`, its slopes beside it.

    Returns its size, and what it explains of how arms differ.
    """
    count, explained, wide = 0, 0.0, form.people.shape[1]
    for j in range(questions.first[g], questions.first[g] + questions.width[g]):
        own = form.basis[count]
        copy(form.left[j], wide, own)
        for b in range(count):
            add_multiple(-dot(form.basis[b], own, wide), form.basis[b], own, wide)
        squares = dot(own, own, wide)
        if squares < TINY * n:
            continue
        scale = 1.0 / math.sqrt(squares)
        for i in range(n):
            own[i] *= scale
        for k in range(form.fitted.shape[0]):
            form.slopes[count, k] = dot(own, form.fitted[k], wide)
        explained += apart(form, count, n)
        count += 1
    return count, explained


@internal()
def worth(form: Forming, rows: Floats, first: int, count: int, n: int) -> float:
    """Return the mean reward of everyone's best arm, with multiples of some rows added to `shown`.

    They are `count` rows from the `first` on, the multiples those in `slopes`.
    """
    everyone = spread(0.0)
    for i in range(0, form.people.shape[1], WIDTH):
        best = spread(BARRED)
        for k in range(form.shown.shape[0]):
            own = load(form.shown[k], i)
            for b in range(count):
                own = fma(spread_from(form.slopes[b], k), load(rows[first + b], i), own)
            best = larger(best, own)
        everyone = fma(spread(1.0), best, everyone)
    return float(total(everyone)) / n


@internal()
def worth_of_one(form: Forming, j: int, n: int) -> float:
    """Return the same with multiples of column j of `left` alone: four lanes share a slope."""
    column, shown, slopes, wide = form.left[j], form.shown, form.slopes[0], form.people.shape[1]
    everyone, barred, one = spread(0.0), spread(BARRED), spread(1.0)
    whole = wide // (4 * WIDTH) * 4 * WIDTH
    for i in range(0, whole, 4 * WIDTH):
        a = b = c = d = barred
        p, q, r, s = (
            load(column, i),
            load(column, i + WIDTH),
            load(column, i + 2 * WIDTH),
            load(column, i + 3 * WIDTH),
        )
        for k in range(shown.shape[0]):
            row, slope = shown[k], spread_from(slopes, k)
            a = larger(a, fma(slope, p, load(row, i)))
            b = larger(b, fma(slope, q, load(row, i + WIDTH)))
            c = larger(c, fma(slope, r, load(row, i + 2 * WIDTH)))
            d = larger(d, fma(slope, s, load(row, i + 3 * WIDTH)))
        everyone = fma(one, a, fma(one, b, fma(one, c, fma(one, d, everyone))))
    for i in range(whole, wide, WIDTH):
        a, p = barred, load(column, i)
        for k in range(shown.shape[0]):
            a = larger(a, fma(spread_from(slopes, k), p, load(shown[k], i)))
        everyone = fma(one, a, everyone)
    return float(total(everyone)) / n


@internal()
def take_question(questions: Columns, form: Forming, g: int, n: int) -> None:
    """Add question g to those taken, a column at a time."""
    form.taken[g] = 1
    last = questions.first[g] + questions.width[g]
    for j in range(questions.first[g], last):
        if form.within[j, j] >= TINY * n:
            for k in range(form.shown.shape[0]):
                slope = form.products[j, k] / form.within[j, j]
                add_multiple(slope, form.left[j], form.shown[k], form.people.shape[1])
            for i in range(j + 1, last):
                take_out(form, i, j)
            for h in range(form.cost.shape[0]):
                if (form.candidate[h] or form.forced[h]) and not form.taken[h]:
                    for i in range(questions.first[h], questions.first[h] + questions.width[h]):
                        take_out(form, i, j)
            for i in range(form.people.shape[0]):  # what `take_out` has left for the last
                form.row[i] = form.within[i, j]
            for a in range(form.people.shape[0]):
                share = form.row[a] / form.row[j]
                for b in range(form.people.shape[0]):
                    form.within[a, b] -= share * form.row[b]


@internal()
def take_out(form: Forming, i: int, j: int) -> None:
    """Take out of column i what column j tells, but for the products of columns."""
    share = form.within[i, j] / form.within[j, j]
    add_multiple(-share, form.left[j], form.left[i], form.people.shape[1])
    for k in range(form.shown.shape[0]):
        form.products[i, k] -= share * form.products[j, k]


@kernel()
def trim(questions: Columns, form: Forming, n: int, price: float) -> float:
    """Take questions out of `form.taken` while that raises its value; return the value then."""
    value = value_of(questions, form, n, price)
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
    everyone = spread(0.0)
    for a in range(0, form.people.shape[1], WIDTH):
        best = spread(BARRED)
        for k in range(count):
            own = load(form.may[k], a)
            for i in range(size):
                own = fma(spread(solution[i, k]), load(form.people[columns[i]], a), own)
            best = larger(best, own)
        everyone = fma(spread(1.0), best, everyone)
    return float(total(everyone)) / n - price * paid

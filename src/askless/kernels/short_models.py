"""What visits are decided by once a form stands: the arms' models on it, and whole (maths 9.3).

Here also lies all that is kept of short forms: `Shorts`.
"""

import math
from typing import NamedTuple

from askless.kernels.bundles import Arms, Flags, Floats, Ints, Rule
from askless.kernels.choosing import NOBODY, is_compared
from askless.kernels.compiling import internal
from askless.kernels.epochs import Epochs
from askless.kernels.noise import middle, pooled, solve
from askless.kernels.ridge import TIED, gather
from askless.kernels.triangle import dot, factor, largest, times

RING = 500  # contexts of full visits that are kept
LEAST = 1e-9  # on the diagonal of a prior's variance

# Where in Shorts.counts is:
STANDS = 0  # 1 while a form stands
SIZE = 1  # how many columns it has, the constant included
FULL_VISITS = 2  # full and check visits learned
VISITS = 3  # all visits learned
NEXT = 4  # with how many full ones the next form is chosen
WITHDRAWN = 5  # forms withdrawn
PEOPLE = 6  # contexts in the ring
OLDEST = 7  # where in it the next one goes
ASKED = 8  # questions of a full visit
ASKED_SHORT = 9  # of a short one
FORM = 10  # which form the short sums are of, from 1; 0 before there is one
DUE = 11  # 1 where the compiled loop has stopped for a form to be chosen
COUNTS = 12

# Where in Shorts.numbers is, prices and rewards in units of the range:
PRICE = 0  # of a question, as in force
CAUTION = 1  # r, by which it is multiplied where a form is chosen
FLOOR = 2  # the smallest share of full visits
COST = 3  # of a full visit, in weights of questions
COST_SHORT = 4  # of a short one
LOG_WEALTH = 5
BETS = 6  # w, s and q of the bets (maths 9.4)
LOSS = 9  # of the loss so far: sums of 1, U, (U - mean)^2, bets, bets times U, what they may err
WHOLE_WIDTH = 15  # of the scores of whole models: tau times the noise when they were derived
NUMBERS = 16


class Shorts(NamedTuple):
    """The short form of a policy, its models and what is known about its cost.

    P counts columns; what belongs to a form is packed: its columns come first.
    """

    counts: Ints  # (COUNTS,)
    numbers: Floats  # (NUMBERS,)
    form: Ints  # (m,) 1 for its questions
    everyone: Ints  # (m,) 1 for the questions asked of everyone
    wanted: Ints  # (m,) 1 for those that full visits are asked
    live: Ints  # (K,) 1 for the arms that are not retired
    cost: Floats  # (m,) weights of the questions
    columns: Ints  # (P,) which columns the form has, in order
    ring: Floats  # (RING, P) contexts, NaN for what was not asked
    may: Ints  # (RING, K) 1 for the arms that those visits could get
    projection: Floats  # (P, P) B, contexts on the form's columns: as many rows as that has
    prior: Floats  # (K, P, P) lower triangle L, with V = L L'
    pull: Floats  # (K, P) inv(L) m
    gram: Floats  # (K, P, P) LA, sum of z z' over short visits
    moment: Floats  # (K, P) Lc, sum of z y / R
    rows: Ints  # (K,) short visits in them
    renewed: Ints  # (K,) as many when the model was derived last
    spread: Floats  # (K, P, P) Sigma
    estimate: Floats  # (K, P) b, in units of the range from its middle
    width: Floats  # (K,) half the noise then
    told: Floats  # (K, P, P) T, what short visits of earlier forms and checks have told
    tells: Floats  # (K, P) t
    whole_root: Floats  # (K, P and zeros, same) lower triangle M, M'M = inv(D'') on the arm's own
    whole_estimate: Floats  # (K, P and zeros) b'', in units of the range from its middle
    scores: Floats  # (K,) of the context scored last
    packed: Floats  # (P,) scratch
    work: Floats  # (2, P, P) scratch
    known_root: Floats  # (P and zeros, same) scratch
    known_estimate: Floats  # (P and zeros,) scratch
    known_gram: Floats  # (P and zeros, same) scratch
    known_weights: Floats  # (P and zeros,) scratch


@internal()
def winner(shorts: Shorts, epochs: Epochs, allowed: Flags, now: int, z: Floats) -> int:
    """Score the arms that visit `now` may get and that are past their start; return the best."""
    size, packed, scores = shorts.counts[SIZE], shorts.packed, shorts.scores
    for i in range(size):
        packed[i] = z[shorts.columns[i]]
    for k in range(shorts.rows.shape[0]):
        compared = shorts.live[k] and is_compared(epochs, allowed, now, k)
        scores[k] = score(shorts, k, packed, size) if compared else -math.inf
    highest = largest(scores)
    if highest == -math.inf:
        return NOBODY
    k, enough = 0, highest - TIED * (1.0 + abs(highest))
    while scores[k] < enough:
        k += 1
    return k


@internal()
def score(shorts: Shorts, k: int, packed: Floats, size: int) -> float:
    """Return arm k's score of the answers to a form."""
    mean, squared = 0.0, 0.0
    for i in range(size):
        row, total = shorts.spread[k, i], 0.0
        for j in range(size):
            total += row[j] * packed[j]
        squared += packed[i] * total
        mean += packed[i] * shorts.estimate[k, i]
    return mean + float(shorts.width[k]) * math.sqrt(max(squared, 0.0))


@internal()
def add_told(
    arms: Arms, shorts: Shorts, k: int, shift: float, gram: Floats, moment: Floats
) -> None:
    """Add what the present form's visits tell about arm k: B' LA B (lower triangle) and B' Lc.

    Both are on the arm's own columns, packed.
    """
    size, many, columns = arms.size[k], shorts.counts[SIZE], arms.columns[k]
    projection, lead = shorts.projection, shorts.work[0]
    for a in range(many):
        for i in range(size):
            lead[a, i] = 0.0
        for b in range(many):
            for i in range(size):
                lead[a, i] += shorts.gram[k, a, b] * projection[b, columns[i]]
    for i in range(size):
        for a in range(many):
            own = projection[a, columns[i]]
            for j in range(i + 1):
                gram[i, j] += own * lead[a, j]
            moment[i] += own * (shorts.moment[k, a] - shift * shorts.gram[k, a, 0])


@internal()
def fold(rule: Rule, arms: Arms, shorts: Shorts, k: int) -> None:
    """Move what the present form's visits tell about arm k into T and t; its sums begin anew."""
    size, columns, gram, moment = arms.size[k], arms.columns[k], shorts.known_gram, arms.work[0]
    gram[:size, :size] = 0.0
    moment[:] = 0.0
    add_told(arms, shorts, k, middle(rule), gram, moment)
    for i in range(size):
        for j in range(i):
            shorts.told[k, columns[j], columns[i]] += gram[i, j]
        for j in range(i + 1):
            shorts.told[k, columns[i], columns[j]] += gram[i, j]
        shorts.tells[k, columns[i]] += moment[i]
    shorts.gram[k] = 0.0
    shorts.moment[k] = 0.0
    shorts.rows[k] = 0


@internal()
def know(
    rule: Rule,
    arms: Arms,
    epochs: Epochs,
    shorts: Shorts,
    k: int,
    now: bool,
    root: Floats,
    estimate: Floats,
) -> None:
    """Put M, with M'M = inv(D'), and b' of arm k into place; `now`: with the present form's sums.

    D' is out of full visits and of what others have told.
    """
    size, columns, ridge = arms.size[k], arms.columns[k], arms.ridge[k]
    gram, moment = shorts.known_gram, arms.work[0]
    moment[:] = 0.0
    for i in range(size):
        moment[i] += shorts.tells[k, columns[i]] + ridge * epochs.model_estimate[k, i]
        for j in range(i + 1):
            gram[i, j] = arms.gram[k, i, j] + shorts.told[k, columns[i], columns[j]]
            moment[i] += arms.gram[k, i, j] * epochs.model_estimate[k, j]
        for j in range(i):
            moment[j] += arms.gram[k, i, j] * epochs.model_estimate[k, i]
    if now:
        add_told(arms, shorts, k, middle(rule), gram, moment)
    factor(gram, ridge, size, root, shorts.known_weights)
    solve(root, shorts.known_weights, moment, size, arms.work[1], estimate)
    for i in range(size):
        scale = math.sqrt(shorts.known_weights[i])
        for j in range(i + 1):
            root[i, j] *= scale


@internal()
def set_prior(rule: Rule, arms: Arms, epochs: Epochs, shorts: Shorts, k: int) -> None:
    """Put arm k's model, without the present form's sums, projected on the form, into `prior`."""
    size, own, columns = shorts.counts[SIZE], arms.size[k], arms.columns[k]
    lower, pull, half = shorts.prior[k], shorts.pull[k], shorts.work[0]
    root, estimate = shorts.known_root, shorts.known_estimate
    know(rule, arms, epochs, shorts, k, False, root, estimate)
    for a in range(size):
        pull[a] = 0.0
        for i in range(own):
            pull[a] += shorts.projection[a, columns[i]] * estimate[i]
            half[a, i] = 0.0
            for j in range(i + 1):
                half[a, i] += shorts.projection[a, columns[j]] * root[i, j]
    for a in range(size):  # L L' = half half' and a little on the diagonal, row by row
        lower[a, a:] = 0.0
        for b in range(a + 1):
            left = LEAST if a == b else 0.0
            for i in range(own):
                left += half[a, i] * half[b, i]
            for i in range(b):
                left -= lower[a, i] * lower[b, i]
            lower[a, b] = math.sqrt(max(left, LEAST)) if a == b else left / lower[b, b]
    for a in range(size):  # pull = inv(L) m
        for b in range(a):
            pull[a] -= lower[a, b] * pull[b]
        pull[a] /= lower[a, a]


@internal()
def whole_mean(arms: Arms, shorts: Shorts, k: int, z: Floats) -> float:
    """Return what arm k's whole model expects, in units of the range from its middle."""
    mean, columns = 0.0, arms.columns[k]
    for i in range(arms.size[k]):
        mean += shorts.whole_estimate[k, i] * z[columns[i]]
    return mean


@internal()
def whole_score(rule: Rule, arms: Arms, shorts: Shorts, k: int, z: Floats) -> float:
    """Score arm k by its whole model, in its reward units (maths 9.1)."""
    size, packed, projected = arms.size[k], arms.work[0], arms.projected[k]
    gather(arms, k, z, packed)
    times(shorts.whole_root[k], packed, size, projected)
    arms.ready[k] = 0
    above = float(shorts.numbers[WHOLE_WIDTH]) * math.sqrt(dot(projected, projected, size))
    return rule.span * (dot(packed, shorts.whole_estimate[k], size) + above + middle(rule))


@internal()
def tell(rule: Rule, arms: Arms, shorts: Shorts, k: int, z: Floats, y: float, sign: float) -> None:
    """Let a check tell arm k what it has brought, or take it back: no test ever sees it."""
    excess = sign * (y - middle(rule))
    for i in range(arms.size[k]):
        a = arms.columns[k, i]
        for j in range(arms.size[k]):
            b = arms.columns[k, j]
            shorts.told[k, a, b] += sign * z[a] * z[b]
        shorts.tells[k, a] += excess * z[a]


@internal()
def learn(rule: Rule, arms: Arms, shorts: Shorts, k: int, z: Floats, y: float, sign: float) -> None:
    """Add a short visit to arm k's sums, or take it out; derive its model anew when it is time."""
    size, columns = shorts.counts[SIZE], shorts.columns
    for i in range(size):
        x = sign * z[columns[i]]
        for j in range(size):
            shorts.gram[k, i, j] += x * z[columns[j]]
        shorts.moment[k, i] += x * y
    shorts.rows[k] += 1 if sign > 0.0 else -1
    since = shorts.rows[k] - shorts.renewed[k]
    if since < 0 or since >= max(1, shorts.renewed[k] // 10):
        derive(rule, arms, shorts, k)


@internal()
def derive(rule: Rule, arms: Arms, shorts: Shorts, k: int) -> None:
    """Derive arm k's model from its prior and its sums."""
    size, root, gram = shorts.counts[SIZE], shorts.prior[k], shorts.gram[k]
    within, half, told = shorts.work[0], shorts.work[1], shorts.packed
    shift = middle(rule)
    # Sigma = L inv(I + L' LA L) L', which inverts nothing that is nearly singular.
    for i in range(size):
        for j in range(size):
            half[i, j] = 0.0
            for a in range(j, size):
                half[i, j] += gram[i, a] * root[a, j]
    for i in range(size):
        told[i] = shorts.pull[k, i]
        for a in range(i, size):
            told[i] += root[a, i] * (shorts.moment[k, a] - shift * gram[a, 0])
        for j in range(size):
            within[i, j] = 1.0 if i == j else 0.0
            for a in range(i, size):
                within[i, j] += root[a, i] * half[a, j]
    invert(within, size)
    for i in range(size):
        shorts.estimate[k, i] = 0.0
        for j in range(size):
            half[i, j] = 0.0
            for a in range(i + 1):
                half[i, j] += root[i, a] * within[a, j]
            shorts.estimate[k, i] += half[i, j] * told[j]
    for i in range(size):
        for j in range(size):
            shorts.spread[k, i, j] = 0.0
            for a in range(j + 1):
                shorts.spread[k, i, j] += half[i, a] * root[j, a]
    shorts.width[k] = 0.5 * math.sqrt(pooled(arms))
    shorts.renewed[k] = shorts.rows[k]


@internal()
def invert(matrix: Floats, size: int) -> None:
    """Replace a positive definite matrix by its inverse, by Gauss and Jordan's elimination."""
    for a in range(size):
        pivot = 1.0 / matrix[a, a]
        for i in range(size):
            if i != a:
                weight = matrix[i, a] * pivot
                for j in range(size):
                    if j != a:
                        matrix[i, j] -= weight * matrix[a, j]
                matrix[i, a] = -weight
        for j in range(size):
            if j != a:
                matrix[a, j] *= pivot
        matrix[a, a] = pivot

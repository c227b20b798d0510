"""The fused loop: simulated visits from context to learned row, without leaving compiled code."""

import math

from askless.kernels import ahead, ridge
from askless.kernels.asking import open_asking
from askless.kernels.bundles import ASK, Arms, Floats, Ints, open_header
from askless.kernels.compiling import internal, kernel
from askless.kernels.epochs import open_epochs
from askless.kernels.machine import call_at
from askless.kernels.outcome import outcome
from askless.kernels.protocol import UNDECIDED
from askless.kernels.triangle import largest


@kernel()
def play_visits(
    address: int,
    future: ahead.Ahead,
    contexts: Floats,
    luck: Floats,
    matter: Ints,
    coefficients: Floats,
    noise: tuple[int, float, float],
    always: Ints,
    draws: Floats,
    begun: int,
    drops: Ints,
    played: Ints,
    radii: Floats,
    regret: Floats,
    asked: Ints,
) -> None:
    """Play one visit a row of `contexts` and learn from it.

    `address` is that of the header of a policy's buffers. Rewards depend on the columns that
    `matter` by `coefficients`; both have one more at the end, which is zero. `noise` is (form,
    spread, smallest reward in units). `draws` are numbers in [0, 1) where the arm is drawn,
    else -1. `begun` visits were played before;
    `drops` gets the visit at which an arm dropped a question. Per visit: the arm `played`, the
    radius of its set (of `radii`), its expected `regret`, and how many questions were `asked`.
    """
    _, rule, arms = open_header(address)
    form, spread, low = noise
    expected, arm_count, count = future.expected, coefficients.shape[0], matter.shape[0] - 1
    questions = count_asked(arms.support, always)
    for start in range(0, contexts.shape[0], ahead.AHEAD):
        block = contexts[start : start + ahead.AHEAD]
        ahead.look(future, arms, block)
        for k in range(arm_count):
            ahead.combine(future.contexts, matter, coefficients[k], count, expected[k])
        for t in range(block.shape[0]):
            now, z = start + t, block[t]
            ahead.fetch_row(contexts, now + ahead.AHEAD)
            best = ahead.best_arm(future, rule, arms, t)
            if draws[now] >= 0.0:
                best = drawn_arm(address, draws[now], best)
            played[now], radii[now] = best, arms.radius[best]
            regret[now] = largest(expected[:, t]) - expected[best, t]
            asked[now] = questions
            y = outcome(form, spread, low, rule.span, expected[best, t], luck[now])
            if ahead.learn(future, rule, arms, best, t, z, y) > 0:
                questions = count_asked(arms.support, always)
                note_drops(arms, best, begun + now + 1, drops)
    for k in range(arm_count):
        ridge.catch_up(arms, k)


@kernel()
def play_interactive_visits(
    address: int,
    contexts: Floats,
    luck: Floats,
    coefficients: Floats,
    noise: tuple[int, float, float],
    draws: Floats,
    begun: int,
    drops: Ints,
    played: Ints,
    radii: Floats,
    regret: Floats,
    asked: Ints,
    others: Ints,
) -> None:
    """Play visits one after the other, each asked no more than it must be; see `play_visits`.

    `others` gets 1 where the full survey would have given another arm.
    """
    columns, rule, arms = open_header(address)
    asking = open_asking(address)[0]
    form, spread, low = noise
    count, p = coefficients.shape[0], contexts.shape[1]
    asking.live[:] = 1
    for now in range(contexts.shape[0]):
        z = contexts[now]
        asking.z[:] = math.nan
        asking.z[0] = 1.0
        asked[now] = 0
        best = call_at(arms.links[ASK], address, 0)
        while best == UNDECIDED:
            for g in range(asking.asks.shape[0]):
                if asking.asks[g]:
                    asked[now] += 1
                    for j in range(columns.first[g], columns.first[g] + columns.width[g]):
                        asking.z[j] = z[j]
            best = call_at(arms.links[ASK], address, 0)
        others[now] = ridge.best_arm(rule, arms, asking.live, z) != best
        if draws[now] >= 0.0:
            best = drawn_arm(address, draws[now], best)
            for g in range(columns.first.shape[0]):  # it must be asked what it learns
                asked[now] += arms.support[best, g] and math.isnan(asking.z[columns.first[g]])
        played[now], radii[now] = best, arms.radius[best]
        expected, most = 0.0, -math.inf
        for k in range(count):
            mean = 0.0
            for j in range(p):
                mean += coefficients[k, j] * z[j]
            most = max(most, mean)
            if k == best:
                expected = mean
        regret[now] = most - expected
        y = outcome(form, spread, low, rule.span, expected, luck[now])
        if ridge.learn(rule, arms, best, z, y, 0) > 0:
            note_drops(arms, best, begun + now + 1, drops)


@internal()
def drawn_arm(address: int, draw: float, best: int) -> int:
    """Return an arm with undecided questions, drawn evenly; the best arm where there is none."""
    undecided, count = open_epochs(address).undecided, 0
    for k in range(undecided.shape[0]):
        count += undecided[k] > 0
    chosen = int(draw * count)
    for k in range(undecided.shape[0]):
        if undecided[k] > 0:
            if chosen == 0:
                return k
            chosen -= 1
    return best


@internal()
def note_drops(arms: Arms, k: int, visit: int, drops: Ints) -> None:
    """Note the visit at which arm k has just dropped questions."""
    for g in range(drops.shape[1]):
        if arms.dropped_at[k, g] >= arms.n[k] - 1:  # perhaps before the row learned since
            drops[k, g] = visit


@internal()
def count_asked(support: Ints, always: Ints) -> int:
    """Count the questions that some arm uses or that everyone is asked."""
    count = 0
    for g in range(always.shape[0]):
        used = always[g]
        for k in range(support.shape[0]):
            used |= support[k, g]
        count += used
    return count

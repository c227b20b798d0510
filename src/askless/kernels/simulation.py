"""The fused loop: simulated visits from context to learned row, without leaving compiled code."""

from askless.kernels import ahead, ridge
from askless.kernels.bundles import Floats, Ints, open_header
from askless.kernels.compiling import kernel
from askless.kernels.outcome import outcome
from askless.kernels.triangle import largest


@kernel()
def play_visits(
    address: int,
    future: ahead.Ahead,
    contexts: Floats,
    luck: Floats,
    every: Ints,
    coefficients: Floats,
    noise: tuple[int, float, float],
    always: Ints,
    begun: int,
    drops: Ints,
    played: Ints,
    regret: Floats,
    asked: Ints,
) -> None:
    """Play one visit a row of `contexts` and learn from it.

    `address` is that of the header of a policy's buffers. `every` column and its `coefficients` get
    one more at the end, which is zero. `noise` is (form, spread, smallest reward in units). `begun`
    visits were played before; `drops` gets the visit at which an arm dropped a question. Per visit:
    the arm `played`, its expected `regret`, and how many questions were `asked`.
    """
    _, rule, arms = open_header(address)
    form, spread, low = noise
    expected, arm_count = future.expected, coefficients.shape[0]
    questions = count_asked(arms.support, always)
    for start in range(0, contexts.shape[0], ahead.AHEAD):
        block = contexts[start : start + ahead.AHEAD]
        ahead.look(future, arms, block)
        for k in range(arm_count):
            ahead.combine(future.contexts, every, coefficients[k], contexts.shape[1], expected[k])
        for t in range(block.shape[0]):
            now, z = start + t, block[t]
            best = ahead.best_arm(future, rule, arms, t)
            played[now] = best
            regret[now] = largest(expected[:, t]) - expected[best, t]
            asked[now] = questions
            y = outcome(form, spread, low, rule.span, expected[best, t], luck[now])
            if ahead.learn(future, rule, arms, best, t, z, y) > 0:
                questions = count_asked(arms.support, always)
                for g in range(always.shape[0]):
                    if arms.dropped_at[best, g] == arms.n[best] - 1:  # dropped before this row
                        drops[best, g] = begun + now + 1
    for k in range(arm_count):
        ridge.catch_up(arms, k)


@kernel()
def count_asked(support: Ints, always: Ints) -> int:
    """Count the questions that some arm uses or that everyone is asked."""
    count = 0
    for g in range(always.shape[0]):
        used = always[g]
        for k in range(support.shape[0]):
            used |= support[k, g]
        count += used
    return count

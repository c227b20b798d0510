"""The fused loop: simulated visits from context to learned row, without leaving compiled code."""

import numpy as np

from askless.kernels import ridge
from askless.kernels.bundles import Floats, Ints, open_arms, open_columns
from askless.kernels.compiling import kernel
from askless.kernels.outcome import expected_rewards, outcome


@kernel()
def play_visits(
    buffers: tuple[Ints, Floats, Ints, Floats],
    contexts: Floats,
    luck: Floats,
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

    `noise` is (form, spread, smallest reward in units). `begun` visits were played before; `drops`
    gets the visit at which an arm dropped a question. Per visit: the arm `played`, its expected
    `regret`, and how many questions were `asked`.
    """
    columns = open_columns(buffers[0], buffers[1])
    rule, arms = open_arms(buffers[2], buffers[3])
    form, spread, low = noise
    expected = np.empty(coefficients.shape[0])
    live = np.ones(coefficients.shape[0], dtype=np.bool_)
    questions = count_asked(arms.support, always)
    for t in range(contexts.shape[0]):
        z = contexts[t]
        best = ridge.best_arm(arms, live, z)
        right = expected_rewards(coefficients, z, expected)
        played[t] = best
        regret[t] = expected[right] - expected[best]
        asked[t] = questions
        y = outcome(form, spread, low, rule.span, expected[best], luck[t])
        if ridge.learn(columns, rule, arms, best, z, y, True) > 0:
            questions = count_asked(arms.support, always)
            for g in range(always.shape[0]):
                if arms.support[best, g] == 0 and drops[best, g] == 0:
                    drops[best, g] = begun + t + 1


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

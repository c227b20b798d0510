"""What must still be shown before a kept question can be dropped, and how long that takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from askless.core.words import MOST_ROWS
from askless.policies.epoch_state import EpochState

if TYPE_CHECKING:
    from askless.core.arrays import Flags
    from askless.policies.linear_ucb import LinearUCB

__all__ = ["line_of", "said_of_remaining"]

AGAINST = -2.0  # a logarithm from which on rewards speak for an effect (maths 5.1)
WARM = 0.2  # of the rows that tests will need, before the first one, as in the core
SHOWN_DIGITS = 2  # of a number of visits


def line_of(model: EpochState, k: int) -> float:
    """Return what a test's logarithm must reach in an arm (maths 5.1, step 3)."""
    kept = max(int(model.arms.support[k].sum()), 1)
    tests = (1.0 - model.rule.set_part) * model.arms.share[k]
    return float(np.log(kept / tests))


def said_of_remaining(
    policy: LinearUCB, model: EpochState, k: int, g: int, names: list[str], judged: Flags
) -> str:
    """Say what rewards must still show of a kept question, and how long that takes."""
    epochs, first = model.epochs, model.survey.columns.start[g]
    if epochs.warm[k]:
        return f"; nothing has been tested in this arm yet{_begins(policy, model, k)}"
    place = slice(first, first + len(names))
    line, logs, pace = line_of(model, k), epochs.logs[k, place], epochs.pace[k, place]
    sides = [
        (name, side, float(logs[d, side]), float(pace[d, side]))
        for d, name in enumerate(names)
        for side in (0, 1)
        if judged[first + d] and not epochs.passed[k, first + d, side]
    ]
    if not sides:
        return ""
    against = [one for one in sides if one[2] <= AGAINST]
    if against:
        name, side, *_ = min(against, key=lambda one: one[2])
        return (
            "; it is to stay, as rewards look: they speak against the claim that"
            f" {_shown(name, side, policy.beta_min)}"
        )
    rows = [(line - log) / gain if gain > 0 else math.inf for _, _, log, gain in sides]
    worst = int(np.argmax(rows))
    name, side, *_ = sides[worst]
    others = len(sides) - 1
    more = f", and {others} more such comparison{'s' * (others > 1)}" if others else ""
    said = f"; to drop it, rewards must still show that {_shown(name, side, policy.beta_min)}{more}"
    size, held, need = (int(part[k]) for part in (model.arms.size, epochs.held, epochs.need))
    if math.isinf(rows[worst]):
        return (
            f"{said}; how many visits that takes can be said at the next look at the rewards, after"
            f" about {_about(max(need - held, 1)):,} more full visits with this arm"
        )
    left = max(size + rows[worst] - held, need - held, 1)
    return (
        f"{said}; if it has no effect, that takes about {_about(left):,} more full visits with"
        " this arm"
    )


def _begins(policy: LinearUCB, model: EpochState, k: int) -> str:
    """Say when warm-up ends, which is a part of what tests need (maths 8.7), once that is known."""
    arms, epochs = model.arms, model.epochs
    if not epochs.spread[k]:
        return ""
    spread = float(arms.n[k] * epochs.spread[k]) * (policy.reward.span / policy.beta_min) ** 2
    rows = max(3.0 * arms.size[k], WARM * 2.0 * float(arms.noise[k]) * line_of(model, k) * spread)
    left = max(min(rows, MOST_ROWS) - float(arms.n[k] + epochs.held[k]), 1.0)
    return f", and tests begin after about {_about(left):,} more full visits with it"


def _shown(name: str, side: int, beta_min: float) -> str:
    """Say what a side of a direction is about: the first answer is not far above, or below."""
    first, dash, second = name.partition(" - ")
    than = "less" if side else "more"
    if not dash or " - " in second:  # an answer has a dash of its own
        return f"{name} is less than {beta_min:g} {than} than nothing"
    return f"{first} brings less than {beta_min:g} {than} than {second}"


def _about(count: float) -> int:
    """Return a number of visits to two digits, rounded up."""
    scale = 10 ** max(math.floor(math.log10(count)) + 1 - SHOWN_DIGITS, 0)
    return int(math.ceil(count / scale) * scale)

"""How sure effects are: which are other than zero, and which of them come first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from askless.evaluation.analysis import Analysis
from askless.policies import Effect

__all__ = ["is_sure", "surest", "telling"]


def is_sure(effect: Effect) -> bool:
    """Say whether an effect is not zero, by its interval at the end; without one, at all times."""
    low, high = _ends(effect)
    if effect.estimate is None or low is None or high is None:
        return False
    return low > 0 or high < 0


def surest(effects: Sequence[Effect], most: int) -> list[Effect]:
    """Return the effects that are furthest from zero beside their intervals.

    Those without an interval at the end come last.
    """
    known = [effect for effect in effects if effect.estimate is not None]
    return sorted(known, key=lambda row: (row.end_low is None, -_sureness(row)))[:most]


def telling(analysis: Analysis) -> list[Effect]:
    """Return the effects with an interval that is less than all that rewards allow."""
    span = analysis.study.reward.span
    return [
        row
        for row in analysis.effects
        if row.estimate is not None
        if row.end_low is not None or (row.low, row.high) not in ((-span, span), (None, None))
    ]


def _sureness(effect: Effect) -> float:
    """Return the estimate beside its interval's half-width; one end may be cut to the range."""
    (low, high), estimate = _ends(effect), effect.estimate or 0.0
    if low is None or high is None:
        return 0.0
    slack = max(high - estimate, estimate - low)
    return abs(estimate) / slack if slack > 0 else math.inf


def _ends(effect: Effect) -> tuple[float | None, float | None]:
    """Return the ends of the interval at the end; without one, of that at all times."""
    if effect.end_low is None or effect.end_high is None:
        return effect.low, effect.high
    return effect.end_low, effect.end_high

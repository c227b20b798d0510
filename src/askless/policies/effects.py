"""What a policy knows about each question in each arm: estimate, interval, kept or dropped, why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.kernels import ridge

if TYPE_CHECKING:
    from askless.policies.linear_ucb import LinearUCB

__all__ = ["Effect"]


@dataclass(frozen=True)
class Effect:
    """The effect of one question in one arm (maths 1.1), in reward units.

    Reads as an object, `row.high`, or as a mapping: `row["high"]`, `dict(row)`.

    Attributes
    ----------
    arm, question : str
        Their names.
    estimate, low, high : float
        The estimated effect and its interval; for a dropped question those at the drop.
    kept : bool
        Whether the arm's model still uses the question.
    dropped_at : int or None
        How many rows the arm had learned when it was dropped.
    reason : str
        Why it is kept or was dropped.
    """

    arm: str
    question: str
    estimate: float
    low: float
    high: float
    kept: bool
    dropped_at: int | None
    reason: str

    def keys(self) -> Iterator[str]:
        """Return the names of the fields."""
        return (field.name for field in fields(self))

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return getattr(self, key)


def effect_rows(policy: LinearUCB) -> list[Effect]:
    """Return one row an arm and question, arms first."""
    model = policy._model
    state = model.arms
    rows = []
    for k, arm in enumerate(policy.arms):
        at = model.first_packed(k)
        for g, question in enumerate(policy.survey.names):
            kept = bool(state.support[k, g])
            interval = state.evidence[k, g]
            if kept:
                interval = ridge.effect(policy.survey.columns, state, k, g, at[g], np.inf)
            estimate, low, high = (float(value) for value in interval)
            rows.append(
                Effect(
                    arm=arm,
                    question=question,
                    estimate=estimate,
                    low=low,
                    high=high,
                    kept=kept,
                    dropped_at=None if kept else int(state.dropped_at[k, g]),
                    reason=_reason(policy.beta_min, int(state.n[k]), high, kept=kept),
                )
            )
    return rows


def _reason(beta_min: float, n: int, high: float, *, kept: bool) -> str:
    if not kept:
        return f"its effect is at most {high:.4g}, within beta_min = {beta_min:g}"
    if beta_min == 0:
        return "nothing is dropped with beta_min = 0"
    if n == 0:
        return "the arm has not been played yet"
    if high > beta_min:
        return f"its effect may be up to {high:.4g}, above beta_min = {beta_min:g}"
    return "it will be dropped when the arm is next played"

"""What a policy knows about each question in each arm: estimate, interval, kept or dropped, why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.kernels import ridge
from askless.kernels.elastic_net import GOOD

if TYPE_CHECKING:
    from askless.policies.linear_ucb import LinearUCB

__all__ = ["Effect"]

MOST_POINTS = 129  # naming the widest of all pairs of answers stays cheap up to seven options


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
    model.refresh_variance()
    state = model.arms
    rows = []
    for k, arm in enumerate(policy.arms):
        at = model.first_packed(k)
        for g, question in enumerate(policy.survey.names):
            kept = bool(state.support[k, g])
            interval, open_ends = state.evidence[k, g], None
            if kept:
                ridge.effect(policy.survey.columns, state, k, g, at[g], np.inf)
                interval = state.work[2, :3]
                open_ends = _widest(policy, k, g, int(at[g]))
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
                    reason=_reason(policy, int(state.n[k]), high, open_ends)
                    + _zeros(policy, k, g, int(at[g]), high),
                )
            )
    return rows


def _widest(policy: LinearUCB, k: int, g: int, at: int) -> str:
    """Name the two answers between which the effect may be largest; nothing where there are two."""
    question, state = policy.survey.questions[g], policy._model.arms
    own = slice(at, at + question.width)
    names, points = question.point_names(), question.points(raw=policy.survey.coding == "raw")
    if len(points) == 2 or len(points) > MOST_POINTS:
        return ""
    first, second = np.triu_indices(len(points), 1)
    directions = points[first] - points[second]
    size = state.size[k]
    root = np.sqrt(state.weights[k, :size, None]) * state.root[k, :size, own]
    slack = state.radius[k] * np.linalg.norm(root @ directions.T, axis=0)
    widest = int(np.argmax(np.abs(directions @ state.estimate[k, own]) + slack))
    return f" between {names[first[widest]]} and {names[second[widest]]}"


def _reason(policy: LinearUCB, n: int, high: float, open_ends: str | None) -> str:
    beta_min = policy.beta_min
    if not policy.drops:
        return "this policy never drops"
    if open_ends is None:
        return f"its effect is at most {high:.4g}, within beta_min = {beta_min:g}"
    if beta_min == 0:
        return "nothing is dropped with beta_min = 0"
    if n == 0:
        return "the arm has not been played yet"
    if high > beta_min:
        return f"its effect may be up to {high:.4g}{open_ends}, above beta_min = {beta_min:g}"
    if policy.has_net:
        return f"its effect is at most {high:.4g}, within beta_min = {beta_min:g}"
    return "it will be dropped when the arm is next played"


def _zeros(policy: LinearUCB, k: int, g: int, at: int, high: float) -> str:
    """Say what an elastic net makes of a question."""
    state = policy._model.arms
    if not policy.has_net or policy.beta_min == 0 or state.n[k] == 0:
        return ""
    if not state.support[k, g]:
        return ", and its coefficients were zero"
    own = state.net_coef[k, at : at + policy.survey.questions[g].width]
    if state.net_residual[k] > GOOD:
        return "; the elastic net has not converged, so that nothing is dropped"
    if own.any():
        return "; its coefficients are not all zero"
    soon = ", and it will be dropped when the arm is next played"
    return "; its coefficients are zero" + (soon if high <= policy.beta_min else "")

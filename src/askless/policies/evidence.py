"""What drops are decided by: each question's ellipsoid and tests in each arm, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.core.arrays import Flags
from askless.core.words import BY_ELLIPSOID, BY_EPOCHS, GOOD, NOT_DROPPED
from askless.policies.epoch_data import skip_directions
from askless.policies.epoch_state import EpochState
from askless.policies.remaining import line_of, said_of_remaining
from askless.policies.rows import Rows, number_of

if TYPE_CHECKING:
    from askless.policies.linear_ucb import LinearUCB

__all__ = ["Direction", "Evidence"]

TESTS = {NOT_DROPPED: None, BY_EPOCHS: "epochs", BY_ELLIPSOID: "ellipsoid"}
MOST_POINTS = 129  # naming the widest of all pairs of answers stays cheap up to seven options


@dataclass(frozen=True)
class Direction:
    """How near two answers are to being shown to differ by less than beta_min (maths 5.1).

    Attributes
    ----------
    answers : str
        The two answers, as in "dogs - cats".
    below, above : float
        From 0 to 1, where 1 is shown, once and for good: that the first answer's reward is less
        than beta_min above the second's; that it is less than beta_min below it.
    """

    answers: str
    below: float
    above: float


@dataclass(frozen=True)
class Evidence:
    """Whether an arm needs a question, and by what that is judged; in reward units.

    Its interval is made to drop questions by: it holds for all questions at all times together, and
    is wide. What a question's effect is, with its sign, `effects` says.

    Reads as an object, `row.high`, or as a mapping: `row["high"]`, `dict(row)`.

    Attributes
    ----------
    arm, question : str
        Their names.
    estimate, low, high : float
        The size of its effect (maths 1.1), and between which ends the ellipsoid, which is the arm's
        confidence set, has it; for a dropped question those at the drop.
        (Of `LinUCB`, which has none: the estimate give or take the width, without a guarantee.)
    kept : bool
        Whether the arm's model still uses the question.
    active : bool
        Whether the arm is chosen by it at present; with epochs, a kept question need not be: it is
        learned about and may come back (maths 8.3).
    dropped_at : int or None
        How many rows the arm had learned when it was dropped.
    reason : str
        Why it is kept or was dropped.
    test : {"ellipsoid", "epochs"} or None
        By which test it was dropped (maths 2.2, 5.1).
    directions : tuple of Direction
        Epoch SurveyUCB: how near each side of each direction of a question is to passing; all of
        them must, for the question to be dropped by that test.
    """

    arm: str
    question: str
    estimate: float
    low: float
    high: float
    kept: bool
    active: bool
    dropped_at: int | None
    reason: str
    test: str | None = None
    directions: tuple[Direction, ...] = ()

    def keys(self) -> Iterator[str]:
        """Return the names of the fields."""
        return (field.name for field in fields(self))

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return getattr(self, key)


class EvidenceRows(Rows[Evidence]):
    """What `evidence` returns; those of large effects are shown first."""

    headings = ("arm", "question", "effect", "up to", "state")
    names = 2
    note = "row.reason says what rewards must still show of a question"

    def __init__(self, rows: list[Evidence], span: float) -> None:
        super().__init__(rows)
        self.span = span  # of rewards: no effect is larger, whatever a set has

    def cells(self, row: Evidence) -> Sequence[str]:
        """Return what a table has of a row."""
        most = number_of(min(row.high, self.span))
        return row.arm, row.question, number_of(row.estimate), most, _state(row)

    def weight(self, row: Evidence) -> float:
        """Return the size of the effect."""
        return row.estimate


def evidence_rows(policy: LinearUCB) -> Rows[Evidence]:
    """Return one row an arm and question, arms first."""
    return EvidenceRows(_rows(policy), policy.reward.span)


def _state(row: Evidence) -> str:
    """Say in a few words how a question stands; its reason says it in full."""
    if not row.kept:
        return f"dropped after {row.dropped_at:,} visits"
    sides = [side for way in row.directions for side in (way.below, way.above)]
    still = sum(side < 1 for side in sides)
    said = f"kept: {still} of {len(sides)} tests open" if sides else "kept"
    return said if row.active else f"{said}, no say now"


def _rows(policy: LinearUCB) -> list[Evidence]:
    model = policy._model
    model.refresh_variance()
    state = model.arms
    rows = []
    judged = ~skip_directions(policy.survey) | policy.settings.judge_skips
    names = [question.direction_names() for question in policy.survey]
    for k, arm in enumerate(policy.arms):
        at = model.first_packed(k)
        for g, question in enumerate(policy.survey.names):
            kept = bool(state.support[k, g])
            interval, open_ends = state.evidence[k, g], None
            if kept:
                interval = state.effect(k, g)
                open_ends = _widest(policy, k, g, int(at[g]))
            estimate, low, high = (float(value) for value in interval)
            test = None if kept else "ellipsoid"
            directions: tuple[Direction, ...] = ()
            remaining = ""
            if isinstance(model, EpochState):
                test = TESTS[int(model.epochs.test[k, g])]
                if test == "epochs":  # they have shown more than the ellipsoid
                    high = min(high, max(policy.beta_min, estimate))
                directions = _directions(model, k, g, names[g], judged)
                if kept and state.n[k] and policy.beta_min:
                    remaining = said_of_remaining(policy, model, k, g, names[g], judged)
            rows.append(
                Evidence(
                    arm=arm,
                    question=question,
                    estimate=estimate,
                    low=low,
                    high=high,
                    kept=kept,
                    active=bool(state.active[k, g]),
                    dropped_at=None if kept else int(state.dropped_at[k, g]),
                    reason=_shown(policy, directions)
                    if test == "epochs"
                    else _reason(policy, k, high, open_ends)
                    + _zeros(policy, k, g, int(at[g]), high)
                    + remaining
                    + _passive(kept=kept, active=bool(state.active[k, g])),
                    test=test,
                    directions=directions,
                )
            )
    return rows


def _directions(
    model: EpochState, k: int, g: int, names: list[str], judged: Flags
) -> tuple[Direction, ...]:
    """Return how near each direction of a question is to passing, if it is judged at all."""
    first = model.survey.columns.start[g]
    logs = model.epochs.logs[k, first : first + len(names)]
    near = np.clip(logs / line_of(model, k), 0.0, 1.0)
    near[model.epochs.passed[k, first : first + len(names)] == 1] = 1.0
    return tuple(
        Direction(name, float(below), float(above))
        for name, (below, above), use in zip(names, near, judged[first:], strict=False)
        if use
    )


def _shown(policy: LinearUCB, directions: tuple[Direction, ...]) -> str:
    alone = "" if policy.settings.judge_skips else " (skips are not judged)"
    within = f"no two of its answers differ in reward by beta_min = {policy.beta_min:g} or more"
    return f"{2 * len(directions)} tests show that {within}{alone}"


def _passive(*, kept: bool, active: bool) -> str:
    """Say where a kept question has no say in decisions."""
    return "; at present it has no say in which arm is chosen" if kept and not active else ""


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


def _reason(policy: LinearUCB, k: int, high: float, open_ends: str | None) -> str:
    beta_min = policy.beta_min
    if not policy.drops:
        return "this policy never drops"
    if open_ends is None:
        return f"its effect is at most {high:.4g}, within beta_min = {beta_min:g}"
    if beta_min == 0:
        return "nothing is dropped with beta_min = 0"
    if policy.rows[k] == 0:
        return "the arm has not been played yet"
    if policy._model.arms.n[k] == 0:
        return "the arm has had too few visits yet to be judged"
    if high > beta_min:
        span = policy.reward.span
        most = f"{high:.4g}" if high < span else f"{span:g}, the whole reward range"
        return f"its effect may be up to {most}{open_ends}, above beta_min = {beta_min:g}"
    if policy.has_net:
        return f"its effect is at most {high:.4g}, within beta_min = {beta_min:g}"
    when = (
        "at the end of the arm's block of visits"
        if policy.has_epochs
        else "when the arm is next played"
    )
    return f"it will be dropped {when}"


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

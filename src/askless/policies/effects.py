"""What a question's answer does to an arm's reward, with its sign and two intervals (maths 10)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from askless.core.arrays import Floats
from askless.core.words import (
    COUNTED,
    ESTIMATES,
    HALF_WIDTHS,
    MOST_COUNTED,
    PRICES,
    ROOTS,
    SQUARES,
    STAKED,
    WEIGHTED,
)
from askless.policies.epoch_state import EpochState
from askless.policies.rows import Rows, number_of
from askless.policies.settings import SETS

if TYPE_CHECKING:
    from askless.policies.arm_state import ArmState
    from askless.policies.linear_ucb import LinearUCB

__all__ = ["Effect"]

MISSES = 0.05  # how often an interval may miss
IMPOSSIBLE = "no reward allows this interval: the assumptions are in doubt"
POCOCK = {0.05: 2.63, 0.025: 2.88}  # for MOST_COUNTED epochs (maths 10.2)
assert MOST_COUNTED == 15


@dataclass(frozen=True)
class Effect:
    """What one answer brings an arm in place of another one, in reward units.

    Reads as an object, `row.high`, or as a mapping: `row["high"]`, `dict(row)`.

    Attributes
    ----------
    arm, question : str
        Their names.
    answers : str
        The two answers, as in "yes - no" or, where several may be chosen, "tv, web - radio".
    estimate : float or None
        By how much the arm's expected reward is higher with the first of them, all other answers
        being the same; None where no epoch can tell yet.
    low, high : float or None
        *At all times*: this interval misses with a probability of at most 5% (and that of a wrong
        drop), however often one looks. None if it is empty, which puts the assumptions in doubt.
        Of policies without epochs: that of the arm's confidence set; None if it has none that
        holds (`LinUCB`, the radii `published…`).
    end_low, end_high : float or None
        *At the end*: narrower, and nearly as sure: 5%, but for how far sums of an epoch's rewards
        are from a normal law. None where no epoch can carry it.
    epochs : int
        How many epochs are in it.
    kept : bool
        Whether the arm's model still uses the question; what is said of a dropped one is what was
        known when it went.
    dropped_at : int or None
        How many rows the arm had learned when it was dropped.
    why : str
        Why there is no interval at all times.
    """

    arm: str
    question: str
    answers: str
    estimate: float | None
    low: float | None
    high: float | None
    end_low: float | None
    end_high: float | None
    epochs: int
    kept: bool
    dropped_at: int | None
    why: str = ""

    def keys(self) -> Iterator[str]:
        """Return the names of the fields."""
        return (field.name for field in fields(self))

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return getattr(self, key)


class Signed(NamedTuple):
    """An estimate, both intervals, and of how many epochs the second is; in units of the range."""

    estimate: float | None
    always: tuple[float, float]
    end: tuple[float, float] | None
    epochs: int


class EffectRows(Rows[Effect]):
    """What `effects` returns; large ones are shown first."""

    headings = ("arm", "question", "answers", "effect", "at all times", "at the end")
    names = 3

    def cells(self, row: Effect) -> Sequence[str]:
        """Return what a table has of a row."""
        ends = _ends(row.low, row.high), _ends(row.end_low, row.end_high)
        return row.arm, row.question, row.answers, number_of(row.estimate), *ends

    def weight(self, row: Effect) -> float:
        """Return the size of the effect."""
        return abs(row.estimate or 0.0)


def effect_rows(policy: LinearUCB, *, ended: bool, most: int | None) -> Rows[Effect]:
    """Return one row an arm, question and direction, in this order; of an arm `most` at most."""
    return EffectRows(_rows(policy, ended=ended, most=most))


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3g} to {high:.3g}"


def _rows(policy: LinearUCB, *, ended: bool, most: int | None) -> list[Effect]:
    survey, model = policy.survey, policy._model
    model.refresh_variance()
    last = model.ended() if ended and isinstance(model, EpochState) else model
    start = np.asarray(survey.columns.start)
    rows = []
    for k in range(len(policy.arms)):
        without = "" if policy.has_epochs else _why_no_set(policy, k)
        names: dict[int, list[str]] = {}
        for d in _told_of(policy, last, k, most):
            g = int(np.searchsorted(start, d, side="right")) - 1
            i = int(d) - int(start[g])
            if g not in names:
                names[g] = survey.questions[g].direction_names()
            if isinstance(model, EpochState) and isinstance(last, EpochState):
                sums = model.epochs.signed_sums[k, d].copy()
                sums[ESTIMATES:] = last.epochs.signed_sums[k, d, ESTIMATES:]
                said = signed_of(sums)
            else:
                said = _of_set(policy, k, g, i)
            rows.append(_row(policy, k, g, names[g][i], said, without))
    return rows


def _told_of(policy: LinearUCB, model: ArmState, k: int, most: int | None) -> Sequence[int]:
    """Return the directions of an arm to be told of: all, or those of the largest estimates."""
    count = int(policy.survey.columns.start[-1])
    if most is None or count <= most:
        return range(count)
    largest = np.argsort(-np.abs(_estimates(policy, model, k)), kind="stable")  # NaN comes last
    return [int(d) for d in np.sort(largest[:most])]


def _estimates(policy: LinearUCB, model: ArmState, k: int) -> Floats:
    """Return what the rows of an arm estimate, all at once; NaN where they cannot tell."""
    if isinstance(model, EpochState):
        return estimates_of(model.epochs.signed_sums[k])
    parts = []
    for g, question in enumerate(policy.survey):
        own, arms = question.directions(), model.arms
        if arms.support[k, g] and arms.n[k]:
            at = int(model.first_packed(k)[g])
            parts.append(own @ arms.estimate[k, at : at + question.width])
        else:
            parts.append(np.full(len(own), np.nan))
    return np.concatenate(parts)


def _row(policy: LinearUCB, k: int, g: int, answers: str, said: Signed, without: str) -> Effect:
    """Put what is known of a direction in reward units; `without` says why its set has no ends."""
    span, arms = policy.reward.span, policy._model.arms
    kept, why = bool(arms.support[k, g]), without
    low, high = max(said.always[0], -1.0), min(said.always[1], 1.0)
    if low > high:
        why = why or IMPOSSIBLE
    return Effect(
        arm=policy.arms[k],
        question=policy.survey.names[g],
        answers=answers,
        estimate=None if said.estimate is None else _within(said.estimate) * span,
        low=None if why else low * span,
        high=None if why else high * span,
        end_low=None if said.end is None else _within(said.end[0]) * span,
        end_high=None if said.end is None else _within(said.end[1]) * span,
        epochs=said.epochs,
        kept=kept,
        dropped_at=None if kept else int(arms.dropped_at[k, g]),
        why=why,
    )


def _within(effect: float) -> float:
    """Cut to what the reward range allows."""
    return min(max(effect, -1.0), 1.0)


def signed_of(sums: Floats, misses: float = MISSES) -> Signed:
    """Return what the sums of a direction say (maths 10.1, 10.2)."""
    always, estimate, end = (-1.0, 1.0), None, None
    staked, weighted = sums[STAKED:WEIGHTED], sums[WEIGHTED:PRICES]
    if staked.all():
        line = math.log(2 * len(HALF_WIDTHS) / misses)
        upper, lower = sums[PRICES:ESTIMATES].reshape(2, -1)
        highs, lows = (weighted + upper + line) / staked, (weighted - lower - line) / staked
        always = float(np.max(lows)), float(np.min(highs))
        sharpest = int(np.argmin(highs - lows))
        estimate = float(weighted[sharpest] / staked[sharpest])
    if sums[COUNTED] > 0:
        estimate = float(sums[ESTIMATES] / sums[ROOTS])
        error = POCOCK[misses] * math.sqrt(sums[SQUARES]) / sums[ROOTS]
        end = float(estimate - error), float(estimate + error)
    return Signed(estimate, always, end, int(sums[COUNTED]))


def estimates_of(sums: Floats) -> Floats:
    """Return the estimates of `signed_of` for many directions; NaN where it has none."""
    staked, weighted = sums[:, STAKED:WEIGHTED], sums[:, WEIGHTED:PRICES]
    line = math.log(2 * len(HALF_WIDTHS) / MISSES)
    upper, lower = np.split(sums[:, PRICES:ESTIMATES], 2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        widths = (upper + lower + 2 * line) / staked
        sharpest = np.argmin(np.where(staked > 0, widths, np.inf), axis=1)[:, None]
        always = np.take_along_axis(weighted / staked, sharpest, axis=1)[:, 0]
        end = sums[:, ESTIMATES] / sums[:, ROOTS]
    always = np.where(staked.all(axis=1), always, np.nan)
    return np.where(sums[:, COUNTED] > 0, end, always)


def _why_no_set(policy: LinearUCB, k: int) -> str:
    """Say why an arm's ellipsoid is no confidence set of 95%; nothing where it is one."""
    radius, share = policy.settings.radius, float(policy._model.arms.share[k])
    if radius not in SETS:
        return (
            f"`{policy.radius_setting}: {radius}` makes no confidence sets, so nobody can say how"
            " often an interval would miss"
        )
    if share > MISSES:
        return (
            f"delta = {policy.delta:g} lets the set of an arm miss in {share:.0%} of studies, more"
            f" than {MISSES:.0%}"
        )
    return ""


def _of_set(policy: LinearUCB, k: int, g: int, i: int) -> Signed:
    """Return what an arm's confidence set says of a direction; of a dropped question, its size."""
    arms, span, question = policy._model.arms, policy.reward.span, policy.survey.questions[g]
    if not arms.support[k, g]:
        most = float(arms.evidence[k, g, 2]) / span
        return Signed(None, (-most, most), None, 0)
    if not arms.n[k]:
        return Signed(None, (-1.0, 1.0), None, 0)
    at, size = int(policy._model.first_packed(k)[g]), int(arms.size[k])
    own, direction = slice(at, at + question.width), question.directions()[i]
    root = np.sqrt(arms.weights[k, :size]) * (arms.root[k, :size, own] @ direction)
    estimate = float(direction @ arms.estimate[k, own]) / span
    slack = float(arms.radius[k] * np.linalg.norm(root)) / span
    return Signed(estimate, (estimate - slack, estimate + slack), None, 0)

"""An arm's epoch as plain data for a policy's file, and back; what cannot be is refused.

Its rows are most of a file. Who keeps visits elsewhere could name them instead, once rows know the
numbers of their visits, which they do not yet.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.core.words import (
    BY_ELLIPSOID,
    BY_EPOCHS,
    COUNTED,
    ESTIMATES,
    MOST_COUNTED,
    MOST_ROWS,
    PRICES,
    ROOTS,
    SQUARES,
    STAKED,
    WEIGHTED,
)
from askless.policies.arm_data import is_count, is_number, refusal, space_of
from askless.policies.packed import pack, unpack
from askless.survey import Survey

if TYPE_CHECKING:
    from askless.policies.epoch_state import EpochState

__all__ = ["fill", "skip_directions", "to_data"]

COUNTS = ("held", "need", "ended", "tested", "warm")
TABLES = ("logs", "pace", "passed")
MOST_EFFECT = 1e6  # of the range: an estimate from few rows may be far off, not any number
SLACK = 1e-9  # of logarithms, beside where they pass


def to_data(state: EpochState, k: int) -> dict[str, Any]:
    """Return arm k's epoch: its rows so far, and what earlier ones have said."""
    epochs, (contexts, rewards) = state.epochs, state.rows_of(k)
    added = rewards[: epochs.added[k]]
    let_go = int(epochs.held[k]) > len(rewards)
    return {
        **{name: int(getattr(epochs, name)[k]) for name in COUNTS},
        # Of rows that were let go, because an arm without questions has nothing to judge.
        "moment": float(epochs.moment[k, 0] - added.sum()) if let_go else 0.0,
        "squares": float(epochs.squares[k] - added @ added) if let_go else 0.0,
        "test": epochs.test[k].tolist(),
        **{name: pack(getattr(epochs, name)[k]) for name in TABLES},
        "signed": pack(epochs.signed_sums[k]),
        "rewards": pack(rewards),
        "rows": pack(contexts),
    }


def fill(state: EpochState, k: int, saved: Any, name: str) -> None:
    """Fill the epoch of arm k, which has this name, with what `to_data` returned.

    The arm's own sums and drops are in place.
    """
    epochs, size = state.epochs, int(state.learned.size[k])
    contexts = unpack(saved["rows"], (-1, size), f"the rows of arm {name!r}")
    rewards = unpack(saved["rewards"], (-1,), f"the rewards of arm {name!r}")
    tables = {
        part: unpack(saved[part], getattr(epochs, part)[k].shape, f"the {part} of arm {name!r}")
        for part in TABLES
    }
    # An older askless kept none: what epochs say from here on is as true without them.
    kept = saved.get("signed")
    signed = epochs.signed_sums[k].copy()
    if kept is not None:
        signed = unpack(kept, signed.shape, f"the signed sums of arm {name!r}")
    reason = (
        _doubt_counts(state, k, saved, len(rewards))
        or space_of(state, k).doubt_rows(contexts, rewards)
        or ("its rows are not all known" if np.isnan(contexts).any() else None)
        or _doubt_tests(state, k, saved["test"], **tables)
        or _doubt_sums(signed, saved["tested"])
    )
    if reason is not None:
        raise refusal(name, reason)
    for part in COUNTS:
        getattr(epochs, part)[k] = saved[part]
    for part, table in tables.items():
        getattr(epochs, part)[k] = table
    epochs.test[k], epochs.signed_sums[k] = saved["test"], signed
    epochs.gram[k, 0, 0] = saved["held"] - len(rewards)
    epochs.moment[k, 0], epochs.squares[k] = saved["moment"], saved["squares"]
    state.put_rows(k, contexts, rewards)


def _doubt_counts(state: EpochState, k: int, saved: Any, kept: int) -> str | None:
    """Say why an epoch with so many rows in memory cannot be; None if it can."""
    size, n = int(state.learned.size[k]), int(state.learned.n[k])
    moment, squares = saved["moment"], saved["squares"]
    if not all(is_count(saved[part]) for part in COUNTS) or not is_number(moment):
        return "its epoch's counts are none"
    let_go = saved["held"] - kept
    if not (
        (let_go == 0 or (size == 1 and let_go > 0))
        and saved["held"] < saved["need"]
        and (size == 1 or saved["need"] <= MOST_ROWS)
        and saved["warm"] in (0, 1)
        and saved["tested"] <= saved["ended"]
        and (saved["tested"] == 0 or saved["warm"] == 0)
        and (saved["ended"] > 0 or n == 0)
    ):
        return "its epoch's counts cannot be"
    if let_go == 0:
        return None if moment == squares == 0 else "it has sums of rows that are not there"
    if not is_number(squares):
        return "its epoch's sums are no numbers"
    sums = np.array([[float(let_go)]]), np.array([float(moment)]), float(squares)
    return space_of(state, k).doubt_sums(let_go, *sums)


def _doubt_tests(
    state: EpochState, k: int, test: Any, logs: Floats, pace: Floats, passed: Floats
) -> str | None:
    """Say why tests cannot stand so; None if they can."""
    survey, dropped = state.survey, state.learned.support[k] == 0
    if not (isinstance(test, list) and len(test) == len(survey) and all(map(is_count, test))):
        return "it does not say by which test questions were dropped"
    by = np.array(test)
    if not (np.isin(by[dropped], (BY_EPOCHS, BY_ELLIPSOID)).all() and not by[~dropped].any()):
        return "it does not say by which test questions were dropped"
    if not np.isin(passed, (0, 1)).all() or not np.isfinite(logs).all():
        return "its tests are no numbers"
    if not ((pace >= 0) & (pace < np.inf)).all():
        return "the pace of its tests cannot be"
    if not (state.learned.evidence[k, by == BY_ELLIPSOID, 2] <= state.rule.beta_min).all():
        return "it has dropped a question whose effect is not small"
    judged = np.repeat(by == BY_EPOCHS, np.diff(survey.columns.start))
    if not passed[judged].all():
        return "it has dropped a question whose tests have not passed"
    return _doubt_passed(state, k, logs, passed != 0)


def _doubt_passed(state: EpochState, k: int, logs: Floats, passed: Flags) -> str | None:
    """Say why these sides of tests cannot be those that have passed (maths 5.2)."""
    rule, used = state.rule, state.learned.support[k] != 0
    kept = np.repeat(used, np.diff(state.survey.columns.start))
    if not rule.judge_skips:
        skips = skip_directions(state.survey)
        if not passed[skips].all():
            return "it judges skips, which the policy does not"
        logs, passed, kept = logs[~skips], passed[~skips], kept[~skips]
    if not rule.beta_min > 0:
        return "it has tested questions, which the policy does not" if passed.any() else None
    # The line only falls, as questions go: what is beyond it has passed, and what has is beyond it.
    line = math.log(max(int(used.sum()), 1) / ((1.0 - rule.set_part) * state.learned.share[k]))
    if (
        not (logs[passed] >= line - SLACK).all()
        or not (logs[kept] <= line + SLACK)[~passed[kept]].all()
    ):
        return "which of its tests have passed does not follow from their evidence"
    return None


def _doubt_sums(signed: Floats, tested: int) -> str | None:
    """Say why sums of signed effects cannot have come from so many epochs; None if they can."""
    counted, staked = signed[:, COUNTED], signed[:, STAKED:WEIGHTED]
    nowhere, prices = (signed == 0).all(axis=1), signed[:, PRICES:ESTIMATES]
    most = min(tested, MOST_COUNTED)
    fits = (
        np.isfinite(signed).all()
        and ((counted == np.floor(counted)) & (counted >= 0) & (counted <= most)).all()
        and ((staked > 0).all(axis=1) | nowhere).all()
        and (prices >= 0).all()
        and ((signed[:, ROOTS] > 0) == (counted > 0)).all()
        and (signed[:, SQUARES] >= 0).all()
        and (np.abs(signed[:, WEIGHTED:PRICES]) <= staked * MOST_EFFECT).all()
        and (np.abs(signed[:, ESTIMATES]) <= signed[:, ROOTS] * MOST_EFFECT).all()
    )
    return None if fits else "its sums of effects are those of no epochs"


def skip_directions(survey: Survey) -> Flags:
    """Return which directions compare an answer with a skip."""
    parts = [
        q.directions()[:, -1] != 0 if q.may_skip else np.zeros(len(q.directions())) for q in survey
    ]
    return np.concatenate(parts).astype(bool)

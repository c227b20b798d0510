"""An arm's statistics and drops as plain data for a policy's file, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from askless.core.words import LEAST_RIDGE, NOISE, PRIOR_SPREAD
from askless.errors import StateError
from askless.policies.packed import pack, pack_lower, unpack, unpack_lower
from askless.policies.state_proof import RowSpace
from askless.survey import RewardRange

if TYPE_CHECKING:
    from askless.policies.arm_state import ArmState

__all__ = ["MOST_COUNT", "fill", "is_count", "is_number", "refusal", "space_of", "to_data"]

MOST_COUNT = 2**53  # beyond that a count is damage
MOST = 1e308  # of any number, so that a float can be it
MEASURED = ("noise", "ridge", "misfit", "freedom")


def to_data(state: ArmState, k: int) -> dict[str, Any]:
    """Return arm k's statistics and drops; the rest can be derived."""
    arms, size = state.learned, int(state.learned.size[k])
    return {
        "n": int(arms.n[k]),
        "dropped": {
            str(g): [int(arms.dropped_at[k, g]), *arms.evidence[k, g].tolist()]
            for g in np.flatnonzero(arms.dropped_at[k] >= 0)
        },
        **_noise_to_data(state, k),
        "squares": float(arms.squares[k]),
        "moment": pack(arms.moment[k, :size]),
        "gram": pack_lower(arms.gram[k, :size, :size]),
    }


def _noise_to_data(state: ArmState, k: int) -> dict[str, Any]:
    """Return what arm k's noise was when it was measured last, where that counts."""
    if not (state.rule.epochs or state.rule.form == NOISE):
        return {}
    arms = state.learned
    measured = {name: float(getattr(arms, name)[k]) for name in MEASURED}
    return {"noise": measured | {"renewed": int(arms.renewed[k])}}


def fill(state: ArmState, k: int, saved: Any, name: str) -> None:
    """Fill arm k, which is empty and has this name, with what `to_data` returned."""
    arms = state.learned
    _fill_drops(state, k, saved["dropped"], name)
    size, n, squares = int(arms.size[k]), saved["n"], saved["squares"]
    if not is_count(n) or not is_number(squares):
        raise refusal(name, "its counts and sums are no numbers")
    gram = unpack_lower(saved["gram"], size, f"the gram of arm {name!r}")
    moment = unpack(saved["moment"], (size,), f"the moment of arm {name!r}")
    reason = space_of(state, k).doubt_sums(n, gram, moment, float(squares))
    if reason is not None:
        raise refusal(name, reason)
    arms.gram[k, :size, :size], arms.moment[k, :size] = gram, moment
    arms.squares[k], arms.n[k] = squares, n
    if _noise_to_data(state, k):
        _fill_noise(state, k, saved["noise"], name)


def _fill_drops(state: ArmState, k: int, dropped: Any, name: str) -> None:
    """Let arm k drop what it has dropped, which is not undone."""
    arms, count = state.learned, len(state.survey)
    if not isinstance(dropped, dict) or (dropped and not state.rule.beta_min > 0):
        raise refusal(name, "its drops are none of this policy")
    for g, (at, *evidence) in dropped.items():
        if not (
            _is_place(g, count)
            and is_count(at)
            and len(evidence) == 3
            and all(map(is_number, evidence))
            and 0 <= evidence[1] <= evidence[0] <= evidence[2]
            and (evidence[2] <= state.rule.beta_min or state.rule.epochs)
        ):
            raise refusal(name, f"it has a drop that cannot be, of question number {g}")
        arms.dropped_at[k, int(g)], arms.evidence[k, int(g)] = at, evidence
        arms.support[k, int(g)] = 0
    if dropped:
        arms.pack(k)


def _is_place(given: Any, count: int) -> bool:
    """Whether a key is the number of one of so many questions, in its one spelling."""
    plain = isinstance(given, str) and given.isascii() and given.isdecimal() and len(given) < 20
    return plain and str(int(given)) == given and int(given) < count


def _fill_noise(state: ArmState, k: int, saved: Any, name: str) -> None:
    arms, numbers = state.learned, [saved[part] for part in MEASURED]
    most = 1 + space_of(state, k).rough  # no residual is longer than the range
    if not (
        all(is_number(x) and x >= 0 for x in numbers)
        and 0 < saved["noise"] <= most
        and LEAST_RIDGE <= saved["ridge"] <= most / PRIOR_SPREAD**2
        and is_count(saved["renewed"])
        and max(saved["misfit"], saved["freedom"]) < MOST_COUNT
        and saved["misfit"] <= most * (1 + saved["freedom"] + state.survey.column_count)
    ):
        raise refusal(name, "its noise is none that rows can have")
    for part, number in zip(MEASURED, numbers, strict=True):
        getattr(arms, part)[k] = number
    arms.renewed[k] = saved["renewed"]


def space_of(state: ArmState, k: int) -> RowSpace:
    """Return what arm k's rows can be, on the columns of its support."""
    reward = RewardRange(state.rule.low, state.rule.high)
    return RowSpace(state.survey, reward, state.learned.columns[k, : state.learned.size[k]])


def refusal(name: str, why: str) -> StateError:
    """Return the one error of an arm whose saved state cannot be."""
    return StateError(f"the state of arm {name!r} cannot be: {why}")


def is_number(given: Any) -> bool:
    """Whether something of a file is a finite number, and no text or truth."""
    return type(given) in (int, float) and bool(abs(given) < MOST)


def is_count(given: Any) -> bool:
    """Whether something of a file is a count."""
    return type(given) is int and 0 <= given < MOST_COUNT

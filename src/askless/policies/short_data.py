"""Short forms as plain data for a policy's file, and back; what cannot be is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.core.words import (
    ASKED,
    ASKED_SHORT,
    BETS,
    CAUTION,
    COST,
    COST_SHORT,
    DUE,
    FLOOR,
    FORM,
    FULL_VISITS,
    LEAST_RIDGE,
    LOG_WEALTH,
    LOSS,
    NEXT,
    OLDEST,
    PEOPLE,
    PRICE,
    RING,
    SIZE,
    STANDS,
    VISITS,
    WHOLE_WIDTH,
    WITHDRAWN,
)
from askless.errors import StateError
from askless.policies.arm_data import is_count, is_number, refusal, space_of
from askless.policies.epoch_state import EpochState
from askless.policies.packed import pack, pack_lower, unpack, unpack_lower
from askless.policies.short_choice import Choice, prices
from askless.policies.short_state import FEWEST, MOST_GROWTH, ShortState
from askless.policies.state_proof import RowSpace
from askless.survey import RewardRange

__all__ = ["from_data", "to_data"]

MOST_SLOPE = 1e9  # of one answer on others
MOST_MODEL = 1e30  # of a number in a model: with more, scores would leave the floats
MOST_WIDTH = 100.0  # of whole scores, in units of the range: the most optimism, all of it noise
SLACK = 1e-6  # by which rounding may move sums that are sums of squares
OF_FORM = {"gram": 2, "prior": 2, "spread": 2, "moment": 1, "pull": 1, "estimate": 1}
CANNOT_BE = "the file's short form cannot be"


def to_data(state: ShortState) -> dict[str, Any]:
    """Return what a policy keeps of short forms as plain data for JSON."""
    shorts, count = state.shorts, int(state.shorts.counts[PEOPLE])
    return {
        "counts": shorts.counts.tolist(),
        "numbers": shorts.numbers.tolist(),
        "form": shorts.form.tolist(),
        "path": [list(step) for step in state.choice.path],
        "start_value": state.choice.start,
        "caution": state.choice.caution,
        "projection": pack(shorts.projection[: shorts.counts[SIZE]]),
        "ring": pack(shorts.ring[:count]),
        "may": pack(shorts.may[:count]),
        "arms": [_arm_data(state, k) for k in range(len(shorts.live))],
    }


def _arm_data(state: ShortState, k: int) -> dict[str, Any]:
    shorts, size = state.shorts, int(state.shorts.counts[SIZE])
    whole = int((shorts.whole_root[k].diagonal() != 0).sum()) if shorts.counts[STANDS] else 0
    return {
        "rows": int(shorts.rows[k]),
        "renewed": int(shorts.renewed[k]),
        "width": float(shorts.width[k]),
        **{name: pack(getattr(shorts, name)[k][(slice(size),) * n]) for name, n in OF_FORM.items()},
        "told": pack_lower(shorts.told[k]),
        "tells": pack(shorts.tells[k]),
        "whole_root": pack_lower(shorts.whole_root[k, :whole, :whole]),
        "whole_estimate": pack(shorts.whole_estimate[k, :whole]),
    }


def from_data(state: ShortState, model: EpochState, saved: Any, names: Sequence[str]) -> None:
    """Put into an empty state what `to_data` returned of one; `model` has its arms."""
    shorts, survey, p = state.shorts, state.survey, state.survey.column_count
    if not _are_kinds(state, saved):
        raise StateError(f"{CANNOT_BE}: its counts and numbers are none")
    counts, numbers = np.array(saved["counts"]), np.array(saved["numbers"], dtype=np.float64)
    form = np.array(saved["form"])
    ring = unpack(_with_gaps(saved["ring"]), (-1, p), "the ring")
    may = unpack(saved["may"], (-1, len(names)), "the ring's arms")
    if not (_are_counts(state, counts, form) and _are_numbers(state, counts, numbers)):
        raise StateError(f"{CANNOT_BE}: its counts or numbers do not go together")
    if not (
        counts[PEOPLE] == len(ring) == len(may)
        and np.isin(may, (0, 1)).all()
        and _are_contexts(state, model, ring)
    ):
        raise StateError(f"{CANNOT_BE}: its ring has people that cannot have come")
    size = int(counts[SIZE])
    projection = unpack(saved["projection"], (size, p), "the projection")
    if not (abs(projection) < MOST_SLOPE).all():
        raise StateError(f"{CANNOT_BE}: its projection is none")
    shorts.counts[:], shorts.numbers[:], shorts.form[:] = counts, numbers, form
    shorts.columns[:size] = np.flatnonzero(np.append(True, (form != 0)[survey.owner]))[:size]
    shorts.ring[: len(ring)], shorts.may[: len(may)] = ring, may
    shorts.projection[:size] = projection
    path = tuple((g, float(value)) for g, value in saved["path"])
    start, caution = float(saved["start_value"]), float(saved["caution"])
    state.choice = Choice(form != 0, path, start, caution)
    for k, (arm, name) in enumerate(zip(saved["arms"], names, strict=True)):
        _fill_arm(state, model, k, arm, name)


def _with_gaps(ring: Any) -> Any:
    """Return a ring that is in lists with NaN for what was not asked: version 5 has None."""
    if not isinstance(ring, list):
        return ring
    return [[math.nan if x is None else x for x in row] for row in ring]


def _are_kinds(state: ShortState, saved: Any) -> bool:
    """Whether everything in plain lists is of its kind and length."""
    shorts = state.shorts
    return bool(
        isinstance(saved, dict)
        and all(type(saved[name]) is list for name in ("counts", "numbers", "form", "path", "arms"))
        and all(map(is_count, [*saved["counts"], *saved["form"]]))
        and all(map(is_number, [*saved["numbers"], saved["start_value"], saved["caution"]]))
        and len(saved["counts"]) == len(shorts.counts)
        and len(saved["numbers"]) == len(shorts.numbers)
        and len(saved["form"]) == len(shorts.form)
        and len(saved["arms"]) == len(shorts.live)
        and 0 < saved["caution"] <= 1
        and abs(saved["start_value"]) < MOST_MODEL
        and _is_path(state, saved["path"])
    )


def _are_counts(state: ShortState, counts: Ints, form: Ints) -> bool:
    """Whether counts go together, and with the form."""
    asked, people = int((form != 0).sum()), counts[PEOPLE]
    widest = state.survey.column_count * len(state.shorts.live)
    return bool(
        np.isin(form, (0, 1)).all()
        and (form[state.shorts.everyone != 0] == 1).all() | (counts[FORM] == 0)
        and np.isin(counts[[STANDS, DUE]], (0, 1)).all()
        and counts[FULL_VISITS] <= counts[VISITS]
        and people <= RING
        and counts[OLDEST] == (people if people < RING else counts[OLDEST])
        and counts[OLDEST] < RING
        and counts[STANDS] <= counts[FORM]
        and counts[WITHDRAWN] <= counts[FULL_VISITS]
        and counts[NEXT] <= counts[FULL_VISITS] + max(MOST_GROWTH, FEWEST, widest)
        and counts[ASKED] <= len(form)
        and counts[ASKED_SHORT] <= len(form)
        and counts[SIZE] == (counts[FORM] > 0) * (1 + (form != 0)[state.survey.owner].sum())
        and (counts[FORM] > 0 or asked == 0)
    )


def _are_numbers(state: ShortState, counts: Ints, numbers: Floats) -> bool:
    """Whether numbers go together: the price in force, the bets, what the check has measured."""
    loss, whole = numbers[LOSS : LOSS + 6], float(state.shorts.cost.sum()) * (1 + SLACK)
    return bool(
        numbers[FLOOR] == float(state.shorts.numbers[FLOOR])
        and 0 < numbers[CAUTION] <= 1
        and _is_price(state, float(numbers[PRICE]))
        and 0 <= numbers[WHOLE_WIDTH] <= MOST_WIDTH
        and ((numbers[[COST, COST_SHORT]] >= 0) & (numbers[[COST, COST_SHORT]] <= whole)).all()
        and 1 <= numbers[BETS] <= 300 + SLACK
        and numbers[BETS + 2] > 0
        and numbers[BETS + 1] ** 2 <= numbers[BETS] * numbers[BETS + 2] * (1 + SLACK)
        and (loss >= 0).all()
        and loss[0] == np.floor(loss[0])
        and loss[0] <= counts[FULL_VISITS]
        and (loss[1:] <= loss[0] + SLACK).all()
        and abs(numbers[LOG_WEALTH]) < MOST_MODEL
    )


def _is_price(state: ShortState, price: float) -> bool:
    """Whether this can be the price in force: that of the study, or one that a budget tries."""
    tried = [state.terms.price]
    if state.terms.budget is not None:
        tried += prices(state.terms, state.shorts.cost)
    return price in tried


def _are_contexts(state: ShortState, model: EpochState, ring: Floats) -> bool:
    """Whether these can be contexts: answers to what is asked, the others unknown or not."""
    wanted = np.append(True, state.candidates(model)[state.survey.owner])
    space = RowSpace(state.survey, RewardRange(model.rule.low, model.rule.high))
    return not np.isnan(ring[:, wanted]).any() and space.doubt_rows(ring) is None


def _is_path(state: ShortState, path: Any) -> bool:
    """Whether this can be a path: each question once, with a value."""
    return (
        all(type(step) is list and len(step) == 2 for step in path)
        and all(type(g) is int and 0 <= g < len(state.survey) for g, _ in path)
        and len({g for g, _ in path}) == len(path)
        and all(is_number(value) and abs(value) < MOST_MODEL for _, value in path)
    )


def _fill_arm(state: ShortState, model: EpochState, k: int, saved: Any, name: str) -> None:
    shorts, size, p = state.shorts, int(state.shorts.counts[SIZE]), state.survey.column_count
    own, arms = f"of the short visits of arm {name!r}", model.learned
    whole = int(arms.size[k]) if shorts.counts[STANDS] else 0
    parts = {
        part: unpack(saved[part], (size,) * n, f"the {part} {own}") for part, n in OF_FORM.items()
    }
    parts["told"] = unpack_lower(saved["told"], p, f"what is told {own}")
    parts["told"] += np.tril(parts["told"], -1).T
    parts["tells"] = unpack(saved["tells"], (p,), f"what is told {own}")
    root = unpack_lower(saved["whole_root"], whole, f"the whole root {own}")
    estimate = unpack(saved["whole_estimate"], (whole,), f"the whole estimate {own}")
    counts = [saved["rows"], saved["renewed"]]
    if not all(map(is_count, counts)) or max(counts) > shorts.counts[VISITS]:
        raise refusal(name, "its counts of short visits are none")
    most = 0.5 * math.sqrt(1 + space_of(model, k).rough)  # half of the noise, which is
    if not (is_number(saved["width"]) and 0 <= saved["width"] <= most):
        raise refusal(name, "the width of its short scores cannot be")
    reason = _doubt_sums(state, model, k, saved["rows"], parts) or _doubt_model(
        state, {**parts, "root": root, "whole": estimate}
    )
    if reason is not None:
        raise refusal(name, reason)
    for part, n in OF_FORM.items():
        getattr(shorts, part)[k][(slice(size),) * n] = parts[part]
    shorts.told[k], shorts.tells[k] = parts["told"], parts["tells"]
    shorts.whole_root[k, :whole, :whole], shorts.whole_estimate[k, :whole] = root, estimate
    shorts.rows[k], shorts.renewed[k], shorts.width[k] = *counts, saved["width"]


def _doubt_sums(
    state: ShortState, model: EpochState, k: int, rows: int, parts: dict[str, Floats]
) -> str | None:
    """Say why sums of short visits, and what was told, cannot be; None if they can."""
    shorts, reward = state.shorts, RewardRange(model.rule.low, model.rule.high)
    size, visits = int(shorts.counts[SIZE]), int(shorts.counts[VISITS])
    if size:
        space = RowSpace(state.survey, reward, shorts.columns[:size])
        gram = parts["gram"]
        reason = space.doubt_sums(rows, np.tril(gram), parts["moment"], None)
        if reason is not None or not (gram == gram.T).all():
            return f"of its short visits, {reason or 'its sums are not symmetric'}"
    elif rows:
        return "it has short visits, and there has been no form"
    # What is told about questions that were dropped is not used.
    kept = model.learned.columns[k, : model.learned.size[k]]
    told, tells = parts["told"][np.ix_(kept, kept)], parts["tells"][kept]
    if not _can_be_told(told, tells, visits * (0.5 + SLACK) ** 2):
        return "what short visits have told it cannot be"
    return None


def _doubt_model(state: ShortState, parts: dict[str, Floats]) -> str | None:
    """Say why an arm's models on a form, and on all its questions, cannot be; None if they can."""
    if not all((np.abs(part) < MOST_MODEL).all() for part in parts.values()):
        return "its short models are no numbers"
    prior, spread, root = parts["prior"], parts["spread"], parts["root"]
    if np.triu(prior, 1).any() or (
        state.shorts.counts[STANDS] and not (prior.diagonal() > 0).all()
    ):
        return "its prior on the form is no triangle"
    scale = max(float(spread.diagonal().max(initial=0.0)), SLACK)
    if len(spread) and not (
        (abs(spread - spread.T) <= SLACK * scale).all()
        and np.linalg.eigvalsh(spread).min() >= -SLACK * scale
    ):
        return "the spread of its short model is none"
    # It is the root of an inverse whose ridge is at least LEAST_RIDGE.
    if not (root.diagonal() > 0).all() or not (abs(root) <= 2 / math.sqrt(LEAST_RIDGE)).all():
        return "the root of its whole model cannot be"
    return None


def _can_be_told(gram: Floats, moment: Floats, squares: float) -> bool:
    """Whether there are rows z with sum zz' = gram, sum zy = moment and sum yy at most `squares`.

    The Gram matrix has no negative eigenvalue, and Cauchy and Schwarz bound every moment. These
    sums are rounded, and some may have been taken out again.
    """
    scale = max(float(gram.diagonal().max(initial=0.0)), SLACK)
    return (
        bool(np.isfinite(gram).all() and np.isfinite(moment).all())
        and bool(np.linalg.eigvalsh(gram).min() >= -SLACK * scale)
        and bool((moment**2 <= (gram.diagonal() + SLACK * scale) * squares + SLACK).all())
    )

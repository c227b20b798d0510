"""Short forms as plain data for a policy's file, and back; what cannot be is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from askless.core.arrays import Floats
from askless.core.words import (
    BETS,
    CAUTION,
    DUE,
    FLOOR,
    FORM,
    FULL_VISITS,
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
from askless.policies.epoch_state import EpochState
from askless.policies.short_choice import Choice, prices
from askless.policies.short_state import FEWEST, MOST_GROWTH, ShortState

__all__ = ["from_data", "to_data"]

MOST_COUNT = 2**53
MOST_SLOPE = 1e9  # of one answer on others
SLACK = 1e-6  # by which rounding may move sums that are sums of squares
OF_FORM = {"gram": 2, "prior": 2, "spread": 2, "moment": 1, "pull": 1, "estimate": 1}


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
        "projection": shorts.projection[: shorts.counts[SIZE]].tolist(),
        "ring": [
            [None if math.isnan(x) else x for x in row] for row in shorts.ring[:count].tolist()
        ],
        "may": shorts.may[:count].tolist(),
        "arms": [_arm_data(state, k) for k in range(len(shorts.live))],
    }


def _arm_data(state: ShortState, k: int) -> dict[str, Any]:
    shorts, size = state.shorts, int(state.shorts.counts[SIZE])
    whole = int((shorts.whole_root[k].diagonal() != 0).sum()) if shorts.counts[STANDS] else 0
    return {
        "rows": int(shorts.rows[k]),
        "renewed": int(shorts.renewed[k]),
        "width": float(shorts.width[k]),
        **{
            name: getattr(shorts, name)[k][(slice(size),) * n].tolist()
            for name, n in OF_FORM.items()
        },
        "told": shorts.told[k][np.tril_indices(state.survey.column_count)].tolist(),
        "tells": shorts.tells[k].tolist(),
        "whole_root": shorts.whole_root[k][np.tril_indices(whole)].tolist(),
        "whole_estimate": shorts.whole_estimate[k, :whole].tolist(),
    }


def from_data(state: ShortState, model: EpochState, saved: dict[str, Any]) -> None:
    """Put into an empty state what `to_data` returned of one; `model` has its arms."""
    shorts, survey, p = state.shorts, state.survey, state.survey.column_count
    if not all(type(x) in (int, float) for x in (*saved["numbers"], saved["start_value"])):
        raise StateError("the file's short form has numbers that are none")
    counts, numbers = np.array(saved["counts"]), np.array(saved["numbers"], dtype=np.float64)
    form, ring = np.array(saved["form"]), np.array(saved["ring"], dtype=np.float64)
    may = np.array(saved["may"], dtype=np.int64).reshape(-1, shorts.may.shape[1])
    ring = ring.reshape(-1, shorts.ring.shape[1])
    if not (
        counts.dtype == form.dtype == np.int64
        and counts.shape == shorts.counts.shape
        and (counts >= 0).all()
        and (counts < MOST_COUNT).all()
        and counts[FULL_VISITS] <= counts[VISITS]
        and counts[PEOPLE] == len(ring) == len(may) <= RING
        and counts[OLDEST] == (counts[PEOPLE] if counts[PEOPLE] < RING else counts[OLDEST])
        and counts[OLDEST] < RING
        and numbers.shape == shorts.numbers.shape
        and np.isfinite(numbers).all()
        and numbers[FLOOR] == float(shorts.numbers[FLOOR])
        and 0 < numbers[CAUTION] <= 1
        and _is_price(state, float(numbers[PRICE]))
        and numbers[WHOLE_WIDTH] >= 0
        and form.shape == shorts.form.shape
        and np.isin(form, (0, 1)).all()
        and np.isin(may, (0, 1)).all()
        and np.isin(counts[[STANDS, DUE]], (0, 1)).all()
        and counts[STANDS] <= counts[FORM]
        and counts[WITHDRAWN] <= counts[FULL_VISITS]
        and counts[NEXT] <= counts[FULL_VISITS] + max(MOST_GROWTH, FEWEST, p * len(shorts.live))
        and _are_contexts(state, model, ring)
        and _is_path(state, saved["path"])
        and 0 < saved["caution"] <= 1
        and 1 <= numbers[BETS] <= 300 + SLACK
        and numbers[BETS + 2] > 0
        and (numbers[LOSS : LOSS + 6] >= 0).all()
        and numbers[LOSS] <= counts[FULL_VISITS]
        and (numbers[LOSS + 1 : LOSS + 6] <= numbers[LOSS] + SLACK).all()
        and abs(numbers[LOG_WEALTH]) < MOST_COUNT
        and counts[SIZE] == (counts[FORM] > 0) * (1 + (form != 0)[survey.owner].sum())
        and len(saved["arms"]) == len(shorts.live)
    ):
        raise StateError("the file's short form cannot be")
    size = int(counts[SIZE])
    projection = np.array(saved["projection"], dtype=np.float64).reshape(-1, p)
    if len(projection) != size or not (abs(projection) < MOST_SLOPE).all():
        raise StateError("the file's short form has a projection that cannot be")
    shorts.counts[:], shorts.numbers[:], shorts.form[:] = counts, numbers, form
    shorts.columns[:size] = np.flatnonzero(np.append(True, (form != 0)[survey.owner]))[:size]
    shorts.ring[: len(ring)], shorts.may[: len(may)] = ring, may
    shorts.projection[:size] = projection
    path = tuple((int(g), float(value)) for g, value in saved["path"])
    start, caution = float(saved["start_value"]), float(saved["caution"])
    state.choice = Choice(form != 0, path, start, caution)
    for k, arm in enumerate(saved["arms"]):
        _fill_arm(state, model, k, arm)


def _is_price(state: ShortState, price: float) -> bool:
    """Whether this can be the price in force: that of the study, or one that a budget tries."""
    tried = [state.terms.price]
    if state.terms.budget is not None:
        tried += prices(state.terms, state.shorts.cost)
    return price in tried


def _are_contexts(state: ShortState, model: EpochState, ring: Floats) -> bool:
    """Whether these can be contexts: a constant of 1, and answers to what is asked, in range."""
    columns = state.survey.columns
    wanted = state.candidates(model)[state.survey.owner]
    if np.isnan(ring[:, 1:][:, wanted]).any():
        return False
    least, most = np.minimum(columns.low, 0), np.maximum(columns.high, 0)
    known = np.isnan(ring) | ((least <= ring) & (ring <= most))
    return bool((ring[:, 0] == 1).all() and known.all())


def _is_path(state: ShortState, path: Any) -> bool:
    """Whether this can be a path: each question once, with a finite value."""
    steps = [(g, value) for g, value in path]
    return (
        all(type(g) is int and 0 <= g < len(state.survey) for g, _ in steps)
        and len({g for g, _ in steps}) == len(steps)
        and all(math.isfinite(value) for _, value in steps)
    )


def _fill_arm(state: ShortState, model: EpochState, k: int, saved: dict[str, Any]) -> None:
    shorts, size, p = state.shorts, int(state.shorts.counts[SIZE]), state.survey.column_count
    parts = {name: _numbers(saved[name], (size,) * n, k) for name, n in OF_FORM.items()}
    whole = int(model.learned.size[k]) if shorts.counts[STANDS] else 0
    told, tells = _triangle(saved["told"], p, k), _numbers(saved["tells"], (p,), k)
    told += np.tril(told, -1).T
    kept = model.learned.columns[k, : model.learned.size[k]]
    own = np.ix_(kept, kept)  # what is told about questions that were dropped is not used
    root = _triangle(saved["whole_root"], whole, k)
    estimate = _numbers(saved["whole_estimate"], (whole,), k)
    rows, renewed, width = saved["rows"], saved["renewed"], saved["width"]
    visits = int(shorts.counts[VISITS])
    largest = max(abs(end) for end in (model.rule.low, model.rule.high)) / model.rule.span
    if not (
        type(rows) is type(renewed) is int
        and 0 <= min(rows, renewed) <= max(rows, renewed) <= visits
        and 0 <= width <= 0.5
        and (size == 0 or parts["gram"][0, 0] == rows)
        and _can_be_sums(parts["gram"], parts["moment"], rows * (largest + SLACK) ** 2)
        and _can_be_sums(told[own], tells[kept], visits * (0.5 + SLACK) ** 2)
        and _can_be_sums(parts["spread"], np.zeros(size), 0.0)
        and ((parts["prior"].diagonal() > 0).all() or not shorts.counts[STANDS])
        and not np.triu(parts["prior"], 1).any()
        and (root.diagonal() > 0).all()
    ):
        raise StateError(f"arm number {k} of the file has short visits that cannot be")
    for name, n in OF_FORM.items():
        getattr(shorts, name)[k][(slice(size),) * n] = parts[name]
    shorts.told[k], shorts.tells[k] = told, tells
    shorts.whole_root[k, :whole, :whole], shorts.whole_estimate[k, :whole] = root, estimate
    shorts.rows[k], shorts.renewed[k], shorts.width[k] = rows, renewed, width


def _numbers(saved: Any, shape: tuple[int, ...], k: int) -> Floats:
    part = np.array(saved, dtype=np.float64).reshape(-1)
    if part.size != math.prod(shape) or not np.isfinite(part).all():
        raise StateError(f"arm number {k} of the file has a short model that cannot be")
    return part.reshape(shape)


def _triangle(saved: Any, size: int, k: int) -> Floats:
    """Return a lower triangle that is saved row by row."""
    lower = np.zeros((size, size))
    lower[np.tril_indices(size)] = _numbers(saved, (size * (size + 1) // 2,), k)
    return lower


def _can_be_sums(gram: Floats, moment: Floats, squares: float) -> bool:
    """Whether there are rows z with sum zz' = gram, sum zy = moment and sum yy at most `squares`.

    The Gram matrix has no negative eigenvalue, and Cauchy and Schwarz bound every moment.
    """
    if not len(gram):
        return True
    scale = max(float(gram.diagonal().max(initial=0.0)), SLACK)
    symmetric = bool((abs(gram - gram.T) <= SLACK * scale).all())
    return (
        symmetric
        and bool(np.linalg.eigvalsh(gram).min() >= -SLACK * scale)
        and bool((moment**2 <= (gram.diagonal() + SLACK * scale) * squares + SLACK).all())
    )

"""Which form is worth most: at a price, or at the lowest price that keeps a budget (maths 9.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from askless.core import Forming
from askless.core.arrays import Flags, Floats
from askless.survey import Survey

__all__ = ["Choice", "Terms", "best_at", "chosen", "prices"]

CHEAPEST, DEAREST = 0.0001, 0.05  # of a question of average cost: what a budget is tried with


class Terms(NamedTuple):
    """What a study has said about short forms, in units of the reward range."""

    price: float
    budget: float | None  # of a visit, in weights of questions
    planned: int | None
    floor: float


class Choice(NamedTuple):
    """A form, and how it was come by; values are in units of the range from its middle."""

    form: Flags  # (m,)
    path: tuple[tuple[int, float], ...]  # questions, that worth most first; net value up to each
    start: float  # the same with nothing but what everyone is asked
    caution: float  # r, by which the price was multiplied in these


def prices(terms: Terms, cost: Floats) -> Iterator[float]:
    """Go through the prices to try: the one that is given, or those of a budget."""
    if terms.budget is None:
        yield terms.price
        return
    mean = float(cost.mean())
    factor = CHEAPEST
    while factor <= DEAREST:
        yield factor / mean if mean > 0.0 else factor
        factor *= math.sqrt(2.0)


def chosen(
    survey: Survey,
    forming: Forming,
    terms: Terms,
    caution: float,
    fits: Callable[[Flags, float], bool],
) -> tuple[Choice, float]:
    """Return the form to take, and the price: the first with which a form `fits`, or the last."""
    for price in prices(terms, forming.cost):
        choice = best_at(survey, forming, price)
        if fits(choice.form, price):
            break
    if caution != 1.0:
        choice = best_at(survey, forming, caution * price)
    return choice._replace(caution=caution), price


def best_at(survey: Survey, forming: Forming, price: float) -> Choice:
    """Return the best form at a price."""
    steps = forming.find_path(survey.core, price)
    forced = int(forming.forced.sum())
    values, path = forming.values[: steps + 1], forming.path[forced : forced + steps]
    taken = int(values.argmax())
    forming.taken[:] = forming.forced
    forming.taken[path[:taken]] = 1
    walked = tuple(zip(path.tolist(), values[1:].tolist(), strict=True))
    start = float(values[0])
    forming.trim(survey.core, price)
    return Choice(np.asarray(forming.taken != 0), walked, start, 1.0)

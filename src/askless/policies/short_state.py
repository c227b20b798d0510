"""What a policy keeps of short forms: the people, the form, its models, the check (maths 9)."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from askless import core
from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import (
    BETS,
    CAUTION,
    COST,
    COST_SHORT,
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
    STANDS,
    VISITS,
    WITHDRAWN,
)
from askless.policies.arm_state import arrays_of
from askless.policies.decision import Check
from askless.policies.epoch_state import EpochState
from askless.policies.memory import check_fits
from askless.policies.short_choice import Choice, Terms, chosen
from askless.survey import Survey

__all__ = ["ShortState"]

FEWEST = 50  # full visits before a form is chosen, and people in the ring
GROWTH, MOST_GROWTH = 0.1, 100  # by which full visits grow until it is chosen anew
LEVEL = 0.05  # how often the interval of the loss may be wrong
MOST_LOSS = 4.0  # of a check visit, in ranges: 2 for the coin times 2 for the toss


class ShortState:
    """What is kept of short forms, for one policy; the arms' own state is handed in.

    Attributes
    ----------
    shorts : Shorts
        The arrays, which the core owns.
    choice : Choice
        The form that was chosen last, and how.
    """

    def __init__(self, survey: Survey, arm_count: int, terms: Terms) -> None:
        self.survey, self.terms = survey, terms
        everyone = survey.asked_of_everyone.astype(np.int64)
        cost = np.array([float(question.cost) for question in survey])
        p = survey.column_count
        # Its tables of p columns by p, as many for every arm as the arms' own state has.
        check_fits((10 * arm_count + 7) * p * p, arm_count, p)
        self.shorts = core.Shorts(survey.core, arm_count, everyone, cost)
        self.counts = self.shorts.counts  # the core's own memory, looked up once
        self.choice = Choice(np.zeros(len(survey), dtype=bool), (), 0.0, 1.0)
        numbers = self.shorts.numbers
        numbers[PRICE], numbers[FLOOR], numbers[CAUTION] = terms.price, terms.floor, 1.0
        numbers[BETS : BETS + 3] = 1.0, 0.0, 0.25
        self.shorts.counts[NEXT] = self.first_choice()

    def __deepcopy__(self, memo: dict[int, Any]) -> ShortState:
        same = ShortState(self.survey, len(self.shorts.live), self.terms)
        same.shorts.take(self.shorts)
        same.choice = self.choice
        return same

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = {name: array.copy() for name, array in arrays_of(self.shorts).items()}
        return _unpickled, (self.survey, self.terms, self.choice, arrays)

    # -- looking ---------------------------------------------------------------------------------

    @property
    def form(self) -> Flags | None:
        """The questions of the form that stands; None where none does."""
        return self.shorts.form != 0 if self.shorts.counts[STANDS] else None

    @property
    def stands(self) -> bool:
        """Whether a form stands."""
        return bool(self.counts[STANDS])

    @property
    def price(self) -> float:
        """The price in force, in units of the range."""
        return float(self.shorts.numbers[PRICE])

    @property
    def withdrawn(self) -> int:
        """How many forms have been withdrawn."""
        return int(self.shorts.counts[WITHDRAWN])

    @property
    def visits(self) -> tuple[int, int]:
        """How many visits have been learned, and how many of them were full or checks."""
        return int(self.shorts.counts[VISITS]), int(self.shorts.counts[FULL_VISITS])

    def loss(self) -> tuple[float, float, float] | None:
        """Return what short forms have cost a visit, and its ends, in units of the range."""
        found = interval(self.shorts.numbers)
        if found is None:
            return None
        middle, low, high = (min(1.0, max(-1.0, end)) for end in found)
        return middle, low, high

    def first_choice(self) -> int:
        """Return after how many full visits a form is first chosen (maths 9.2)."""
        fewest = self.survey.column_count * int(self.shorts.live.sum())
        if self.terms.planned is not None:
            fewest = min(fewest, self.terms.planned // 5)
        return max(FEWEST, fewest)

    # -- visits ----------------------------------------------------------------------------------

    def full_share(self, model: EpochState, mask: Flags, number: int) -> float:
        """Return with which probability a visit is full."""
        if not self.stands:  # nothing need be derived for the first visits
            return 1.0
        return self.shorts.full_share(model.arms, mask, number)

    def weights(self, model: EpochState) -> tuple[float, float]:
        """Return what a full and what a short visit cost, in weights of questions."""
        self.recount(model)
        whole = float(self.shorts.numbers[COST])
        return whole, whole if self.form is None else float(self.shorts.numbers[COST_SHORT])

    def recount(self, model: EpochState) -> None:
        """Count what full and short visits are asked, as it is now."""
        self.shorts.recount(model.learned)

    def is_short(self, model: EpochState) -> bool:
        """Whether a form stands that asks less than full visits do."""
        form = self.form
        return form is not None and bool((self.candidates(model) & ~form).any())

    def candidates(self, model: EpochState) -> Flags:
        """Return what a full visit is asked: what a live arm uses, and what everyone is asked."""
        asked = np.empty(len(self.survey), dtype=bool)
        self.shorts.may_ask(model.learned, asked)
        return asked

    def decides_full(self, model: EpochState) -> bool:
        """Whether full visits are decided by whole models: while a form stands (maths 9.1)."""
        return self.stands and not model.rule.by_sets

    def score_whole(self, model: EpochState, mask: Flags, z: Floats) -> tuple[int, Floats]:
        """Return the best of the arms in `mask` by whole models, and their scores."""
        scores = np.empty(len(mask))
        return self.shorts.score_whole(model.arms, mask, z, scores), scores

    def short_arm(self, model: EpochState, mask: Flags, z: Floats) -> tuple[int, Floats]:
        """Return the arm that a visit with these answers plays by the form, and the scores."""
        arm = self.shorts.short_arm(model.arms, mask, z)
        return arm, self.shorts.scores.copy()

    # -- learning --------------------------------------------------------------------------------

    def enter(self, model: EpochState, check: Check, arm: int, y: float) -> None:
        """Let a visit count in the check; it may withdraw the form."""
        x = 0.0
        if check.tossed:
            of_full = arm == check.full
            x = self.shorts.loss(model.arms, y, check.expected, of_full)
        self.shorts.enter(x, check.bet, check.saving)

    def learn_short(self, model: EpochState, arm: int, row: Floats, y: float) -> int | None:
        """Let a short visit teach its arm; returns which form it taught, None if it is older."""
        self.shorts.counts[VISITS] += 1
        if self.form is None or not (self.form == self._known(row)).all():
            return None
        self.shorts.learn_short(model.arms, arm, row, y, 1.0)
        return self.number

    def keep(self, model: EpochState, row: Floats, mask: Flags) -> None:
        """Keep the context of a check, or of a corrected visit; choose a form if it is time."""
        shorts, counts = self.shorts, self.shorts.counts
        shorts.keep_if_whole(model.learned, row, mask)
        counts[VISITS] += 1
        counts[FULL_VISITS] += 1
        if counts[FULL_VISITS] >= counts[NEXT]:
            self.choose(model)

    def learn_check(
        self, model: EpochState, arm: int, row: Floats, y: float, *, back: bool = False
    ) -> None:
        """Let a check tell its arm what it has brought, or take it `back`: no test ever sees it."""
        if not (model.support[arm] & ~self._known(row)).any():
            sign = -1.0 if back else 1.0
            self.shorts.learn_check(model.arms, arm, row, y, sign)

    def forget_full(self, row: Floats) -> None:
        """Take the context of an unlearned visit out of the ring: the newest that is the same."""
        shorts, order = self.shorts, self._in_order()
        rows, may = shorts.ring[order], shorts.may[order]
        same = np.flatnonzero(((rows == row) | np.isnan(rows)).all(axis=1))
        if len(same):
            self._fill_ring(np.delete(rows, same[-1], axis=0), np.delete(may, same[-1], axis=0))

    def forget_short(self, model: EpochState, arm: int, row: Floats, y: float, of: int) -> None:
        """Take a short visit out of the sums, if it is of the form whose sums they are."""
        if of == self.number:
            self.shorts.learn_short(model.arms, arm, row, y, -1.0)

    # -- arms that come and go -------------------------------------------------------------------

    def retire(self, model: EpochState, live: Flags) -> None:
        """Leave out arms that are retired."""
        counts = self.shorts.counts
        waits = not self.number and counts[NEXT] == self.first_choice()  # no arm came meanwhile
        self.shorts.live[:] = live
        if waits:
            counts[NEXT] = self.first_choice()
        self.recount(model)
        if counts[STANDS]:
            self.choose(model)

    def reprice(self, model: EpochState, price: float) -> None:
        """Take another price, in units of the range; a form that stands is chosen anew."""
        self.terms = self.terms._replace(price=price)
        self.shorts.numbers[PRICE] = price
        if self.stands:
            self.choose(model)

    def grown(self, model: EpochState) -> ShortState:
        """Return these with room for the arm that has just been added (maths 9.2)."""
        other = ShortState(self.survey, len(model.learned.n), self.terms)
        mine, theirs = self.shorts, other.shorts
        for name in ("counts", "numbers", "form", "columns", "projection"):
            getattr(theirs, name)[:] = getattr(mine, name)
        for name in ("live", "prior", "pull", "gram", "moment", "rows", "renewed", "spread"):
            getattr(theirs, name)[:-1] = getattr(mine, name)
        for name in ("estimate", "width", "told", "tells", "whole_root", "whole_estimate"):
            getattr(theirs, name)[:-1] = getattr(mine, name)
        other.choice = self.choice
        order = self._in_order()
        rows, may = mine.ring[order], mine.may[order]
        # Who could get every arm that there was could have got this one.
        may = np.c_[may, may[:, mine.live != 0].all(axis=1)]
        wanted = other.candidates(model)[self.survey.owner]
        complete = ~np.isnan(rows[:, 1:][:, wanted]).any(axis=1)
        other._fill_ring(rows[complete], may[complete])
        theirs.counts[STANDS] = 0
        theirs.counts[NEXT] = theirs.counts[FULL_VISITS] + other.first_choice()
        other.recount(model)
        return other

    # -- choosing a form -------------------------------------------------------------------------

    def choose_if_due(self, model: EpochState) -> None:
        """Choose a form if the compiled loop has stopped for it."""
        if self.shorts.counts[DUE]:
            self.shorts.counts[DUE] = 0
            self.choose(model)

    def choose(self, model: EpochState) -> None:
        """Choose the form anew, and derive its models."""
        shorts, counts = self.shorts, self.shorts.counts
        people, may = self._people(model)
        before = counts[FULL_VISITS]
        if len(people) < FEWEST:  # others may come, for the arms that there are now
            counts[STANDS], counts[NEXT] = 0, before + 1
            return
        counts[NEXT] = before + math.ceil(min(MOST_GROWTH, GROWTH * before))
        shorts.know_whole(model.arms)
        gram = people.T @ people  # exact, as contexts lie on a grid: any library's is the same
        self.choice, shorts.numbers[PRICE] = self._chosen(model, people, gram, may)
        form = self.choice.form
        if (form != (shorts.form != 0)).any() or not self.number:
            counts[FORM] += 1
            shorts.fold_all(model.arms)
            shorts.form[:] = form
            shorts.numbers[LOG_WEALTH] = min(shorts.numbers[LOG_WEALTH], 0.0)
        counts[STANDS] = 1
        shorts.derive_all(model.arms, gram, len(people))
        self.recount(model)

    def _chosen(
        self, model: EpochState, people: Floats, gram: Floats, may: Flags
    ) -> tuple[Choice, float]:
        live, shorts = np.flatnonzero(self._known_arms(model)), self.shorts
        estimates = np.zeros((len(live), self.survey.column_count))
        for i, k in enumerate(live):
            size = model.learned.size[k]
            estimates[i, model.learned.columns[k, :size]] = shorts.whole_estimate[k, :size]
        forming = core.Forming(
            *(people, gram, estimates, np.ascontiguousarray(may[:, live])),
            candidate=self.candidates(model).astype(np.int64),
            forced=shorts.everyone,
            cost=shorts.cost,
            widest=int(self.survey.columns.width.max()),
        )
        return chosen(
            *(self.survey, forming, self.terms, float(shorts.numbers[CAUTION])),
            fits=lambda form, price: self.costs(model, form, price) <= self._budget,
        )

    @property
    def _budget(self) -> float:
        return math.inf if self.terms.budget is None else self.terms.budget

    def costs(self, model: EpochState, form: Flags, price: float) -> float:
        """Return what visits cost on average with a form, in weights of questions (maths 9.2)."""
        shorts = self.shorts
        before = [(part, part.copy()) for part in (shorts.counts, shorts.numbers, shorts.form)]
        shorts.form[:], shorts.numbers[PRICE] = form, price
        share = shorts.share(model.arms, self.visits[0])
        cost = share * shorts.numbers[COST] + (1.0 - share) * shorts.numbers[COST_SHORT]
        for part, kept in before:
            part[:] = kept
        return float(cost)

    @property
    def number(self) -> int:
        """Which form the short sums are of, counted from 1; 0 before there is one."""
        return int(self.shorts.counts[FORM])

    def _known_arms(self, model: EpochState) -> Flags:
        """Return the live arms that are past their first block; the others have no model yet."""
        return np.asarray((self.shorts.live != 0) & (model.epochs.ended > 0))

    def _people(self, model: EpochState) -> tuple[Floats, Flags]:
        """Return the contexts of the ring on the columns of the candidates, who may get what."""
        count = self.shorts.counts[PEOPLE]
        may = (self.shorts.may[:count] != 0) & self._known_arms(model)
        wanted = np.append(True, self.candidates(model)[self.survey.owner])
        people = np.where(wanted, self.shorts.ring[:count], 0.0)
        some = may.any(axis=1)
        return people[some], may[some]

    def of_form(self, model: EpochState, form: Flags) -> ShortState:
        """Return a copy with another form, which short visits have taught nothing (maths 9.1)."""
        other = copy.deepcopy(self)
        other.shorts.form[:] = form
        other.shorts.gram[:], other.shorts.moment[:], other.shorts.rows[:] = 0.0, 0.0, 0
        people, _ = self._people(model)
        other.shorts.derive_all(model.arms, people.T @ people, len(people))
        return other

    # -- the ring --------------------------------------------------------------------------------

    def _in_order(self) -> Ints:
        """Return where in the ring its contexts are, the oldest first."""
        count, oldest = self.shorts.counts[PEOPLE], self.shorts.counts[OLDEST]
        return (np.arange(count) + (oldest if count == RING else 0)) % RING

    def _fill_ring(self, rows: Floats, may: Ints | Flags) -> None:
        shorts, count = self.shorts, len(rows)
        shorts.ring[:count], shorts.may[:count] = rows, may
        shorts.counts[PEOPLE], shorts.counts[OLDEST] = count, count % RING

    def _known(self, row: Floats) -> Flags:
        return np.asarray(~self.survey.open_questions(row))


def _unpickled(survey: Survey, terms: Terms, choice: Choice, arrays: dict[str, Any]) -> ShortState:
    state = ShortState(survey, len(arrays["live"]), terms)
    for name, array in arrays.items():
        getattr(state.shorts, name)[...] = array
    state.choice = choice
    return state


def interval(numbers: Floats) -> tuple[float, float, float] | None:
    """Return the loss so far and its ends at all times, in units of the range (maths 9.4)."""
    _, _, _, stakes, total, spent = numbers[LOSS : LOSS + 6].tolist()
    if stakes == 0.0:
        return None
    half, centre = (math.log(2.0 / LEVEL) + spent) / stakes, total / stakes
    low, middle, high = (
        2.0 * MOST_LOSS * u - MOST_LOSS for u in (centre - half, centre, centre + half)
    )
    return middle, low, high

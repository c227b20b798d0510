"""The arrays of short forms: the people a form is chosen by, its models, the check (maths 9)."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from askless.errors import StateError
from askless.kernels import short_check, short_forms, short_visits
from askless.kernels.bundles import Flags, Floats, Ints
from askless.kernels.short_models import (
    BETS,
    CAUTION,
    COST,
    COST_SHORT,
    COUNTS,
    DUE,
    FLOOR,
    FORM,
    FULL_VISITS,
    LOG_WEALTH,
    LOSS,
    NEXT,
    NUMBERS,
    OLDEST,
    PEOPLE,
    PRICE,
    RING,
    SIZE,
    STANDS,
    VISITS,
    WAITS,
    WITHDRAWN,
    Shorts,
)
from askless.policies.decision import Check
from askless.policies.epoch_state import EpochState
from askless.survey import Survey

__all__ = ["ShortState", "Terms"]

FEWEST = 50  # full visits before a form is chosen
GROWTH, MOST_GROWTH = 0.1, 50  # by which full visits grow until it is chosen anew
CHEAPEST, DEAREST = 0.0001, 0.05  # the prices that a budget is tried with
SOFT, LEAST = 1e-6, 1e-9  # on the diagonals of a ring's Gram matrix and of a prior's variance
MOST_COUNT = 2**53


class Terms(NamedTuple):
    """What a study has said about short forms, in units of the reward range."""

    price: float
    budget: float | None  # of a visit, in weights of questions
    planned: int | None
    floor: float


class ShortState:
    """What is kept of short forms, for one policy; the arms' own state is handed in.

    Attributes
    ----------
    shorts : Shorts
        The arrays, which the kernels share.
    path : list of (int, float)
        The questions in the order in which they were worth most, and what the form up to each is
        worth net of its price, in units of the range from its middle; of the last choice.
    start_value : float
        The same of the form with nothing but what everyone is asked.
    caution : float
        r, by which the price was multiplied in these.
    told, tells : array (K × p × p), array (K × p)
        What short visits of earlier forms have told about the arms' parameters (maths 9.3).
    projection : array (columns of the form × p)
        The contexts on what the form asks, as when it was chosen last.
    """

    def __init__(self, survey: Survey, arm_count: int, terms: Terms) -> None:
        self.survey, self.terms = survey, terms
        self.path: list[tuple[int, float]] = []
        self.start_value, self.caution = 0.0, 1.0
        self.shorts = _empty(survey, arm_count)
        p = survey.column_count
        self.told, self.tells = np.zeros((arm_count, p, p)), np.zeros((arm_count, p))
        self.projection: Floats = np.zeros((0, p))
        numbers = self.shorts.numbers
        numbers[PRICE], numbers[FLOOR], numbers[CAUTION] = terms.price, terms.floor, 1.0
        numbers[BETS : BETS + 3] = 1.0, 0.0, 0.25
        self.shorts.counts[NEXT] = self.first_choice()

    # -- looking ---------------------------------------------------------------------------------

    @property
    def form(self) -> Flags | None:
        """The questions of the form that stands; None where none does."""
        return self.shorts.form != 0 if self.shorts.counts[STANDS] else None

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
        found = short_check.interval(self.shorts.numbers)
        return found and (found[0], max(found[1], -1.0), min(found[2], 1.0))

    def first_choice(self) -> int:
        """Return after how many full visits a form is first chosen (maths 9.2)."""
        fewest = self.survey.column_count * int(self.shorts.live.sum())
        if self.terms.planned is not None:
            fewest = min(fewest, self.terms.planned // 5)
        return max(FEWEST, fewest)

    # -- visits ----------------------------------------------------------------------------------

    def full_share(self, model: EpochState, mask: Flags, number: int) -> float:
        """Return with which probability a visit is full."""
        if self.form is None:  # nothing need be compiled for the first visits
            return 1.0
        self.recount(model)
        share: float = short_visits.full_share_of(model.address, self.shorts, mask[None, :], number)
        return share

    def recount(self, model: EpochState) -> None:
        """Count what full and short visits are asked, as it is now."""
        short_visits.recount(model.address, self.shorts)

    def is_short(self, model: EpochState) -> bool:
        """Whether a form stands that asks less than full visits do."""
        form = self.form
        return form is not None and bool((self.candidates(model) & ~form).any())

    def candidates(self, model: EpochState) -> Flags:
        """Return what a full visit is asked: what a live arm uses, and what everyone is asked."""
        live = self.shorts.live != 0
        return np.asarray(model.support[live].any(axis=0) | (self.shorts.everyone != 0))

    def short_arm(self, model: EpochState, mask: Flags, z: Floats) -> tuple[int, Floats]:
        """Return the arm that a visit with these answers plays by the form, and the scores."""
        arm: int = short_visits.short_arm(model.address, self.shorts, mask[None, :], z)
        return arm, self.shorts.scores.copy()

    def terms_of_check(self, model: EpochState, full: int, short: int, z: Floats) -> Floats:
        """Return the terms of a check between two arms: expected reward, bet, saving."""
        self.recount(model)
        out = np.empty(3)
        short_visits.terms_of(model.address, self.shorts, full, short, z, out)
        return out

    # -- learning --------------------------------------------------------------------------------

    def enter(self, model: EpochState, check: Check, arm: int, y: float) -> None:
        """Let a visit count in the check; it may withdraw the form."""
        x = 0.0
        if check.tossed:
            of_full = arm == check.full
            x = short_visits.loss_units(model.address, y, check.expected, of_full)
        short_check.enter(self.shorts, x, check.bet, check.saving)

    def learn_short(self, model: EpochState, arm: int, row: Floats, y: float) -> int | None:
        """Let a short visit teach its arm; returns which form it taught, None if it is older."""
        self.shorts.counts[VISITS] += 1
        if self.form is None or not (self.form == self._known(row)).all():
            return None
        short_visits.learn_short(model.address, self.shorts, arm, row, y, 1.0)
        return self.number

    def learn_full(self, model: EpochState, row: Floats, mask: Flags, *, dropped: bool) -> None:
        """Keep the context of a full or check visit that has been learned; choose if it is time."""
        shorts = self.shorts
        if not (self.candidates(model) & ~self._known(row)).any():
            short_visits.keep_person(shorts, row, mask[None, :], 0)
        shorts.counts[VISITS] += 1
        shorts.counts[FULL_VISITS] += 1
        due = short_visits.form_is_due(model.address, shorts)
        if due or (dropped and shorts.counts[STANDS]):
            self.choose(model)

    def forget_full(self, row: Floats) -> None:
        """Take the context of an unlearned visit out of the ring: the newest that is the same."""
        shorts, order = self.shorts, self._in_order()
        rows, may = shorts.ring[order], shorts.may[order]
        same = np.flatnonzero(((rows == row) | (np.isnan(rows) & np.isnan(row))).all(axis=1))
        if len(same):
            self._fill_ring(np.delete(rows, same[-1], axis=0), np.delete(may, same[-1], axis=0))

    def forget_short(self, model: EpochState, arm: int, row: Floats, y: float, of: int) -> None:
        """Take a short visit out of the sums, if it is of the form whose sums they are."""
        if of == self.number:
            short_visits.learn_short(model.address, self.shorts, arm, row, y, -1.0)

    # -- arms that come and go -------------------------------------------------------------------

    def retire(self, model: EpochState, live: Flags) -> None:
        """Leave out arms that are retired."""
        counts = self.shorts.counts
        waits = not self.number and counts[NEXT] == self.first_choice()  # no arm came meanwhile
        self.shorts.live[:] = live
        if waits:
            counts[NEXT] = self.first_choice()
        if counts[STANDS]:
            self.choose(model)

    def grown(self, model: EpochState) -> ShortState:
        """Return these with room for the arm that has just been added (maths 9.2)."""
        other = ShortState(self.survey, len(model.learned.n), self.terms)
        mine, theirs = self.shorts, other.shorts
        for name in ("counts", "numbers", "form", "columns"):
            getattr(theirs, name)[:] = getattr(mine, name)
        for name in ("live", "prior", "pull", "gram", "moment", "rows", "renewed", "spread"):
            getattr(theirs, name)[:-1] = getattr(mine, name)
        for name in ("estimate", "width"):
            getattr(theirs, name)[:-1] = getattr(mine, name)
        other.path, other.start_value = list(self.path), self.start_value
        other.caution = self.caution
        other.told[:-1], other.tells[:-1] = self.told, self.tells
        other.projection = self.projection
        order = self._in_order()
        rows, may = mine.ring[order], mine.may[order]
        # Who could get every arm that there was could have got this one.
        may = np.c_[may, may[:, mine.live != 0].all(axis=1)]
        wanted = other.candidates(model)[self.survey.owner]
        complete = ~np.isnan(rows[:, 1:][:, wanted]).any(axis=1)
        other._fill_ring(rows[complete], may[complete])
        theirs.counts[STANDS] = 0
        theirs.counts[NEXT] = theirs.counts[FULL_VISITS] + other.first_choice()
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
        if not len(people):
            return
        before = counts[FULL_VISITS]
        counts[NEXT] = before + math.ceil(min(MOST_GROWTH, GROWTH * before))
        counts[WAITS] = 0
        form = self._chosen(model, people, may)
        if (form != (shorts.form != 0)).any() or not self.number:
            counts[FORM] += 1
            for k in range(len(shorts.live)):
                self.told[k], self.tells[k] = self._told_by_all(model, k)
            shorts.form[:] = form
            shorts.gram[:], shorts.moment[:], shorts.rows[:] = 0.0, 0.0, 0
            shorts.numbers[LOG_WEALTH] = min(shorts.numbers[LOG_WEALTH], 0.0)
        counts[STANDS] = 1
        self._put_models(model, people)
        self.recount(model)

    @property
    def number(self) -> int:
        """Which form the short sums are of, counted from 1; 0 before there is one."""
        return int(self.shorts.counts[FORM])

    def _chosen(self, model: EpochState, people: Floats, may: Flags) -> Flags:
        live = np.flatnonzero(self._known_arms(model))
        estimates = np.zeros((len(live), self.survey.column_count))
        for i, k in enumerate(live):
            columns, _, estimate = self._known_of(model, int(k), now=True)
            estimates[i, columns] = estimate
        forming = short_forms.forming(
            *(people, people @ estimates.T, may[:, live]),
            candidate=self.candidates(model).astype(np.int64),
            forced=self.shorts.everyone,
            cost=self.shorts.cost,
            widest=int(self.survey.columns.width.max()),
        )
        for price in self._prices():
            self.shorts.numbers[PRICE] = price
            form = self._best(forming, len(people), price)
            if self._fits(model, form):
                break
        self.caution = float(self.shorts.numbers[CAUTION])
        return (
            form if self.caution == 1.0 else self._best(forming, len(people), self.caution * price)
        )

    def _prices(self) -> Iterator[float]:
        """Go through the prices to try: the one that is given, or those of a budget."""
        if self.terms.budget is None:
            yield self.terms.price
            return
        price = CHEAPEST
        while price <= DEAREST:
            yield price
            price *= math.sqrt(2.0)

    def _known_of(self, model: EpochState, k: int, *, now: bool) -> tuple[Ints, Floats, Floats]:
        """Return arm k's columns, the inverse of its precision, and its estimate (maths 9.3).

        Out of full visits and of what short ones have told: of earlier forms, or `now` of all.
        """
        size = int(model.learned.size[k])
        columns = model.learned.columns[k, :size]
        lower = np.tril(model.learned.gram[k, :size, :size])
        gram = lower + np.tril(lower, -1).T
        gram[np.diag_indices(size)] += model.learned.ridge[k]
        moment = gram @ model.epochs.model_estimate[k, :size]
        told, moments = self._told_by_all(model, k) if now else (self.told[k], self.tells[k])
        inverse = np.linalg.inv(gram + told[np.ix_(columns, columns)])
        return columns, inverse, inverse @ (moment + moments[columns])

    def _told_by_all(self, model: EpochState, k: int) -> tuple[Floats, Floats]:
        """Return what short visits of all forms have told about arm k."""
        size, rule = len(self.projection), model.rule
        gram, moment = self.shorts.gram[k, :size, :size], self.shorts.moment[k, :size]
        middle = (rule.low + 0.5 * rule.span) / rule.span if rule.raw else 0.0
        own = self.projection.T @ gram @ self.projection
        tells = self.projection.T @ (moment - middle * gram[:, :1].ravel())
        return self.told[k] + own, self.tells[k] + tells

    def _fits(self, model: EpochState, form: Flags) -> bool:
        """Whether visits cost no more than the budget with a form, and the price in force."""
        trial = self.shorts._replace(
            form=form.astype(np.int64),
            counts=self.shorts.counts.copy(),
            numbers=self.shorts.numbers.copy(),
        )
        share = short_visits.share_of(model.address, trial, self.visits[0])
        whole, part = trial.numbers[COST], trial.numbers[COST_SHORT]
        budget = math.inf if self.terms.budget is None else self.terms.budget
        return bool(share * whole + (1.0 - share) * part <= budget)

    def _best(self, forming: short_forms.Forming, n: int, price: float) -> Flags:
        """Return the best form at a price, cautious or not; notes the path (maths 9.2)."""
        columns = self.survey.columns
        steps = short_forms.find_path(columns, forming, n, price)
        forced = int(forming.forced.sum())
        values, path = forming.values[: steps + 1], forming.path[forced : forced + steps]
        self.start_value = float(values[0])
        self.path = list(zip(path.tolist(), values[1:].tolist(), strict=True))
        taken = int(values.argmax())
        forming.taken[:] = forming.forced
        forming.taken[path[:taken]] = 1
        short_forms.trim(columns, forming, n, price, float(values[taken]))
        return np.asarray(forming.taken != 0)

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

    def _put_models(self, model: EpochState, people: Floats) -> None:
        """Put the priors of all arms on the form's columns into place, and derive the models."""
        shorts = self.shorts
        own = np.append(True, (shorts.form != 0)[self.survey.owner])
        columns = np.flatnonzero(own)
        size = shorts.counts[SIZE] = len(columns)
        shorts.columns[:size] = columns
        gram = people.T @ people / max(len(people), 1)
        inner = gram[np.ix_(columns, columns)] + SOFT * np.eye(size)
        self.projection = np.asarray(np.linalg.solve(inner, gram[columns]), dtype=np.float64)
        for k, live in enumerate(shorts.live):
            if not live:
                shorts.prior[k, :size, :size], shorts.pull[k, :size] = np.eye(size), 0.0
                continue
            theirs, inverse, estimate = self._known_of(model, k, now=False)
            projection = self.projection[:, theirs]
            variance = projection @ inverse @ projection.T + LEAST * np.eye(size)
            lower = np.linalg.cholesky(variance)
            mean = projection @ estimate
            shorts.prior[k, :size, :size] = lower
            shorts.pull[k, :size] = solve_triangular(lower, mean, lower=True)
        short_visits.derive_all(model.address, shorts)

    def of_form(self, model: EpochState, form: Flags) -> ShortState:
        """Return a copy with another form, which short visits have taught nothing (maths 9.1)."""
        other = copy.deepcopy(self)
        other.shorts.form[:] = form
        other.shorts.gram[:], other.shorts.moment[:], other.shorts.rows[:] = 0.0, 0.0, 0
        other._put_models(model, self._people(model)[0])
        return other

    def use_all(self, model: EpochState, z: Floats) -> None:
        """Do with a copy all that comes once a form stands, so that it is compiled."""
        other, everyone = copy.deepcopy(self), self.shorts.live != 0
        short_visits.keep_person(other.shorts, z, everyone[None, :], 0)
        other.choose(model)
        other.full_share(model, everyone, 0)
        other._fits(model, self.shorts.form != 0)
        arm = int(np.flatnonzero(everyone)[0])
        other.short_arm(model, everyone, z)
        other.enter(
            model, Check(arm, arm, True, *other.terms_of_check(model, arm, arm, z)), arm, 0.0
        )
        short_visits.learn_short(model.address, other.shorts, arm, z, 0.0, 1.0)

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
        return np.asarray(~np.isnan(row[self.survey.columns.first]))

    # -- as data ---------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        """Return it as plain data for JSON; models are derived anew from it."""
        shorts, count = self.shorts, int(self.shorts.counts[PEOPLE])
        size = int(shorts.counts[SIZE])
        each = range(len(shorts.live))
        return {
            "counts": shorts.counts.tolist(),
            "numbers": shorts.numbers.tolist(),
            "form": shorts.form.tolist(),
            "path": [list(step) for step in self.path],
            "start_value": self.start_value,
            "caution": self.caution,
            "projection": self.projection.tolist(),
            "ring": [
                [None if math.isnan(x) else x for x in row] for row in shorts.ring[:count].tolist()
            ],
            "may": shorts.may[:count].tolist(),
            "arms": [
                {
                    "rows": int(shorts.rows[k]),
                    "renewed": int(shorts.renewed[k]),
                    "width": float(shorts.width[k]),
                    "gram": shorts.gram[k, :size, :size].tolist(),
                    "moment": shorts.moment[k, :size].tolist(),
                    "prior": shorts.prior[k, :size, :size].tolist(),
                    "pull": shorts.pull[k, :size].tolist(),
                    "spread": shorts.spread[k, :size, :size].tolist(),
                    "estimate": shorts.estimate[k, :size].tolist(),
                    "told": self.told[k].tolist(),
                    "tells": self.tells[k].tolist(),
                }
                for k in each
            ],
        }

    def from_data(self, saved: dict[str, Any]) -> None:
        """Take back what `to_data` returned; refuse what cannot be."""
        shorts = self.shorts
        floor = float(shorts.numbers[FLOOR])
        counts, numbers = np.array(saved["counts"]), np.array(saved["numbers"], dtype=np.float64)
        form, ring = np.array(saved["form"]), np.array(saved["ring"], dtype=np.float64)
        may = np.array(saved["may"], dtype=np.int64).reshape(-1, shorts.may.shape[1])
        ring = ring.reshape(-1, shorts.ring.shape[1])
        whole = counts.dtype == form.dtype == np.int64
        if not (
            whole
            and counts.shape == shorts.counts.shape
            and (counts >= 0).all()
            and (counts < MOST_COUNT).all()
            and counts[FULL_VISITS] <= counts[VISITS]
            and counts[PEOPLE] == len(ring) == len(may) <= RING
            and counts[OLDEST] == (counts[PEOPLE] if counts[PEOPLE] < RING else counts[OLDEST])
            and counts[OLDEST] < RING
            and numbers.shape == shorts.numbers.shape
            and np.isfinite(numbers).all()
            and numbers[FLOOR] == floor
            and 0 < numbers[CAUTION] <= 1
            and 0 < numbers[PRICE] <= 1
            and form.shape == shorts.form.shape
            and np.isin(form, (0, 1)).all()
            and np.isin(may, (0, 1)).all()
            and np.isin(counts[[STANDS, WAITS, DUE]], (0, 1)).all()
            and counts[STANDS] <= counts[FORM]
            and counts[WITHDRAWN] <= counts[FULL_VISITS]
            and counts[NEXT] <= counts[FULL_VISITS] + max(MOST_GROWTH, self.first_choice())
            and self._are_contexts(ring)
            and self._is_path(saved["path"])
            and 0 < saved["caution"] <= 1
            and (self.terms.budget is not None or numbers[PRICE] == self.terms.price)
            and 1 <= numbers[BETS] <= 300 + 1e-6
            and numbers[BETS + 2] > 0
            and (numbers[LOSS : LOSS + 6] >= 0).all()
            and numbers[LOSS] <= counts[FULL_VISITS]
            and counts[SIZE] == (counts[FORM] > 0) * (1 + (form != 0)[self.survey.owner].sum())
            and len(saved["arms"]) == len(shorts.live)
        ):
            raise StateError("the file's short form cannot be")
        shorts.counts[:], shorts.numbers[:], shorts.form[:] = counts, numbers, form
        size = int(counts[SIZE])
        own = np.append(True, (form != 0)[self.survey.owner])
        shorts.columns[:size] = np.flatnonzero(own)[:size]
        shorts.ring[: len(ring)], shorts.may[: len(may)] = ring, may
        self.path = [(int(g), float(value)) for g, value in saved["path"]]
        self.start_value, self.caution = float(saved["start_value"]), float(saved["caution"])
        p = self.survey.column_count
        self.projection = np.array(saved["projection"], dtype=np.float64).reshape(-1, p)
        if len(self.projection) != size or not np.isfinite(self.projection).all():
            raise StateError("the file's short form has a projection that cannot be")
        for k, arm in enumerate(saved["arms"]):
            self._fill_arm(k, arm, size)

    def _are_contexts(self, ring: Floats) -> bool:
        """Whether these can be contexts: a constant of 1, and every answer in its range."""
        columns = self.survey.columns
        least, most = np.minimum(columns.low, 0), np.maximum(columns.high, 0)
        known = np.isnan(ring) | ((least <= ring) & (ring <= most))
        return bool((ring[:, 0] == 1).all() and known.all())

    def _is_path(self, path: Any) -> bool:
        """Whether this can be a path: each question once, with a finite value."""
        steps = [(g, value) for g, value in path]
        return (
            all(type(g) is int and 0 <= g < len(self.survey) for g, _ in steps)
            and len({g for g, _ in steps}) == len(steps)
            and all(math.isfinite(value) for _, value in steps)
        )

    def _fill_arm(self, k: int, saved: dict[str, Any], size: int) -> None:
        shorts = self.shorts
        shapes = {"gram": 2, "prior": 2, "spread": 2, "moment": 1, "pull": 1, "estimate": 1}
        for name, dimensions in shapes.items():
            part = np.array(saved[name], dtype=np.float64).reshape(-1)
            if part.shape != (size**dimensions,) or not np.isfinite(part).all():
                raise StateError(f"arm number {k} of the file has a short model that cannot be")
            part = part.reshape((size,) * dimensions)
            getattr(shorts, name)[k][(slice(size),) * dimensions] = part
        for name in ("told", "tells"):
            part = np.array(saved[name], dtype=np.float64)
            if part.shape != getattr(self, name)[k].shape or not np.isfinite(part).all():
                raise StateError(f"arm number {k} of the file was told what cannot be")
            getattr(self, name)[k] = part
        rows, renewed, width = saved["rows"], saved["renewed"], saved["width"]
        if not (
            type(rows) is type(renewed) is int
            and 0 <= min(rows, renewed) <= max(rows, renewed) < MOST_COUNT
            and 0 <= width <= 0.5
        ):
            raise StateError(f"arm number {k} of the file has short visits that cannot be")
        shorts.rows[k], shorts.renewed[k], shorts.width[k] = rows, renewed, width


def _empty(survey: Survey, arm_count: int) -> Shorts:
    """Return the arrays of a policy that has no form yet."""
    m, p = len(survey), survey.column_count

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Shorts(
        counts=whole(COUNTS),
        numbers=np.zeros(NUMBERS),
        form=whole(m),
        everyone=survey.asked_of_everyone.astype(np.int64),
        live=np.ones(arm_count, dtype=np.int64),
        cost=np.array([float(question.cost) for question in survey]),
        columns=whole(p),
        ring=np.full((RING, p), np.nan),
        may=whole(RING, arm_count),
        prior=np.zeros((arm_count, p, p)),
        pull=np.zeros((arm_count, p)),
        gram=np.zeros((arm_count, p, p)),
        moment=np.zeros((arm_count, p)),
        rows=whole(arm_count),
        renewed=whole(arm_count),
        spread=np.zeros((arm_count, p, p)),
        estimate=np.zeros((arm_count, p)),
        width=np.zeros(arm_count),
        scores=np.zeros(arm_count),
        packed=np.zeros(p),
        work=np.zeros((2, p, p)),
    )

"""The arms of a policy: made empty, put together, and turned into plain data and back."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from askless import core
from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import (
    EVERYTHING,
    NEVER,
    NO_NET,
    NOISE,
    PRIOR_NOISE,
    PRIOR_SPREAD,
    Rule,
)
from askless.errors import StateError
from askless.policies import arm_data
from askless.policies.memory import check_fits
from askless.survey import Survey

STATISTICS = ("n", "gram", "moment", "squares")


def arrays_of(owner: core.Arms | core.Epochs | core.Shorts) -> dict[str, Any]:
    """Return all arrays that something of the core owns, by name."""
    named = ((name, getattr(owner, name)) for name in dir(owner) if not name.startswith("_"))
    return {name: array for name, array in named if isinstance(array, np.ndarray)}


class ArmState:
    """The arms of one policy, in the core's memory.

    `learned` is what rows have left behind (counts, sums, supports, drops); `arms` are the same
    once all else has been derived.
    """

    def __init__(self, survey: Survey, rule: Rule, count: int) -> None:
        self.survey, self.rule = survey, rule
        always = np.array([int(question.always_ask) for question in survey])
        cost = np.array([float(question.cost) for question in survey])
        self.learned = core.Arms(survey.core, rule, count, always, cost)

    @cached_property
    def arms(self) -> core.Arms:
        """All arrays, everything derived."""
        new = np.flatnonzero(self.learned.stale == NEVER)
        if len(new):
            self.learned.derive(new)
        return self.learned

    @classmethod
    def empty(cls, survey: Survey, rule: Rule, shares: Floats) -> Self:
        """Return arms that have learned nothing; `shares` are their parts of delta."""
        # The tables of P columns by P in src/core: of every arm, and beside them.
        interactive = rule.interactive != EVERYTHING
        each = 2 + (rule.net != NO_NET) + interactive + 3 * rule.epochs
        tables = each * len(shares) + 2 * interactive + 2 * rule.epochs
        check_fits(tables * survey.column_count**2, len(shares), survey.column_count)
        state = cls(survey, rule, len(shares))
        arms = state.learned
        arms.share[:] = shares
        arms.noise[:] = PRIOR_NOISE
        arms.ridge[:] = PRIOR_NOISE / PRIOR_SPREAD**2
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        same = type(self)(self.survey, self.rule, len(self.learned.n))
        same.learned.take(self.learned)
        return same

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._unpickled, (self.survey, self.rule, self._arrays())

    def _arrays(self) -> dict[str, Any]:
        return {name: array.copy() for name, array in arrays_of(self.learned).items()}

    @classmethod
    def _unpickled(cls, survey: Survey, rule: Rule, arrays: dict[str, Any]) -> Self:
        state = cls(survey, rule, len(arrays["n"]))
        for name, array in arrays.items():
            getattr(state.learned, name)[...] = array
        state.learned.check()
        return state

    def refresh(self, chosen: Iterable[int] | None = None) -> None:
        """Derive the chosen arms, or all, anew from their statistics."""
        every = range(len(self.learned.n)) if chosen is None else chosen
        # Those that have never been are derived when they are first needed.
        known = [k for k in every if self.learned.stale[k] != NEVER]
        if known:
            self.arms.derive(np.array(known, dtype=np.int64))

    def refresh_variance(self) -> None:
        """Bring the diagonals of the inverses up to date, for rules that do not need them."""
        self.arms.refresh_variance()

    def appended(self, share: float) -> Self:
        """Return these arms and a new one behind them; no bit of these changes."""
        shares = np.append(self.learned.share, share)
        grown = type(self).empty(self.survey, self.rule, shares)
        grown.learned.take(self.learned)
        return grown

    def joined(self, other: ArmState) -> ArmState:
        """Return the sum of two states: statistics are added, a support is what both kept."""
        total, further = copy.deepcopy(self), copy.deepcopy(other)
        mine, theirs = self.arms.dropped_at, other.arms.dropped_at
        total.arms.dropped_at[:] = np.where(mine < 0, theirs, mine)
        total.arms.evidence[:] = np.where(
            (mine < 0)[..., None], other.arms.evidence, self.arms.evidence
        )
        for state in (total, further):
            state.restrict(self.arms.support & other.arms.support)
        for name in STATISTICS:
            getattr(total.arms, name)[:] += getattr(further.arms, name)
        if self.rule.form == NOISE:  # as if nothing had been measured: it must not depend on order
            total.arms.misfit[:] = total.arms.freedom[:] = 0.0
            total.arms.renew_noise()
            total.arms.renew_noise()  # all arms with the noise of all of them
        else:
            total.refresh()
        return total

    def gram(self, k: int) -> Floats:
        """Return arm k's Σzzᵀ on its own columns, rows that wait included."""
        self.arms.settle(k)
        size = self.arms.size[k]
        lower = np.tril(self.arms.gram[k, :size, :size])
        return np.asarray(lower + np.tril(lower, -1).T)

    def has_room_for(self, k: int, row: Floats, y: float) -> bool:
        """Whether arm k can have learned a row: without it, its sums are still those of rows."""
        arms, size = self.arms, int(self.arms.size[k])
        x = np.append(row[arms.columns[k, :size]], y)
        moment = arms.moment[k, :size]
        sums = np.block([[self.gram(k), moment[:, None]], [moment, arms.squares[k]]])
        rest = sums - np.outer(x, x)
        slack = 1e-9 * max(1.0, float(np.trace(sums)))
        counted = bool(arms.n[k] > 0) and (rest[0, 0] > 0 or not rest.any())
        return counted and float(np.linalg.eigvalsh(rest)[0]) >= -slack

    def take_out(self, k: int, row: Floats, y: float, learned_in: int | None = None) -> bool:  # noqa: ARG002
        """Subtract a row from arm k, exactly; returns whether it can have been there."""
        if not self.has_room_for(k, row, y):
            return False
        self.arms.take_out_row(k, row, y)
        self.arms.renewed[k] = min(self.arms.renewed[k], self.arms.n[k])
        self.refresh([k])
        return True

    def restrict(self, support: Ints) -> None:
        """Let every arm keep only the questions in `support`; the statistics are cut exactly."""
        self.arms.support[:] = support
        for k in range(len(support)):
            self.arms.pack(k)

    def first_packed(self, k: int) -> Ints:
        """Return each question's first packed column in arm k."""
        widths = self.learned.support[k] * self.survey.columns.width
        return np.asarray(1 + np.cumsum(widths) - widths)

    @property
    def support(self) -> Flags:
        """Which questions each arm's model uses (K × questions)."""
        return np.asarray(self.learned.support != 0)

    def to_data(self) -> list[dict[str, Any]]:
        """Return the statistics and drops of every arm as plain data; the rest can be derived."""
        return [arm_data.to_data(self, k) for k in range(len(self.learned.n))]

    def from_data(self, packed: Any, names: Sequence[str]) -> None:
        """Fill empty arms with what `to_data` returned of arms of these names.

        What cannot be is refused.
        """
        if not isinstance(packed, list) or len(packed) != len(names):
            raise StateError(f"it names {len(names)} arms, and has not as many statistics")
        for k, (saved, name) in enumerate(zip(packed, names, strict=True)):
            arm_data.fill(self, k, saved, name)
        self.learned.check()
        self.refresh()

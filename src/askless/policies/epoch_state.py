"""The arms' arrays of a policy with epochs: beside the sums, the rows of the blocks under way."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from askless import core
from askless.core.arrays import Floats
from askless.core.words import BLOCK, WIDTH, Rule
from askless.policies import epoch_data
from askless.policies.arm_state import ArmState, arrays_of
from askless.survey import Survey


def lanes_of(size: int) -> int:
    """Return how many numbers the packed columns of a row take: whole lanes."""
    return -(-size // WIDTH) * WIDTH


class EpochState(ArmState):
    """The arms of a policy with epochs; the rest of it is what finished blocks taught them."""

    @property
    def epochs(self) -> core.Epochs:
        """The blocks of rows under way, and what is known of them."""
        return self.learned.epochs

    @classmethod
    def empty(cls, survey: Survey, rule: Rule, shares: Floats) -> Self:
        """Return arms that have learned nothing; `shares` are their parts of delta."""
        state = super().empty(survey, rule, shares)
        state.epochs.need[:], state.epochs.warm[:] = rule.start, 1
        return state

    def _arrays(self) -> dict[str, Any]:
        own = {f"epochs.{name}": array.copy() for name, array in arrays_of(self.epochs).items()}
        rooms = {f"rows.{k}": self.learned.rows(k) for k in range(len(self.learned.n))}
        return super()._arrays() | own | rooms

    @classmethod
    def _unpickled(cls, survey: Survey, rule: Rule, arrays: dict[str, Any]) -> Self:
        plain = {name: array for name, array in arrays.items() if "." not in name}
        state = super()._unpickled(survey, rule, plain)
        for name in arrays_of(state.epochs):
            getattr(state.epochs, name)[...] = arrays[f"epochs.{name}"]
        for k in range(len(state.learned.n)):
            state.learned.put_rows(k, arrays[f"rows.{k}"])
        state.learned.check()
        return state

    def leave_out_skips(self) -> None:
        """Let every comparison of an answer with a skip count as passed."""
        self.epochs.passed[:, epoch_data.skip_directions(self.survey)] = 1

    def rows_of(self, k: int) -> tuple[Floats, Floats]:
        """Return a copy of the rows kept of arm k's epoch: contexts on its columns, and rewards."""
        size, rows = int(self.learned.size[k]), self.learned.rows(k)
        return rows[:, :size], rows[:, lanes_of(size)]

    def ended(self) -> Self:
        """Return a copy in which every arm's block has ended, as if no more rows were to come."""
        finished = copy.deepcopy(self)
        finished.arms.end_blocks()
        return finished

    # -- rows taken out --------------------------------------------------------------------------

    def take_out(self, k: int, row: Floats, y: float, learned_in: int | None = None) -> bool:
        """Take a row out of arm k: out of its epoch, or out of the sums of finished ones.

        Where it was learned is not known, the newest row like it is taken to be the one.
        """
        if learned_in is None or learned_in == self.epochs.ended[k]:
            place = self._place(k, row, y)
            if place is not None:
                contexts, rewards = self.rows_of(k)
                self.put_rows(k, np.delete(contexts, place, axis=0), np.delete(rewards, place))
                self.epochs.held[k] -= 1
                return True
            self._finish_let_go(k)
        return super().take_out(k, row, y)

    def put_in(self, k: int, row: Floats, y: float) -> None:
        """Add a row to the sums of arm k's finished epochs, exactly; no test looks at it."""
        arms, size = self.learned, int(self.learned.size[k])
        own = row[arms.columns[k, :size]]
        arms.gram[k, :size, :size] += np.tril(np.outer(own, own))
        arms.moment[k, :size] += own * y
        arms.squares[k] += y * y
        arms.n[k] += 1
        self.refresh([k])

    def _finish_let_go(self, k: int) -> None:
        """Count rows that an arm without questions has let go as those of a finished epoch."""
        arms, epochs = self.learned, self.epochs
        count = int(epochs.held[k] - epochs.kept[k])
        if count > 0:
            self._add_sums(k, -1)
            arms.gram[k, 0, 0] += epochs.gram[k, 0, 0]
            arms.moment[k, 0] += epochs.moment[k, 0]
            arms.squares[k] += epochs.squares[k]
            arms.n[k] += count
            epochs.gram[k, 0, 0] = epochs.moment[k, 0] = epochs.squares[k] = 0.0
            epochs.held[k] -= count
            self._add_sums(k, 1)

    def _place(self, k: int, row: Floats, y: float) -> int | None:
        """Return where in arm k's epoch a row is."""
        contexts, rewards = self.rows_of(k)
        own = row[self.learned.columns[k, : self.learned.size[k]]]
        found = np.flatnonzero((contexts == own).all(axis=1) & (rewards == y))
        return int(found[-1]) if len(found) else None

    def put_rows(self, k: int, contexts: Floats, rewards: Floats) -> None:
        """Put other rows in the place of those that are kept of arm k's epoch."""
        epochs, count = self.epochs, len(contexts)
        self._add_sums(k, -1)
        size = contexts.shape[1]
        rows = np.zeros((count, lanes_of(size) + WIDTH))
        rows[:, :size], rows[:, lanes_of(size)] = contexts, rewards
        self.learned.put_rows(k, rows)
        epochs.added[k] = count // BLOCK * BLOCK
        self._add_sums(k, 1)

    def _add_sums(self, k: int, sign: int) -> None:
        """Add to the epoch's sums the rows that count as added, or take them out, exactly."""
        contexts, rewards = (part[: self.epochs.added[k]] for part in self.rows_of(k))
        size = contexts.shape[1]
        self.epochs.gram[k, :size, :size] += sign * (contexts.T @ contexts)
        self.epochs.moment[k, :size] += sign * (contexts.T @ rewards)
        self.epochs.squares[k] += sign * (rewards @ rewards)

    # -- as data ---------------------------------------------------------------------------------

    def to_data(self) -> list[dict[str, Any]]:
        """Return the statistics, drops and epochs of every arm as plain data."""
        return [
            saved | {"epoch": epoch_data.to_data(self, k)}
            for k, saved in enumerate(super().to_data())
        ]

    def from_data(self, packed: Any, names: Sequence[str]) -> None:
        """Fill empty arms with what `to_data` returned of arms of these names.

        What cannot be is refused.
        """
        super().from_data(packed, names)
        for k, (saved, name) in enumerate(zip(packed, names, strict=True)):
            epoch_data.fill(self, k, saved["epoch"], name)
        self.learned.check()

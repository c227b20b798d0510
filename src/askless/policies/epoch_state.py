"""The arms' arrays of a policy with epochs: beside the sums, the rows of the blocks under way."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from askless import core
from askless.core.arrays import Flags, Floats
from askless.core.words import (
    BLOCK,
    BY_ELLIPSOID,
    BY_EPOCHS,
    COUNTED,
    ESTIMATES,
    GRID,
    MOST_COUNTED,
    MOST_ROWS,
    NOT_DROPPED,
    PRICES,
    REWARD_GRID,
    ROOTS,
    SQUARES,
    STAKED,
    WEIGHTED,
    WIDTH,
    Rule,
)
from askless.errors import StateError
from askless.policies.arm_state import ArmState, arrays_of
from askless.survey import Survey

MOST_COUNT = 2**53
MOST_EFFECT = 1e6  # of the range: an estimate from few rows may be far off, not any number
SLACK = 1e-3  # rewards on the grid may leave the range by half a step of it
COUNTS = ("held", "need", "ended", "tested", "warm")


def lanes_of(size: int) -> int:
    """Return how many numbers the packed columns of a row take: whole lanes."""
    return -(-size // WIDTH) * WIDTH


def skip_directions(survey: Survey) -> Flags:
    """Return which directions compare an answer with a skip."""
    parts = [
        q.directions()[:, -1] != 0 if q.may_skip else np.zeros(len(q.directions())) for q in survey
    ]
    return np.concatenate(parts).astype(bool)


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
        self.epochs.passed[:, skip_directions(self.survey)] = 1

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
            saved | {"epoch": self._epoch_to_data(k)} for k, saved in enumerate(super().to_data())
        ]

    def _epoch_to_data(self, k: int) -> dict[str, Any]:
        epochs, (contexts, rewards) = self.epochs, self.rows_of(k)
        added = rewards[: epochs.added[k]]
        return {
            **{name: int(getattr(epochs, name)[k]) for name in COUNTS},
            "rows": contexts.tolist(),
            "rewards": rewards.tolist(),
            # Of rows that were let go, because an arm without questions has nothing to judge.
            "moment": float(epochs.moment[k, 0] - added.sum()),
            "squares": float(epochs.squares[k] - added @ added),
            "logs": epochs.logs[k].tolist(),
            "pace": epochs.pace[k].tolist(),
            "passed": epochs.passed[k].tolist(),
            "test": epochs.test[k].tolist(),
            "signed": epochs.signed_sums[k].tolist(),
        }

    def from_data(self, packed: Sequence[dict[str, Any]]) -> None:
        """Fill empty arms with what `to_data` returned; refuse what cannot be."""
        super().from_data(packed)
        for k, saved in enumerate(packed):
            self._fill_epoch(k, saved["epoch"])
        self.learned.check()

    def _fill_epoch(self, k: int, saved: dict[str, Any]) -> None:
        epochs, size = self.epochs, int(self.learned.size[k])
        contexts = np.array(saved["rows"], dtype=np.float64).reshape(-1, size)
        rewards = np.array(saved["rewards"], dtype=np.float64)
        logs, passed = np.array(saved["logs"], dtype=np.float64), np.array(saved["passed"])
        pace = np.array(saved["pace"], dtype=np.float64)
        # An older askless kept none: what epochs say from here on is as true without them.
        kept = saved.get("signed")
        signed = np.array(epochs.signed_sums[k] if kept is None else kept, dtype=np.float64)
        test, dropped = np.array(saved["test"]), self.learned.support[k] == 0
        counts = [saved[name] for name in COUNTS]
        let_go = saved["held"] - len(rewards)
        if not (
            all(type(count) is int and 0 <= count < MOST_COUNT for count in counts)
            and self._are_rows(k, contexts, rewards)
            and (let_go == 0 or (size == 1 and let_go > 0))
            and (let_go > 0 or saved["moment"] == saved["squares"] == 0)
            and abs(saved["moment"]) <= self.rule.span * let_go
            and 0 <= saved["squares"] < np.inf
            and saved["held"] < saved["need"]
            and (size == 1 or saved["need"] <= MOST_ROWS)
            and saved["warm"] in (0, 1)
            and saved["tested"] <= saved["ended"]
            and (saved["tested"] == 0 or saved["warm"] == 0)
            and (saved["ended"] > 0 or self.learned.n[k] == 0)
            and logs.shape == passed.shape == epochs.logs[k].shape
            and pace.shape == epochs.pace[k].shape
            and signed.shape == epochs.signed_sums[k].shape
            and _are_sums(signed, saved["tested"])
            and np.isfinite(logs).all()
            and ((pace >= 0) & (pace < np.inf)).all()
            and passed.dtype == test.dtype == np.int64
            and np.isin(passed, (0, 1)).all()
            and test.shape == dropped.shape
            and (np.isin(test, (BY_EPOCHS, BY_ELLIPSOID)) == dropped).all()
            and (test[~dropped] == NOT_DROPPED).all()
        ):
            raise StateError(f"arm number {k} of the file has an epoch that cannot be")
        for name, count in zip(COUNTS, counts, strict=True):
            getattr(epochs, name)[k] = count
        for name in ("logs", "pace", "passed", "test"):
            getattr(epochs, name)[k] = saved[name]
        epochs.signed_sums[k] = signed
        epochs.gram[k, 0, 0] = let_go
        epochs.moment[k, 0], epochs.squares[k] = saved["moment"], saved["squares"]
        self.put_rows(k, contexts, rewards)

    def _are_rows(self, k: int, contexts: Floats, rewards: Floats) -> bool:
        """Whether arm k can have learned these rows: they are in range and on the grids."""
        columns = self.survey.columns
        own = self.learned.columns[k, : self.learned.size[k]]
        low = self.rule.low / self.rule.span if self.rule.raw else -0.5
        whole = np.append(contexts.ravel() * GRID, rewards * REWARD_GRID)
        # The constant's column is always 1; a skipped question has zeros in the others.
        least, most = np.minimum(columns.low[own], 0), np.maximum(columns.high[own], 0)
        return (
            len(contexts) == len(rewards)
            and bool((whole == np.floor(whole)).all())
            and bool((contexts[:, 0] == 1).all())
            and bool(((least <= contexts) & (contexts <= most)).all())
            and bool(((low - SLACK <= rewards) & (rewards <= low + 1 + SLACK)).all())
        )


def _are_sums(signed: Floats, tested: int) -> bool:
    """Whether sums of signed effects can have come from so many epochs."""
    counted, staked = signed[:, COUNTED], signed[:, STAKED:WEIGHTED]
    nowhere, prices = (signed == 0).all(axis=1), signed[:, PRICES:ESTIMATES]
    return bool(
        np.isfinite(signed).all()
        and (
            (counted == np.floor(counted)) & (counted >= 0) & (counted <= min(tested, MOST_COUNTED))
        ).all()
        and ((staked > 0).all(axis=1) | nowhere).all()
        and (prices >= 0).all()
        and ((signed[:, ROOTS] > 0) == (counted > 0)).all()
        and (signed[:, SQUARES] >= 0).all()
        and (np.abs(signed[:, WEIGHTED:PRICES]) <= staked * MOST_EFFECT).all()
        and (np.abs(signed[:, ESTIMATES]) <= signed[:, ROOTS] * MOST_EFFECT).all()
    )

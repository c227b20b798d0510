"""Where a plan's worlds are played: sweeps in a temporary file, and what becomes of the worlds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from askless.environments import LinearEnvironment
from askless.evaluation.outcomes import Outcome, best_rewards, one_arm_for_all, outcome_of
from askless.evaluation.ways import SINGLE, Way
from askless.simulation import Sweep
from askless.simulation.sweep import sweep_rows

__all__ = ["Progress", "Stage"]

Progress = Callable[[str, int, int], None]
POINTS = 40  # at how many visits curves are kept, besides the numbers of people


class Stage:
    """Where worlds are played."""

    def __init__(
        self, seed: int, dropout: float, progress: Progress | None, where: dict[str, Any]
    ) -> None:
        self.seed, self.dropout, self.progress, self.where = seed, dropout, progress, where

    def play(
        self,
        what: str,
        ways: Sequence[Way],
        places: list[LinearEnvironment],
        people: Sequence[int],
    ) -> dict[str, Outcome]:
        """Play all worlds; by label, what became of them."""
        horizon = people[-1]
        visits = _grid(horizon, people)
        policies = [way.policy for way in ways if way.policy is not None]
        sweep = Sweep(
            policies=policies,
            environments={f"world {i}": world for i, world in enumerate(places)},
            horizon=horizon,
            runs=1,
            seed=self.seed,
            checkpoints=visits,
            dropout=self.dropout,
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "runs.jsonl")
            sweep.run(path, progress=self._told(what, len(sweep) * horizon), **self.where)
            rows = list(sweep_rows(path))
        best, at = best_rewards(places, self.seed, visits), np.array(visits, dtype=float)
        return {
            way.label: outcome_of([row for row in rows if row["policy"] == way.policy], at, best)
            for way in ways
        }

    def send_one(
        self, places: list[LinearEnvironment], people: Sequence[int]
    ) -> dict[tuple[str, int], Outcome]:
        """Return what becomes of all worlds where all get one arm, which a test finds."""
        return {
            (SINGLE, n): one_arm_for_all(
                places, self.seed, _grid(n, [m for m in people if m <= n]), n
            )
            for n in people
        }

    def _told(self, what: str, total: int) -> Callable[[int], None] | None:
        progress = self.progress
        return None if progress is None else lambda further: progress(what, further, total)


def _grid(horizon: int, people: Sequence[int]) -> list[int]:
    """Return the visits at which curves are kept: evenly up to each number of people."""
    even = [np.linspace(0, n, POINTS + 1).astype(int).tolist() for n in {horizon, *people}]
    return sorted({*people, *(t for visits in even for t in visits if t > 0)})

"""Where a plan's worlds are played: sweeps of ways and worlds, and what becomes of the worlds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askless.core.arrays import Floats
from askless.environments import LinearEnvironment
from askless.evaluation.outcomes import Outcome, best_rewards, one_arm_for_all, outcome_of
from askless.evaluation.ways import SINGLE, Way
from askless.simulation import Sweep

__all__ = ["Progress", "Stage"]

Progress = Callable[[str, int, int], None]
POINTS = 40  # at how many visits curves are kept, besides the numbers of people


class Stage:
    """Where worlds are played."""

    def __init__(
        self,
        places: list[LinearEnvironment],
        seed: int,
        dropout: float,
        progress: Progress | None,
        where: dict[str, Any],
    ) -> None:
        self.places, self.seed, self.dropout = places, seed, dropout
        self.progress, self.where = progress, where
        self._best: dict[int, Floats] = {}  # rewards of the best arms, by visits

    def first(self, count: int) -> Stage:
        """Return a stage with the first worlds alone."""
        return Stage(self.places[:count], self.seed, self.dropout, self.progress, self.where)

    def completing(self, people: int) -> int:
        """Return how many of the people complete who are asked everything."""
        return max(1, round(people * (1.0 - self.dropout) ** len(self.places[0].survey)))

    def play(self, what: str, ways: Sequence[Way], people: Sequence[int]) -> dict[str, Outcome]:
        """Play all worlds; by label, what became of them."""
        horizon = people[-1]
        visits = _grid(horizon, people)
        policies = [way.policy for way in ways if way.policy is not None]
        sweep = Sweep(
            policies=policies,
            environments={f"world {i}": world for i, world in enumerate(self.places)},
            horizon=horizon,
            runs=1,
            seed=self.seed,
            checkpoints=visits,
            dropout=self.dropout,
        )
        rows = sweep.play(progress=self._told(what, len(sweep) * horizon), **self.where)
        best, at = self._best_at(visits), np.array(visits, dtype=float)
        return {
            way.label: outcome_of([row for row in rows if row["policy"] == way.policy], at, best)
            for way in ways
        }

    def _best_at(self, visits: list[int]) -> Floats:
        """Return what the best arms would have brought (worlds × visits), counted once."""
        if not self._best.keys() >= set(visits):
            found = best_rewards(self.places, self.seed, visits)
            self._best |= dict(zip(visits, found.T, strict=True))
        return np.column_stack([self._best[visit] for visit in visits])

    def send_one(self, people: Sequence[int]) -> dict[tuple[str, int], Outcome]:
        """Return what becomes of all worlds where all get one arm, which a test finds."""
        return {
            (SINGLE, n): one_arm_for_all(
                self.places, self.seed, _grid(n, [m for m in people if m <= n]), n, self.dropout
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

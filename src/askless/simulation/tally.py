"""What a run adds up: a block of visits at a time, in constant memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.policies.player import Played

__all__ = ["Tally"]

SUMS = ("regret", "reward", "asked", "cost")


@dataclass
class Tally:
    """Sums up to each of `visits`, of what is played block by block."""

    visits: Ints
    plays: Ints  # of every arm so far
    widest: Floats  # radius at which it was played so far
    lengths: Ints  # how many visits were asked 0, 1, … questions so far
    totals: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SUMS, 0))
    sums_at: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SUMS})
    plays_at: list[Ints] = field(default_factory=list)
    lengths_at: list[Ints] = field(default_factory=list)
    widest_at: list[Floats] = field(default_factory=list)
    other_arms: int = 0
    begun: int = 0

    @classmethod
    def empty(cls, visits: Ints, arm_count: int, question_count: int) -> Tally:
        """Return a tally of nothing yet; figures are kept at `visits`."""
        plays, lengths = (np.zeros(n, dtype=np.int64) for n in (arm_count, question_count + 1))
        return cls(visits, plays, np.zeros(arm_count), lengths)

    def add(self, played: Played) -> None:
        """Add a block of visits."""
        self.other_arms += int(played.others.sum())
        parts = (played.regret, played.rewards, played.asked, played.paid)
        sums = {name: np.cumsum(part) for name, part in zip(SUMS, parts, strict=True)}
        count = len(played.arms)
        due = self.visits[(self.visits > self.begun) & (self.visits <= self.begun + count)]
        start = 0
        for end in due - self.begun:
            self._count(played, start, end)
            for name, total in self.totals.items():
                self.sums_at[name].append(total + sums[name][end - 1].item())
            self.plays_at.append(self.plays.copy())
            self.lengths_at.append(self.lengths.copy())
            self.widest_at.append(self.widest.copy())
            start = end
        self._count(played, start, count)
        for name in SUMS:
            self.totals[name] += sums[name][-1].item()
        self.begun += count

    def _count(self, played: Played, start: int, end: int) -> None:
        arms = played.arms[start:end]
        self.plays += np.bincount(arms, minlength=len(self.plays))
        self.lengths += np.bincount(played.asked[start:end], minlength=len(self.lengths))
        np.maximum.at(self.widest, arms, played.radii[start:end])

    def curves(self) -> dict[str, Any]:
        """Return the curves of a run by their names: arrays at `visits`."""
        sums = {f"{name}_at": np.array(values) for name, values in self.sums_at.items()}
        each = ("plays_at", "widest_at", "lengths_at")
        return sums | {name: np.array(getattr(self, name)) for name in each}

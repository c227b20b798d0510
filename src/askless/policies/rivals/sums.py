"""What the rivals learn from: sums over each arm's rows, and ridge models that follow them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.errors import StateError

__all__ = ["RidgeSums", "Sums"]

FRESH = 1_000  # rows of an arm after which its inverse is made anew: rank-one steps drift


class Sums:
    """Σzz', Σyz, Σy² and the number of rows of every arm."""

    def __init__(self, arms: int, columns: int) -> None:
        self.gram: Floats = np.zeros((arms, columns, columns))
        self.moment: Floats = np.zeros((arms, columns))
        self.squares: Floats = np.zeros(arms)
        self.rows: Ints = np.zeros(arms, dtype=np.int64)

    @property
    def total(self) -> int:
        """How many rows all arms have learned."""
        return int(self.rows.sum())

    def add(self, arm: int, z: Floats, y: float) -> None:
        """Learn a row."""
        self.gram[arm] += z[:, None] * z
        self.moment[arm] += y * z
        self.squares[arm] += y * y
        self.rows[arm] += 1

    def grow(self) -> None:
        """Make room for one more arm."""
        for name in ("gram", "moment", "squares", "rows"):
            sums = getattr(self, name)
            setattr(self, name, np.concatenate([sums, np.zeros_like(sums[:1])]))

    def state(self) -> list[dict[str, Any]]:
        """Return the sums as plain data, an entry an arm."""
        return [
            {
                "gram": self.gram[k].tolist(),
                "moment": self.moment[k].tolist(),
                "squares": float(self.squares[k]),
                "rows": int(self.rows[k]),
            }
            for k in range(len(self.rows))
        ]

    def restore(self, arms: list[Mapping[str, Any]]) -> None:
        """Take back what `state` returned."""
        if len(arms) != len(self.rows):
            raise StateError("its sums are not those of its arms")
        for name in ("gram", "moment", "squares", "rows"):
            sums = getattr(self, name)
            sums[:] = finite([arm[name] for arm in arms], sums.shape)
        if (self.rows < 0).any() or (self.squares < 0).any():
            raise StateError("its sums cannot be sums of rows")


class RidgeSums(Sums):
    """Sums with the ridge model of every arm, of penalty 1: B = I + Σzz', μ = B⁻¹Σyz."""

    def __init__(self, arms: int, columns: int) -> None:
        super().__init__(arms, columns)
        self.refresh()

    def refresh(self) -> None:
        """Make the models anew out of the sums."""
        columns = self.gram.shape[-1]
        self.inverse: Floats = np.asarray(np.linalg.inv(np.eye(columns) + self.gram), dtype=float)
        self.mean: Floats = np.matmul(self.inverse, self.moment[:, :, None])[:, :, 0]

    def add(self, arm: int, z: Floats, y: float) -> None:
        """Learn a row; the inverse follows by a rank-one step."""
        super().add(arm, z, y)
        if self.rows[arm] % FRESH == 0:
            self.inverse[arm] = np.linalg.inv(np.eye(len(z)) + self.gram[arm])
        else:
            step = self.inverse[arm] @ z
            self.inverse[arm] -= step[:, None] * (step / (1.0 + z @ step))
        self.mean[arm] = self.inverse[arm] @ self.moment[arm]

    def means(self, z: Floats) -> Floats:
        """Return what each arm is expected to bring, in units of the range; NaN as `z` has it."""
        return np.asarray(self.mean @ z)

    def spreads(self, z: Floats) -> Floats:
        """Return √(z'B⁻¹z) of each arm."""
        return np.asarray(np.sqrt(np.maximum(np.matmul(self.inverse, z) @ z, 0.0)))

    def noise(self, first: float) -> Floats:
        """Return each arm's noise: the standard deviation that its rows show, and `first` as one.

        The mean of the inverse-gamma law that goes with a normal model: (s² + Σy² − μ'Σyz)/(1 + n).
        """
        left = self.squares - (self.mean * self.moment).sum(axis=1)
        return np.asarray(np.sqrt((first**2 + np.maximum(left, 0.0)) / (1.0 + self.rows)))

    def grow(self) -> None:
        """Make room for one more arm."""
        super().grow()
        self.refresh()

    def state(self) -> list[dict[str, Any]]:
        """Return the sums as plain data; the models are made anew, as loading does."""
        self.refresh()
        return super().state()

    def restore(self, arms: list[Mapping[str, Any]]) -> None:
        """Take back what `state` returned."""
        super().restore(arms)
        self.refresh()


def finite(given: Any, shape: tuple[int, ...]) -> Floats:
    """Return numbers of a state as an array of a shape; refuse others."""
    numbers = np.array(given, dtype=np.float64)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise StateError("its numbers are not those of its survey and arms")
    return numbers

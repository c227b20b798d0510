"""What the rivals learn from: sums over each arm's rows, and ridge models that follow them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.errors import StateError
from askless.policies.arm_data import is_count, is_number, refusal
from askless.policies.base import Policy
from askless.policies.memory import check_fits
from askless.policies.packed import pack, pack_lower, unpack, unpack_lower
from askless.policies.state_proof import RowSpace

__all__ = ["RidgeSums", "Sums"]

FRESH = 1_000  # rows of an arm after which its inverse is made anew: rank-one steps drift


class Sums:
    """Σzz', Σyz, Σy² and the number of rows of every arm."""

    squares_each: ClassVar[int] = 1  # tables of columns by columns that an arm has

    def __init__(self, arms: int, columns: int) -> None:
        check_fits(self.squares_each * arms * columns**2, arms, columns)
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
                "rows": int(self.rows[k]),
                "squares": float(self.squares[k]),
                "moment": pack(self.moment[k]),
                "gram": pack_lower(self.gram[k]),
            }
            for k in range(len(self.rows))
        ]

    def restore(
        self, saved: Any, policy: Policy, *, gaps: bool = False, told: bool = False
    ) -> None:
        """Take back what `state` returned; refuse what cannot be sums of rows of a policy.

        `gaps`: rows have zeros where nothing was asked; `told`: rewards are forecasts, on no grid.
        """
        if not isinstance(saved, list) or len(saved) != len(self.rows):
            raise StateError("its sums are not those of its arms")
        space = RowSpace(policy.survey, policy.reward, gaps=gaps)
        for k, (arm, name) in enumerate(zip(saved, policy.arms, strict=True)):
            rows, squares = arm["rows"], arm["squares"]
            if not is_count(rows) or not is_number(squares):
                raise refusal(name, "its counts and sums are no numbers")
            lower = unpack_lower(arm["gram"], len(self.gram[k]), f"the gram of arm {name!r}")
            moment = unpack(arm["moment"], self.moment[k].shape, f"the moment of arm {name!r}")
            reason = space.doubt_sums(rows, lower, moment, float(squares), told=told)
            if reason is not None:
                raise refusal(name, reason)
            self.gram[k] = lower + np.tril(lower, -1).T
            self.moment[k], self.squares[k], self.rows[k] = moment, squares, rows


class RidgeSums(Sums):
    """Sums with the ridge model of every arm, of penalty 1: B = I + Σzz', μ = B⁻¹Σyz."""

    squares_each: ClassVar[int] = 2

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

    def restore(
        self, saved: Any, policy: Policy, *, gaps: bool = False, told: bool = False
    ) -> None:
        """Take back what `state` returned; the models are made anew."""
        super().restore(saved, policy, gaps=gaps, told=told)
        self.refresh()

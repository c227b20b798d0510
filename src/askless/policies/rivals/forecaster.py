"""A forecaster of rewards for sparse models: exponential weights over all small supports."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import SettingError
from askless.policies.rivals.sums import Sums
from askless.survey import Survey

__all__ = ["Forecaster", "Supports"]

RATE = 0.5  # 1/(2L²): squared loss on an interval of length L = 1 is exp-concave up to it
MOST_NUMBERS = 20_000_000  # of all experts of an arm


class Supports(NamedTuple):
    """All supports of at most so many questions, as columns of a context with a 0 at its end."""

    columns: Ints  # (supports, widest): the constant's first, then those of the questions
    used: Flags  # the same shape: which of them are columns, and not that 0
    log_prior: Floats  # of each: sizes alike, and alike within a size

    @classmethod
    def of(cls, survey: Survey, size: int) -> Supports:
        """Return the supports of a survey; refuse more than can be followed."""
        m, nothing = len(survey), survey.column_count
        count = sum(comb(m, h) for h in range(size + 1))
        widths = sorted((question.width for question in survey), reverse=True)
        widest = 1 + sum(widths[:size])
        if count * widest**2 > MOST_NUMBERS:
            raise SettingError(
                f"size is {size}: {count:,} supports of {m} questions are too many to follow;"
                " give a smaller one"
            )
        own = [1 + np.flatnonzero(survey.owner == g) for g in range(m)]
        columns, log_prior = np.full((count, widest), nothing), np.empty(count)
        for i, chosen in enumerate(
            chosen for h in range(size + 1) for chosen in combinations(range(m), h)
        ):
            listed = np.concatenate([[0], *(own[g] for g in chosen)])
            columns[i, : len(listed)] = listed
            log_prior[i] = -np.log((size + 1) * comb(m, len(chosen)))
        return cls(columns, columns != nothing, log_prior)


class Forecaster:
    """One arm's forecasts: each support has a Vovk–Azoury–Warmuth forecaster of penalty 1.

    Its forecast of the next reward is b'(A + zz')⁻¹z, A = I + Σzz', b = Σyz, on the support's
    columns, kept within the range; forecasts are averaged by weights that fall by exp(−½ loss).
    """

    def __init__(self, supports: Supports, ends: tuple[float, float]) -> None:
        self.supports, self.ends = supports, ends
        count, widest = supports.columns.shape
        self.inverse: Floats = np.tile(np.eye(widest), (count, 1, 1))
        self.moment: Floats = np.zeros((count, widest))
        self.log_weight: Floats = supports.log_prior.copy()
        self.log_det: Floats = np.zeros(count)
        self._bound()

    def learn(self, z: Floats, y: float) -> float:
        """Forecast a row's reward, then learn it; return the forecast."""
        own = np.append(z, 0.0)[self.supports.columns]
        step = np.matmul(self.inverse, own[:, :, None])[:, :, 0]  # A⁻¹z of each support
        reach = (step * own).sum(axis=1)
        each = np.clip((self.moment * step).sum(axis=1) / (1.0 + reach), *self.ends)
        weights = np.exp(self.log_weight - self.log_weight.max())
        forecast = float(weights @ each / weights.sum())
        self.log_weight -= RATE * (each - y) ** 2
        self.inverse -= step[:, :, None] * (step / (1.0 + reach)[:, None])[:, None, :]
        self.moment += y * own
        self.log_det += np.log1p(reach)
        self._bound()
        return forecast

    def regret(self, b2: float) -> float:
        """Bound how much more is lost than by any sparse parameter of norm at most `b2`.

        αb² + Y² ln det A by the forecaster of the true support, and 2 ln(1/prior) by the weights;
        as nobody knows which support it is, the largest of these.
        """
        return b2**2 + self._worst

    def _bound(self) -> None:
        """Work out the part of the regret that rows change."""
        largest = max(abs(end) for end in self.ends)
        each = largest**2 * self.log_det - self.supports.log_prior / RATE
        self._worst = float(each.max())

    def follow(self, sums: Sums, arm: int, log_weight: Floats) -> None:
        """Make everything anew out of an arm's sums, and the weights as they were."""
        columns = self.supports.columns
        gram = np.pad(sums.gram[arm], ((0, 1), (0, 1)))
        own = np.eye(columns.shape[1]) + gram[columns[:, :, None], columns[:, None, :]]
        self.inverse, self.log_det = np.linalg.inv(own), np.linalg.slogdet(own)[1]
        self.moment = np.append(sums.moment[arm], 0.0)[columns]
        self.log_weight = log_weight.copy()
        self._bound()

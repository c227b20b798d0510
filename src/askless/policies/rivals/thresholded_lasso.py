"""The Thresholded Lasso bandit (Ariu et al. 2022): a lasso picks columns, least squares plays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.policies.decision import Decision
from askless.policies.player import Player
from askless.policies.rivals.asking_everything import AskingEverything, Rows
from askless.policies.rivals.sums import Sums
from askless.sparse import lasso
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Number, Seed, Whole

__all__ = ["ThresholdedLasso"]

RIDGE = 1e-9  # beside columns that repeat each other


class ThresholdedLasso(AskingEverything):
    """Greedy by least squares on the columns that a thresholded lasso leaves (maths 6).

    "Thresholded Lasso Bandit", ICML 2022, which has one parameter for all arms: here it is that of
    all arms one below the other, of d = Kp numbers. After every row t a lasso of penalty
    λ = lam·√(2 ln t ln d/t) is fitted, (1/t)‖Y − Zβ‖² + λ‖β‖₁, rewards in units of the range.
    Coefficients above 4λ are S₀, of these those of at least 4λ√|S₀| are S₁, and the arm is played
    that least squares on S₁ says is best; while S₁ is empty, any. The paper explores by nothing but
    the variety of people, which does not help an arm that is never played; so each arm is first
    played `start` times, which is ours; 0 is the paper's.

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    lam : float
        The paper's λ₀.
    start : int
        How often each arm is played first.
    seed : int
        Seed of the draws while no column is picked.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.ThresholdedLasso(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1), start=1)
    >>> policy.learn_rows([0, 1], [policy.encode({"x1": 1, "x2": 0})] * 2, [0, 1])
    >>> policy.visit(known={"x1": 1, "x2": 0}).arm
    'b'
    """

    name: ClassVar[str] = "thresholded-lasso"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        lam: Annotated[float, Number("First penalty of the lasso.", least=1e-9, most=1e9)] = 0.02,
        start: Annotated[
            int, Whole("How often each arm is played first.", least=0, most=10**6)
        ] = 10,
        seed: Seed = 0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        self.lam, self.start, self.seed = lam, start, seed
        self._check_settings()
        shape = len(self.roster), survey.column_count
        self._sums = Sums(*shape)
        self._lasso, self._coefs = np.zeros((2, *shape))
        self._kept = np.zeros(shape, dtype=bool)

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        rows = np.where(mask, self._sums.rows, np.inf)
        if rows.min() < self.start:
            return Decision(int(np.argmin(rows)), np.where(mask, 0.0, -np.inf))
        scores = np.where(mask, self._coefs @ z, -np.inf)
        if self._coefs.any():
            return Decision(int(np.argmax(scores)), scores)
        eligible = np.flatnonzero(mask)
        arm = eligible[int(self.coins(number, 1)[0, 0] * len(eligible))]
        return Decision(int(arm), scores, mask / mask.sum())

    def _scores(self, z: Floats) -> Floats:
        return np.asarray(self._coefs @ z)

    def _outlook(self, z: Floats) -> tuple[Floats, Floats]:
        means = self.reward.span * self._scores(z)
        return means, means

    def _teach(self, arm: int, z: Floats, y: float) -> None:
        self._sums.add(arm, z, y)
        self._fit(arm)

    def _fit(self, taught: int | None = None) -> None:
        """Fit the lasso, pick columns, fit these by least squares: arm by arm the same problem."""
        t, sums = self._sums.total, self._sums
        if t < 2:  # the first penalty is 0: ln 1
            return
        penalty = self.lam * math.sqrt(2 * math.log(t) * math.log(self._coefs.size) / t)
        for arm in range(len(self.roster)):
            self._lasso[arm] = lasso(
                sums.gram[arm], sums.moment[arm], t * penalty / 2, self._lasso[arm]
            )
        sizes = np.abs(self._lasso)
        first = sizes > 4 * penalty
        kept = first & (sizes >= 4 * penalty * math.sqrt(first.sum()))
        changed = (kept != self._kept).any(axis=1)
        if taught is not None:
            changed[taught] = True  # the others' least squares are what they were
        for arm in np.flatnonzero(changed).tolist():
            own = np.flatnonzero(kept[arm])
            gram = sums.gram[arm][np.ix_(own, own)] + RIDGE * np.eye(len(own))
            self._coefs[arm] = 0.0
            self._coefs[arm, own] = np.linalg.solve(gram, sums.moment[arm, own])
        self._kept = kept

    def _fit_anew(self) -> None:
        """Fit everything from nothing, so that one that is loaded goes on alike."""
        self._lasso, self._coefs = np.zeros((2, *self._sums.moment.shape))
        self._kept = self._coefs != 0.0
        self._fit()

    def _player(self) -> Player:
        return Rows(self)

    def _grow(self) -> None:
        self._sums.grow()
        self._fit_anew()

    def _state(self) -> dict[str, Any]:
        self._fit_anew()
        return {"arms": self._sums.state()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._sums.restore(state["arms"], self)
        self._fit_anew()

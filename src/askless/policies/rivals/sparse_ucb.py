"""Sparse UCB (Abbasi-Yadkori et al. 2012): confidence sets out of an online forecaster's regret."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from askless.core.arrays import Floats
from askless.errors import StateError
from askless.policies import shared_settings as shared
from askless.policies.arm_data import refusal
from askless.policies.packed import pack, unpack
from askless.policies.player import Player
from askless.policies.rivals.asking_everything import AskingEverything, Rows
from askless.policies.rivals.forecaster import RATE, Forecaster, Supports
from askless.policies.rivals.sums import RidgeSums
from askless.survey import Arm, Constants, RewardRange, Survey
from askless.survey.setting import Number, Whole

__all__ = ["SparseUCB"]

SLACK = 1e-6  # of sums that are rounded
MOST_ERROR = 1.001  # a squared error: rewards on the grid may leave the range by a step of it


class SparseUCB(AskingEverything):
    """Plays the largest upper bound of an ellipsoid around what a sparse forecaster says (maths 6).

    "Online-to-Confidence-Set Conversions and Application to Sparse Stochastic Bandits", AISTATS
    2012, an ellipsoid for every arm: V = I + Σzz', θ̂ = V⁻¹Σŷz of the forecasts ŷ, and
    radius² = S² + β − ‖θ̂‖² − Σ(ŷ − z'θ̂)², β = 1 + 2B + 32R² ln((R√8 + √(1 + B))/δ).

    The forecaster is not the paper's SeqSEW, which needs a Markov chain, but one that can be run
    exactly where supports are few: exponential weights over all supports of at most `size`
    questions, each with a Vovk–Azoury–Warmuth forecaster (`forecaster.py` says which bound B on its
    regret that gives). The set holds if no more questions than that matter to an arm. It is
    very wide: with the sizes that studies have, this plays almost as `Uniform` does.

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    size : int
        How many questions matter to an arm at most.
    delta : float
        How often some arm's set may miss its parameters.
    sigma : float, optional
        R: sub-Gaussian constant of the noise, in reward units; half the range if left out.
    b2 : float, optional
        S: bound on the 2-norm of an arm's parameters, in reward units; derived if left out.
    scale : float
        What radii are multiplied by; 1 is what is proved.

    Examples
    --------
    >>> import askless as al
    >>> survey, given = al.Survey.unit(4), {"arms": ["a", "b"], "reward": (0, 1)}
    >>> one, two = (al.SparseUCB(survey, **given, size=size) for size in (1, 2))
    >>> bool((one.radius < two.radius).all())  # fewer supports to choose from
    True
    """

    name: ClassVar[str] = "sparse-ucb"
    score_name = "upper bound"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        size: Annotated[
            int, Whole("How many questions matter to an arm at most.", least=0, most=10)
        ] = 2,
        delta: Annotated[
            float,
            Number("How often some arm's set may miss its parameters.", above=0, below=1),
        ] = shared.DELTA,
        sigma: Annotated[
            float | None,
            Number(
                "Sub-Gaussian constant of the noise, in reward units.",
                least=0,
                most=shared.LARGEST,
                otherwise="half the reward range",
            ),
        ] = None,
        b2: Annotated[
            float | None,
            Number(
                "Bound on the 2-norm of an arm's parameters, in reward units.",
                least=0,
                most=shared.LARGEST,
                otherwise="derived",
            ),
        ] = None,
        scale: Annotated[
            float,
            Number(
                "What radii are multiplied by; 1 is what is proved.", least=0, most=shared.LARGEST
            ),
        ] = 1.0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        derived = Constants.derive(survey, self.reward.span)
        self.size, self.delta, self.scale = size, delta, scale
        self.sigma = derived.sigma if sigma is None else sigma
        self.b2 = derived.b2 if b2 is None else b2
        self._check_settings()
        self.size = min(self.size, len(survey))
        self._ends = self._interval()
        self._supports = Supports.of(survey, self.size)
        self._sums = RidgeSums(len(self.roster), survey.column_count)  # of rewards
        self._forecasts = RidgeSums(len(self.roster), survey.column_count)  # of forecasts
        self._forecasters = [self._forecaster() for _ in self.roster.arms]

    def _interval(self) -> tuple[float, float]:
        """Return the smallest and the largest reward, as they are learned."""
        raw = self.survey.coding == "raw"
        low = self.reward.low / self.reward.span if raw else -0.5
        return low, low + 1.0

    def _forecaster(self) -> Forecaster:
        return Forecaster(self._supports, self._ends)

    @property
    def radius(self) -> Floats:
        """The radius of each arm's ellipsoid, in reward units."""
        return self.reward.span * self._radii()

    def _radii(self) -> Floats:
        span, own = self.reward.span, self._forecasts
        sigma, b2, delta = self.sigma / span, self.b2 / span, self.delta / len(self.roster)
        regret = np.array([forecaster.regret(b2) for forecaster in self._forecasters])
        log = np.log((sigma * math.sqrt(8) + np.sqrt(1 + regret)) / delta)
        beta = 1 + 2 * regret + 32 * sigma**2 * log
        # ‖θ̂‖² + Σ(ŷ − z'θ̂)² is what ridge regression on the forecasts leaves.
        left = own.squares - (own.mean * own.moment).sum(axis=1)
        return np.asarray(self.scale * np.sqrt(np.maximum(b2**2 + beta - left, 0.0)))

    def _scores(self, z: Floats) -> Floats:
        return np.asarray(self._forecasts.means(z) + self._radii() * self._forecasts.spreads(z))

    def _outlook(self, z: Floats) -> tuple[Floats, Floats]:
        return self.reward.span * self._forecasts.means(z), self.reward.span * self._scores(z)

    def _teach(self, arm: int, z: Floats, y: float) -> None:
        self._forecasts.add(arm, z, self._forecasters[arm].learn(z, y))
        self._sums.add(arm, z, y)

    def _player(self) -> Player:
        return Rows(self)

    def _grow(self) -> None:
        self._sums.grow()
        self._forecasts.grow()
        self._forecasters.append(self._forecaster())

    def _state(self) -> dict[str, Any]:
        arms = [
            {"rows": rows, "forecasts": forecasts, "log_weights": pack(forecaster.log_weight)}
            for rows, forecasts, forecaster in zip(
                self._sums.state(), self._forecasts.state(), self._forecasters, strict=True
            )
        ]
        self._follow()
        return {"arms": arms}

    def _restore(self, state: Mapping[str, Any]) -> None:
        arms = state["arms"]
        self._sums.restore([arm["rows"] for arm in arms], self)
        self._forecasts.restore([arm["forecasts"] for arm in arms], self, told=True)
        if (self._sums.gram != self._forecasts.gram).any():
            raise StateError("its forecasts are not those of its rows")
        prior, both = self._supports.log_prior, zip(self._forecasters, arms, self.arms, strict=True)
        for k, (forecaster, arm, name) in enumerate(both):
            weights = unpack(arm["log_weights"], prior.shape, f"the weights of arm {name!r}")
            # A weight falls with every row, by half of a squared error at most.
            most = RATE * MOST_ERROR * int(self._sums.rows[k])
            if not ((weights <= prior + SLACK) & (weights >= prior - most - SLACK)).all():
                raise refusal(name, "its weights of supports are not those of so many rows")
            forecaster.log_weight = weights
        self._follow()

    def _follow(self) -> None:
        """Make the forecasters anew out of the sums, so that one that is loaded goes on alike."""
        for arm, forecaster in enumerate(self._forecasters):
            forecaster.follow(self._sums, arm, forecaster.log_weight)

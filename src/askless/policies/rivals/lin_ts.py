"""LinTS (Agrawal & Goyal 2013): Thompson sampling with a linear model an arm. Asks everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.policies import shared_settings as shared
from askless.policies.decision import Decision
from askless.policies.player import Player
from askless.policies.rivals.asking_everything import ByRidge, Rows
from askless.policies.rivals.thompson import draw_largest
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Number, Seed

__all__ = ["FIRST_NOISE", "LinTS", "Width"]

FIRST_NOISE = 0.25  # of the range, before rows show any
Width = Annotated[
    float | None,
    Number(
        "How widely models are drawn, in reward units.",
        least=0,
        most=shared.LARGEST,
        otherwise="the noise that an arm's rows show",
    ),
]


class LinTS(ByRidge):
    """Draws every arm's model from N(μ, v²B⁻¹), B = I + Σzz', and plays the best (maths 6).

    "Thompson Sampling for Contextual Bandits with Linear Payoffs", ICML 2013, disjoint: a model
    for every arm.

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    v : float, optional
        How widely models are drawn, in reward units. Left out, it is the noise that an arm's rows
        show, which is what people do; the paper's v = σ√(9p ln(t/δ)) explores far longer.
    seed : int
        Seed of the draws.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.LinTS(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1), seed=7)
    >>> visit = policy.visit(known={"x1": 0.5, "x2": 1})
    >>> visit.arm, visit.propensity  # nothing is known yet
    ('b', 0.5)
    """

    name: ClassVar[str] = "lints"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        v: Width = None,
        seed: Seed = 0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        self.v, self.seed = v, seed
        self._check_settings()

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:
        return self._draw(z, mask, number, stated=True)

    def _arm(self, z: Floats, mask: Flags, number: int) -> int:
        return self._draw(z, mask, number, stated=False).arm

    def _draw(self, z: Floats, mask: Flags, number: int, *, stated: bool) -> Decision:
        luck = self.rng(number).standard_normal(len(mask))
        spreads = self._widths() * self._sums.spreads(z)
        return draw_largest(self._sums.means(z), spreads, mask, luck, stated=stated)

    def _widths(self) -> Floats:
        """Return v of every arm, in units of the range."""
        if self.v is None:
            return self._sums.noise(FIRST_NOISE)
        return np.full(len(self.roster), self.v / self.reward.span)

    def _player(self) -> Player:
        return Rows(self)

"""Target: knows every arm's parameters; asks what matters in any arm and plays the best one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.core.words import ONE_HOT
from askless.errors import SettingError
from askless.policies.base import Policy
from askless.policies.decision import Decision
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Table

__all__ = ["Target"]

MOST = 1e150  # of a coefficient: with more, scores would leave the floats


class Target(Policy):
    """The policy that regret is measured against (maths 6).

    Parameters
    ----------
    survey, arms, reward
        As for every policy.
    coefficients : array of shape (K, p)
        The true parameters of every arm, in the columns and units of `RidgeSurveyUCB.estimate`.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.Target(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1),
    ...                    coefficients=[[0, 0.5, 0, 0], [0, 0, 0, 0]])
    >>> policy.asked_now()
    ('x1',)
    """

    name: ClassVar[str] = "target"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        coefficients: Annotated[Any, Table("The true parameters of every arm.")],
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward)
        shape = (len(self.roster), survey.column_count)
        try:
            given = np.array(coefficients)
        except ValueError:  # rows of different lengths
            given = np.array(None)
        if given.dtype.kind not in "fiu":
            raise SettingError("coefficients is not a table of numbers; give K × p of them")
        self.coefficients: Floats = given.astype(np.float64)
        if self.coefficients.shape != shape or not (np.abs(self.coefficients) < MOST).all():
            raise SettingError(
                f"coefficients has shape {self.coefficients.shape}; give finite numbers of shape"
                f" {shape}: an arm a row, the constant's column first"
            )
        self._used: Flags = np.array(
            [
                [q.effect(row[survey.columns_of(q.name)]) > 0 for q in survey.questions]
                for row in self.coefficients
            ]
        )

        self._folded = self._fold()

    def _fold(self) -> Floats:
        """Move each choice's mean into the constant: then what has no effect has no coefficient."""
        folded = self.coefficients.copy()
        for question in self.survey:
            if question.columns_kind == ONE_HOT:
                own = self.survey.columns_of(question.name)
                mean = folded[:, own][:, : question.own_width].mean(axis=1)
                folded[:, own] -= mean[:, None]
                folded[:, 0] += mean
        return folded

    def _may_ask(self, mask: Flags) -> Flags:
        return np.asarray(self._used[mask].any(axis=0))

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:  # noqa: ARG002
        scores = np.where(mask, self._means(z), -np.inf)
        return Decision(int(np.argmax(scores)), scores)

    def _outlook(self, z: Floats) -> tuple[Floats, Floats]:
        return self._means(z), self._means(z)

    def _means(self, z: Floats) -> Floats:
        asked = np.where(np.isnan(z), 0.0, z)  # an unasked column has no effect
        return np.asarray(self._folded @ asked)

    def _grow(self) -> None:
        raise SettingError(
            "Target knows its arms' parameters; make a new one with the added arm's coefficients"
        )

    def _settings(self) -> dict[str, Any]:
        return {"coefficients": self.coefficients.tolist()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Nothing has been learned."""

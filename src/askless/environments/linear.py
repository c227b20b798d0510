"""Respondents whose expected reward is linear in their encoded answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from askless.environments.answers import AnswerModel
from askless.environments.pilot import PilotAnswers
from askless.errors import SettingError, shown
from askless.kernels.bundles import Flags, Floats
from askless.kernels.outcome import AT_THE_ENDS, TRUNCATED_NORMAL, TWO_POINT, UNIFORM
from askless.survey import Arm, RewardRange, Survey
from askless.survey.arms import arms_from
from askless.survey.names import check_number

__all__ = ["Block", "LinearEnvironment"]

BLOCK = 1024  # visits drawn at once; a run's draws do not depend on its horizon
SKIPS, CORRELATION = 0.1, 0.0  # of simulated answers, if nothing is said
NOISES = {"uniform": UNIFORM, "two_point": TWO_POINT, "truncated_normal": TRUNCATED_NORMAL}


class Block(NamedTuple):
    """The next respondents of a run: their contexts, and a uniform number each for the noise."""

    contexts: Floats
    luck: Floats


class LinearEnvironment:
    """Simulated respondents: what they answer, and what reward each arm brings them.

    All randomness of a run depends on (seed, run) alone, so that all policies face the same people.

    Parameters
    ----------
    survey : Survey
        The questions.
    arms : iterable of str or Arm
        The decisions.
    coefficients : array (K × p) or mapping
        Expected reward of each arm in the columns of the survey, measured from the middle of the
        reward range (raw coding: from 0). As a mapping: {arm: {column: value}}, with the names of
        `survey.column_names`; what is left out is 0.
    reward : (float, float)
        The smallest and the largest reward there can be.
    noise : {"uniform", "two_point", "truncated_normal"}
        Shape of the noise around the expected reward.
    spread : float, optional
        Its largest size: uniform on ± spread, two points ± spread, or normal with standard
        deviation spread / 2 cut at ± spread. A two-point noise without a spread makes every reward
        one of the two ends of the range.
    answers, skips, correlation
        Who the respondents are; see `askless.environments.AnswerModel`. Or answers is a
        `PilotAnswers` of the same survey, whose people bring their own skips and correlation.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> world = al.LinearEnvironment(survey, arms=["a", "b"], reward=(0, 1), spread=0.1,
    ...                              coefficients={"a": {"age": 0.6}, "b": {"donor": -0.3}})
    >>> world.useful
    array([[ True, False],
           [False,  True]])
    """

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        coefficients: Any,
        reward: tuple[float, float] | RewardRange,
        noise: str = "uniform",
        spread: float | None = None,
        answers: Mapping[str, Any] | PilotAnswers | None = None,
        skips: float | Mapping[str, float] = SKIPS,
        correlation: Any = CORRELATION,
    ) -> None:
        self.survey = survey
        self.arms = arms_from(arms)
        self.reward = RewardRange.of(reward)
        self.coefficients = self._table(coefficients)
        if noise not in NOISES:
            raise SettingError(f"noise is {shown(noise)}; choose {', '.join(NOISES)}")
        self.noise = noise
        if spread is None and noise != "two_point":
            raise SettingError(f"{noise} noise needs a spread; give its largest size")
        self.spread = 0.0 if spread is None else check_number(spread, "spread")
        if self.spread < 0:
            raise SettingError(f"spread is {self.spread:g}; give 0 or more")
        self.noise_form = AT_THE_ENDS if spread is None else NOISES[noise]
        self.answer_model = self._people(answers, skips, correlation)
        self._check_range()

    def _table(self, coefficients: Any) -> Floats:
        survey, shape = self.survey, (len(self.arms), self.survey.column_count)
        if isinstance(coefficients, Mapping):
            table = np.zeros(shape)
            names = [arm.name for arm in self.arms]
            for arm, values in coefficients.items():
                if arm not in names:
                    raise SettingError(f"coefficients: there is no arm {shown(arm)}")
                for column, value in values.items():
                    if column not in survey.column_names:
                        raise SettingError(
                            f"coefficients of {arm!r}: there is no column {shown(column)}; the"
                            f" columns are {', '.join(survey.column_names[:20])}"
                        )
                    at = survey.column_names.index(column)
                    table[names.index(arm), at] = check_number(value, f"coefficient {column!r}")
            return table
        table = np.array(coefficients, dtype=np.float64)
        if table.shape != shape or not np.isfinite(table).all():
            raise SettingError(
                f"coefficients has shape {table.shape}; give finite numbers of shape {shape}:"
                " an arm a row, the constant's column first"
            )
        return table

    def _people(self, answers: Any, skips: Any, correlation: Any) -> AnswerModel | PilotAnswers:
        if answers is None or isinstance(answers, Mapping):
            return AnswerModel(self.survey, answers, skips, correlation)
        if not isinstance(answers, PilotAnswers):
            raise SettingError(
                f"answers is {shown(answers)}; give a dict of question and distribution, or a"
                " PilotAnswers"
            )
        if not self.survey.same_columns(answers.survey):
            raise SettingError(
                "the pilot's survey is not the environment's; make both with the same questions"
            )
        for name, value, default in (
            ("skips", skips, SKIPS),
            ("correlation", correlation, CORRELATION),
        ):
            if not isinstance(value, Real) or value != default:
                raise SettingError(f"{name} comes from the pilot; leave {name} out")
        return answers

    def _check_range(self) -> None:
        low, high = self._reach()
        middle = 0.0 if self.survey.coding == "raw" else self.reward.middle
        slack = 1e-9 * self.reward.span
        for arm, least, most in zip(self.arms, low + middle, high + middle, strict=True):
            if least - self.spread < self.reward.low - slack or (
                most + self.spread > self.reward.high + slack
            ):
                raise SettingError(
                    f"arm {arm.name!r}: rewards from {least - self.spread:g} to"
                    f" {most + self.spread:g} leave the range from {self.reward.low:g} to"
                    f" {self.reward.high:g}; widen the range or make effects or spread smaller"
                )

    def _reach(self) -> tuple[Floats, Floats]:
        """Return each arm's smallest and largest expected reward over all answers."""
        low, high = self.coefficients[:, 0].copy(), self.coefficients[:, 0].copy()
        for question in self.survey:
            own = self.coefficients[:, self.survey.columns_of(question.name)]
            values = own @ question.points(raw=self.survey.coding == "raw").T
            low, high = low + values.min(axis=1), high + values.max(axis=1)
        return low, high

    @property
    def useful(self) -> Flags:
        """Which questions have an effect in which arm (K × questions)."""
        return np.array(
            [
                [q.effect(row[self.survey.columns_of(q.name)]) > 0 for q in self.survey]
                for row in self.coefficients
            ]
        )

    def respondents(self, seed: int, run: int) -> Iterator[Block]:
        """Draw the respondents of a run, block after block, for ever."""
        key = np.array([seed, run], dtype=np.uint64)
        people = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, 0]))
        luck = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, 1]))
        while True:
            yield Block(self.answer_model.contexts(people, BLOCK), luck.random(BLOCK))

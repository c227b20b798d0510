"""Respondents whose expected reward is linear in their encoded answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.core.words import AT_THE_ENDS, TRUNCATED_NORMAL, TWO_POINT, UNIFORM_NOISE
from askless.environments.answers import AnswerModel
from askless.environments.pilot import PilotAnswers
from askless.errors import SettingError, meant, shown
from askless.policies.player import LinearBlock, LinearLaw
from askless.survey import Arm, RewardRange, Survey
from askless.survey.arms import arms_from
from askless.survey.eligibility import Eligibility
from askless.survey.names import check_number
from askless.whole import check_whole

__all__ = ["LinearEnvironment"]

BLOCK = 1024  # visits drawn at once; a run's draws do not depend on its horizon
SKIPS, CORRELATION = 0.1, 0.0  # of simulated answers, if nothing is said
MOST_WORLDS = 2**32
NOISES = {"uniform": UNIFORM_NOISE, "two_point": TWO_POINT, "truncated_normal": TRUNCATED_NORMAL}

# The streams of random numbers that a run has: what is answered, the noise, how late rewards come
# (`Delay`), who may get which arm.
PEOPLE, LUCK, DELAYS, ELIGIBLE = range(4)


def stream(key: tuple[int, int], number: int, which: int) -> np.random.Generator:
    """Return one of the streams of a run, given (seed, run) and the number of its world."""
    words = np.array(key, dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=words, counter=[0, 0, number, which]))


def check_world_number(number: Any) -> int:
    """Return the number of a world, or refuse it."""
    return check_whole(number, "number", 0, MOST_WORLDS)


def reach(survey: Survey, coefficients: Floats) -> tuple[Floats, Floats]:
    """Return each arm's smallest and largest expected reward over all answers."""
    low, high = coefficients[:, 0].copy(), coefficients[:, 0].copy()
    for question in survey:
        own = coefficients[:, survey.columns_of(question.name)]
        values = own @ question.points(raw=survey.coding == "raw").T
        low, high = low + values.min(axis=1), high + values.max(axis=1)
    return low, high


class LinearEnvironment:
    """Simulated respondents: what they answer, and what reward each arm brings them.

    All randomness of a run depends on (seed, run) and the world's `number` alone, so that all
    policies face the same people.

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
    eligible : mapping of str to float, optional
        Share of the respondents who may get an arm, in (0, 1], drawn for each arm and respondent by
        itself; 1 for arms that are left out. One arm at least must be open to everyone. A visit
        plays, and asks for, only the arms that its respondent may get, and regret is measured
        against the best of them.
    number : int
        Which world it is; worlds of different numbers draw different people for the same seed and
        run.

    Attributes
    ----------
    eligible : array (K)
        The share of the respondents who may get each arm.

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
        eligible: Mapping[str, float] | None = None,
        number: int = 0,
    ) -> None:
        self.survey = survey
        self.arms = arms_from(arms)
        self.reward = RewardRange.of(reward)
        self.coefficients = self._table(coefficients)
        if noise not in NOISES:
            raise SettingError(f"noise is {shown(noise)}{meant(noise, NOISES, 'choose')}")
        self.noise = noise
        if spread is None and noise != "two_point":
            raise SettingError(f"{noise} noise needs a spread; give its largest size")
        self.spread = 0.0 if spread is None else check_number(spread, "spread")
        if self.spread < 0:
            raise SettingError(f"spread is {self.spread:g}; give 0 or more")
        self.noise_form = AT_THE_ENDS if spread is None else NOISES[noise]
        self.answer_model = self._people(answers, skips, correlation)
        self.eligible = self._shares({} if eligible is None else eligible)
        self.number = check_world_number(number)
        self._check_range()

    def _table(self, coefficients: Any) -> Floats:
        survey, shape = self.survey, (len(self.arms), self.survey.column_count)
        if isinstance(coefficients, Mapping):
            table = np.zeros(shape)
            names = [arm.name for arm in self.arms]
            for arm, values in coefficients.items():
                if arm not in names:
                    known = meant(arm, names, "the arms are")
                    raise SettingError(f"coefficients: there is no arm {shown(arm)}{known}")
                for column, value in values.items():
                    if column not in survey.column_names:
                        columns = meant(column, survey.column_names, "the columns are")
                        raise SettingError(
                            f"coefficients of {arm!r}: there is no column {shown(column)}{columns}"
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

    def _shares(self, eligible: Any) -> Floats:
        if not isinstance(eligible, Mapping):
            raise SettingError(f"eligible is {shown(eligible)}; give a dict of arm and share")
        names, shares = [arm.name for arm in self.arms], np.ones(len(self.arms))
        for arm, given in eligible.items():
            if arm not in names:
                raise SettingError(
                    f"eligible: there is no arm {shown(arm)}{meant(arm, names, 'the arms are')}"
                )
            share = check_number(given, f"eligible share of arm {arm!r}")
            if not 0 < share <= 1:
                raise SettingError(
                    f"eligible share of arm {arm!r} is {share:g}; give one above 0, at most 1"
                )
            shares[names.index(arm)] = share
        if not (shares == 1).any():
            raise SettingError(
                "eligible: no arm is open to everyone, so that some visits would have none; leave"
                " one arm out"
            )
        try:
            Eligibility(self.survey, self.arms).check_cover(shares == 1)
        except SettingError as error:
            among = "" if (shares == 1).all() else "eligible: among the arms without a share, "
            raise SettingError(among + str(error).removeprefix("arms: ")) from None
        return shares

    def _check_range(self) -> None:
        low, high = reach(self.survey, self.coefficients)
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

    @property
    def useful(self) -> Flags:
        """Which questions have an effect in which arm (K × questions)."""
        return np.array(
            [
                [q.effect(row[self.survey.columns_of(q.name)]) > 0 for q in self.survey]
                for row in self.coefficients
            ]
        )

    @property
    def law(self) -> LinearLaw:
        """How rewards come about: coefficients and noise."""
        raw = self.survey.coding == "raw"
        return LinearLaw(self.coefficients, self.noise_form, self.spread, self.reward, raw)

    def block(self, contexts: Floats, luck: Floats, allowed: Flags | None = None) -> LinearBlock:
        """Return respondents of this world, given a number from 0 to 1 each for the noise."""
        return LinearBlock(contexts, luck, self.law, allowed)

    def respondents(self, seed: int, run: int) -> Iterator[LinearBlock]:
        """Draw the respondents of a run, block after block, for ever."""
        people, luck, doors = (
            stream((seed, run), self.number, which) for which in (PEOPLE, LUCK, ELIGIBLE)
        )
        limited, law = bool((self.eligible < 1).any()), self.law
        while True:
            # A number for every arm: another share changes who may get that arm, and nothing else.
            allowed = doors.random((BLOCK, len(self.arms))) < self.eligible if limited else None
            contexts = self.answer_model.contexts(people, BLOCK)
            yield LinearBlock(contexts, luck.random(BLOCK), law, allowed)

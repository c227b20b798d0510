"""Worlds that are plausible for a study: how many questions matter, how strongly, how noisily."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.environments.answers import AnswerModel
from askless.environments.linear import LinearEnvironment, reach
from askless.environments.pilot import PilotAnswers
from askless.errors import AsklessError, SettingError, shown
from askless.survey import Question, RewardRange, Study
from askless.survey.arms import Arm
from askless.survey.study import check_study
from askless.survey.survey import Survey

__all__ = ["Prior", "at_most"]

SAMPLE = 4_096  # people by whom an arm's average is set
ENDS = "ends"
WIDEST = math.sqrt(3.0)  # uniform noise of standard deviation 1 is at most this large
# How large effects are in their range, whether questions matter to one arm each, and how large gap
# and noise are in theirs; the first that fits is taken.
COMPROMISES = (
    *((effects, False, 1.0) for effects in (1.0, 0.75, 0.5, 0.25, 0.0)),
    *((0.0, True, rest) for rest in (1.0, 0.75, 0.5, 0.25, 0.0)),
)


@dataclass(frozen=True)
class Prior:
    """What is plausible about a study; draws worlds from it.

    A world has a number of questions that matter, drawn evenly from `useful`, and which they are;
    each matters to every arm with probability ½, to at least one. How much its answer moves an
    arm's expected reward is drawn from `effect`, evenly on a logarithmic scale; in which way, at
    random. The arms' average rewards are spread over a distance drawn from `gap`, the noise has a
    standard deviation drawn from `noise`. Where rewards would leave their range, effects become
    smaller, then questions matter to one arm each, then gap and noise become smaller: never below
    what is stated.

    Attributes
    ----------
    useful : (int, int)
        Fewest and most questions that matter to some arm; a third of them at most, by default.
    effect, gap : (float, float)
        In reward units. By default from beta_min to 2.5 times as much (at most half the range),
        and from 0 to a tenth of the range.
    noise : (float, float) or "ends"
        In reward units: uniform noise, by default of a twentieth to a fifth of the range. "ends":
        a reward is the smallest or the largest one, such as no and yes.
    answers, skips, correlation
        How people answer; see `askless.environments.AnswerModel`. Or a pilot, drawn from again.
    eligible : mapping
        Share of people who may get an arm.

    Examples
    --------
    >>> import askless as al
    >>> prior = al.Prior.of(al.Study.example())
    >>> prior.useful, prior.effect
    ((1, 3), (20.0, 50.0))
    >>> world = prior.world(7, seed=1)
    >>> 1 <= int(world.useful.any(axis=0).sum()) <= 3
    True
    """

    survey: Survey
    arms: tuple[Arm, ...]
    reward: RewardRange
    useful: tuple[int, int]
    effect: tuple[float, float]
    gap: tuple[float, float]
    noise: tuple[float, float] | str
    answers: Mapping[str, Any] | PilotAnswers
    skips: float | Mapping[str, float]
    correlation: float
    eligible: Mapping[str, float]

    @classmethod
    def of(cls, study: Study, pilot: PilotAnswers | None = None) -> Prior:
        """Return the prior of a study: what its section `plan` says, and defaults for the rest."""
        check_study(study)
        given, span, m = dict(study.plan), study.reward.span, len(study.survey)
        beta_min = float(study.settings.get("beta_min") or 0.0)
        if not beta_min and "effect" not in given:
            raise study.refusal(
                SettingError("without a beta_min above 0, plan needs the key effect"), "plan"
            )
        if pilot is not None:
            for key in ("answers", "skips", "correlation"):
                if key in given:
                    raise study.refusal(
                        SettingError(f"{key}: a pilot says how people answer; leave it out"), "plan"
                    )
        defaults = {
            "useful": (1, max(1, round(m / 3))),
            "effect": (min(beta_min, span / 2), min(2.5 * beta_min, span / 2)),
            "gap": (0.0, span / 10),
            "noise": (span / 20, span / 5),
        }
        pairs = {key: given.get(key, default) for key, default in defaults.items()}
        try:
            prior = cls(
                survey=study.survey,
                arms=study.arms,
                reward=study.reward,
                **{
                    key: value if value == ENDS else _pair(key, value)
                    for key, value in pairs.items()
                },
                answers=pilot if pilot is not None else given.get("answers", {}),
                skips=given.get("skips", 0.1),
                correlation=given.get("correlation", 0.0),
                eligible=given.get("eligible", {}),
            )
            prior.check()
        except AsklessError as error:
            raise study.refusal(error, "plan") from None
        return prior

    def check(self) -> None:
        """Refuse what no world can be drawn from."""
        most = len(self.survey)
        if not 0 <= self.useful[0] <= self.useful[1] <= most:
            raise SettingError(
                f"useful is {self.useful[0]} to {self.useful[1]}; give numbers from 0 to {most},"
                " which is how many questions there are"
            )
        if self.effect[0] <= 0:
            raise SettingError("effect begins at 0; give a smallest effect above 0")
        self._environment(np.zeros((len(self.arms), self.survey.column_count)), 0.0, 0)
        # With as many questions as may matter, there is least room.
        drawn = [self._draw(_generator(0, number), self.useful[1]) for number in range(20)]
        try:
            for one in drawn:
                self._fitted(one)
        except SettingError as error:
            raise SettingError(f"{error}{self._remedy(drawn)}") from None

    @property
    def room(self) -> float:
        """The largest effect that rewards have room for, with the least noise, in reward units."""
        noise = 0.0 if isinstance(self.noise, str) else 2 * WIDEST * self.noise[0]
        return self.reward.span - noise

    def _remedy(self, drawn: list[_Drawn]) -> str:
        """Say what would fit: less noise, if that is enough."""
        room = min(self._room(one) for one in drawn)
        if isinstance(self.noise, str) or room < 0:
            return "; make some of them smaller"
        low, high = f"{self.reward.low:g}", f"{self.reward.high:g}"
        return (
            f"; plan.noise of at most {at_most(room)} alone would fit, and so would"
            f" `noise: ends`, which is right where a reward is only {low} or {high}, such as"
            " no and yes"
        )

    def _room(self, drawn: _Drawn) -> float:
        """Return the most noise for which a world has room with the smallest effects and gap."""
        table = self._table(drawn, 0.0, self.gap[0], alone=True)
        low, high = reach(self.survey, table)
        return float(self.reward.span - (high.max() - low.min())) / (2 * WIDEST)

    def world(self, number: int, *, seed: int = 0) -> LinearEnvironment:
        """Draw a world; it and its people depend on (seed, number) alone."""
        table, sd, _ = self._fitted(self._drawn(number, seed))
        return self._environment(table, sd, number)

    def is_squeezed(self, number: int, *, seed: int = 0) -> bool:
        """Whether a world fits into the range with no effect above the smallest."""
        return COMPROMISES[self._fitted(self._drawn(number, seed))[2]][0] == 0.0

    def _drawn(self, number: int, seed: int) -> _Drawn:
        rng = _generator(seed, number)
        return self._draw(rng, int(rng.integers(self.useful[0], self.useful[1] + 1)))

    def _environment(self, table: Floats, sd: float | None, number: int) -> LinearEnvironment:
        return LinearEnvironment(
            self.survey,
            arms=self.arms,
            coefficients=table,
            reward=self.reward,
            noise="two_point" if sd is None else "uniform",
            spread=None if sd is None else WIDEST * sd,
            answers=self.answers,
            skips=self.skips,
            correlation=self.correlation,
            eligible=self.eligible,
            number=number,
        )

    @cached_property
    def _average(self) -> Floats:
        """Return the average person."""
        rng = _generator(0, 0)
        if isinstance(self.answers, PilotAnswers):
            people = self.answers.contexts(rng, SAMPLE)
        else:
            model = AnswerModel(self.survey, self.answers, self.skips, self.correlation)
            people = model.contexts(rng, SAMPLE)
        return np.asarray(people.mean(axis=0))

    def _draw(self, rng: np.random.Generator, useful: int) -> _Drawn:
        count = len(self.arms)
        chosen = rng.permutation(len(self.survey))[:useful]
        matters = rng.random((useful, count)) < 0.5
        matters[np.arange(useful), rng.integers(count, size=useful)] = True
        shapes = [
            [_shape(self.survey.questions[int(g)], rng) for _ in range(count)] for g in chosen
        ]
        return _Drawn(
            questions=[self.survey.questions[int(g)] for g in chosen],
            matters=matters,
            shapes=shapes,
            sizes=rng.random((useful, count)),
            apart=_spread_out(rng.random(count)),
            gap=float(rng.random()),
            noise=float(rng.random()),
        )

    def _fitted(self, drawn: _Drawn) -> tuple[Floats, float | None, int]:
        """Return the coefficients of all arms and the noise, made smaller until rewards fit.

        And how many compromises that took.
        """
        for taken, (effects, alone, rest) in enumerate(COMPROMISES):
            gap = _between(self.gap, rest * drawn.gap)
            sd = None if isinstance(self.noise, str) else _between(self.noise, rest * drawn.noise)
            table = self._table(drawn, effects, gap, alone=alone)
            low, high = reach(self.survey, table)
            width = high.max() - low.min() + 2 * WIDEST * (sd or 0.0)
            if width <= self.reward.span * (1 + 1e-12):
                # Where in the range rewards lie is nobody's business; the middle has most room.
                middle = self.reward.middle if self.survey.coding == "raw" else 0.0
                table[:, 0] += middle - (low.min() + high.max()) / 2
                return table, sd, taken
        count = len(drawn.questions)
        raise SettingError(
            "useful, effect, gap and noise do not fit into the reward range together: not even"
            f" {f'{count} questions' if count != 1 else 'one question'} that matter"
            f"{'s' * (count == 1)} with the smallest effect, gap and noise"
        )

    def _table(self, drawn: _Drawn, effects: float, gap: float, *, alone: bool) -> Floats:
        count = len(self.arms)
        table = np.zeros((count, self.survey.column_count))
        low, high = np.log(self.effect)
        for i, question in enumerate(drawn.questions):
            columns = self.survey.columns_of(question.name)
            # Alone: in turn, so that no arm has more of them than it must.
            arms = [i % count] if alone else np.flatnonzero(drawn.matters[i])
            for k in arms:
                size = np.exp(low + effects * drawn.sizes[i, k] * (high - low))
                table[k, columns] = size * drawn.shapes[i][k]
        table[:, 0] = gap * drawn.apart - table[:, 1:] @ self._average[1:]
        return table


class _Drawn(NamedTuple):
    """What a world is made of: evenly drawn numbers, before they are fitted into the range."""

    questions: list[Question]
    matters: Flags  # (useful, K)
    shapes: list[list[Floats]]  # coefficients with an effect of 1
    sizes: Floats  # (useful, K)
    apart: Floats  # (K,) from -½ to ½
    gap: float
    noise: float


def at_most(value: float) -> str:
    """Show a number that is not negative with two digits, rounded down."""
    digits = 10.0 ** (1 - math.floor(math.log10(value or 1.0)))
    return f"{math.floor(value * digits) / digits:g}"


def _generator(seed: int, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([seed, number], dtype=np.uint64)))


def _between(ends: tuple[float, float], share: float) -> float:
    return float(ends[0] + share * (ends[1] - ends[0]))


def _pair(key: str, value: Any) -> tuple[Any, Any]:
    low, high = value if isinstance(value, list | tuple) else (value, value)
    if low > high:
        raise SettingError(f"{key} is {shown(value)}; give the smaller number first")
    return low, high


def _spread_out(numbers: Floats) -> Floats:
    """Stretch numbers to the interval from -½ to ½; one alone becomes 0."""
    width = np.ptp(numbers)
    return (numbers - numbers.min()) / width - 0.5 if width > 0 else np.zeros_like(numbers)


def _shape(question: Question, rng: np.random.Generator) -> Floats:
    """Draw a question's coefficients with an effect of 1 (maths 1.1)."""
    own = rng.normal(size=question.width)
    if question.may_skip:
        # A skip says something in between: the mean answer's worth, give or take a half of it.
        points = question.points()[:-1, :-1] @ own[:-1]
        own[-1] = points.mean() + rng.uniform(-0.5, 0.5) * np.ptp(points)
    return np.asarray(own / question.effect(own))

"""Worlds that are plausible for a study: how many questions matter, how strongly, how noisily."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from askless.environments.answers import AnswerModel
from askless.environments.linear import LinearEnvironment, reach
from askless.environments.pilot import PilotAnswers
from askless.errors import AsklessError, SettingError, shown
from askless.kernels.bundles import Floats
from askless.survey import Question, RewardRange, Study
from askless.survey.arms import Arm
from askless.survey.survey import Survey

__all__ = ["Prior"]

PATIENCE = 1_000  # worlds drawn until one fits into the reward range
SAMPLE = 4_096  # people by whom an arm's average is set
ENDS = "ends"


@dataclass(frozen=True)
class Prior:
    """What is plausible about a study; draws worlds from it.

    A world has a number of questions that matter, drawn evenly from `useful`, and which they are;
    each matters to every arm with probability ½, to at least one. How much its answer moves an
    arm's expected reward is drawn from `effect`, evenly on a logarithmic scale; in which way, at
    random. The arms' average rewards are spread over a distance drawn from `gap`, the noise has a
    standard deviation drawn from `noise`. A world in which rewards would leave their range is
    drawn again.

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
    >>> 1 <= world.useful.any(axis=0).sum() <= 3
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
        given, span, m = dict(study.plan), study.reward.span, len(study.survey)
        beta_min = float(study.settings.get("beta_min") or 0.0)
        if not beta_min and "effect" not in given:
            raise study.refusal(
                SettingError("a plan needs a beta_min above 0, or the key effect in plan"), "policy"
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
        self.world(0, seed=0)

    def world(self, number: int, *, seed: int = 0) -> LinearEnvironment:
        """Draw a world; it and its people depend on (seed, number) alone."""
        rng = np.random.Generator(np.random.Philox(key=np.array([seed, number], dtype=np.uint64)))
        people = self._people(rng)
        problem = ""
        for _ in range(PATIENCE):
            table, sd = self._table(rng, people)
            try:
                return self._environment(table, sd, number)
            except SettingError as error:
                problem = str(error)
        raise SettingError(
            f"no plausible world fits into the reward range ({problem}); make effect, gap, noise"
            " or useful smaller"
        )

    def _environment(self, table: Floats, sd: float | None, number: int) -> LinearEnvironment:
        return LinearEnvironment(
            self.survey,
            arms=self.arms,
            coefficients=table,
            reward=self.reward,
            noise="two_point" if sd is None else "uniform",
            spread=None if sd is None else np.sqrt(3.0) * sd,
            answers=self.answers,
            skips=self.skips,
            correlation=self.correlation,
            eligible=self.eligible,
            number=number,
        )

    def _people(self, rng: np.random.Generator) -> Floats:
        if isinstance(self.answers, PilotAnswers):
            return self.answers.contexts(rng, SAMPLE)
        model = AnswerModel(self.survey, self.answers, self.skips, self.correlation)
        return model.contexts(rng, SAMPLE)

    def _table(self, rng: np.random.Generator, people: Floats) -> tuple[Floats, float | None]:
        """Draw the coefficients of all arms and the noise; rewards are centred in their range."""
        count = len(self.arms)
        table = np.zeros((count, self.survey.column_count))
        useful = int(rng.integers(self.useful[0], self.useful[1] + 1))
        for g in rng.permutation(len(self.survey))[:useful]:
            question = self.survey.questions[int(g)]
            matters = rng.random(count) < 0.5
            matters[rng.integers(count)] = True
            for k in np.flatnonzero(matters):
                size = np.exp(rng.uniform(*np.log(self.effect)))
                table[k, self.survey.columns_of(question.name)] = _shape(question, rng, size)
        apart = rng.uniform(*self.gap) * _spread_out(rng.random(count))
        table[:, 0] = apart - people[:, 1:].mean(axis=0) @ table[:, 1:].T
        # Where in the range rewards lie is nobody's business: in its middle there is most room.
        low, high = reach(self.survey, table)
        middle = self.reward.middle if self.survey.coding == "raw" else 0.0
        table[:, 0] += middle - (low.min() + high.max()) / 2
        return table, None if isinstance(self.noise, str) else float(rng.uniform(*self.noise))


def _pair(key: str, value: Any) -> tuple[Any, Any]:
    low, high = value if isinstance(value, list | tuple) else (value, value)
    if low > high:
        raise SettingError(f"{key} is {shown(value)}; give the smaller number first")
    return low, high


def _spread_out(numbers: Floats) -> Floats:
    """Stretch numbers to the interval from -½ to ½; one alone becomes 0."""
    width = np.ptp(numbers)
    return (numbers - numbers.min()) / width - 0.5 if width > 0 else np.zeros_like(numbers)


def _shape(question: Question, rng: np.random.Generator, size: float) -> Floats:
    """Draw a question's coefficients with an effect of this size (maths 1.1)."""
    own = rng.normal(size=question.width)
    if question.may_skip:
        # A skip says something in between: the mean answer's worth, give or take a half of it.
        middle = question.points()[:-1, :-1].mean(axis=0) @ own[:-1]
        reach = np.ptp(question.points()[:-1, :-1] @ own[:-1])
        own[-1] = middle + rng.uniform(-0.5, 0.5) * reach
    return np.asarray(own * (size / question.effect(own)))

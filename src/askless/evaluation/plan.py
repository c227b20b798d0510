"""How a study will go, before anyone is asked: worlds that are plausible, played through."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from askless.environments import PilotAnswers, Prior
from askless.errors import SettingError, shown
from askless.evaluation.advice import advice_of, warnings_of
from askless.evaluation.intervals import Interval, chance, predictive
from askless.evaluation.outcomes import (
    PLANNED,
    SHORT,
    Outcome,
    needed_rows,
    outcome_of,
    rewards_of,
    unneeded,
)
from askless.kernels.bundles import Floats
from askless.policies import policy_for
from askless.simulation import Sweep
from askless.simulation.simulate import check_whole
from askless.simulation.sweep import sweep_rows
from askless.survey import Study
from askless.survey.reward import check_beta_min

__all__ = ["Forecast", "Plan", "plan"]

RESPONDENTS = (500, 2_000, 10_000)
WORLDS = 200
MOST = 10_000_000  # respondents
POINTS = 40  # at how many visits curves are kept, besides the numbers of respondents
SHORTER = 0.95  # a survey that asks more than this share of its questions has not become shorter
FULL = "asking everything"


@dataclass(frozen=True)
class Forecast:
    """What to expect after so many respondents, with one beta_min (None: everything is asked).

    Every figure is the median over the worlds, with an interval that holds the figure of the next
    such world with probability 0.9.

    Attributes
    ----------
    questions, cost : Interval
        Questions a visit, and what they cost a visit.
    reward, regret : Interval
        Reward a visit; how much a visit falls short of the best arm for each person.
    over_full, over_single : Interval
        Reward a visit more than by asking everything, and than by the best single arm for all.
    left : Interval
        Questions that someone who comes then can still be asked.
    losing : Interval
        Chance that some arm has dropped a question that matters to it.
    """

    beta_min: float | None
    respondents: int
    questions: Interval
    cost: Interval
    reward: Interval
    regret: Interval
    over_full: Interval
    over_single: Interval
    left: Interval
    losing: Interval


@dataclass(frozen=True)
class Shortening:
    """When the unneeded questions go, with one beta_min; infinite: not among all respondents.

    Attributes
    ----------
    half, all : Interval
        Visits until half, and until all of the unneeded questions are gone from every arm.
    rows : Interval
        An arm's rows when it dropped an unneeded question: the median one of a world. NaN unless
        most worlds have dropped one.
    rows_at_least, rows_by_sigma : float
        The rows that the test of one effect takes by the formula (maths 5.5): with the noise of the
        median world, and with the policy's sigma, which is what it knows at first.
    """

    beta_min: float
    half: Interval
    all: Interval
    rows: Interval
    rows_at_least: float
    rows_by_sigma: float


@dataclass(frozen=True)
class Doubled:
    """What a beta_min twice as large changes after all respondents, world by world.

    Attributes
    ----------
    regret, questions : Interval
        How much more regret a visit, and how many fewer questions a visit.
    losing : Interval
        Chance that some arm has then dropped a question that matters to it.
    """

    beta_min: float
    regret: Interval
    questions: Interval
    losing: Interval


@dataclass(frozen=True)
class Plan:
    """A study played through in worlds that are plausible for it.

    Attributes
    ----------
    study : Study
        The study.
    prior : Prior
        What was taken to be plausible.
    respondents, beta_mins : tuple
        For which numbers of respondents and which beta_min there are forecasts.
    beta_min : float
        What the advice is about: the study's own if it was asked for, else the first that was.
    worlds, seed : int
        How many worlds were drawn, and from which seed.
    outcomes : dict
        By beta_min (None: asking everything), what became of every world.
    """

    study: Study
    prior: Prior
    respondents: tuple[int, ...]
    beta_mins: tuple[float, ...]
    beta_min: float
    worlds: int
    seed: int
    outcomes: dict[float | None, Outcome]
    best: Floats  # (worlds, visits): expected reward of the best arm, summed up to each visit
    single: Floats  # the same of the best arm for all
    needed_rows: tuple[float, float]  # by the formula, times beta_min²; with noise and with sigma
    not_needed: Floats  # (worlds,) how many questions matter to no arm
    unneeded: Floats  # (worlds,) how many of them could go
    alike: tuple[str, ...]  # questions to which there are answers that nobody gives

    def forecast(self, beta_min: float | None, respondents: int) -> Forecast:
        """Return what to expect with a beta_min (None: asking everything) after so many people."""
        outcome, full = self._of(beta_min), self.outcomes[None]
        if respondents not in self.respondents:
            raise SettingError(
                f"the plan is not for {shown(respondents)} respondents, but for"
                f" {', '.join(map(str, self.respondents))}"
            )
        at = int(np.searchsorted(outcome.visits, respondents))
        visits = float(outcome.visits[at])
        reward = (self.best[:, at] - outcome.regret[:, at]) / visits
        return Forecast(
            beta_min=beta_min,
            respondents=respondents,
            questions=predictive(outcome.asked[:, at] / visits),
            cost=predictive(outcome.cost[:, at] / visits),
            reward=predictive(reward),
            regret=predictive(outcome.regret[:, at] / visits),
            over_full=predictive((full.regret[:, at] - outcome.regret[:, at]) / visits),
            over_single=predictive(reward - self.single[:, at] / visits),
            left=predictive(outcome.left[:, at]),
            losing=chance(int((outcome.lost <= visits).sum()), self.worlds),
        )

    def shortening(self, beta_min: float) -> Shortening:
        """Return when the unneeded questions go, in worlds that have some."""
        outcome = self._of(beta_min)
        dropped = ~np.isnan(outcome.rows)
        few = 2 * dropped.sum() < self.worlds  # the quick ones of them say little about the rest
        return Shortening(
            beta_min=beta_min,
            half=predictive(outcome.half[~np.isnan(outcome.half)]),
            all=predictive(outcome.all[~np.isnan(outcome.all)]),
            rows=predictive(np.array([]) if few else outcome.rows[dropped]),
            rows_at_least=self.needed_rows[0] / beta_min**2,
            rows_by_sigma=self.needed_rows[1] / beta_min**2,
        )

    def doubled(self, beta_min: float) -> Doubled | None:
        """Return what a beta_min twice as large changes in each world; None if it is too large."""
        one, other = self._of(beta_min), self.outcomes.get(2 * beta_min)
        if other is None:
            return None
        visits = float(one.visits[-1])
        return Doubled(
            beta_min=beta_min,
            regret=predictive((other.regret[:, -1] - one.regret[:, -1]) / visits),
            questions=predictive((one.asked[:, -1] - other.asked[:, -1]) / visits),
            losing=self.forecast(2 * beta_min, self.respondents[-1]).losing,
        )

    def _of(self, beta_min: float | None) -> Outcome:
        if beta_min not in self.outcomes:
            raise SettingError(
                f"the plan did not try a beta_min of {shown(beta_min)}, but"
                f" {', '.join(f'{b:g}' for b in self.beta_mins)}"
            )
        return self.outcomes[beta_min]

    def forecasts(self) -> Iterator[Forecast]:
        """Go through all forecasts: every number of respondents, asking everything first."""
        for respondents in self.respondents:
            for beta_min in (None, *self.beta_mins):
                yield self.forecast(beta_min, respondents)

    def shortens(self, forecast: Forecast) -> bool:
        """Whether in most worlds a question is gone from every arm, or visits are clearly shorter.

        An arm that is hardly played keeps its questions; that alone does not make visits long.
        """
        return forecast.left.middle < len(self.study.survey) or self.is_shorter(forecast)

    def is_shorter(self, forecast: Forecast) -> bool:
        """Whether visits have asked clearly fewer questions than there are, in most worlds."""
        return forecast.questions.middle <= SHORTER * len(self.study.survey)

    @property
    def reward_digits(self) -> int:
        """With how many digits rewards are shown: a thousandth of their range."""
        return max(0, 3 - math.floor(math.log10(self.study.reward.span)))

    def advice(self) -> list[str]:
        """Return the advice in two sentences, for the largest number of respondents."""
        return advice_of(self)

    def warnings(self) -> list[str]:
        """Return what a reader should know before trusting the plan."""
        return warnings_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan's figures as plain data, as `askless plan --json` prints them."""
        return {
            "study": self.study.name,
            "worlds": self.worlds,
            "seed": self.seed,
            "prior": prior_dict(self.prior),
            "advice": self.advice(),
            "warnings": self.warnings(),
            "forecasts": [_plain(vars(forecast)) for forecast in self.forecasts()],
            "shortening": [_plain(vars(self.shortening(b))) for b in self.beta_mins],
            "twice_too_large": [
                _plain(vars(twice)) for b in self.beta_mins if (twice := self.doubled(b))
            ],
        }


def plan(
    study: Study,
    *,
    respondents: Sequence[int] = RESPONDENTS,
    beta_min: Sequence[float] | None = None,
    pilot: str | Path | PilotAnswers | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Plan:
    """Play a study through in worlds that are plausible for it.

    Parameters
    ----------
    study : Study
        Its section `plan` says what is plausible; see `Prior`.
    respondents : sequence of int
        For how many respondents to forecast.
    beta_min : sequence of float, optional
        Which to try, each also twice as large; the study's and half of it if left out.
    pilot : str, Path or PilotAnswers, optional
        Answers of people (a CSV file) from which simulated ones are drawn.
    worlds, seed : int
        How many worlds to draw, and from which seed.
    engine, address, workers, progress
        Where to play, as in `Sweep.run`.

    Examples
    --------
    >>> import askless as al
    >>> found = al.plan(al.Study.example(), respondents=[200, 400], worlds=20, workers=1)
    >>> found.forecast(20.0, 400).questions.middle <= 8
    True
    """
    people = _respondents(respondents)
    check_whole("worlds", worlds, 20)
    check_whole("seed", seed, 0)
    policy_for(study)  # refuses settings that do not fit, before any work
    if isinstance(pilot, str | Path):
        pilot = PilotAnswers.read(pilot, study.survey)
    prior = Prior.of(study, pilot)
    grid = _grid(study, beta_min)
    places = {f"world {i}": prior.world(i, seed=seed) for i in range(worlds)}
    even = np.linspace(0, people[-1], POINTS + 1).astype(int)
    visits = sorted({*people, *(int(t) for t in even if t > 0)})
    sweep = Sweep(
        policies=[_full(study), *(_bandit(study, b) for b in grid)],
        environments=places,
        horizon=people[-1],
        runs=1,
        seed=seed,
        checkpoints=visits,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.jsonl")
        sweep.run(path, engine=engine, address=address, workers=workers, progress=progress)
        rows = list(sweep_rows(path))
    by_policy = {
        b: [row for row in rows if row["policy"].get("beta_min") == b] for b in (None, *grid)
    }
    drawn = list(places.values())
    best, single = rewards_of(drawn, seed, visits)
    rows_needed, alike = needed_rows(drawn, study)
    return Plan(
        study=study,
        prior=prior,
        respondents=people,
        beta_mins=grid,
        beta_min=_about(study, beta_min),
        worlds=worlds,
        seed=seed,
        outcomes={
            b: outcome_of(own, drawn, np.array(visits, dtype=float)) for b, own in by_policy.items()
        },
        best=best,
        single=single,
        needed_rows=rows_needed,
        not_needed=np.array([(~world.useful.any(axis=0)).sum() for world in drawn], dtype=float),
        unneeded=np.array([unneeded(world, alike).sum() for world in drawn], dtype=float),
        alike=alike,
    )


def visits_of(
    study: Study,
    respondents: Sequence[int] = RESPONDENTS,
    beta_min: Sequence[float] | None = None,
    worlds: int = WORLDS,
) -> int:
    """Count the visits of a plan; refuses what cannot be planned."""
    check_whole("worlds", worlds, 20)
    return worlds * _respondents(respondents)[-1] * (1 + len(_grid(study, beta_min)))


def _respondents(given: Sequence[int]) -> tuple[int, ...]:
    numbers = list(given)
    if not numbers:
        raise SettingError("respondents is empty; say for how many people to plan")
    for number in numbers:
        check_whole("respondents", number, 1)
        if number > MOST:
            raise SettingError(f"respondents is {number}; a plan is for at most {MOST:,}")
    return tuple(sorted({int(number) for number in numbers}))


def _grid(study: Study, given: Sequence[float] | None) -> tuple[float, ...]:
    """Return the beta_min to try: those asked for and twice as large, within the range."""
    own = float(study.settings.get("beta_min") or 0.0)
    asked = [own / 2, own] if given is None else [float(b) for b in given]
    if not asked:
        raise SettingError("beta_min is empty; say which to try")
    for b in asked:
        check_beta_min(b, study.reward)
        if b <= 0:
            raise SettingError(f"beta_min is {shown(b)}; a plan needs one above 0")
    return tuple(sorted({*asked, *(2 * b for b in asked if 2 * b < study.reward.span)}))


def _about(study: Study, given: Sequence[float] | None) -> float:
    """Return the beta_min that the advice is about."""
    own = float(study.settings.get("beta_min") or 0.0)
    return own if given is None or own in given else float(given[0])


def _full(study: Study) -> dict[str, Any]:
    """Return the policy that asks everyone everything: the best of that kind (maths 8.8)."""
    return {"name": "linucb", "width": "noise", **_shared(study)}


def _bandit(study: Study, beta_min: float) -> dict[str, Any]:
    """Return the recommended policy; with the study's settings if its policy is of that kind."""
    own = dict(study.settings) if study.policy in PLANNED else _shared(study)
    for name in ("interactive", *SHORT):
        own.pop(name, None)
    return {"name": "survey-bandit", **own, "beta_min": beta_min, "price": 0}


def _shared(study: Study) -> dict[str, Any]:
    return {key: study.settings[key] for key in ("delta",) if key in study.settings}


def prior_dict(prior: Prior) -> dict[str, Any]:
    """Return what was taken to be plausible, as plain data."""
    people: dict[str, Any] = {"skips": prior.skips, "correlation": prior.correlation}
    if isinstance(prior.answers, PilotAnswers):
        people = {"pilot": len(prior.answers)}
    else:
        people["answers"] = dict(prior.answers)
    return {
        **{key: getattr(prior, key) for key in ("useful", "effect", "gap", "noise")},
        **people,
        "eligible": dict(prior.eligible),
    }


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Return intervals as mappings; what is infinite as None."""
    return {
        key: {name: finite(end) for name, end in value._asdict().items()}
        if isinstance(value, Interval)
        else finite(value)
        for key, value in fields.items()
    }


def finite(value: Any) -> Any:
    """Return a number, or None if it is infinite or none."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

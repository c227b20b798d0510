"""How a study will go, before anyone is asked: worlds that are plausible, played through."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from askless.environments import LinearEnvironment, PilotAnswers, Prior
from askless.errors import SettingError, shown
from askless.evaluation.intervals import Interval, chance, predictive
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
POINTS = 40  # at how many visits curves are kept, besides the numbers of respondents
SHORTER = 0.95  # a survey that asks more than this share of its questions has not become shorter
FULL = "asking everything"
DELTA = 0.05  # the policies' default


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
        An arm's rows when it dropped an unneeded question: the median one of a world.
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
class Outcome:
    """What became of every world under one policy: an array a figure, a row a world."""

    visits: Floats
    asked: Floats  # (worlds, visits), summed up to each of them, as are cost and regret
    cost: Floats
    regret: Floats
    left: Floats
    lost: Floats  # the visit at which a useful question was first lost; infinite if never
    half: Floats
    all: Floats
    rows: Floats


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
    worlds, seed : int
        How many worlds were drawn, and from which seed.
    outcomes : dict
        By beta_min (None: asking everything), what became of every world.
    """

    study: Study
    prior: Prior
    respondents: tuple[int, ...]
    beta_mins: tuple[float, ...]
    worlds: int
    seed: int
    outcomes: dict[float | None, Outcome]
    best: Floats  # (worlds, visits): expected reward of the best arm, summed up to each visit
    single: Floats  # the same of the best arm for all
    needed_rows: tuple[float, float]  # by the formula, times beta_min²; with noise and with sigma

    def forecast(self, beta_min: float | None, respondents: int) -> Forecast:
        """Return what to expect with a beta_min after so many respondents."""
        outcome, full = self.outcomes[beta_min], self.outcomes[None]
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
        """Return when the unneeded questions go."""
        outcome = self.outcomes[beta_min]
        return Shortening(
            beta_min=beta_min,
            half=predictive(outcome.half[~np.isnan(outcome.half)]),
            all=predictive(outcome.all[~np.isnan(outcome.all)]),
            rows=predictive(outcome.rows[~np.isnan(outcome.rows)]),
            rows_at_least=self.needed_rows[0] / beta_min**2,
            rows_by_sigma=self.needed_rows[1] / beta_min**2,
        )

    def forecasts(self) -> Iterator[Forecast]:
        """Go through all forecasts: every number of respondents, asking everything first."""
        for respondents in self.respondents:
            for beta_min in (None, *self.beta_mins):
                yield self.forecast(beta_min, respondents)

    def is_shorter(self, forecast: Forecast) -> bool:
        """Whether the survey has become shorter in most worlds."""
        return forecast.questions.middle <= SHORTER * len(self.study.survey)

    @property
    def beta_min(self) -> float:
        """The beta_min that the advice is about: the study's own, or the first one asked for."""
        own = float(self.study.settings.get("beta_min") or 0.0)
        return own if own in self.outcomes else self.beta_mins[0]

    def advice(self) -> list[str]:
        """Return the advice in two sentences, for the largest number of respondents."""
        beta_min, people = self.beta_min, self.respondents[-1]
        now, full = self.forecast(beta_min, people), self.forecast(None, people)
        gone, m = self.shortening(beta_min), len(self.study.survey)
        if not self.is_shorter(now):
            return [
                f"You cannot shorten this survey with {people:,} respondents and a beta_min of"
                f" {beta_min:g}: ask everything.",
                f"An arm needs {gone.rows_at_least:,.0f} to {gone.rows_by_sigma:,.0f} rows to drop"
                f" a question, and the {len(self.study.arms)} arms share the respondents: come"
                " with more of them, or with a larger beta_min if smaller effects are not worth a"
                " question.",
            ]
        more = now.over_full.middle
        gain = f"{abs(more):.3g} a visit {'more' if more > 0 else 'less'} than"
        if abs(more) < 0.005 * self.study.reward.span:
            gain = "about the same as"
        return [
            f"With {people:,} respondents and a beta_min of {beta_min:g}, a visit asks"
            f" {now.questions.middle:.1f} of {m} questions on average (90%:"
            f" {now.questions.low:.1f} to {now.questions.high:.1f}), and half of the unneeded ones"
            f" are gone after {_visits(gone.half.middle, people)}.",
            f"The reward is {gain} by asking everything ({full.reward.middle:.3g}), and"
            f" the chance of losing a question that matters is {_percent(now.losing.middle)}"
            f" (90%: {_percent(now.losing.low)} to {_percent(now.losing.high)}).",
        ]

    def warnings(self) -> list[str]:
        """Return what a reader should know before trusting the plan."""
        found = [
            f"{respondents:,} respondents are too few to drop anything in most worlds with a"
            f" beta_min of {self.beta_min:g}."
            for respondents in self.respondents
            if not self.is_shorter(self.forecast(self.beta_min, respondents))
        ]
        double = 2 * self.beta_min
        if double in self.outcomes:
            lost = self.forecast(double, self.respondents[-1]).losing
            if lost.middle > 2 * float(self.study.settings.get("delta") or DELTA):
                found.append(
                    f"A beta_min twice as large ({double:g}) would lose a question that matters in"
                    f" {_percent(lost.middle)} of the worlds: better too small than too large."
                )
        return found

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
    even = np.linspace(0, people[-1], POINTS + 1).astype(int)[1:]
    visits = sorted({*people, *(int(t) for t in even)})
    sweep = Sweep(
        policies=[_full(study), *(_epoch(study, b) for b in grid)],
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
    best, single = _rewards(list(places.values()), seed, visits)
    return Plan(
        study=study,
        prior=prior,
        respondents=people,
        beta_mins=grid,
        worlds=worlds,
        seed=seed,
        outcomes={
            b: _outcome(own, list(places.values()), np.array(visits, dtype=float))
            for b, own in by_policy.items()
        },
        best=best,
        single=single,
        needed_rows=_needed_rows(list(places.values()), study),
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


def _full(study: Study) -> dict[str, Any]:
    """Return the policy that asks everyone everything."""
    return {"name": "linucb", **_shared(study)}


def _epoch(study: Study, beta_min: float) -> dict[str, Any]:
    """Return Epoch SurveyUCB, interactive; with the study's settings if that is its policy."""
    own = dict(study.settings) if study.policy == "epoch" else _shared(study)
    return {"name": "epoch", **own, "beta_min": beta_min, "interactive": "certified"}


def _shared(study: Study) -> dict[str, Any]:
    return {key: study.settings[key] for key in ("delta",) if key in study.settings}


def _outcome(
    rows: list[dict[str, Any]], places: list[LinearEnvironment], visits: Floats
) -> Outcome:
    shape = len(rows), len(visits)
    left = np.empty(shape)
    ends = {name: np.full(len(rows), math.inf) for name in ("half", "all", "lost")}
    middle_row = np.full(len(rows), math.nan)
    for i, (row, world) in enumerate(zip(rows, places, strict=True)):
        gone, needed = gone_at(row["drops"], world), world.useful.any(axis=0)
        always = np.array([question.always_ask for question in world.survey])
        left[i] = [(always | (gone > t)).sum() for t in visits]
        unneeded = np.sort(gone[~needed & ~always])
        if len(unneeded) == 0:
            ends["half"][i] = ends["all"][i] = math.nan
        else:
            ends["half"][i], ends["all"][i] = unneeded[(len(unneeded) - 1) // 2], unneeded[-1]
        lost = [visit for visit, _, _, _, useful in row["drops"] if useful]
        ends["lost"][i] = min(lost, default=math.inf)
        learned = [n for _, _, _, n, useful in row["drops"] if not useful]
        middle_row[i] = np.median(learned) if learned else math.nan
    return Outcome(
        visits=visits,
        asked=np.array([row["asked_at"] for row in rows], dtype=float).reshape(shape),
        cost=np.array([row["cost_at"] for row in rows], dtype=float).reshape(shape),
        regret=np.array([row["regret_at"] for row in rows], dtype=float).reshape(shape),
        left=left,
        rows=middle_row,
        **ends,
    )


def gone_at(drops: list[list[Any]], world: LinearEnvironment) -> Floats:
    """Return the visit at which the last arm dropped each question; infinite if one has not."""
    at = np.full((len(world.arms), len(world.survey)), math.inf)
    for visit, arm, question, _, _ in drops:
        at[arm, question] = visit
    return np.asarray(at.max(axis=0))


def _rewards(
    places: list[LinearEnvironment], seed: int, visits: list[int]
) -> tuple[Floats, Floats]:
    """Return the expected rewards of the best arm for each, and of the best one for all."""
    best, single = np.empty((2, len(places), len(visits)))
    at = np.array(visits) - 1
    for i, world in enumerate(places):
        open_to_all = np.flatnonzero(world.eligible == 1)
        means, tops, seen = [], [], 0
        for block in world.respondents(seed, 0):
            expected = block.contexts @ world.coefficients.T
            if world.survey.coding != "raw":
                expected += world.reward.middle
            means.append(expected[:, open_to_all])
            barred = 0.0 if block.allowed is None else np.where(block.allowed, 0.0, -math.inf)
            tops.append((expected + barred).max(axis=1))
            seen += len(block.luck)
            if seen >= visits[-1]:
                break
        best[i] = np.cumsum(np.concatenate(tops))[at]
        sums = np.cumsum(np.vstack(means), axis=0)
        single[i] = sums[at, int(np.argmax(sums[-1]))]
    return best, single


def _needed_rows(places: list[LinearEnvironment], study: Study) -> tuple[float, float]:
    """Return the rows that the test of one effect takes, times β_min², for the median question.

    2σ²·ln(Km/δ_E)/β_min² over the residual variance of the answers (maths 5.5): with the noise of
    the median world, and with the policy's σ.
    """
    first = places[0]
    block = next(iter(first.respondents(0, 0)))
    spread = np.linalg.pinv(
        block.contexts.T @ block.contexts / len(block.contexts), rcond=1e-9, hermitian=True
    )
    variances = []
    for question in first.survey:
        columns = first.survey.columns_of(question.name)
        own = question.directions() @ spread[columns, columns] @ question.directions().T
        variances.append(np.diag(own).max())
    delta = float(study.settings.get("delta") or DELTA) / 2
    sides = math.log(len(first.arms) * len(first.survey) / delta)
    noise = float(np.median([noise_variance(world) for world in places]))
    sigma = float(study.settings.get("sigma") or study.reward.span / 2)
    once = 2 * sides * float(np.median(variances))
    return once * noise, once * sigma**2


def noise_variance(world: LinearEnvironment) -> float:
    """Return the variance of rewards around their expectation; with two ends, the largest."""
    return world.spread**2 / 3 if world.spread else world.reward.span**2 / 4


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


def _visits(number: float, most: int) -> str:
    return f"{number:,.0f} visits" if math.isfinite(number) else f"more than {most:,} visits"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share == 0 or share >= 0.01 else f"{100 * share:.1f}%"

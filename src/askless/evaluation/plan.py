"""How a study will go, before anyone is asked: worlds that are plausible, played through."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from askless.environments import Block, LinearEnvironment, PilotAnswers, Prior
from askless.errors import SettingError, shown
from askless.evaluation.intervals import Interval, chance, predictive
from askless.kernels.bundles import Flags, Floats
from askless.kernels.outcome import AT_THE_ENDS
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
PEOPLE = 16_384  # by whom the variance of the answers is measured
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

    def drops_something(self, forecast: Forecast) -> bool:
        """Whether a question is gone from every arm in most worlds."""
        return forecast.left.middle < len(self.study.survey)

    def is_shorter(self, forecast: Forecast) -> bool:
        """Whether visits have asked clearly fewer questions than there are, in most worlds."""
        return forecast.questions.middle <= SHORTER * len(self.study.survey)

    def advice(self) -> list[str]:
        """Return the advice in two sentences, for the largest number of respondents."""
        beta_min, people = self.beta_min, self.respondents[-1]
        now, gone = self.forecast(beta_min, people), self.shortening(beta_min)
        m, arms = len(self.study.survey), len(self.study.arms)
        if self._nothing_to_drop():
            return [
                "There is nothing to drop: in most plausible worlds every question that could go"
                " matters, is asked of everyone, or is answered alike by all.",
                "Ask everything, or say in the section plan of the study what you think is not"
                " needed.",
            ]
        if not self.drops_something(now):
            rows = f"{gone.rows_at_least:,.0f} to {gone.rows_by_sigma:,.0f} rows by the formula"
            return [
                f"You cannot shorten this survey with {people:,} respondents and a beta_min of"
                f" {beta_min:g}: ask everything (LinUCB).",
                f"An arm needs {rows}, and more for its tests to come round, and the {arms} arms"
                " share the respondents: come with more of them, or with a larger beta_min if"
                " smaller effects are not worth a question.",
            ]
        asks = (
            f"a visit asks {now.questions.middle:.1f} of {m} questions on average (90%:"
            f" {now.questions.low:.1f} to {now.questions.high:.1f})"
        )
        when = f"half of the unneeded ones are gone after {_visits(gone.half.middle, people)}"
        return [
            f"With {people:,} respondents and a beta_min of {beta_min:g}, {asks}, and {when}.",
            f"{self._compared(now)}, and the chance of losing a question that matters is"
            f" {_percent(now.losing.middle)} (90%: {_percent(now.losing.low)} to"
            f" {_percent(now.losing.high)}).",
        ]

    def _compared(self, now: Forecast) -> str:
        more, full = now.over_full.middle, self.forecast(None, now.respondents).reward.middle
        digits = self.reward_digits
        how = f"{abs(more):,.{digits}f} a visit {'more' if more > 0 else 'less'} than"
        if abs(more) < 0.005 * self.study.reward.span:
            how = "about the same as"
        where = f"in the median world; LinUCB: {full:,.{digits}f}"
        return f"The reward is {how} by asking everything ({where})"

    def _nothing_to_drop(self) -> bool:
        return bool(np.median(self.unneeded) == 0)

    @property
    def reward_digits(self) -> int:
        """With how many digits rewards are shown: a thousandth of their range."""
        return max(0, 3 - math.floor(math.log10(self.study.reward.span)))

    def warnings(self) -> list[str]:
        """Return what a reader should know before trusting the plan."""
        return [
            *self._of_policy(),
            *(w for people in self.respondents for w in self._of_size(people)),
            *self._of_beta_min(),
        ]

    def _of_policy(self) -> Iterator[str]:
        own = self.study.policy == "epoch" and self.study.settings.get("interactive")
        if not own:
            yield (
                "The plan is of Epoch SurveyUCB with interactive surveys, which is not what the"
                " study's section policy says."
            )
        if self.alike:
            yield (
                f"To {', '.join(self.alike)} there are answers that nobody gives: such questions"
                " cannot be judged, nor dropped."
            )

    def _of_size(self, people: int) -> Iterator[str]:
        now = self.forecast(self.beta_min, people)
        if self._nothing_to_drop():
            pass
        elif not self.drops_something(now):
            yield (
                f"{people:,} respondents are too few to drop anything in most worlds with a"
                f" beta_min of {self.beta_min:g}."
            )
        elif not self.is_shorter(now):
            yield (
                f"With {people:,} respondents questions go too late to save much: a visit still"
                f" asks {now.questions.middle:.1f} of {len(self.study.survey)} on average."
            )
        gain, full = now.over_single.middle, self.forecast(None, people).over_single.middle
        digits = self.reward_digits
        if 0 < gain < full / 2:
            yield (
                f"With {people:,} respondents, of the {full:,.{digits}f} a visit that personal"
                f" decisions bring over one arm for all if everything is asked, {gain:,.{digits}f}"
                " remain."
            )
        if gain <= 0:
            yield (
                f"With {people:,} respondents personal decisions do not pay yet: in most worlds the"
                " best single arm for all would bring as much."
            )

    def _of_beta_min(self) -> Iterator[str]:
        allowed = 2 * float(self.study.settings.get("delta") or DELTA)
        now = self.forecast(self.beta_min, self.respondents[-1])
        if now.losing.middle > allowed:
            yield (
                f"A beta_min of {self.beta_min:g} loses a question that matters in"
                f" {_percent(now.losing.middle)} of the worlds: it is above effects that are"
                " plausible; take a smaller one."
            )
        twice = self.doubled(self.beta_min)
        if twice is not None:
            yield (
                f"Twice that beta_min ({2 * self.beta_min:g}) would ask"
                f" {twice.questions.middle:.1f} questions a visit fewer, cost"
                f" {max(twice.regret.middle, 0):,.{self.reward_digits}f} of reward a visit (90%: up"
                f" to {twice.regret.high:,.{self.reward_digits}f}), and lose a question that"
                f" matters in {_percent(twice.losing.middle)} of the worlds."
            )

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
    drawn = list(places.values())
    best, single = _rewards(drawn, seed, visits)
    needed_rows, alike = _needed_rows(drawn, study)
    return Plan(
        study=study,
        prior=prior,
        respondents=people,
        beta_mins=grid,
        beta_min=_about(study, beta_min),
        worlds=worlds,
        seed=seed,
        outcomes={
            b: _outcome(own, drawn, np.array(visits, dtype=float)) for b, own in by_policy.items()
        },
        best=best,
        single=single,
        needed_rows=needed_rows,
        not_needed=np.array([(~world.useful.any(axis=0)).sum() for world in drawn], dtype=float),
        unneeded=np.array([_unneeded(world, alike).sum() for world in drawn], dtype=float),
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
        always = _always(world)
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


def _always(world: LinearEnvironment) -> Flags:
    return np.array([question.always_ask for question in world.survey])


def _unneeded(world: LinearEnvironment, alike: tuple[str, ...]) -> Flags:
    """Return which questions could go: they matter to no arm, and can be judged."""
    judged = np.array([name not in alike for name in world.survey.names])
    return np.asarray(~world.useful.any(axis=0) & ~_always(world) & judged)


def gone_at(drops: list[list[Any]], world: LinearEnvironment) -> Floats:
    """Return the visit at which the last arm dropped each question; infinite if one has not."""
    at = np.full((len(world.arms), len(world.survey)), math.inf)
    for visit, arm, question, _, _ in drops:
        at[arm, question] = visit
    return np.asarray(at.max(axis=0))


def _rewards(
    places: list[LinearEnvironment], seed: int, visits: list[int]
) -> tuple[Floats, Floats]:
    """Return the expected rewards of the best arm for each, and of the best one for all.

    Who may not get that one gets the best for all of those that they may get.
    """
    best, single = np.empty((2, len(places), len(visits)))
    at = np.array(visits) - 1
    for i, world in enumerate(places):
        blocks = _first(world, seed, visits[-1])
        expected = np.vstack([block.contexts for block in blocks]) @ world.coefficients.T
        if world.survey.coding != "raw":
            expected += world.reward.middle
        barred = np.vstack(
            [
                np.zeros((len(block.luck), len(world.arms)), dtype=bool)
                if block.allowed is None
                else ~block.allowed
                for block in blocks
            ]
        )
        best[i] = np.cumsum(np.where(barred, -math.inf, expected).max(axis=1))[at]
        ranks = np.where(barred, -math.inf, expected.mean(axis=0)).argmax(axis=1)
        single[i] = np.cumsum(expected[np.arange(len(ranks)), ranks])[at]
    return best, single


def _first(world: LinearEnvironment, seed: int, count: int) -> list[Block]:
    """Return blocks with at least so many respondents."""
    blocks: list[Block] = []
    for block in world.respondents(seed, 0):
        blocks.append(block)
        if sum(len(b.luck) for b in blocks) >= count:
            break
    return blocks


def _needed_rows(
    places: list[LinearEnvironment], study: Study
) -> tuple[tuple[float, float], tuple[str, ...]]:
    """Return the rows that the test of one effect takes, times β_min², for the median question.

    2σ²·ln(Km/δ_E)/β_min² over the residual variance of the answers (maths 5.5): with the noise of
    the median world, and with the policy's σ. And the questions that cannot be tested, because
    there are answers that nobody gives.
    """
    first = places[0]
    contexts = np.vstack([block.contexts for block in _first(first, 0, PEOPLE)])
    second = contexts.T @ contexts / len(contexts)
    inverse = np.linalg.pinv(second, rcond=1e-9, hermitian=True)
    seen = second @ inverse  # the projection on what people differ in
    variances, alike = [], []
    for question in first.survey:
        columns = first.survey.columns_of(question.name)
        directions = np.zeros((len(question.directions()), first.survey.column_count))
        directions[:, columns] = question.directions()
        if np.abs(directions @ seen - directions).max() > 1e-6:
            alike.append(question.name)
        else:
            variances.append(np.einsum("ij,jk,ik->i", directions, inverse, directions).max())
    delta = float(study.settings.get("delta") or DELTA) / 2
    sides = math.log(len(first.arms) * len(first.survey) / delta)
    noise = float(np.median([noise_variance(world) for world in places]))
    own = study.settings.get("sigma") if study.policy == "epoch" else None
    sigma = float(own or study.reward.span / 2)
    once = 2 * sides * float(np.median(variances)) if variances else math.inf
    return (once * noise, once * sigma**2), tuple(alike)


def noise_variance(world: LinearEnvironment) -> float:
    """Return the variance of rewards around their expectation; with two ends, the largest."""
    at_the_ends = world.noise_form == AT_THE_ENDS
    return world.reward.span**2 / 4 if at_the_ends else world.spread**2 / 3


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

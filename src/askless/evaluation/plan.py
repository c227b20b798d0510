"""How a study will go, before anyone is asked: worlds that are plausible, played through."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from askless.environments import LinearEnvironment, PilotAnswers, Prior
from askless.errors import SettingError, shown
from askless.evaluation.advice import advice_of, warnings_of
from askless.evaluation.intervals import Interval, chance, predictive
from askless.evaluation.outcomes import Outcome
from askless.evaluation.stage import Progress, Stage
from askless.evaluation.verdict import Figures, Judged, Verdict, judge
from askless.evaluation.ways import FULL, SINGLE, Way, fitting_way, own_price, ways_of
from askless.policies import policy_for
from askless.simulation.simulate import check_whole
from askless.survey import Study

__all__ = ["Forecast", "Plan", "plan"]

RESPONDENTS = (500, 2_000, 10_000)
WORLDS = 200
FEWEST, MOST = 10, 1_000_000  # respondents
DOUBLINGS = (2, 4, 8)  # by which a study is made larger, to find out how many people it needs
SEARCHED = 60  # worlds in which that is found out


@dataclass(frozen=True)
class Forecast:
    """What to expect of one way of running the study with so many people.

    Every figure is the median over the worlds, with an interval that holds the figure of the next
    such world with probability 0.9.

    Attributes
    ----------
    questions, cost : Interval
        Questions a visit, and what they weigh by their costs.
    reward, net : Interval
        Reward a visit; and less the price of what was asked or, where the study says how many
        people questions lose, the reward a person who starts.
    over_full, over_single : Interval
        Net more than by asking everything; reward more than by one arm for all, which a test with
        a fifth of the people finds.
    completed : Interval
        Share of those who start that complete their visit; 1 where the study does not say.
    losing : Interval
        Chance that some arm has dropped for good a question that matters to it.
    """

    way: str
    respondents: int
    questions: Interval
    cost: Interval
    reward: Interval
    net: Interval
    over_full: Interval
    over_single: Interval
    completed: Interval
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
    respondents : tuple of int
        For which numbers of respondents there are forecasts.
    ways : tuple of Way
        The ways of running it that are compared; of ours, the study's own setting first.
    price : float
        What asking one question costs in the net, in reward units.
    dropout : float
        Share of people whom each question loses.
    worlds, seed : int
        How many worlds were drawn, and from which seed.
    outcomes : dict
        By way and number of respondents, what became of every world.
    searched : dict
        The same for larger studies, of the ways that say how many people it takes; may be empty.
    """

    study: Study
    prior: Prior
    respondents: tuple[int, ...]
    ways: tuple[Way, ...]
    price: float
    dropout: float
    worlds: int
    seed: int
    outcomes: dict[tuple[str, int], Outcome]
    searched: dict[tuple[str, int], Outcome]
    useful: tuple[int, ...]  # how many questions matter in each world
    squeezed: int  # how many worlds fit into the range with the smallest effects alone

    def forecast(self, way: str, respondents: int) -> Forecast:
        """Return what to expect of a way, by its label, with so many people."""
        own, full = self.figures(way, respondents), self.figures(FULL, respondents)
        single, outcome = self.figures(SINGLE, respondents), self.outcomes[way, respondents]
        read = outcome.at(respondents)
        return Forecast(
            way=way,
            respondents=respondents,
            questions=predictive(own.asked),
            cost=predictive(read.cost / read.completed),
            reward=predictive(own.reward),
            net=predictive(own.net),
            over_full=predictive(own.net - full.net),
            over_single=predictive(own.reward - single.reward),
            completed=predictive(read.completed / respondents),
            losing=chance(int((outcome.lost <= read.completed).sum()), self.worlds),
        )

    def forecasts(self) -> Iterator[Forecast]:
        """Go through all forecasts: every number of respondents, every way."""
        for respondents in self.respondents:
            for way in self.ways:
                yield self.forecast(way.label, respondents)

    def figures(self, way: str, respondents: int) -> Figures:
        """Return what became of every world in a way, a visit."""
        if respondents not in self.respondents:
            raise SettingError(
                f"the plan is not for {shown(respondents)} respondents, but for"
                f" {', '.join(map(str, self.respondents))}"
            )
        if (way, respondents) not in self.outcomes:
            labels = ", ".join(repr(known.label) for known in self.ways)
            raise SettingError(f"the plan has no way {shown(way)}, but {labels}")
        return self._figures_of(self.outcomes[way, respondents], respondents)

    def _figures_of(self, outcome: Outcome, people: int) -> Figures:
        read = outcome.at(people)
        reward = read.reward / read.completed
        # Where people leave, that is what asking costs; else it is the price.
        paid = self.price * read.cost / read.completed
        net = read.reward / people if self.dropout else reward - paid
        return Figures(read.asked / read.completed, reward, net)

    def judged(self, respondents: int) -> Judged:
        """Judge what is best with so many people."""
        ours = [way.label for way in self.ways if way.ours]
        figures = {way.label: self.figures(way.label, respondents) for way in self.ways}
        return judge(figures, ours, self.study.reward.span)

    @cached_property
    def verdict(self) -> Verdict:
        """What to do with the largest number of respondents."""
        people = self.respondents[-1]
        found = self.judged(people)
        way, close = self.way(found.way), found.is_close
        if found.kind != "everything" or not self.searched:
            return Verdict(found.kind, way, people, None, close)
        larger = sorted({number for _, number in self.searched})
        later = [self._judged_larger(number, found.nearest) for number in larger]
        # From there on all shorten: one alone may be luck.
        enough = len(later)
        while enough and later[enough - 1].kind == "shorten":
            enough -= 1
        close = close or any(one.is_close for one in later[max(0, enough - 1) : enough + 1])
        if enough == len(later):
            return Verdict("everything", way, people, larger[-1], close)
        return Verdict("more people", self.way(found.nearest), people, larger[enough], close)

    def _judged_larger(self, people: int, label: str) -> Judged:
        figures = {
            way: self._figures_of(outcome, people)
            for (way, number), outcome in self.searched.items()
            if number == people
        }
        return judge(figures, [label], self.study.reward.span)

    def way(self, label: str) -> Way:
        """Return a way by its label."""
        return next(way for way in self.ways if way.label == label)

    @property
    def own(self) -> Way:
        """Our way as the study sets it."""
        return next(way for way in self.ways if way.ours)

    @property
    def reward_digits(self) -> int:
        """With how many digits rewards are shown: a thousandth of their range."""
        return max(0, 3 - math.floor(math.log10(self.study.reward.span)))

    def advice(self) -> list[str]:
        """Return the verdict in words, for the largest number of respondents."""
        return advice_of(self)

    def warnings(self) -> list[str]:
        """Return what a reader should know before trusting the plan."""
        return warnings_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan's figures as plain data, as `askless plan --json` prints them."""
        verdict = self.verdict
        return {
            "study": self.study.name,
            "verdict": {
                "kind": verdict.kind,
                "way": verdict.way.label,
                "setting": verdict.way.setting,
                "respondents": verdict.respondents,
                "people": verdict.people,
                "close": verdict.is_close,
            },
            "advice": self.advice(),
            "warnings": self.warnings(),
            "price": self.price,
            "dropout": self.dropout,
            "worlds": self.worlds,
            "squeezed_worlds": self.squeezed,
            "seed": self.seed,
            "prior": prior_dict(self.prior),
            "ways": [
                {"label": way.label, "policy": way.policy, "setting": way.setting}
                for way in self.ways
            ],
            "forecasts": [_plain(vars(forecast)) for forecast in self.forecasts()],
        }


def plan(
    study: Study,
    *,
    respondents: Sequence[int] = RESPONDENTS,
    prices: Sequence[float] | None = None,
    pilot: str | Path | PilotAnswers | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Play a study through in worlds that are plausible for it, in several ways.

    Parameters
    ----------
    study : Study
        Its section `plan` says what is plausible; see `Prior`.
    respondents : sequence of int
        For how many respondents to forecast.
    prices : sequence of float, optional
        Which prices of a question to try beside the study's; half and twice as much if left out.
    pilot : str, Path or PilotAnswers, optional
        Answers of people (a CSV file) from which simulated ones are drawn.
    worlds, seed : int
        How many worlds to draw, and from which seed.
    engine, address, workers
        Where to play, as in `Sweep.run`.
    progress : callable, optional
        Called with what is being played, how many visits further, and of how many.

    Examples
    --------
    >>> import askless as al
    >>> found = al.plan(al.Study.example(), respondents=[200, 400], worlds=20, workers=1)
    >>> found.verdict.respondents
    400
    >>> found.forecast("asking everything", 400).questions.middle
    8.0
    """
    with warnings.catch_warnings(action="ignore"):  # `Plan.warnings` has them, once
        return _planned(
            *(study, respondents, prices, pilot, worlds, seed),
            *(progress, {"engine": engine, "address": address, "workers": workers}),
        )


def _planned(
    study: Study,
    respondents: Sequence[int],
    prices: Sequence[float] | None,
    pilot: str | Path | PilotAnswers | None,
    worlds: int,
    seed: int,
    progress: Progress | None,
    where: dict[str, Any],
) -> Plan:
    people = _respondents(respondents)
    check_whole("worlds", worlds, 20)
    check_whole("seed", seed, 0)
    policy_for(study)  # refuses settings that do not fit, before any work
    if isinstance(pilot, str | Path):
        pilot = PilotAnswers.read(pilot, study.survey)
    dropout = float(study.plan.get("dropout") or 0.0)
    _check_sense(study, dropout)
    prior, ways = Prior.of(study, pilot), ways_of(study, prices)
    stage = Stage(seed, dropout, progress, where)
    places = [prior.world(i, seed=seed) for i in range(worlds)]
    played = [way for way in ways if way.policy is not None and not way.is_planned]
    first = stage.play("the study in plausible worlds", played, places, people)
    outcomes = {(label, n): outcome for label, outcome in first.items() for n in people}
    outcomes |= stage.send_one(places, people)
    for n in people if any(way.is_planned for way in ways) else ():
        # Its share is one of those who start; all are asked everything, and so many complete.
        complete = max(1, round(n * (1.0 - dropout) ** len(study.survey)))
        pilots = [way.for_people(complete) for way in ways if way.is_planned]
        found = stage.play(f"pilots of {n:,} people", pilots, places, (n,))
        outcomes |= {(way.label, n): found[way.label] for way in pilots}
    if dropout and prices is None:
        # Only now is it known what a visit brings, and so what losing one costs.
        costs = [question.cost for question in study.survey]  # a price is of a cost of 1
        lost = dropout * _mean_reward(first[FULL]) / (sum(costs) / len(costs))
        fitting = fitting_way(study, ways, lost)
        if fitting is not None:
            found = stage.play("the price that fits the drop-out", [fitting], places, people)
            outcomes |= {(fitting.label, n): found[fitting.label] for n in people}
            at = 1 + max(i for i, way in enumerate(ways) if way.ours)
            ways = (*ways[:at], fitting, *ways[at:])
    made = Plan(
        study=study,
        prior=prior,
        respondents=people,
        ways=ways,
        price=own_price(study),
        dropout=dropout,
        worlds=worlds,
        seed=seed,
        outcomes=outcomes,
        searched={},
        useful=tuple(int(world.useful.any(axis=0).sum()) for world in places),
        squeezed=sum(prior.is_squeezed(i, seed=seed) for i in range(worlds)),
    )
    return _with_more_people(made, stage, places)


def _with_more_people(made: Plan, stage: Stage, places: list[LinearEnvironment]) -> Plan:
    """Find out how many people it takes, where there are too few to shorten the survey."""
    people = [times * made.respondents[-1] for times in DOUBLINGS]
    people = [number for number in people if number <= MOST]
    forced = made.study.survey.asked_of_everyone.all()  # however many come, none is left out
    if made.verdict.kind != "everything" or not people or forced:
        return made
    nearest = made.judged(made.respondents[-1]).nearest
    ways = [made.ways[0], made.way(nearest)]
    found = stage.play("larger studies", ways, places[:SEARCHED], people)
    searched = {(label, n): outcome for label, outcome in found.items() for n in people}
    searched |= stage.send_one(places[:SEARCHED], people)
    return replace(made, searched=searched)


def _mean_reward(outcome: Outcome) -> float:
    return float(outcome.reward[:, -1].mean() / outcome.visits[-1])


def _check_sense(study: Study, dropout: float) -> None:
    """Refuse what a plan can say nothing about."""
    if len(study.arms) == 1:
        raise SettingError("a plan is about which arm suits whom; give the study two arms or more")
    if dropout and study.reward.low < 0:
        error = SettingError(
            "dropout: who leaves brings nothing, which rewards below 0 would make a good thing;"
            " count rewards from 0 on"
        )
        raise study.refusal(error, "plan")


def _respondents(given: Sequence[int]) -> tuple[int, ...]:
    numbers = list(given)
    if not numbers:
        raise SettingError("respondents is empty; say for how many people to plan")
    for number in numbers:
        check_whole("respondents", number, 0)
        if not FEWEST <= number <= MOST:
            raise SettingError(
                f"respondents is {number}; a plan is for {FEWEST} to {MOST:,} people, each number"
                " written without commas"
            )
    return tuple(sorted({int(number) for number in numbers}))


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

"""How a study will go, before anyone is asked: worlds that are plausible, played through."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from askless.environments import LinearEnvironment, PilotAnswers, Prior
from askless.errors import SettingError, shown
from askless.evaluation.advice import advice_of, warnings_of
from askless.evaluation.dropout import completed_of
from askless.evaluation.intervals import Interval, chance, predictive
from askless.evaluation.outcomes import Outcome
from askless.evaluation.stage import Progress, Stage
from askless.evaluation.verdict import Figures, Verdict, judge
from askless.evaluation.ways import FULL, SINGLE, Way, own_price, ways_of
from askless.policies import policy_for
from askless.simulation.simulate import check_whole
from askless.survey import Study

__all__ = ["Forecast", "Plan", "plan"]

RESPONDENTS = (500, 2_000, 10_000)
WORLDS = 200
MOST = 10_000_000  # respondents
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

    def forecast(self, way: str, respondents: int) -> Forecast:
        """Return what to expect of a way, by its label, with so many people."""
        own, full = self.figures(way, respondents), self.figures(FULL, respondents)
        single, outcome = self.figures(SINGLE, respondents), self.outcomes[way, respondents]
        at = _at(outcome, respondents)
        completed, _ = completed_of(outcome, respondents, self.dropout)
        return Forecast(
            way=way,
            respondents=respondents,
            questions=predictive(own.asked),
            cost=predictive(outcome.cost[:, at] / respondents),
            reward=predictive(own.reward),
            net=predictive(own.net),
            over_full=predictive(own.net - full.net),
            over_single=predictive(own.reward - single.reward),
            completed=predictive(completed / respondents),
            losing=chance(int((outcome.lost <= respondents).sum()), self.worlds),
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
        at = _at(outcome, people)
        reward = outcome.reward[:, at] / people
        if self.dropout:
            net = completed_of(outcome, people, self.dropout)[1] / people
        else:
            net = reward - self.price * outcome.cost[:, at] / people
        return Figures(outcome.asked[:, at] / people, reward, net)

    @cached_property
    def verdict(self) -> Verdict:
        """What to do with the largest number of respondents."""
        people, span = self.respondents[-1], self.study.reward.span
        own = [way.label for way in self.ways if way.ours]
        found = judge({way.label: self.figures(way.label, people) for way in self.ways}, own, span)
        kind, more = found.kind, None
        if kind == "everything" and self.searched:
            for larger in sorted({number for _, number in self.searched}):
                figures = {
                    label: self._figures_of(outcome, larger)
                    for (label, number), outcome in self.searched.items()
                    if number == larger
                }
                more = larger
                if judge(figures, own[:1], span).kind == "shorten":
                    kind = "more people"
                    break
        way = next(way for way in self.ways if way.label == found.way)
        return Verdict(kind, way, people, more, found.is_close)

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
    people = _respondents(respondents)
    check_whole("worlds", worlds, 20)
    check_whole("seed", seed, 0)
    policy_for(study)  # refuses settings that do not fit, before any work
    if isinstance(pilot, str | Path):
        pilot = PilotAnswers.read(pilot, study.survey)
    prior, ways = Prior.of(study, pilot), ways_of(study, prices)
    places = [prior.world(i, seed=seed) for i in range(worlds)]
    stage = Stage(seed, progress, {"engine": engine, "address": address, "workers": workers})
    played = [way for way in ways if way.policy is not None and not way.is_planned]
    first = stage.play("the study in plausible worlds", played, places, people)
    outcomes = {(label, n): outcome for label, outcome in first.items() for n in people}
    outcomes |= stage.send_one(places, people)
    for n in people if any(way.is_planned for way in ways) else ():
        pilots = [way.for_people(n) for way in ways if way.is_planned]
        found = stage.play(f"pilots of {n:,} people", pilots, places, (n,))
        outcomes |= {(way.label, n): found[way.label] for way in pilots}
    made = Plan(
        study=study,
        prior=prior,
        respondents=people,
        ways=ways,
        price=own_price(study),
        dropout=float(study.plan.get("dropout") or 0.0),
        worlds=worlds,
        seed=seed,
        outcomes=outcomes,
        searched={},
        useful=tuple(int(world.useful.any(axis=0).sum()) for world in places),
    )
    return _with_more_people(made, stage, places)


def _with_more_people(made: Plan, stage: Stage, places: list[LinearEnvironment]) -> Plan:
    """Find out how many people it takes, where there are too few to shorten the survey."""
    people = [times * made.respondents[-1] for times in DOUBLINGS]
    people = [number for number in people if number <= MOST]
    if made.verdict.kind != "everything" or not people:
        return made
    ways = [made.ways[0], made.own]
    found = stage.play("larger studies", ways, places[:SEARCHED], people)
    searched = {(label, n): outcome for label, outcome in found.items() for n in people}
    searched |= stage.send_one(places[:SEARCHED], people)
    return replace(made, searched=searched)


def _at(outcome: Outcome, people: int) -> int:
    return int(np.searchsorted(outcome.visits, people))


def _respondents(given: Sequence[int]) -> tuple[int, ...]:
    numbers = list(given)
    if not numbers:
        raise SettingError("respondents is empty; say for how many people to plan")
    for number in numbers:
        check_whole("respondents", number, 1)
        if number > MOST:
            raise SettingError(f"respondents is {number}; a plan is for at most {MOST:,}")
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

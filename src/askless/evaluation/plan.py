"""What a plan is: plausible worlds that a study was played through in, read off and judged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askless.environments import PilotAnswers, Prior
from askless.errors import SettingError, meant, shown
from askless.evaluation.advice import advice_of, warnings_of
from askless.evaluation.intervals import Interval, chance, predictive
from askless.evaluation.outcomes import Outcome
from askless.evaluation.verdict import Figures, Judged, Verdict, judge
from askless.evaluation.ways import FULL, SINGLE, Way
from askless.survey import Study
from askless.survey.eligibility import Eligibility

__all__ = ["Forecast", "Plan"]


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
            labels = [known.label for known in self.ways]
            raise SettingError(f"the plan has no way {shown(way)}{meant(way, labels, 'it has')}")
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
        way, close_to = self.way(found.way), found.close_to
        if found.kind != "everything" or not self.searched:
            return Verdict(found.kind, way, people, None, close_to)
        larger = sorted({number for _, number in self.searched})
        later = [self._judged_larger(number, found.nearest) for number in larger]
        # From there on all shorten: one alone may be luck.
        enough = len(later)
        while enough and later[enough - 1].kind == "shorten":
            enough -= 1
        if any(one.close_to for one in later[max(0, enough - 1) : enough + 1]):
            close_to = close_to or "more people"
        if enough == len(later):
            return Verdict("everything", way, people, larger[-1], close_to)
        return Verdict("more people", self.way(found.nearest), people, larger[enough], close_to)

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
    def needed(self) -> tuple[str, ...]:
        """The questions that rules of arms need: those are asked of everyone, in every way."""
        rules = Eligibility(self.study.survey, self.study.arms)
        return self.study.survey.names_of(rules.questions)

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
                "close_to": verdict.close_to,
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


def prior_dict(prior: Prior) -> dict[str, Any]:
    """Return what was taken to be plausible, as plain data."""
    people: dict[str, Any] = {"skips": prior.skips, "correlation": prior.correlation}
    if isinstance(prior.answers, PilotAnswers):
        people = {"pilot": len(prior.answers)}
    else:
        people["answers"] = dict(prior.answers)
    rules = {arm.name: arm.eligible_if for arm in prior.arms if arm.eligible_if is not None}
    return {
        **{key: getattr(prior, key) for key in ("useful", "effect", "gap", "noise")},
        **people,
        "eligible": dict(prior.eligible),
        **({"eligible_if": rules} if rules else {}),
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

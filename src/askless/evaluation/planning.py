"""How a plan is made: worlds drawn, played in every way, with more people if there are too few."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock

from askless.environments import PilotAnswers, Prior
from askless.errors import SettingError
from askless.evaluation.outcomes import Outcome
from askless.evaluation.plan import Plan
from askless.evaluation.stage import Progress, Stage
from askless.evaluation.ways import FULL, Way, fitting_way, own_price, takes_over, ways_of
from askless.policies import policy_for
from askless.simulation.simulate import check_count
from askless.survey import Study
from askless.survey.study import check_study

__all__ = ["plan"]

RESPONDENTS = (500, 2_000, 10_000)
WORLDS = 200
FEWEST, MOST = 10, 1_000_000  # respondents
DOUBLINGS = (2, 4, 8)  # by which a study is made larger, to find out how many people it needs
SEARCHED = 60  # worlds in which that is found out

Outcomes = dict[tuple[str, int], Outcome]  # by the label of a way and a number of people


# Which warnings are shown is one thing for all threads: a second plan would restore it too soon.
ONE_AT_A_TIME = RLock()


def plan(
    study: Study,
    *,
    respondents: int | Sequence[int] = RESPONDENTS,
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
    respondents : int or sequence of int
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
    check_study(study)
    people = _respondents(respondents)
    check_count("worlds", worlds, 20)
    check_count("seed", seed, 0)
    dropout = float(study.plan.get("dropout") or 0.0)
    _check_sense(study, dropout)
    if isinstance(pilot, str | Path):
        pilot = PilotAnswers.read(pilot, study.survey)
    where = {"engine": engine, "address": address, "workers": workers}
    with ONE_AT_A_TIME, warnings.catch_warnings(action="ignore"):  # `Plan.warnings` has them, once
        if not takes_over(study):
            policy_for(study)  # it is not played; what does not fit is refused all the same
        try:
            ways = ways_of(study, prices)
            prior = Prior.of(study, pilot)
            places = [prior.world(i, seed=seed) for i in range(worlds)]
            stage = Stage(places, seed, dropout, progress, where)
            outcomes = _played(ways, stage, people)
        except SettingError:
            policy_for(study)  # says where in the study file a setting is that does not fit
            raise
        if dropout and prices is None:
            ways, more = _with_fitting_price(study, ways, stage, people, outcomes)
            outcomes |= more
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
        return _with_more_people(made, stage)


def _played(ways: tuple[Way, ...], stage: Stage, people: tuple[int, ...]) -> Outcomes:
    """Play all ways: those that are planned for a number of people once for each."""
    played = [way for way in ways if way.policy is not None and not way.is_planned]
    first = stage.play("the study in plausible worlds", played, people)
    outcomes = {(label, n): outcome for label, outcome in first.items() for n in people}
    outcomes |= stage.send_one(people)
    planned = [way for way in ways if way.is_planned]
    for n in people if planned else ():
        # A pilot's share is one of those who start; all are asked everything, so many complete.
        pilots = [way.for_people(stage.completing(n)) for way in planned]
        found = stage.play(f"pilots of {n:,} people", pilots, (n,))
        outcomes |= {(way.label, n): found[way.label] for way in pilots}
    return outcomes


def _with_fitting_price(
    study: Study,
    ways: tuple[Way, ...],
    stage: Stage,
    people: tuple[int, ...],
    outcomes: Outcomes,
) -> tuple[tuple[Way, ...], Outcomes]:
    """Add ours at the price that fits those who give up: now it is known what a visit brings."""
    full = outcomes[FULL, people[-1]]
    costs = [question.cost for question in study.survey]  # a price is of a cost of 1
    brings = float(full.reward[:, -1].mean() / full.visits[-1])
    fitting = fitting_way(study, ways, stage.dropout * brings / (sum(costs) / len(costs)))
    if fitting is None:
        return ways, {}
    found = stage.play("the price that fits the drop-out", [fitting], people)
    at = 1 + max(i for i, way in enumerate(ways) if way.ours)
    return (*ways[:at], fitting, *ways[at:]), {
        (fitting.label, n): found[fitting.label] for n in people
    }


def _with_more_people(made: Plan, stage: Stage) -> Plan:
    """Find out how many people it takes, where there are too few to shorten the survey."""
    people = [times * made.respondents[-1] for times in DOUBLINGS]
    people = [number for number in people if number <= MOST]
    forced = made.study.survey.asked_of_everyone.all()  # however many come, none is left out
    if made.verdict.kind != "everything" or not people or forced:
        return made
    nearest = made.judged(made.respondents[-1]).nearest
    ways = [made.ways[0], made.way(nearest)]
    fewer = stage.first(SEARCHED)
    found = fewer.play("larger studies", ways, people)
    searched = {(label, n): outcome for label, outcome in found.items() for n in people}
    searched |= fewer.send_one(people)
    return replace(made, searched=searched)


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


def _respondents(given: int | Sequence[int]) -> tuple[int, ...]:
    numbers = list(given) if isinstance(given, Iterable) else [given]
    if not numbers:
        raise SettingError("respondents is empty; say for how many people to plan")
    for number in numbers:
        check_count("respondents", number, 0)
        if not FEWEST <= number <= MOST:
            raise SettingError(
                f"respondents is {number}; a plan is for {FEWEST} to {MOST:,} people, each number"
                " written without commas"
            )
    return tuple(sorted({int(number) for number in numbers}))

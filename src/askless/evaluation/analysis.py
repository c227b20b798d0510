"""After a study: what was learned, with intervals that a reviewer accepts (maths 10)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from askless.errors import SettingError, StateError, shown
from askless.evaluation.arm_means import ArmMean, Contrast, arm_models, contrasts, means
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import Drop, History
from askless.evaluation.policy_value import Value, policy_values
from askless.evaluation.rebuild import rebuild
from askless.evaluation.who_gets_what import Shared, who_gets_what
from askless.policies import Effect, Policy, SurveyBandit, policy_for
from askless.policies.linear_ucb import LinearUCB
from askless.simulation.visits_file import LoggedVisit, read_visits
from askless.survey import Study

__all__ = ["Analysis", "Stretch", "analyse"]

STRETCHES = 20  # a study is shown in so many parts


@dataclass(frozen=True)
class Stretch:
    """Some visits in a row: how much was asked, and of how many everything.

    Attributes
    ----------
    first, last : int
        Which visits, from 0, in the order of their decisions.
    asked : float
        Questions a visit.
    full : float
        Share of full visits, checks among them.
    reward : float or None
        Mean reward of those that have one.
    """

    first: int
    last: int
    asked: float
    full: float
    reward: float | None


@dataclass(frozen=True)
class Analysis:
    """What a study has shown. Its tables are tuples of plain rows; `to_dict` is for JSON.

    Attributes
    ----------
    study : Study
        Its questions, arms and reward.
    policy : Policy
        As it was at the end.
    visits, rewarded : int
        How many people were decided about, and how many rewards have come.
    kinds : dict
        How many visits of each kind there were.
    stretches : tuple of Stretch
        What was asked over time.
    drops : tuple of Drop
        When which arm needed which question no more.
    forms : tuple
        From which visit on which short form stood; None is none.
    effects : tuple of Effect
        What answers bring each arm, with signs and intervals.
    arm_means : tuple of ArmMean
        What everyone would have brought with one arm, by the model and by draws.
    contrasts : tuple of Contrast
        The differences of two arms, likewise.
    values : tuple of Value
        What the decisions brought, beside the best single arm and beside asking everything.
    shared : Shared
        Who gets what.
    """

    study: Study
    policy: Policy
    visits: int
    rewarded: int
    kinds: dict[str, int]
    stretches: tuple[Stretch, ...]
    drops: tuple[Drop, ...]
    forms: tuple[tuple[int, tuple[str, ...] | None], ...]
    effects: tuple[Effect, ...]
    arm_means: tuple[ArmMean, ...]
    contrasts: tuple[Contrast, ...]
    values: tuple[Value, ...]
    shared: Shared

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the policy as plain data for JSON."""
        return {
            "study": self.study.name,
            "policy": self.policy.name,
            "visits": self.visits,
            "rewarded": self.rewarded,
            "kinds": dict(self.kinds),
            "stretches": [asdict(row) for row in self.stretches],
            "drops": [row._asdict() for row in self.drops],
            "forms": [
                {"visit": visit, "questions": None if form is None else list(form)}
                for visit, form in self.forms
            ],
            "effects": [dict(row) for row in self.effects],
            "arm_means": [asdict(row) for row in self.arm_means],
            "contrasts": [asdict(row) for row in self.contrasts],
            "values": [asdict(row) for row in self.values],
            "who_gets_what": {
                "people": self.shared.people,
                "close": self.shared.close,
                "shares": [row._asdict() for row in self.shared.shares],
                "rule": None
                if self.shared.rule is None
                else {
                    "right": self.shared.rule.right,
                    "leaves": [
                        leaf._asdict() | {"conditions": list(leaf.conditions)}
                        for leaf in self.shared.rule.leaves
                    ],
                },
            },
            "assumptions": self.assumptions(),
            "methods": self.methods(),
        }

    def assumptions(self) -> list[str]:
        """Say what the figures rest on, in sentences."""
        said = [
            "An arm's expected reward is linear in the coded answers, and rewards lie in the stated"
            f" range ({self.study.reward.low:g} to {self.study.reward.high:g}).",
            "Which arm a visit got was settled by answers, by draws, and by rewards of finished"
            " blocks of visits, as the rebuilt study shows; nobody acted on rewards of a block"
            " under way, and the study did not end because of them.",
            "Intervals at the end take sums over an epoch's rewards for normal; those at all times"
            " and those of the decisions' value do not.",
        ]
        if self.drops:
            beta_min = getattr(self.policy, "beta_min", 0.0)
            said.append(
                f"Questions were dropped. If some of their effects, below beta_min = {beta_min:g},"
                " are not zero, other effects of that arm carry a part of them from then on, and"
                " arm means mix both."
            )
        if self.kinds.get("short"):
            said.append(
                "Full visits are a random sample of the people, each weighted by one over the"
                " probability of being full in the state in which it was decided; effects and arm"
                " means come from them alone."
            )
        missing = self.visits - self.rewarded
        if missing:
            said.append(
                f"{missing:,} of {self.visits:,} visits have no reward; they are left out, as if"
                " rewards were missing whatever they would have been."
            )
        return said

    def methods(self) -> str:
        """Return a paragraph for a paper's section on methods, with this study's numbers."""
        policy, study = self.policy, self.study
        settings = (
            [f"beta_min {policy.beta_min:g}, delta {policy.delta:g}"]
            if isinstance(policy, LinearUCB)
            else []
        )
        if isinstance(policy, SurveyBandit):
            settings.append(f"price {policy.price:.3g} a question")
        asked = sum(row.asked * (row.last - row.first + 1) for row in self.stretches)
        parts = [
            f"{self.visits:,} participants were assigned one of {len(study.arms)} arms"
            f" ({', '.join(arm.name for arm in study.arms)}) by {type(policy).__name__} (askless"
            f"{'; ' + ', '.join(settings) if settings else ''}), an adaptive rule that learns from"
            f" rewards ({study.reward.low:g} to {study.reward.high:g}) which arm suits whom"
            f" and which of {len(study.survey)} questions need not be asked. They were asked"
            f" {asked / self.visits:.1f} questions on average; {self.rewarded:,} rewards were"
            " observed.",
        ]
        if any(row.epochs for row in self.effects):
            parts.append(
                "Effects of answers were estimated by batched least squares over epochs within"
                " which an arm's model was frozen (Zhang, Janson and Murphy 2020), with Pocock's"
                " constant for at most 15 looks (2.63 for 95%), and, at all times, by e-processes"
                " (Ville's inequality)."
            )
        if self.kinds.get("short"):
            full = self.visits - self.kinds["short"]
            parts.append(
                f"{full:,} participants, a random sample with known probabilities, were asked"
                " everything that was still in use; effects and arm means come from them."
            )
        if any(row.by == "model" and row.estimate is not None for row in self.arm_means):
            parts.append(
                "Arm means combine epoch estimates with the mean answers; differences of arms use"
                " the sum of both standard errors (2.88 for 95%)."
            )
        if any(row.by == "draws" and row.estimate is not None for row in self.arm_means):
            parts.append(
                "Arm means by draws are doubly robust: inverse propensities, corrected by the"
                " models that decided."
            )
        parts.append(
            "The mean reward of the decisions has an empirical Bernstein interval, which holds"
            " whatever the law of rewards."
        )
        return " ".join(parts)


def analyse(study: Study, visits: Sequence[LoggedVisit] | str | Path) -> Analysis:
    """Say what a finished study has shown.

    The study is rebuilt from its visits, so that what its settings are is checked, too. Call it
    once, when the study is over: intervals at the end count its last, unfinished epochs.

    Parameters
    ----------
    study : Study
        With the settings that it was run with.
    visits : sequence of LoggedVisit, str or Path
        All visits in the order of their decisions, or their file (`read_visits`).

    Examples
    --------
    >>> import askless as al
    >>> study = al.Study.example()
    >>> world = al.Prior.of(study).world(0)
    >>> done = al.record_visits(al.policy_for(study), world, horizon=300)
    >>> found = al.analyse(study, done.visits)
    >>> found.visits, len(found.effects) > len(study.survey), len(found.arm_means)
    (300, True, 6)
    """
    if not isinstance(study, Study):
        raise SettingError(f"study is {shown(study)}; give a Study, as Study.read returns")
    listed = list(read_visits(visits, study) if isinstance(visits, str | Path) else visits)
    for visit in listed:
        if not isinstance(visit, LoggedVisit):
            raise SettingError(
                f"a visit is {shown(visit)}; give LoggedVisits, as read_visits returns them"
            )
    decided = [visit for visit in listed if visit.record.arm is not None]
    if not decided:
        raise SettingError("no visit has got an arm; there is nothing to analyse")
    if not any(visit.learned is not None for visit in decided):
        raise SettingError("no visit has been learned; there is nothing to analyse")
    policy = policy_for(study)
    history = History(policy)
    try:
        rebuild(policy, listed, watch=history)
    except StateError as error:
        raise StateError(f"these visits are not of this study as it is written: {error}") from None
    models = arm_models(history, policy)
    by_draws, drawn_pairs = drawn_means(history, policy)
    return Analysis(
        study=study,
        policy=policy,
        visits=len(decided),
        rewarded=sum(visit.record.reward is not None for visit in decided),
        kinds=dict(Counter(visit.record.kind for visit in decided)),
        stretches=_stretches(decided),
        drops=tuple(history.drops),
        forms=tuple(history.forms),
        effects=tuple(policy.effects(ended=True)) if isinstance(policy, LinearUCB) else (),
        arm_means=(*means(history, policy, models), *by_draws),
        contrasts=(*contrasts(history, policy, models), *drawn_pairs),
        values=tuple(policy_values(history, policy, models, decided)),
        shared=who_gets_what(history, policy),
    )


def _stretches(visits: Sequence[LoggedVisit]) -> tuple[Stretch, ...]:
    """Cut a study into parts of the same length."""
    length = math.ceil(len(visits) / STRETCHES)
    found = []
    for first in range(0, len(visits), length):
        records = [visit.record for visit in visits[first : first + length]]
        rewards = [record.reward for record in records if record.reward is not None]
        found.append(
            Stretch(
                first=first,
                last=first + len(records) - 1,
                asked=sum(len(record.asked) for record in records) / len(records),
                full=sum(record.kind != "short" for record in records) / len(records),
                reward=sum(rewards) / len(rewards) if rewards else None,
            )
        )
    return tuple(found)

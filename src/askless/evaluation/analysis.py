"""After a study: what was learned, with intervals that a reviewer accepts (maths 10)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askless.errors import SettingError, StateError, shown
from askless.evaluation.analysis_prose import assumptions, methods
from askless.evaluation.analysis_tables import tables_of
from askless.evaluation.arm_means import (
    NO_BLOCKS,
    WARM,
    ArmMean,
    Contrast,
    arm_models,
    contrasts,
    means,
)
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import Drop, History
from askless.evaluation.policy_value import Value, policy_values
from askless.evaluation.rebuild import rebuild
from askless.evaluation.who_gets_what import Shared, who_gets_what
from askless.policies import Effect, EpochSurveyUCB, Policy, policy_for
from askless.policies.effects import IMPOSSIBLE
from askless.policies.linear_ucb import LinearUCB
from askless.simulation.visits_file import LoggedVisit, read_visits
from askless.survey import Study

__all__ = ["Analysis", "Stretch", "analyse"]

STRETCHES = 20  # a study is shown in so many parts
UNTOLD = "no epoch tells these answers apart"


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
    whys : dict
        Per arm without a finished epoch, why it has none.
    in_epochs : bool
        Whether the policy learns in epochs; only then are there intervals at the end.
    last_number : int
        The number of the last visit in the file.
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
    whys: dict[str, str]
    in_epochs: bool
    last_number: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the policy as plain data; tables are those of the CSV files."""
        rule = self.shared.rule
        return {
            "study": self.study.name,
            "policy": self.policy.name,
            "visits": self.visits,
            "last_number": self.last_number,
            "rewarded": self.rewarded,
            "kinds": dict(self.kinds),
            "forms": [
                {"from_visit": visit + 1, "questions": None if form is None else list(form)}
                for visit, form in self.forms
            ],
            "people": self.shared.people,
            "close": self.shared.close,
            "rule_by": self.shared.by,
            "rule_differs": self.shared.differ,
            "starting": list(self.shared.starting),
            "warm_up": list(self.shared.warm),
            "rule_right": None if rule is None else rule.right,
            **{name: table.to_list() for name, table in tables_of(self).items()},
            "assumptions": self.assumptions(),
            "methods": self.methods(),
        }

    def why_of(self, effect: Effect) -> str:
        """Say why an effect has no estimate, or where one without an interval comes from."""
        if effect.why:
            return effect.why
        if not self.in_epochs:
            return "" if effect.kept else "of a question that was dropped the size alone is known"
        if effect.estimate is None:
            return self.whys.get(effect.arm, UNTOLD)
        if effect.end_low is None:
            return "from all epochs, none of which carries an interval at the end"
        return ""

    @property
    def without_sets(self) -> str:
        """Why no effect has an interval, where the policy has no confidence sets; else nothing."""
        whys = {effect.why for effect in self.effects} - {"", IMPOSSIBLE}
        return next(iter(sorted(whys)), "")

    def assumptions(self) -> list[str]:
        """Say what the figures rest on, in sentences."""
        return assumptions(self)

    def methods(self) -> str:
        """Return a paragraph for a paper's section on methods, with this study's numbers."""
        return methods(self)


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
        raise StateError(f"the study cannot be rebuilt from these visits: {error}") from None
    models = arm_models(history, policy)
    by_draws, drawn_pairs = drawn_means(history, policy)
    return Analysis(
        study=study,
        policy=policy,
        visits=len(decided),
        rewarded=sum(visit.record.reward is not None for visit in decided),
        kinds=dict(Counter(visit.record.kind or "" for visit in decided)),
        stretches=_stretches(decided),
        drops=tuple(history.drops),
        forms=tuple(history.forms),
        effects=tuple(policy.effects(ended=True)) if isinstance(policy, LinearUCB) else (),
        arm_means=(*means(history, policy, models), *by_draws),
        contrasts=(*contrasts(history, policy, models), *drawn_pairs),
        values=tuple(policy_values(history, policy, models, decided)),
        shared=who_gets_what(history, policy),
        whys=_whys(history, policy),
        in_epochs=isinstance(policy, EpochSurveyUCB),
        last_number=decided[-1].record.number,
    )


def _whys(history: History, policy: Policy) -> dict[str, str]:
    """Say per arm why none of its effects can be known, where that is so."""
    told = {}
    for arm, blocks in zip(policy.arms, history.blocks, strict=True):
        if not blocks:
            told[arm] = NO_BLOCKS
        elif all(block.warm for block in blocks):
            told[arm] = WARM
    return told


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

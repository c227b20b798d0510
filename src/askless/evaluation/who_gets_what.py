"""Who gets which arm at the end: shares by answer, and the rule as a small tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.evaluation.history import FullVisit, History
from askless.evaluation.small_tree import Leaf, Rule, grow, splits_of, told_apart
from askless.policies import EpochSurveyUCB, Policy, SurveyBandit
from askless.policies.hooks import Hooks
from askless.policies.passage import given
from askless.survey import Question

__all__ = ["ALL_ANSWERS", "THE_FORM", "Leaf", "Rule", "Share", "Shared", "who_gets_what"]

ALL_ANSWERS, THE_FORM = "all answers", "the short form"


class Share(NamedTuple):
    """How often an arm is given to people who answer so."""

    question: str
    answer: str
    people: int
    arm: str
    share: float


@dataclass(frozen=True)
class Shared:
    """To whom the policy gives which arm, as it is now.

    Attributes
    ----------
    people : int
        How many full visits have answered all that the rule needs; others say nothing here.
    shares : tuple of Share
        Per question that the rule needs, answer and arm.
    rule : Rule or None
        A small tree; None if arms are drawn, or nobody is known.
    close : float or None
        How often the two best arms' expected rewards are less apart than the rule is unsure of
        them (what it adds to either for its score); None where the policy has no such scores.
    by : {"all answers", "the short form"}
        By which rule: that of short visits while a short form stands, since most visits are.
    differ : float or None
        How often the form gives people another arm than all their answers; None without a form.
    starting : tuple of str
        Arms in their first block of visits: no answer decides whether somebody gets them.
    warm : tuple of str
        Arms in warm-up, these among them: they are scored by models from few rows.
    """

    people: int
    shares: tuple[Share, ...]
    rule: Rule | None
    close: float | None
    by: str = ALL_ANSWERS
    differ: float | None = None
    starting: tuple[str, ...] = ()
    warm: tuple[str, ...] = ()


class Decider(NamedTuple):
    """A rule that gives arms: who decides, what must be answered for it, and among which arms."""

    policy: Policy
    hooks: Hooks
    needed: Flags  # of the questions
    arms: Flags  # that are past their start

    @classmethod
    def by_all_answers(cls, policy: Policy) -> Decider:
        """Return the rule of full visits."""
        arms = policy.roster.live
        if isinstance(policy, EpochSurveyUCB):
            arms = policy._compared(arms)
        return cls(policy, policy, np.asarray(policy.support[arms].any(axis=0)), arms)

    @classmethod
    def by_the_form(cls, policy: Policy) -> Decider | None:
        """Return the rule of short visits, if there are any at present."""
        if not isinstance(policy, SurveyBandit) or policy._short is None:
            return None
        form = policy._short.form
        if form is None or not policy._short.is_short(policy._model):
            return None
        hooks = policy._of_kind("short")
        return cls(policy, hooks, form, policy._compared(policy.roster.live))

    def knows(self, visit: FullVisit) -> bool:
        """Say whether a person has answered all that the rule needs, and may get an arm by it."""
        missing = self.policy.survey.open_questions(visit.context)
        return bool(self.among(visit).any() and not missing[self.needed].any())

    def among(self, visit: FullVisit) -> Flags:
        """Return the arms that a person may get, retired ones and those that start left out."""
        roster = self.policy.roster
        mask = roster.flags(visit.record.eligible) & roster.live
        return np.asarray((mask if mask.any() else roster.live) & self.arms)

    def chances(self, visit: FullVisit) -> Floats:
        """Return with which probability a person gets each arm, but for insurance."""
        known = given(self.hooks, visit.context)
        return self.hooks._decide(known, self.among(visit), 0).chances()

    def is_close(self, visit: FullVisit) -> bool | None:
        """Say whether the two best arms cannot be told apart; None without two scores."""
        means, scores = self.policy._told_outlook(visit.context, self.hooks)
        told = self.among(visit) & ~np.isnan(means)
        ranked = sorted(zip(means[told], scores[told], strict=True), reverse=True)
        if len(ranked) < 2:
            return None
        (one, one_score), (two, two_score) = ranked[:2]
        return bool(one - two < np.hypot(one_score - one, two_score - two))


def who_gets_what(history: History, policy: Policy) -> Shared:
    """Let the policy's present rule decide about everybody of whom it knows enough."""
    by_all, by_form = Decider.by_all_answers(policy), Decider.by_the_form(policy)
    decider = by_form or by_all
    people = [visit for visit in history.full if decider.knows(visit)]
    live = policy.roster.live
    warm = live & policy.warm if isinstance(policy, EpochSurveyUCB) else np.zeros_like(live)
    nobody = Shared(
        *(0, (), None, None),
        by=ALL_ANSWERS if by_form is None else THE_FORM,
        starting=_named(policy, live & ~by_all.arms),
        warm=_named(policy, warm),
    )
    if not people or (nobody.starting and by_all.arms.sum() < 2):  # one arm alone is no rule yet
        return nobody
    chances = np.array([decider.chances(visit) for visit in people])
    weights = _weights(people)
    rule = None
    if (chances.max(axis=1) == 1).all():  # who draws has no rule
        answers = [visit.record.answers for visit in people]
        splits = [test for g in _needed(decider) for test in splits_of(g, answers)]
        everybody, arms = np.ones(len(people), dtype=bool), chances.argmax(axis=1)
        leaves = tuple(grow(splits, arms, weights, policy.arms, everybody, ()))
        rule = Rule(leaves, sum(leaf.share * leaf.right for leaf in leaves))
    return replace(
        nobody,
        people=len(people),
        shares=_shares(decider, people, chances, weights),
        rule=rule,
        close=_close(decider, people, weights),
        differ=None if by_form is None else _differ(by_all, by_form, history.full),
    )


def _named(policy: Policy, arms: Flags) -> tuple[str, ...]:
    return tuple(policy.arms[k] for k in np.flatnonzero(arms))


def _needed(decider: Decider) -> list[Question]:
    return [decider.policy.survey.questions[g] for g in np.flatnonzero(decider.needed)]


def _weights(people: Sequence[FullVisit]) -> Floats:
    """Return what each of some full visits stands for, of all people; they sum to 1."""
    weights = np.array([1.0 / visit.chance for visit in people])
    return np.asarray(weights / weights.sum())


def _shares(
    decider: Decider, people: Sequence[FullVisit], chances: Floats, weights: Floats
) -> tuple[Share, ...]:
    """Return the arms' shares by answer."""
    answers, policy = [visit.record.answers for visit in people], decider.policy
    return tuple(
        Share(test.question, test.answer, int(test.holds.sum()), name, float(min(own / held, 1.0)))
        for question in _needed(decider)
        for test in told_apart(question, answers)
        if (held := weights[test.holds].sum()) > 0
        for k, name in enumerate(policy.arms)
        if policy.roster.live[k] and (own := weights[test.holds] @ chances[test.holds, k]) >= 0
    )


def _close(decider: Decider, people: Sequence[FullVisit], weights: Floats) -> float | None:
    """Return for how many people the two best arms cannot be told apart."""
    near = [decider.is_close(visit) for visit in people]
    return None if None in near else float(weights @ np.array(near, dtype=np.float64))


def _differ(by_all: Decider, by_form: Decider, full: Sequence[FullVisit]) -> float | None:
    """Return how many people the form gives another arm than all their answers."""
    both = [visit for visit in full if by_all.knows(visit) and by_form.knows(visit)]
    if not both:
        return None
    apart = [(by_all.chances(v) != by_form.chances(v)).any() for v in both]
    return float(_weights(both) @ np.array(apart, dtype=np.float64))

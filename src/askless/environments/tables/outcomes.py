"""What each arm of a real experiment would bring each of its people: models and residuals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.environments.linear import BLOCK, LUCK, PEOPLE, stream
from askless.environments.table import TableEnvironment
from askless.errors import extra
from askless.policies.player import Block
from askless.survey import RewardRange, Survey

__all__ = ["DrawnTable", "Outcomes", "equal_means", "potential_outcomes"]

ALIKE = 50  # people of an arm from whom a residual is drawn
FOLDS = 5
# Shallow and few: arms have some hundred people, and more trees predict those left out worse.
BOOSTING: dict[str, Any] = {
    "max_iter": 20,
    "max_depth": 2,
    "min_samples_leaf": 20,
    "learning_rate": 0.1,
    "early_stopping": False,
    "random_state": 0,
}


class Outcomes(Protocol):
    """The law of what each arm brings each person."""

    @property
    def expected(self) -> Floats:
        """The expected reward of each arm for everyone (n × K)."""
        ...

    def drawn(self, people: Ints, luck: Floats) -> Floats:
        """Draw what each arm brings these people, given a number from 0 to 1 each."""
        ...


@dataclass(frozen=True, eq=False)
class YesOrNo:
    """1 with a chance, else 0."""

    expected: Floats

    def drawn(self, people: Ints, luck: Floats) -> Floats:
        """Draw what each arm brings these people."""
        return (luck[:, None] < self.expected[people]).astype(np.float64)


class WithResiduals:
    """A prediction, and the residual of someone in the arm whom its model predicts alike.

    Residuals of like predictions keep the noise as it is where it grows with the mean, and leave
    little to trim at the ends of the range.

    Parameters
    ----------
    predicted : array (n × K)
        What each arm's model predicts for everyone.
    arm_of, residuals : arrays (n)
        Everyone's real arm, and how much the real outcome was above the prediction for it.
    reward : RewardRange
        At whose ends outcomes are trimmed.
    """

    def __init__(
        self, predicted: Floats, arm_of: Ints, residuals: Floats, reward: RewardRange
    ) -> None:
        self.reward = reward
        self.centre = np.empty(predicted.shape)
        self.first = np.empty(predicted.shape, dtype=np.int64)  # of those alike, among `residuals`
        self.expected = np.empty(predicted.shape)
        pools: list[Floats] = []
        begun = 0
        for k, own in enumerate(predicted.T):
            members = np.flatnonzero(arm_of == k)
            members = members[np.argsort(own[members], kind="stable")]
            at = np.searchsorted(own[members], own) - ALIKE // 2
            start = np.clip(at, 0, len(members) - ALIKE)
            pools.append(residuals[members])
            around = pools[-1][start[:, None] + np.arange(ALIKE)]
            # The mean of so few residuals is noise: without it the prediction is the mean.
            self.centre[:, k] = own - around.mean(axis=1)
            outcomes = self._trimmed(self.centre[:, k, None] + around)
            self.expected[:, k] = outcomes.mean(axis=1)
            self.first[:, k] = begun + start
            begun += len(members)
        self.residuals = np.concatenate(pools)

    def drawn(self, people: Ints, luck: Floats) -> Floats:
        """Draw what each arm brings these people."""
        at = self.first[people] + (luck * ALIKE).astype(np.int64)[:, None]
        return self._trimmed(self.centre[people] + self.residuals[at])

    def _trimmed(self, outcomes: Floats) -> Floats:
        return np.clip(outcomes, self.reward.low, self.reward.high)


@dataclass(frozen=True, eq=False)
class Shifted:
    """Other outcomes, each arm's moved by a constant."""

    outcomes: Outcomes
    shift: Floats

    @property
    def expected(self) -> Floats:
        """The expected reward of each arm for everyone."""
        return self.outcomes.expected + self.shift

    def drawn(self, people: Ints, luck: Floats) -> Floats:
        """Draw what each arm brings these people."""
        return self.outcomes.drawn(people, luck) + self.shift


def equal_means(outcomes: Outcomes) -> Shifted:
    """Return outcomes of which no arm's is better on average, only for one person or another."""
    means = outcomes.expected.mean(axis=0)
    return Shifted(outcomes, means.mean() - means)


def potential_outcomes(
    contexts: Floats, arm_of: Ints, outcome: Floats, reward: RewardRange
) -> Outcomes:
    """Return what each arm would bring everyone, by gradient boosting among its own people.

    Parameters
    ----------
    contexts : array (n × p)
        What everyone answers; the models see nothing else.
    arm_of, outcome : arrays (n)
        The arm that each really got, counted from 0, and what came of it. Outcomes that are 0
        or 1 stay so, with a chance of 1 that the model gives; to others a residual is added.
    reward : RewardRange
        At whose ends other outcomes are trimmed, before the models see them and after.
    """
    with extra("data"):
        from sklearn.ensemble import (  # noqa: PLC0415 (an extra)
            HistGradientBoostingClassifier,
            HistGradientBoostingRegressor,
        )
        from sklearn.model_selection import KFold  # noqa: PLC0415 (an extra)
    answers, arms = contexts[:, 1:], range(int(arm_of.max()) + 1)
    if np.isin(outcome, (0, 1)).all():
        chances = np.empty((len(outcome), len(arms)))
        for k in arms:
            own = arm_of == k
            if np.ptp(outcome[own]) == 0:  # a classifier of one class calls it 0
                chances[:, k] = outcome[own][0]
                continue
            classifier = HistGradientBoostingClassifier(**BOOSTING)
            chances[:, k] = classifier.fit(answers[own], outcome[own]).predict_proba(answers)[:, 1]
        return YesOrNo(chances)
    outcome = np.clip(outcome, reward.low, reward.high)
    predicted, residuals = np.empty((len(outcome), len(arms))), np.empty(len(outcome))
    for k in arms:
        own = np.flatnonzero(arm_of == k)
        model = HistGradientBoostingRegressor(**BOOSTING)
        predicted[:, k] = model.fit(answers[own], outcome[own]).predict(answers)
        # By models that have not seen them: residuals of those seen would be too small.
        for fitted, left in KFold(FOLDS, shuffle=True, random_state=0).split(own):
            model.fit(answers[own[fitted]], outcome[own[fitted]])
            residuals[own[left]] = outcome[own[left]] - model.predict(answers[own[left]])
    return WithResiduals(predicted, arm_of, residuals, reward)


class DrawnTable(TableEnvironment):
    """People of a table, drawn with replacement, whose outcomes are drawn anew at every visit.

    Someone who comes twice has other luck the second time, so that `expected` is what a policy can
    learn, however few people the table has.
    """

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str],
        contexts: Floats,
        outcomes: Outcomes,
        reward: RewardRange,
    ) -> None:
        means = np.clip(outcomes.expected, reward.low, reward.high)  # averages are rounded
        super().__init__(
            survey, arms=arms, answers=contexts, rewards=means, expected=means, reward=reward
        )
        self.outcomes = outcomes

    def respondents(self, seed: int, run: int) -> Iterator[Block]:
        """Draw the respondents of a run, block after block, for ever."""
        luck = stream((seed, run), self.number, LUCK)
        people = stream((seed, run), self.number, PEOPLE)
        contexts, expected = self._people.contexts, self.outcomes.expected
        while True:
            chosen = people.integers(len(self), size=BLOCK)
            rewards = self.outcomes.drawn(chosen, luck.random(BLOCK))
            yield Block(contexts[chosen], rewards, expected[chosen])

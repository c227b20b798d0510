"""What a policy that learns would have earned on arms that were drawn evenly (maths 10.5)."""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from askless.environments import LoggedData
from askless.errors import SettingError
from askless.evaluation.off_policy import NORMAL, check_match
from askless.policies import Policy

__all__ = ["Replayed", "replay_log"]

EVEN = 1e-6  # by which propensities may miss one over the number of arms


class Replayed(NamedTuple):
    """What a policy that learns brought on a log.

    Attributes
    ----------
    value, error, low, high : float
        Reward a visit, its standard error and interval of 95%.
    counted, rows : int
        How many rows count, those in which the policy played the arm that was logged, and of how
        many.
    unobserved : int
        Rows that did not count because the policy would have asked what the log has not observed.
    questions : float
        How many questions a visit that counts was asked.
    policy : Policy
        What it has learned.
    """

    value: float
    error: float
    counted: int
    rows: int
    unobserved: int
    questions: float
    policy: Policy

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        return self.value - NORMAL * self.error

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return self.value + NORMAL * self.error

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        own = {name: getattr(self, name) for name in self._fields if name != "policy"}
        return own | {"low": self.low, "high": self.high}


def replay_log(policy: Policy, log: LoggedData) -> Replayed:
    """Let a policy learn from a log whose arms were drawn evenly, as if it had decided itself.

    Rows in which it would have played another arm than the one logged are passed over, and it does
    not learn them: those that are left are the people that it would have met (Li et al. 2011). So
    about one row in K counts. The policy itself is not changed.

    Parameters
    ----------
    policy : Policy
        Of the log's study.
    log : LoggedData
        In which every arm that a person could get had the same probability.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=5)
    >>> study = al.Study(world.survey, world.arms, world.reward)
    >>> done = al.record_visits("uniform", world, horizon=1_000)
    >>> log = al.LoggedData.of_visits([visit.record for visit in done.visits], study)
    >>> found = al.replay_log(al.LinUCB(world.survey, arms=world.arms, reward=world.reward), log)
    >>> 250 < found.counted < 420
    True
    """
    check_match(policy, log)
    even = 1.0 / log.eligible.sum(axis=1)
    if np.isnan(log.chances).any() or (np.abs(log.chances - even) > EVEN).any():
        raise SettingError(
            "the arms of the log were not drawn evenly, or it does not say so; a policy that"
            " learns can be replayed only on such logs (off_policy takes others, for a policy that"
            " does not learn)"
        )
    played, survey, names = copy.deepcopy(policy), log.study.survey, log.study.survey.names
    rewards: list[float] = []
    observed, asked, unobserved = log.observed, 0, 0
    for i in range(len(log)):
        arms = [arm for k, arm in enumerate(played.arms) if log.eligible[i, k]]
        visit = played.visit(arms=arms, number=len(rewards))
        answers = survey.decode(log.contexts[i])
        while visit.asks and all(observed[i, names.index(name)] for name in visit.asks):
            visit.answer({name: answers[name] for name in visit.asks})
        if visit.asks:
            unobserved += 1
        elif visit.arm_index == log.arms[i]:
            played.learn(visit, float(log.rewards[i]))
            rewards.append(float(log.rewards[i]))
            asked += len(visit.asked)
    if not rewards:
        raise SettingError("no row of the log counts: the policy never played the arm logged")
    count = len(rewards)
    return Replayed(
        value=float(np.mean(rewards)),
        error=float(np.std(rewards, ddof=1)) / math.sqrt(count) if count > 1 else math.nan,
        counted=count,
        rows=len(log),
        unobserved=unobserved,
        questions=asked / count,
        policy=played,
    )

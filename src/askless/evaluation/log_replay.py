"""What a policy that learns would have earned on arms that were drawn evenly (maths 10.5)."""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from askless.core.arrays import Floats
from askless.environments import LoggedData
from askless.errors import SettingError
from askless.evaluation.off_policy import NORMAL, check_match, open_arms
from askless.policies import Policy
from askless.policies.passage import answers_of
from askless.policies.rows import aligned, number_of

__all__ = ["Replayed", "replay_log"]

EVEN = 1e-3  # by which propensities may miss one over the number of arms
SEED = 1  # of the coins


class Replayed(NamedTuple):
    """What a policy that learns brought on a log.

    Attributes
    ----------
    value, error : float
        Reward a visit, and the standard error of these rewards as if they were independent. How
        differently such studies turn out, by what is learned early, is not in it.
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

    def __str__(self) -> str:
        ends = (self.value + sign * NORMAL * self.error for sign in (-1, 1))
        numbers = map(number_of, (self.value, self.error, *ends))
        lines = aligned([["", "value", "±", "from", "to"], ["reward a visit", *numbers]])
        said = (
            f"{self.counted:,} of {self.rows:,} rows count, those in which it played the arm logged"
        )
        asked = f"{self.questions:.2f} questions a visit"
        missing = f"; {self.unobserved:,} rows lack what it asks" if self.unobserved else ""
        return "\n".join([*lines, said, f"{asked}{missing}; interval of 95%, of this one course"])

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON; the error of one row is None."""
        figures = {name: getattr(self, name) for name in self._fields if name != "policy"}
        return figures | {"error": self.error if math.isfinite(self.error) else None}


def _check_even(log: LoggedData, even: Floats) -> None:
    """Refuse a log on which nobody can learn as if they had decided themselves."""
    unknown = np.flatnonzero(np.isnan(log.chances))
    if len(unknown):
        raise SettingError(
            f"row {unknown[0] + 1} of the log does not say with which probability its arm was"
            f" drawn; add a column 'propensity' ({even[unknown[0]]:.3g} if arms were drawn evenly),"
            " or judge a saved policy by a log that has one (--state, off_policy)"
        )
    uneven = np.flatnonzero(np.abs(log.chances - even) > EVEN)
    if len(uneven):
        row = uneven[0]
        raise SettingError(
            f"row {row + 1} of the log drew its arm with probability {log.chances[row]:.3g}, and"
            f" evenly would be {even[row]:.3g}; a policy learns only from arms that were drawn"
            " evenly: judge a saved policy instead, which learns no more (--state, off_policy)"
        )


def replay_log(policy: Policy, log: LoggedData) -> Replayed:
    """Let a policy learn from a log whose arms were drawn evenly, as if it had decided itself.

    Rows in which it would have played another arm than the one logged are passed over, and it does
    not learn them: those that are left are the people that it would have met (Li et al. 2011). So
    about one row in K counts. Where people could get different numbers of arms, those who could get
    fewer are passed over by a coin as often as the others. The policy itself is not changed.

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
    _check_even(log, even)
    played, names = copy.deepcopy(policy), log.study.survey.names
    rewards: list[float] = []
    observed, asked, unobserved = log.observed, 0, 0
    # A row of someone with fewer arms would be matched more often than its people are many.
    taken = np.random.default_rng(SEED).random(len(log)) * even <= even.min()
    eligible, told = open_arms(played, log)
    taken &= eligible.any(axis=1) | ~told  # whom its rules leave no arm it would not have met
    first = played._next_number
    for i in np.flatnonzero(taken).tolist():
        arms = [arm for k, arm in enumerate(played.arms) if log.eligible[i, k]]
        visit = played.visit(arms=arms, number=first + len(rewards) + unobserved)
        answers = answers_of(played, log.contexts[i])
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
        error=float(np.std(rewards, ddof=1)) / math.sqrt(count) if count > 1 else math.inf,
        counted=count,
        rows=len(log),
        unobserved=unobserved,
        questions=asked / count,
        policy=played,
    )

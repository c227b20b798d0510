"""A simulated study visit by visit, as a live one leaves it behind."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from askless.environments import Environment
from askless.environments.base import first_respondents, number_of
from askless.policies import Policy, Visit, VisitRecord, as_policy
from askless.policies.one_by_one import AtOnce
from askless.policies.passage import answers_of
from askless.simulation.delays import Delay, Late
from askless.simulation.simulate import Progress, check_count, check_match
from askless.simulation.visits_file import LoggedVisit

__all__ = ["Recording", "Watch", "record_visits"]


class Watch(Protocol):
    """Somebody who looks on while a study is played or rebuilt."""

    def decided(self, policy: Policy, record: VisitRecord) -> None:
        """See a visit in the state in which it was decided."""

    def learning(self, policy: Policy, visit: Visit, reward: float) -> None:
        """See a visit that is about to be learned."""

    def learned(self, policy: Policy, visit: Visit) -> None:
        """See what it has changed."""


class Recording(NamedTuple):
    """A simulated study: its visits in the order of their decisions, and what the policy knows."""

    visits: list[LoggedVisit]
    policy: Policy


def record_visits(
    policy: Policy | str | Mapping[str, Any],
    environment: Environment,
    horizon: int,
    seed: int = 0,
    run: int = 0,
    *,
    delay: Delay | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Recording:
    """Play a study through its visits and note each of them; the policy itself is not changed.

    It draws as a live one does, by its own `seed` and the visits' numbers. Rewards that have not
    come by the end stay unlearned.

    Parameters
    ----------
    policy : Policy, str or mapping
        Or the name of one, or its `name` and settings.
    environment : Environment
        The respondents; of the same survey, arms and reward range.
    horizon : int
        How many visits.
    seed, run : int
        The respondents are those that `simulate` meets in its run of that index.
    delay : Delay, optional
        How late rewards come, and in which order they are learned; at once if left out.
    progress : callable, optional
        Called with a number of further visits played.
    watch : Watch, optional
        Looks on.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=5)
    >>> done = al.record_visits({"name": "epoch", "beta_min": 0.5}, world, horizon=50)
    >>> len(done.visits), done.visits[0].record.number, int(done.policy.rows.sum())
    (50, 0, 50)
    """
    check_count("horizon", horizon, 1)
    check_count("seed", seed, 0)
    check_count("run", run, 0)
    played = copy.deepcopy(as_policy(policy, environment))
    check_match(played, environment)
    late = (
        AtOnce()
        if delay is None
        else Late(delay, played.reward, (seed, run), number_of(environment))
    )
    visits: list[Visit] = []
    learned: dict[int, tuple[int, int]] = {}  # of a visit: its place, and after how many visits
    for block in first_respondents(environment, seed, run, horizon, played.roster.live):
        for t, z in enumerate(block.contexts):
            arms = None
            if block.allowed is not None:
                arms = [played.arms[k] for k in np.flatnonzero(block.allowed[t])]
            visit = _answered(played.visit(arms=arms), answers_of(played, z))
            visits.append(visit)
            if watch is not None:
                watch.decided(played, visit.record())
            line = played.line_of(visit.kind, visit.arm_index)
            late.add(visit.arm_index, line, visit, float(block.rewards[t, visit.arm_index]))
            for _, due, reward in late.due():
                if watch is not None:
                    watch.learning(played, due, reward)
                played.learn(due, reward)
                if watch is not None:
                    watch.learned(played, due)
                learned[due.number] = len(learned), len(visits)
        if progress is not None:
            progress(len(block))
    return Recording(
        [LoggedVisit(v.record(), *learned.get(v.number, (None, None))) for v in visits], played
    )


def _answered(visit: Visit, answers: Mapping[str, Any]) -> Visit:
    """Answer whatever a visit asks."""
    while visit.asks:
        visit.answer({name: answers[name] for name in visit.asks})
    return visit

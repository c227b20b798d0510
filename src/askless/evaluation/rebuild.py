"""A study's policy out of its visits: everything is learned again, in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from askless.errors import AsklessError, StateError
from askless.policies import Policy
from askless.simulation.visits_file import LoggedVisit

__all__ = ["rebuild"]


def rebuild(policy: Policy, visits: Sequence[LoggedVisit]) -> None:
    """Let a policy that has learned nothing learn visits again, in the order in which they were.

    It is then the one that the study had, bit for bit, if its settings are the study's; a visit
    that would have been learned in another block shows that they are not.

    Parameters
    ----------
    policy : Policy
        With the study's settings, as it was at its start; it is changed.
    visits : sequence of LoggedVisit
        All of the study, in the order of their decisions.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=5)
    >>> policy = al.EpochSurveyUCB(world.survey, arms=world.arms, reward=(0, 2), beta_min=0.5)
    >>> done = al.record_visits(policy, world, horizon=200)  # which leaves it as it is
    >>> al.rebuild(policy, done.visits)
    >>> policy.to_dict() == done.policy.to_dict()
    True
    """
    if policy.version:
        raise StateError("the policy has learned something; give one that is new")
    by_order = sorted(
        ((visit.learned, visit.record) for visit in visits if visit.learned is not None),
        key=itemgetter(0),
    )
    places = [place for place, _ in by_order]
    if places != list(range(len(places))):
        raise StateError(
            "the order of learning has gaps or repeats itself; give all visits of the study, and"
            " as its visits file has them"
        )
    for _, record in by_order:
        if record.reward is None:
            raise StateError(f"visit {record.number} was learned and has no reward")
        visit = policy.visit(replace(record, reward=None, learned_in=None).to_dict())
        try:
            policy.learn(visit, record.reward)
        except AsklessError as error:
            raise StateError(f"visit {record.number} cannot be learned again: {error}") from None
        if visit.learned_in != record.learned_in:
            raise StateError(
                f"visit {record.number} was learned in block {record.learned_in} of its arm, and"
                f" now is in {visit.learned_in}; are these the study's settings?"
            )
    for logged in visits:
        policy._has_seen(logged.record.number)

"""A study's policy out of its visits: everything is learned again, in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askless.errors import AsklessError, StateError
from askless.policies import Policy, VisitRecord
from askless.simulation.recording import Watch
from askless.simulation.visits_file import LoggedVisit

__all__ = ["rebuild"]

LOOK_AT = (
    "give the study file as the study was run: compare its policy's settings (beta_min, price,"
    " explore_floor, seed, …), its reward range, questions and arms"
)
CHANGED = (
    "; if a visit was unlearned, corrected or erased in mid-study, or an arm added or retired, the"
    " visits file does not tell and the study cannot be rebuilt"
)


def rebuild(policy: Policy, visits: Sequence[LoggedVisit], *, watch: Watch | None = None) -> None:
    """Let a policy that has learned nothing learn visits again, in the order in which they were.

    It is then the one that the study had, bit for bit, if its settings are the study's. Visits are
    decided again, too; one that would have got another arm, or been learned in another block, shows
    that the settings are not, or that something happened that visits do not tell: a visit that was
    unlearned, corrected or erased, an arm that was added or retired.

    Parameters
    ----------
    policy : Policy
        With the study's settings, as it was at its start; it is changed.
    visits : sequence of LoggedVisit
        All of the study, in the order of their decisions.
    watch : Watch, optional
        Looks on.

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
    learned = sorted((v for v in visits if v.learned is not None), key=_place)
    if [visit.learned for visit in learned] != list(range(len(learned))):
        raise StateError(
            "the order of learning has gaps or repeats itself; give all visits of the study, and"
            f" as its visits file has them{CHANGED}"
        )
    waiting = iter(learned)
    due = next(waiting, None)
    for decided, logged in enumerate(visits):
        if logged.learned_after is not None and logged.learned_after <= decided:
            raise StateError(
                f"{_named(logged.record)} was learned before its turn to be decided; give the"
                " visits in the order of their decisions"
            )
        while due is not None and (due.learned_after or 0) <= decided:
            _learn(policy, due.record, watch)
            due = next(waiting, None)
        _decide(policy, logged.record)
        if watch is not None and logged.record.arm is not None:
            watch.decided(policy, logged.record)
    while due is not None:
        _learn(policy, due.record, watch)
        due = next(waiting, None)


def _named(record: VisitRecord) -> str:
    """Name a visit as its file does, which may begin anywhere."""
    return f"the visit with number {record.number}"


def _place(visit: LoggedVisit) -> int:
    return visit.learned or 0


def _decide(policy: Policy, record: VisitRecord) -> None:
    """Decide a visit again, if it was decided in this state; refuse if that gives another arm."""
    policy._next_number = max(policy._next_number, record.number + 1)
    if record.arm is None:
        return
    if record.decided_at != policy.version:
        raise StateError(
            f"{_named(record)} was decided in state {record.decided_at}, and those before it"
            f" lead to state {policy.version}; give all visits of the study in the order of their"
            f" decisions{CHANGED}"
        )
    kind = "full" if record.kind == "check" else record.kind
    still_open = replace(
        record,
        kind=kind,
        arm=None,
        decided_at=None,
        propensities=None,
        reward=None,
        learned_in=None,
        check=None,
        outlook={},
        ruled_out=(),
    )
    visit = policy.visit(still_open.to_dict())
    now = (visit.arm, visit.propensities, visit.kind) if visit.decided else None
    if now != (record.arm, record.propensities, record.kind):
        raise StateError(
            f"{_named(record)} got the arm {record.arm!r}, and with these settings another"
            f" decision would have been made; {LOOK_AT}{CHANGED}"
        )


def _learn(policy: Policy, record: VisitRecord, watch: Watch | None) -> None:
    if record.reward is None:
        raise StateError(f"{_named(record)} was learned and has no reward{CHANGED}")
    visit = policy.visit(replace(record, reward=None, learned_in=None).to_dict())
    if watch is not None:
        watch.learning(policy, visit, float(record.reward))
    try:
        policy.learn(visit, record.reward)
    except AsklessError as error:
        raise StateError(f"{_named(record)} cannot be learned again: {error}{CHANGED}") from None
    if visit.learned_in != record.learned_in:
        raise StateError(
            f"{_named(record)} was learned in block {record.learned_in} of its arm, and now"
            f" is in {visit.learned_in}; {LOOK_AT}{CHANGED}"
        )
    if watch is not None:
        watch.learned(policy, visit)

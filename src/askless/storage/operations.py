"""What can be done in a visit: each is one step, all of it or nothing, safe to be repeated."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from askless.errors import (
    AnswerError,
    ConflictError,
    NotFoundError,
    PausedError,
    RewardError,
    SettingError,
    StoppedError,
    VisitError,
    meant,
)
from askless.policies import Visit
from askless.storage.journal import Page, VisitRow
from askless.storage.replica import Replica, dumped
from askless.survey import Survey
from askless.survey.window import Window

__all__ = [
    "Answer",
    "ConflictError",
    "NotFoundError",
    "OfVisit",
    "Operation",
    "PausedError",
    "Revise",
    "Reward",
    "See",
    "Seen",
    "Start",
    "StoppedError",
]

TOKEN_BYTES = 18  # 144 bits that nobody guesses


@dataclass(frozen=True, slots=True)
class Seen:
    """A visit as its caller may see it.

    Attributes
    ----------
    visit : str
        How to name it in later calls.
    own : str or None
        How the caller names the person.
    number : int
        Its number in the study.
    status : str
        See `VisitRow`.
    asks : tuple of str
        The questions to put now; empty once the arm is decided.
    at_most : int
        How many questions are still to come, at most; it never grows.
    answers : dict
        Every answer held; None is a skip.
    arm : str or None
        The arm to play, once it is decided.
    reward : float or None
        The reward that came.
    new : bool
        Whether this call has started it.
    in_all : int
        How many questions it may ask at most in all, whichever answers are changed; it never grows.
    """

    visit: str
    own: str | None
    number: int
    status: str
    asks: tuple[str, ...]
    at_most: int
    answers: dict[str, Any]
    arm: str | None
    reward: float | None
    new: bool = False
    in_all: int = 0


class Operation(ABC):
    """One step of a live study.

    Attributes
    ----------
    alone : bool
        Whether it needs a transaction of its own.
    """

    __slots__ = ()
    alone: ClassVar[bool] = False

    @abstractmethod
    def run(self, page: Page, replica: Replica) -> Any:
        """Do it: check everything first, then add to the page."""


@dataclass(frozen=True, slots=True)
class OfVisit(Operation):
    """One step of a visit that has been started."""

    token: str


@dataclass(frozen=True, slots=True)
class Start(Operation):
    """Start a visit; a person who is known by the same name has one visit, however often asked."""

    own: str | None = None
    known: Mapping[str, Any] | None = None
    arms: Sequence[str] | None = None

    def run(self, page: Page, replica: Replica) -> Seen:
        """Return the visit: a new one, or the one that this person has."""
        if self.own is not None:
            row = page.by_own(self.own)
            if row is not None:
                return as_it_stands(page, row)
        if page.stopped:
            raise StoppedError("the study is over and takes no new visits")
        if page.paused:
            raise PausedError("the study is paused and takes no new visits; try again later")
        policy = replica.policy
        known = None if self.known is None else _fitting(policy.survey, self.known)
        arms = None if self.arms is None else eligible(policy.arms, policy.live_arms, self.arms)
        visit = policy.visit(known=known or None, arms=arms, number=page.visits)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        row = VisitRow(visit.number, token, self.own, "open", page.at)
        held = visit.answers
        page.append(
            "started",
            visit.number,
            {"eligible": list(visit.eligible), "promised": list(visit.promised), "known": held},
        )
        page.add(row)
        page.tally.started(row)
        return _moved(page, row, visit, None)


@dataclass(frozen=True, slots=True)
class See(OfVisit):
    """Look at a visit; nothing moves."""

    def run(self, page: Page, replica: Replica) -> Seen:  # noqa: ARG002
        """Return it as it stands."""
        return as_it_stands(page, _there(page, self.token))


@dataclass(frozen=True, slots=True)
class Answer(OfVisit):
    """Answer any part of what a visit asks; the same answers again change nothing."""

    answers: Mapping[str, Any]

    def run(self, page: Page, replica: Replica) -> Seen:
        """Return the visit as it then stands."""
        row = _there(page, self.token)
        record = page.record(row)
        given = _fitting(replica.policy.survey, self.answers)
        if not given:
            raise AnswerError("there are no answers; give at least one")
        held = record["answers"]
        for name in given:
            if name in held and held[name] != given[name]:
                raise ConflictError(
                    f"question {name!r} has another answer in this visit; to change it before the"
                    " arm is decided, revise it"
                )
        rest = {name: answer for name, answer in given.items() if name not in held}
        if not rest:
            return as_it_stands(page, row)
        if row.status != "open":
            raise AnswerError(
                f"question {next(iter(rest))!r} was not asked in this visit, and its arm is decided"
            )
        # What the caller has been told, not what the newest state would ask besides.
        asked = record["asked"]
        stray = [name for name in rest if name not in asked]
        if stray:
            now = [name for name in asked if name not in held]
            raise AnswerError(
                f"question {stray[0]!r} has not been asked in this visit; it asks"
                f" {', '.join(now)} now"
            )
        visit = replica.policy.visit(record)
        visit.answer(rest)
        page.append("answered", row.number, {"answers": rest})
        return _moved(page, row, visit, record)


@dataclass(frozen=True, slots=True)
class Revise(OfVisit):
    """Change answers until the arm is decided."""

    answers: Mapping[str, Any]

    def run(self, page: Page, replica: Replica) -> Seen:
        """Return the visit as it then stands."""
        row = _there(page, self.token)
        record = page.record(row)
        given = _fitting(replica.policy.survey, self.answers)
        held = record["answers"]
        if given and all(name in held and held[name] == given[name] for name in given):
            return as_it_stands(page, row)
        if row.status != "open":
            raise ConflictError("the arm is decided; answers can be changed only until then")
        visit = replica.policy.visit(record)
        visit.revise(given)
        page.append("revised", row.number, {"answers": given})
        return _moved(page, row, visit, record)


@dataclass(frozen=True, slots=True)
class Reward(OfVisit):
    """Take a decided visit's reward: now or later, once; the same again changes nothing."""

    reward: float

    def run(self, page: Page, replica: Replica) -> Seen:
        """Return the visit as it then stands; its status says what becomes of the reward."""
        row = _there(page, self.token)
        policy = replica.policy
        try:
            reward = float(policy.reward.check(self.reward))
        except RewardError:
            low, high = policy.reward.low, policy.reward.high
            raise RewardError(f"the reward is not a number from {low:g} to {high:g}") from None
        if row.status == "open":
            raise VisitError("the arm is not decided yet; a reward comes after that")
        if row.reward is not None:
            if row.reward != reward:
                raise ConflictError("this visit has another reward; a visit has one")
            return as_it_stands(page, row)
        row.reward = reward
        in_time = row.status == "waiting" and self._in_time(page, row, replica)
        row.status = "rewarded" if in_time else "late"
        page.append("rewarded" if in_time else "late", row.number, {"reward": reward})
        page.change(row)
        page.tally.rewarded(row, reward)
        return as_it_stands(page, row)

    @staticmethod
    def _in_time(page: Page, row: VisitRow, replica: Replica) -> bool:
        """Whether its window is not over, by the journal's own time (maths 2.5)."""
        if row.decided is None or row.decided_at is None:
            return True
        return in_time(replica.queue.window, row.decided, row.decided_at, page.decided, page.at)


# -- what they share -----------------------------------------------------------------------------


def in_time(window: Window | None, order: int, since: float, decided: int, at: float) -> bool:
    """Whether the window of a visit is not over: by visits decided since, or by time."""
    if window is None:
        return True
    if window.in_visits:
        return bool(decided <= order + window.visits)
    return bool(at <= since + window.seconds)


def _there(page: Page, token: str) -> VisitRow:
    row = page.by_token(token)
    if row is None or row.status == "erased":
        raise NotFoundError("there is no such visit in this study")
    return row


def _fitting(survey: Survey, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return answers as plain Python; what is refused is not repeated in the message."""
    try:
        for name in answers:
            if name not in survey.names:
                raise AnswerError(
                    "an answer is given to a question that the survey does not have; it has"
                    f" {', '.join(survey.names)}"
                )
        return survey.check(answers)
    except AnswerError as error:
        raise AnswerError(error.discreet) from None


def eligible(arms: Sequence[str], live: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return arms that are there; refuse unknown ones, and a list without a live one."""
    for arm in given:
        if arm not in arms:
            raise SettingError(f"there is no such arm{meant('', arms, 'the arms are')}")
    if not set(given) & set(live):
        raise SettingError(f"no arm is eligible; the arms in play are {', '.join(live)}")
    return list(given)


def _moved(page: Page, row: VisitRow, visit: Visit, before: Mapping[str, Any] | None) -> Seen:
    """Note where a visit has got to; `before` is what it had done, None if it has just begun."""
    record = visit.to_dict()
    page.tally.moved(before, record)
    asked = () if before is None else before["asked"]
    for kind, body in steps(visit, record, asked, page.decided):
        page.append(kind, row.number, body, visit if kind == "decided" else None)
    if visit.decided:
        page.decided += 1
        row.status, row.record = "waiting", None
        row.kind, row.arm, row.asked = visit.kind, visit.arm, len(visit.asked)
        row.decided, row.decided_at = page.decided, page.at
        page.tally.decided(row)
    else:
        row.record = dumped(record)
    page.change(row)
    return _as_seen(row, record, visit.asks, new=before is None)


def steps(
    visit: Visit, record: Mapping[str, Any], asked: Sequence[str], decided: int
) -> list[tuple[str, dict[str, Any]]]:
    """Return what a visit that has moved adds to the journal, by kind.

    `asked` is what had been put before, `decided` how many visits had been decided.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    shown = [name for name in visit.asked if name not in asked]
    if shown:
        found.append(("asked", {"questions": shown}))
    if visit.decided:
        found.append(("decided", {"order": decided + 1, "record": dict(record)}))
    return found


def as_it_stands(page: Page, row: VisitRow) -> Seen:
    """Return a visit as its caller may see it."""
    record = page.record(row)
    asks: tuple[str, ...] = ()
    if row.status == "open":
        answered = record["answers"]
        asks = tuple(name for name in record["asked"] if name not in answered)
    return _as_seen(row, record, asks)


def _as_seen(
    row: VisitRow, record: Mapping[str, Any], asks: Sequence[str], *, new: bool = False
) -> Seen:
    left = 0
    if row.status == "open":
        left = len(set(record["promised"]) - set(record["answers"]))
    return Seen(
        visit=row.token,
        own=row.own,
        number=row.number,
        status=row.status,
        asks=tuple(asks),
        at_most=left,
        answers=dict(record["answers"]),
        arm=row.arm,
        reward=row.reward,
        new=new,
        # Where arms have rules, an answer that is changed can lead back to what was promised first.
        in_all=len((record.get("opening") or record)["promised"]),
    )

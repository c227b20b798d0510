"""Walks through a journal again: every step of every visit, in the state that its page had."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, or_, select

from askless.errors import AsklessError, StateError, shown
from askless.policies import SurveyBandit, Visit
from askless.storage.consenting import check_consent
from askless.storage.journal import events_of, records_of
from askless.storage.live_study import difference, load_replica, read_study
from askless.storage.operations import in_time, steps
from askless.storage.replica import Event, Follows, Replica, dumped
from askless.storage.tables import events, visits
from askless.survey import Study

__all__ = ["DiffersError", "Rewalk"]

DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
OPEN: dict[str, Any] = {
    "arm": None,
    "decided_at": None,
    "propensities": None,
    "outlook": {},
    "ruled_out": [],
    "reward": None,
    "learned_in": None,
    "check": None,
}  # what a record says while questions are open


class DiffersError(StateError):
    """The journal or a table says something else than what follows."""


@dataclass(slots=True)
class Decided:
    """A visit that waits to be learned."""

    order: int
    at: float
    line: int
    rewarded: bool = False


class Rewalk:
    """A replica that makes every decision again before it takes a page.

    Attributes
    ----------
    replica : Replica
        The state after the last page.
    open : dict
        What visits have done whose questions are open, by number.
    visits, decided, learned : int
        How many have been started, decided and learned.
    at : float
        The time of the last page.
    paused, stopped : bool
        Whether the study takes no new visits, for now or for good.
    file : str or None
        The study file.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.replica = Replica(study)
        self.open: dict[int, dict[str, Any]] = {}
        self.visits = self.decided = self.learned = 0
        self.at, self.paused, self.stopped = 0.0, False, False
        self.file: str | None = None
        self._waiting: dict[int, Decided] = {}
        self._last: dict[int, int] = {}  # by line, the last that was learned
        self._retired: set[str] = set()  # in this page
        self._begun: set[int] = set()  # in this page, without a consent yet
        self._steps: dict[str, Callable[[Event], Sequence[tuple[str, Any]]]] = {
            "started": self._started,
            "consented": self._consented,
            "answered": self._answered,
            "revised": self._answered,
            "rewarded": self._rewarded,
            "late": self._rewarded,
            "ticked": self._ticked,
            "retired": self._retire,
            "paused": self._pause,
            "resumed": self._pause,
            "stopped": self._stop,
            "priced": self._price,
            "settings": self._settings,
        }

    # -- a page ----------------------------------------------------------------------------------

    def take(self, page: Sequence[Event]) -> None:
        """Prove the events of one transaction, then apply them."""
        first = page[0]
        if first.page != self.replica.position:
            raise DiffersError(
                f"event {first.serial} says that it was written after event {first.page}, and"
                f" comes after event {self.replica.position}"
            )
        for serial, event in enumerate(page, self.replica.position + 1):
            if event.serial != serial:
                raise DiffersError(
                    f"event {serial} is missing; event {event.serial} comes in its place"
                )
            if event.at != first.at or event.at < self.at:
                raise DiffersError(
                    f"event {serial} is of {event.at!r}, in a page of {first.at!r} after one of"
                    f" {self.at!r}"
                )
        self.at = first.at
        self._retired.clear()
        self._begun.clear()
        event = first
        try:
            rest = self._follows(deque(page))
            while rest:
                event = rest.popleft()
                if event.kind not in self._steps:
                    raise self._differs(event, "nothing leads to it")
                for kind, body in self._steps[event.kind](event):
                    self._compare(rest.popleft() if rest else None, event, kind, body)
            event = page[-1]
            self.replica.take(page)
        except DiffersError:
            raise
        except (AsklessError, *DAMAGE) as error:
            raise self._differs(event, f"it cannot be: {_said(error)}") from None

    def _follows(self, rest: deque[Event]) -> deque[Event]:
        """Compare what the page says that follows from earlier ones; all of it comes first."""
        if all(event.kind == "settings" for event in rest):
            return rest  # whoever changes the file leaves the rest to others
        for mine in self.replica.follows:
            event = rest.popleft() if rest else None
            self._compare(event, mine, mine.kind, mine.body, mine.visit)
            if mine.visit is not None:
                self._leave(mine, event)
        return rest

    def _leave(self, mine: Follows, event: Event | None) -> None:
        """Note that a visit no longer waits: those of a line are learned in their order."""
        assert event is not None
        gone = self._waiting.pop(mine.visit or 0)
        if mine.kind != "learned":
            return
        if mine.body["order"] != self.learned:
            raise self._differs(event, f"the learning order has come to {self.learned}")
        self.learned += 1
        if self._last.get(gone.line, 0) >= gone.order:
            raise self._differs(event, "a later decision of its line was learned before it")
        self._last[gone.line] = gone.order

    def _compare(
        self,
        event: Event | None,
        of: Event | Follows,
        kind: str,
        body: Mapping[str, Any],
        visit: int | None = None,
    ) -> None:
        number = of.visit if visit is None else visit
        if event is None:
            raise DiffersError(
                f"after event {of.of if isinstance(of, Follows) else of.serial} there follows"
                f" {kind} of visit {number}, and the journal does not have it"
            )
        body = json.loads(dumped(body))
        if (event.kind, event.visit) != (kind, number):
            raise self._differs(event, f"there follows {kind} of visit {number}")
        if event.body != body:
            raise self._differs(event, _difference(event.body, body))

    @staticmethod
    def _differs(event: Event, why: str) -> DiffersError:
        of = "" if event.visit is None else f" of visit {event.visit}"
        return DiffersError(f"event {event.serial} says {event.kind}{of}: {why}")

    # -- visits ----------------------------------------------------------------------------------

    def _started(self, event: Event) -> Sequence[tuple[str, Any]]:
        if event.visit != self.visits:
            raise self._differs(event, f"the next visit is {self.visits}")
        if self.paused or self.stopped:
            raise self._differs(event, "the study takes no new visits")
        said = event.body
        visit = self.replica.policy.visit(
            known=said["known"] or None, arms=said["eligible"], number=event.visit
        )
        follows = {
            "eligible": list(visit.eligible),
            "promised": list(visit.promised),
            "known": visit.answers,
        }
        self._compare(event, event, "started", follows)
        self.visits += 1
        self._begun.add(visit.number)
        return self._moved(event, visit, ())

    def _consented(self, event: Event) -> Sequence[tuple[str, Any]]:
        if event.visit not in self._begun:
            raise self._differs(event, "a consent comes once, with the start of its visit")
        self._begun.remove(event.visit)
        check_consent(event.body)
        return ()

    def _answered(self, event: Event) -> Sequence[tuple[str, Any]]:
        record = self.open.get(event.visit or 0)
        if record is None:
            raise self._differs(event, "its questions are not open")
        visit = self.replica.policy.visit(record)
        given = event.body["answers"]
        if event.kind == "revised":
            visit.revise(given)
        elif not given.keys() <= set(record["asked"]):
            raise self._differs(event, "it answers what was not asked")
        else:
            visit.answer(given)
        return self._moved(event, visit, record["asked"])

    def _moved(self, event: Event, visit: Visit, asked: Sequence[str]) -> Sequence[tuple[str, Any]]:
        """Return what must stand in the journal next."""
        record = visit.to_dict()
        found = steps(visit, record, asked, self.decided)
        if visit.decided:
            self.decided += 1
            self.open.pop(visit.number, None)
            line = self.replica.policy.line_of(visit.kind, visit.arm_index)
            self._waiting[visit.number] = Decided(self.decided, event.at, line)
        else:
            self.open[visit.number] = record
        return found

    def _rewarded(self, event: Event) -> Sequence[tuple[str, Any]]:
        number, reward = event.visit, event.body["reward"]
        if self.replica.policy.reward.check(reward) != reward or number in self.open:
            raise self._differs(event, "this visit cannot have such a reward")
        waits = self._waiting.get(-1 if number is None else number)
        window = self.replica.queue.window
        timely = (
            waits is not None
            and not waits.rewarded
            and in_time(window, waits.order, waits.at, self.decided, event.at)
        )
        if timely != (event.kind == "rewarded"):
            raise self._differs(event, "its window is " + ("not over" if timely else "over"))
        if waits is not None:
            waits.rewarded = True
        return ()

    # -- the study -------------------------------------------------------------------------------

    def _ticked(self, event: Event) -> Sequence[tuple[str, Any]]:
        if not self.replica.queue.is_due(at=event.at):
            raise self._differs(event, "no window is over, and nothing else is due")
        return ()

    def _retire(self, event: Event) -> Sequence[tuple[str, Any]]:
        arm = event.body["arm"]
        if arm not in self.replica.policy.live_arms or arm in self._retired:
            raise self._differs(event, f"arm {shown(arm)} is not in play")
        self._retired.add(arm)
        return ()

    def _pause(self, event: Event) -> Sequence[tuple[str, Any]]:
        paused = event.kind == "paused"
        if paused == self.paused or self.stopped:
            raise self._differs(event, "it was so already, or the study is over")
        self.paused = paused
        return ()

    def _stop(self, event: Event) -> Sequence[tuple[str, Any]]:
        if self.stopped:
            raise self._differs(event, "it was so already")
        self.stopped = True
        return ()

    def _price(self, event: Event) -> Sequence[tuple[str, Any]]:
        policy = self.replica.policy
        if not isinstance(policy, SurveyBandit):
            raise self._differs(event, "its policy has no price")
        policy.check_price(event.body["price"])
        return ()

    def _settings(self, event: Event) -> Sequence[tuple[str, Any]]:
        text = event.body["file"]
        differs = difference(read_study(text, self.study.name), self.study)
        if differs:
            raise self._differs(event, f"the study has other {differs}")
        self.file = text
        return ()

    # -- where it begins -------------------------------------------------------------------------

    @classmethod
    def from_base(cls, connection: Connection, of: int, study: Study) -> Rewalk:
        """Begin at the snapshot after the last erasure."""
        walk = cls(study)
        walk.replica = replica = load_replica(connection, of, study, base=True)
        walk.decided, walk.learned = replica.decided, replica.learned
        mine = (events.c.study == of) & (events.c.serial <= replica.position)
        walk.visits = (
            1
            + connection.execute(
                select(func.coalesce(func.max(events.c.visit), -1)).where(mine)
            ).scalar_one()
        )

        def newest(*kinds: str) -> Any:
            return connection.execute(
                select(events.c.kind, events.c.at, events.c.body)
                .where(mine, *([events.c.kind.in_(kinds)] if kinds else []))
                .order_by(events.c.serial.desc())
                .limit(1)
            ).one_or_none()

        pause, file, last = newest("paused", "resumed"), newest("settings"), newest()
        walk.paused = pause is not None and pause.kind == "paused"
        walk.stopped = newest("stopped") is not None
        walk.file = json.loads(file.body)["file"]
        walk.at = last.at
        walk._read_visits(connection, of)
        return walk

    def _read_visits(self, connection: Connection, of: int) -> None:
        """Read which visits were open at the base, and which waited."""
        queue = self.replica.queue
        rows = connection.execute(
            select(visits.c.number, visits.c.status, visits.c.record).where(
                visits.c.study == of,
                visits.c.number < self.visits,
                or_(visits.c.status == "open", visits.c.decided > self.decided),
            )
        ).all()
        for row in rows:
            if row.status == "open" and row.record is None:
                raise DiffersError(f"visit {row.number} is open, and has no record")
        records = records_of(connection, of, [row.number for row in rows if row.record is None])
        for row in rows:
            final = json.loads(row.record) if row.record is not None else records[row.number]
            before = [
                event
                for event in events_of(connection, of, row.number, row.number)
                if event.serial <= self.replica.position
            ]
            self.open[row.number] = _as_it_was(final, before)
        orders = dict[int, tuple[int, float]]()
        for number in queue.waiting:
            for event in events_of(connection, of, number, number):
                if event.kind == "decided":
                    orders[number] = event.body["order"], event.at
        for number in queue.waiting:
            waits = queue._line.visits[number]
            line = self.replica.policy.line_of(waits.note.kind, waits.note.arm_index)
            self._waiting[number] = Decided(*orders[number], line, waits.reward is not None)


def _as_it_was(final: Mapping[str, Any], before: Sequence[Event]) -> dict[str, Any]:
    """Return what an open visit had done by some events of it."""
    start = before[0].body
    asked: list[str] = []
    answers = dict(start["known"])
    for event in before:
        asked += event.body.get("questions", [])
        answers |= event.body.get("answers", {})
    kind = "full" if final["kind"] == "check" else final["kind"]
    return {**final, **OPEN, "kind": kind, "asked": asked, "answers": answers}


def _difference(said: Any, follows: Any, path: str = "") -> str:
    """Say where two bodies differ first: what it says, and what follows."""
    if isinstance(said, dict) and isinstance(follows, dict):
        for key in {**follows, **said}:
            if key not in said or key not in follows or said[key] != follows[key]:
                inner = f"{path}.{key}" if path else str(key)
                return _difference(said.get(key), follows.get(key), inner)
    return f"its {path} is {shown(said, 100)}, and what follows is {shown(follows, 100)}"


def _said(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)

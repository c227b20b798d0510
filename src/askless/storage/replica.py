"""A policy that follows a journal: the same events make the same state, bit for bit."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from askless.errors import StateError, shown
from askless.policies import InOrder, Policy, SurveyBandit, Visit, policy_for
from askless.survey import Study

__all__ = ["APPLIED", "FOLLOWS", "Event", "Replica", "Snapshot", "dumped"]

APPLIED = ("decided", "rewarded", "ticked", "retired", "priced")  # what a replica learns from
FOLLOWS = ("learned", "lost", "dropped", "form")  # what it says that follows
WORDS = ("survey", "arms")  # of a policy's data: what the study file says
FIRST_SNAPSHOT, MOST_BETWEEN = 256, 2_000  # learned or lost visits between two snapshots

Records = Callable[[Sequence[int]], Mapping[int, dict[str, Any]]]  # of visits, by their numbers


def dumped(value: Any) -> str:
    """Write plain data as short JSON; numbers are read as the same again."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a line of the journal.

    Attributes
    ----------
    serial : int
        Its place in the journal, from 1, without gaps.
    page : int
        The last event before the transaction that wrote it: what was known when it was decided.
    at : float
        When, in seconds since 1970.
    kind : str
        What happened.
    visit : int or None
        The number of the visit.
    body : dict
        What else there is to say.
    live : Visit or None
        The visit itself, for whoever has just decided it.
    """

    serial: int
    page: int
    at: float
    kind: str
    visit: int | None
    body: dict[str, Any]
    live: Visit | None = None


class Snapshot(NamedTuple):
    """A policy's state after an event, and what then waited."""

    serial: int
    body: bytes
    digest: str

    @classmethod
    def of(cls, serial: int, content: Mapping[str, Any]) -> Snapshot:
        """Pack what a replica says of itself."""
        text = dumped(content).encode()
        return cls(serial, zlib.compress(text, 1), hashlib.sha256(text).hexdigest())

    def content(self) -> dict[str, Any]:
        """Unpack it; refuse what is damaged."""
        try:
            text = zlib.decompress(self.body)
        except zlib.error:
            text = b""
        if hashlib.sha256(text).hexdigest() != self.digest:
            raise StateError(f"the snapshot after event {self.serial} is damaged")
        found: dict[str, Any] = json.loads(text)
        return found


class Follows(NamedTuple):
    """What follows from an event: a line for the journal."""

    of: int  # the event
    kind: str
    visit: int | None
    body: dict[str, Any]


class Replica:
    """A policy and its queue of late rewards, at one place of the journal.

    What it does depends on the events alone: not on who applies them, nor when.

    Attributes
    ----------
    position : int
        The last event that it has applied.
    follows : deque of Follows
        What followed and has not been seen in the journal yet.
    snapshot : Snapshot or None
        The last one that was due, until somebody takes it.
    """

    def __init__(self, study: Study, *, position: int = 0) -> None:
        self.study = study
        self.policy: Policy = policy_for(study)
        self.queue = InOrder.of(study, self.policy)
        self.position = self.begun = position
        self.decided = self.learned = self.lost = 0
        self.follows: deque[Follows] = deque()
        self.snapshot: Snapshot | None = None
        self._due = FIRST_SNAPSHOT
        self._noted = self._look()

    # -- following -------------------------------------------------------------------------------

    def take(self, page: Sequence[Event]) -> None:
        """Apply the events of one transaction, all of them."""
        self.decided += sum(event.kind == "decided" for event in page)
        for event in page:
            if event.serial != self.position + 1:
                raise StateError(
                    f"event {event.serial} comes after event {self.position}: the journal has a gap"
                )
            if event.kind in APPLIED:
                self._apply(event)
            elif event.kind in FOLLOWS:
                self._compare(event)
            elif event.kind == "erased":  # what was before it cannot be followed any more
                raise StateError(
                    f"event {event.serial} erases a visit: go on from the snapshot after it"
                )
            self.position = event.serial
        # Lost ones count too: where few rewards come, a journal must not be followed from afar.
        settled = self.learned + self.lost
        if settled >= self._due:
            self._due = settled + min(max(settled // 10, FIRST_SNAPSHOT), MOST_BETWEEN)
            self.snapshot = self.as_snapshot()

    def _apply(self, event: Event) -> None:
        number, queue, policy = event.visit, self.queue, self.policy
        learned: tuple[Visit, ...] = ()
        if event.kind == "decided":
            live = event.live
            if live is None or live._policy is not policy:
                live = policy.visit(event.body["record"])
            learned = queue.add(live, at=event.at)
        elif event.kind == "rewarded":
            learned = queue.reward(number, event.body["reward"], at=event.at)  # type: ignore[arg-type]
        elif event.kind == "ticked":
            learned = queue.tick(at=event.at)
        elif event.kind == "retired":
            policy.retire_arm(event.body["arm"])
        else:
            assert isinstance(policy, SurveyBandit)  # others have no price
            policy.reprice(event.body["price"])
        for visit in learned:
            self._say(
                event,
                "learned",
                visit.number,
                {
                    "order": self.learned,
                    "after": self.decided,
                    "reward": visit.reward,
                    "block": visit.learned_in,
                },
            )
            self.learned += 1
        for lost in queue.lost:
            self._say(event, "lost", lost, {})
            self.lost += 1
        queue.lost = ()
        if learned or event.kind in ("retired", "priced"):
            self._note_changes(event)

    def _say(self, event: Event, kind: str, visit: int | None, body: dict[str, Any]) -> None:
        self.follows.append(Follows(event.serial, kind, visit, {"of": event.serial, **body}))

    @property
    def form(self) -> tuple[str, ...] | None:
        """The short form that stands, if one does."""
        policy = self.policy
        if not isinstance(policy, SurveyBandit) or policy._short is None:
            return None
        stands = policy._short.form
        return None if stands is None else policy.survey.names_of(stands)

    def _look(self) -> tuple[Any, tuple[str, ...] | None, int]:
        """Return what is watched: supports, the short form, how many were withdrawn."""
        policy, withdrawn = self.policy, 0
        if isinstance(policy, SurveyBandit) and policy._short is not None:
            withdrawn = policy._short.withdrawn
        return policy.support, self.form, withdrawn

    def _note_changes(self, event: Event) -> None:
        support, form, withdrawn = self._noted
        self._noted = now = self._look()
        arms, names = self.policy.arms, self.policy.survey.names
        for k, g in np.argwhere(support & ~now[0]):
            self._say(event, "dropped", None, {"arm": arms[k], "question": names[g]})
        if (form, withdrawn) != now[1:]:
            questions = None if now[1] is None else list(now[1])
            self._say(event, "form", None, {"questions": questions, "withdrawn": now[2]})

    def _compare(self, event: Event) -> None:
        """Hold what another one said that follows beside what follows here."""
        if event.body["of"] <= self.begun:
            return  # from before the snapshot with which this one began
        mine = self.follows.popleft() if self.follows else None
        if mine is None or (mine.kind, mine.visit, mine.body) != (
            event.kind,
            event.visit,
            event.body,
        ):
            raise StateError(
                f"event {event.serial} says {event.kind} of visit {event.visit}, and the journal"
                f" leads to {shown(mine and (mine.kind, mine.visit))}: it has been changed, or was"
                " written by another version of askless"
            )

    def oldest(self) -> float | None:
        """Return when the visit was decided that waits for its reward for longest."""
        waiting = self.queue.waiting
        return self.queue.since(waiting[0]) if waiting else None

    # -- snapshots -------------------------------------------------------------------------------

    def as_snapshot(self) -> Snapshot:
        """Return its state; it goes on as one that is loaded from there."""
        policy, queue = self.policy, self.queue
        # Which visits were started here says nothing about what has been learned.
        policy._next_number = policy._learned.last + 1
        waiting = [[w.number, w.since, w.reward] for w in queue._line.visits.values()]
        content = {
            # Without the study's words: they may change, and the state does not.
            "policy": {key: v for key, v in policy.to_dict().items() if key not in WORDS},
            "queue": {**queue._head(), "waiting": waiting},
            "decided": self.decided,
            "learned": self.learned,
            "lost": self.lost,
            "due": self._due,
        }
        return Snapshot.of(self.position, content)

    @classmethod
    def load(cls, study: Study, snapshot: Snapshot, records: Records) -> Replica:
        """Go on from a snapshot; `records` are looked up for the visits that waited then."""
        content = snapshot.content()
        replica = cls(study, position=snapshot.serial)
        words = {key: v for key, v in replica.policy.to_dict().items() if key in WORDS}
        replica.policy = type(replica.policy).from_dict(content["policy"] | words)
        queue = content["queue"]
        found = records([number for number, _, _ in queue["waiting"]])
        waiting = [
            {"visit": found[number], "since": since, "reward": reward}
            for number, since, reward in queue["waiting"]
        ]
        replica.queue = InOrder.resume(replica.policy, {**queue, "waiting": waiting})
        replica.decided, replica.learned = content["decided"], content["learned"]
        replica.lost = content["lost"]
        replica._due = content["due"]
        replica._noted = replica._look()
        return replica


def pages_of(events: Iterable[Event]) -> Iterable[list[Event]]:
    """Put events together that one transaction wrote."""
    page: list[Event] = []
    for event in events:
        if page and event.page != page[0].page:
            yield page
            page = []
        page.append(event)
    if page:
        yield page

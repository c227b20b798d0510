"""Proves a live study: the journal replayed, decisions made again, tables counted anew."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from askless.errors import StateError, shown
from askless.storage.database import Database
from askless.storage.journal import (
    AT_ONCE,
    COLUMNS,
    FIELDS,
    VisitRow,
    events_of,
    read_events,
)
from askless.storage.live_study import find_study, read_study
from askless.storage.replica import Event, Snapshot
from askless.storage.rewalking import DAMAGE, DiffersError, Rewalk
from askless.storage.summaries import COUNTS, DAY, KEY, STATIONS, Tally
from askless.storage.tables import events, questions, snapshots, studies, summaries, visits

__all__ = ["Verification", "verify"]

MOST_FINDINGS = 20
COUNTED = ("visits", "decided", "learned", "at", "paused", "stopped", "file")
KEPT = ("number", "token", "status", "started")  # of a visit that is erased
ROUNDING = 1e-9  # of sums that were added in another order

Progress = Callable[[int, int], None]  # events done, and in all


@dataclass(frozen=True)
class Verification:
    """What `verify` found.

    Attributes
    ----------
    study : str
        The study's name.
    base : int
        The event after which the replay began: 0, or the last erasure.
    events, visits, decided, learned, erased : int
        How many of them the study has.
    snapshots : int
        How many snapshots were compared with the replay.
    digest : str
        Of the final state.
    findings : tuple of str
        What differs, each with the event or row, what it says and what follows.
    """

    study: str
    base: int
    events: int
    visits: int
    decided: int
    learned: int
    erased: int
    snapshots: int
    digest: str
    findings: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether everything follows from the journal."""
        return not self.findings

    @property
    def is_cut(self) -> bool:
        """Whether more may differ than what was found: it looks no further after so many."""
        return len(self.findings) >= MOST_FINDINGS


def verify(database: Database, name: str, *, progress: Progress | None = None) -> Verification:
    """Replay a study's journal and compare everything that is kept with what follows from it.

    It reads what is there at one moment, while others go on.

    Parameters
    ----------
    database : Database
        Where it is.
    name : str
        How it is called there.
    progress : callable, optional
        Told how many events have been replayed, and of how many since the base.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import LiveStudy, Start
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     _ = live.run([Start()])
    ...     found = verify(database, live.name)
    ...     database.close()
    >>> found.ok, found.events, found.visits
    (True, 3, 1)
    """
    with database.reading() as connection:
        return _Proof(connection, name, progress or (lambda _done, _all: None)).run()


class _Proof:
    """One look at a study, from its journal to its tables."""

    def __init__(self, connection: Connection, name: str, progress: Progress) -> None:
        self.connection, self.name, self.progress = connection, name, progress
        self.id, text = find_study(connection, name)
        self.study = read_study(text, name)
        self.row = connection.execute(select(studies).where(studies.c.id == self.id)).one()
        self.findings: list[str] = []
        self.base = self.compared = self.erased = 0

    def run(self) -> Verification:
        walk = Rewalk(self.study)
        try:
            kept = self._snapshots()
            if self.base:
                walk = Rewalk.from_base(self.connection, self.id, self.study)
            self._replay(walk, kept)
        except StateError as error:
            self._find(str(error))
        except DAMAGE as error:
            self._find(f"the journal up to event {self.base} cannot be read: {shown(error)}")
        else:  # else what follows is not known
            self._compare_counters(walk)
            self._compare_tables(walk)
        row = self.row
        return Verification(
            study=self.name,
            base=self.base,
            events=row.serial,
            visits=row.visits,
            decided=row.decided,
            learned=row.learned,
            erased=self.erased,
            snapshots=self.compared,
            digest=walk.replica.as_snapshot().digest,
            findings=tuple(self.findings),
        )

    def _find(self, what: str) -> None:
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(what)

    # -- the journal -----------------------------------------------------------------------------

    def _snapshots(self) -> dict[int, str]:
        """Return the digests of the snapshots since the base, by their place."""
        rows = self.connection.execute(
            select(snapshots).where(snapshots.c.study == self.id).order_by(snapshots.c.serial)
        ).all()
        bases = [row.serial for row in rows if row.base]
        erasures = self.connection.execute(
            select(events.c.serial, events.c.body)
            .where(events.c.study == self.id, events.c.kind == "erased")
            .order_by(events.c.serial)
        ).all()
        self.erased = len(erasures)
        last = erasures[-1].serial if erasures else None
        if bases != [last] * bool(erasures):
            raise DiffersError(f"the last erasure is event {last}, and there are bases at {bases}")
        for row in rows:
            Snapshot(row.serial, row.body, row.digest).content()  # refuses what is damaged
            if row.base and json.loads(erasures[-1].body) != {"digest": row.digest}:
                raise DiffersError(f"event {row.serial} says another digest than its snapshot has")
        self.base = last or 0
        return {row.serial: row.digest for row in rows if not row.base}

    def _replay(self, walk: Rewalk, kept: dict[int, str]) -> None:
        end, replica = self.row.serial, walk.replica
        count, first, last = self.connection.execute(
            select(func.count(), func.min(events.c.serial), func.max(events.c.serial)).where(
                events.c.study == self.id
            )
        ).one()
        while replica.position < end:
            pages = read_events(self.connection, self.id, replica.position, end)
            if not pages:
                break
            for page in pages:
                walk.take(page)
                if replica.snapshot is not None:
                    self._compare_snapshot(replica.snapshot, kept)
                    replica.snapshot = None
            self.progress(replica.position - self.base, end - self.base)
        if (replica.position, last) != (end, end):
            raise DiffersError(f"the journal ends at event {last}, and studies.serial is {end}")
        if (first, count) != (1, end):  # before the base, which is not replayed
            raise DiffersError(f"the journal has {count} events from {first} on, and {end} follow")
        for serial in kept:
            self._find(f"the snapshot after event {serial}: none is made there")

    def _compare_snapshot(self, made: Snapshot, kept: dict[int, str]) -> None:
        digest = kept.pop(made.serial, made.digest)
        self.compared += 1
        if digest != made.digest:
            self._find(
                f"the snapshot after event {made.serial} has the digest {digest[:12]}…, and the"
                f" replay leads to {made.digest[:12]}…"
            )

    # -- tables ----------------------------------------------------------------------------------

    def _compare_counters(self, walk: Rewalk) -> None:
        for name in COUNTED:
            said, follows = getattr(self.row, name), getattr(walk, name)
            if said != follows:
                self._find(f"studies.{name} is {shown(said, 60)}, and {shown(follows, 60)} follows")

    def _compare_tables(self, walk: Rewalk) -> None:
        tally, learned = Tally(self.id, 0.0), 0
        count = self.connection.execute(
            select(func.count()).select_from(visits).where(visits.c.study == self.id)
        ).scalar_one()
        if count != walk.visits:
            self._find(f"the table of visits has {count} rows, and {walk.visits} were started")
        for first in range(0, walk.visits, AT_ONCE):
            for row, found in self._visits(first, min(first + AT_ONCE, walk.visits)):
                self._compare_visit(row, found, walk, tally)
                learned += sum(event.kind == "learned" for event in found)
        if learned != walk.learned:  # each has a place of its own below that
            self._find(f"the journal has {learned} visits learned, and {walk.learned} follow")
        self._compare_summaries(tally)
        self._compare_questions(tally)

    def _visits(self, first: int, end: int) -> Iterator[tuple[VisitRow, list[Event]]]:
        """Go through some visits: what the table says, and what happened in them."""
        by_number: dict[int, list[Event]] = {number: [] for number in range(first, end)}
        for event in events_of(self.connection, self.id, first, end - 1):
            by_number[event.visit or 0].append(event)
        rows = self.connection.execute(
            select(*COLUMNS)
            .where(visits.c.study == self.id, visits.c.number.between(first, end - 1))
            .order_by(visits.c.number)
        )
        for row in (VisitRow(*row) for row in rows):
            yield row, by_number.pop(row.number)
        for number in by_number:
            self._find(f"visit {number} is not in the table of visits")

    def _compare_visit(self, row: VisitRow, found: list[Event], walk: Rewalk, tally: Tally) -> None:
        try:
            if row.status == "erased" or found[-1].kind == "erased":
                self._compare_erased(row, found)
                return
            follows = _follows(row, found)
        except (StateError, *DAMAGE) as error:
            self._find(f"the events of visit {row.number} cannot be: {shown(error)}")
            return
        if follows.status == "open":
            record = None if row.record is None else json.loads(row.record)
            if record != walk.open.get(row.number):
                self._find(f"visit {row.number}: its record is not what it has done")
            follows.record = row.record
        for name in FIELDS:
            said, right = getattr(row, name), getattr(follows, name)
            if said != right:
                self._find(
                    f"visit {row.number}: its {name} is {shown(said, 60)} in the table of visits,"
                    f" and {shown(right, 60)} follows"
                )
        tally.started(follows)
        tally.moved(None, _record_of(row, found, walk))
        if follows.decided is not None:
            tally.decided(follows)
        if follows.reward is not None:
            tally.rewarded(follows, follows.reward)

    def _compare_erased(self, row: VisitRow, found: list[Event]) -> None:
        *before, last = found
        rest = [name for name in FIELDS if name not in KEPT and getattr(row, name) is not None]
        if row.status != "erased" or last.kind != "erased" or rest or row.started % DAY:
            self._find(f"visit {row.number} is erased, and its row has {rest or row.status}")
        for event in before:
            if event.body or event.at % DAY:
                self._find(
                    f"event {event.serial} is of the erased visit {row.number} and not empty"
                )

    def _compare_summaries(self, tally: Tally) -> None:
        there = {
            tuple(getattr(row, name) for name in KEY): row
            for row in self.connection.execute(
                select(summaries).where(summaries.c.study == self.id)
            )
        }
        for key in sorted({*there, *tally.sums}):
            row, follows = there.get(key), tally.sums.get(key, {})
            for name in COUNTS:
                said, right = 0 if row is None else getattr(row, name), follows.get(name, 0)
                if not self._same(name, said, right, follows.get("rewarded", 0)):
                    self._find(
                        f"the summary of {key[0]} {key[1]}, arm {key[2] or '(all)'}: its {name} is"
                        f" {said!r}, and {right!r} follows"
                    )

    def _compare_questions(self, tally: Tally) -> None:
        there = {
            (row.question, what): getattr(row, what)
            for row in self.connection.execute(
                select(questions).where(questions.c.study == self.id)
            )
            for what in STATIONS
        }
        for name, what in sorted({*there, *tally.questions}):
            said, right = there.get((name, what), 0), tally.questions[name, what]
            if said != right:
                self._find(
                    f"the summary of question {name!r}: its {what} is {said}, and {right} follows"
                )

    def _same(self, name: str, said: float, right: float, count: float) -> bool:
        if name not in ("reward", "squares"):
            return said == right
        reward = self.study.reward
        size = max(abs(reward.low), abs(reward.high)) ** (1 if name == "reward" else 2)
        return math.isclose(said, right, rel_tol=0, abs_tol=ROUNDING * size * (1 + count))


def _record_of(row: VisitRow, found: list[Event], walk: Rewalk) -> dict[str, Any] | None:
    """Return what a visit has done: as it was decided, or as far as it has come."""
    for event in found:
        if event.kind == "decided":
            record: dict[str, Any] = event.body["record"]
            return record
    return walk.open.get(row.number)


def _follows(row: VisitRow, found: list[Event]) -> VisitRow:
    """Return a visit's row as it follows from its events; names of callers are in the row alone."""
    start = found[0]
    if start.kind != "started" or not row.token:
        raise StateError(f"it begins with {start.kind}")
    now = VisitRow(row.number, row.token, row.own, "open", start.at)
    for event in found[1:]:
        body = event.body
        if event.kind == "decided":
            record = body["record"]
            now.status, now.kind, now.arm = "waiting", record["kind"], record["arm"]
            now.decided, now.decided_at = body["order"], event.at
            now.asked = len(record["asked"])
        elif event.kind in ("rewarded", "late"):
            if now.reward is not None:
                raise StateError(f"event {event.serial} brings a second reward")
            now.status, now.reward = event.kind, body["reward"]
        elif event.kind in ("learned", "lost") and now.status != "late":
            silent = now.reward is None and event.kind == "learned"
            now.status = "silent" if silent else event.kind
        if event.kind == "learned":
            now.learned, now.learned_after = body["order"], body["after"]
            now.block = body["block"]
    return now

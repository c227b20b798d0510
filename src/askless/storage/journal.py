"""A study's journal: one transaction is a page of it, and pages follow each other without gaps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, and_, bindparam, delete, insert, or_, select, update

from askless.errors import StateError
from askless.storage.database import Database, together
from askless.storage.replica import Event, Follows, Replica, Snapshot, dumped, pages_of
from askless.storage.summaries import DAY, Tally
from askless.storage.tables import events, links, snapshots, studies, visits
from askless.storage.write_points import reached

__all__ = ["Page", "VisitRow", "events_of", "list_events", "read_events", "records_of"]

AT_ONCE = 500  # values of one IN list, rows of one read


@dataclass(slots=True)
class VisitRow:
    """Where a visit stands.

    `status` is open, waiting (decided, no reward yet), rewarded (it waits for its turn to be
    learned), learned, lost (its window passed and nothing was learned), silent (its silence was
    learned), late (a reward came after that) or erased.
    """

    number: int
    token: str
    own: str | None
    status: str
    started: float
    record: str | None = None
    kind: str | None = None
    arm: str | None = None
    decided: int | None = None
    decided_at: float | None = None
    asked: int | None = None
    reward: float | None = None
    learned: int | None = None
    learned_after: int | None = None
    block: int | None = None


FIELDS = tuple(field.name for field in fields(VisitRow))
COLUMNS = [visits.c[name] for name in FIELDS]
CHANGED = (
    update(visits)
    .where(visits.c.study == bindparam("of_study"), visits.c.number == bindparam("of_number"))
    .values({name: bindparam(name) for name in FIELDS if name != "number"})
)
LINE = [events.c[name] for name in ("serial", "page", "at", "kind", "visit", "body")]
COUNTERS = ("serial", "visits", "decided", "learned", "at", "paused", "stopped")
# Whoever holds this row writes alone; SQLite has one writer anyway.
HELD = (
    select(*(studies.c[name] for name in COUNTERS))
    .where(studies.c.id == bindparam("study"))
    .with_for_update()
)
COUNTED = update(studies).where(studies.c.id == bindparam("of_study"))
COUNTED = COUNTED.values({name: bindparam(name) for name in COUNTERS})
NEW_VISITS, NEW_EVENTS = insert(visits), insert(events)
READ = (
    select(*LINE)
    .where(
        events.c.study == bindparam("study"),
        events.c.serial > bindparam("after"),
        events.c.serial <= bindparam("until"),
    )
    .order_by(events.c.serial)
    .limit(bindparam("most"))
)


@cache
def _visits_by(*columns: str) -> Select[Any]:
    """Return how visits are read, with what they have done: by lists of these columns."""
    decided = and_(
        events.c.study == visits.c.study,
        events.c.visit == visits.c.number,
        events.c.kind == "decided",
    )
    among = [visits.c[name].in_(bindparam(name, expanding=True)) for name in columns]
    return (
        select(*COLUMNS, events.c.body)
        .select_from(visits.outerjoin(events, decided))
        .where(visits.c.study == bindparam("study"), or_(*among))
    )


class Page:
    """What one transaction sees of a study and what it adds; nobody else writes meanwhile.

    Operations look at it and add to it; `write` puts all of that into the database.

    Attributes
    ----------
    before : int
        The last event before this page.
    at : float
        When it is written; it never goes back.
    """

    def __init__(self, connection: Connection, study: int, now: float) -> None:
        self._connection, self.study = connection, study
        counters = connection.execute(HELD, {"study": study}).one_or_none()
        if counters is None:
            raise StateError("the study is no longer in the database")
        self.before, self.visits, self.decided, self.learned = counters[:4]
        at, self.paused, self.stopped = counters[4:]
        self.at = max(now, at)
        self.events: list[Event] = []
        self.tally = Tally(study, self.at)
        self._new: dict[int, VisitRow] = {}
        self._changed: dict[int, VisitRow] = {}
        self._tokens: dict[str, VisitRow | None] = {}
        self._owns: dict[str, VisitRow | None] = {}
        self._numbers: dict[int, VisitRow] = {}
        self._bodies: dict[int, str] = {}  # of the events that decided them
        self._snapshot: tuple[Snapshot, bool] | None = None
        self.erases = False  # whether a replica has been changed that may not outlive a failure

    # -- what there is ---------------------------------------------------------------------------

    def follow(self, replica: Replica) -> bool:
        """Let a replica catch up with the journal; False where an erasure has cut it off."""
        if self.before - replica.position > AT_ONCE and self._cut_off(replica):
            return False
        while replica.position < self.before:
            found = read_events(self._connection, self.study, replica.position, self.before)
            if not found:
                raise StateError(
                    f"the journal ends at event {replica.position}, and counts {self.before}"
                )
            if any(event.kind == "erased" for page in found for event in page):
                return False
            for page in found:
                replica.take(page)
        return True

    def _cut_off(self, replica: Replica) -> bool:
        newer = select(snapshots.c.serial).where(
            snapshots.c.study == self.study,
            snapshots.c.base,
            snapshots.c.serial > replica.position,
        )
        return self._connection.execute(newer.limit(1)).first() is not None

    def look_up(
        self,
        tokens: Iterable[str] = (),
        owns: Iterable[str] = (),
        numbers: Iterable[int] = (),
    ) -> None:
        """Read visits that will be needed, all at once."""
        known: dict[str, tuple[Iterable[Any], Mapping[Any, Any]]] = {
            "token": (tokens, self._tokens),
            "own": (owns, self._owns),
            "number": (numbers, self._numbers),
        }
        wanted = {
            column: list(dict.fromkeys(value for value in values if value not in there))
            for column, (values, there) in known.items()
        }
        self._tokens.update(dict.fromkeys(wanted["token"]))
        self._owns.update(dict.fromkeys(wanted["own"]))
        while any(wanted.values()):
            part = {column: values[:AT_ONCE] for column, values in wanted.items() if values}
            wanted = {column: values[AT_ONCE:] for column, values in wanted.items()}
            for *row, body in self._connection.execute(
                _visits_by(*part), {"study": self.study, **part}
            ):
                known_row = self._know(VisitRow(*row))
                if body is not None:
                    self._bodies[known_row.number] = body

    def _know(self, row: VisitRow) -> VisitRow:
        """Keep one row a visit, however it was found."""
        row = self._numbers.setdefault(row.number, row)
        self._tokens[row.token] = row
        if row.own is not None:
            self._owns[row.own] = row
        return row

    def by_token(self, token: str) -> VisitRow | None:
        """Return the visit that callers know by this name."""
        self.look_up(tokens=[token])
        return self._tokens[token]

    def by_own(self, own: str) -> VisitRow | None:
        """Return the visit of a person whom the caller knows by this name."""
        self.look_up(owns=[own])
        return self._owns[own]

    def by_numbers(self, numbers: Sequence[int]) -> list[VisitRow]:
        """Return visits by their numbers, in their order."""
        self.look_up(numbers=numbers)
        return [self._numbers[number] for number in numbers]

    def record(self, row: VisitRow) -> dict[str, Any]:
        """Return what a visit has done."""
        if row.record is not None:
            found: dict[str, Any] = json.loads(row.record)
            return found
        if row.number in self._bodies:
            decided: dict[str, Any] = json.loads(self._bodies[row.number])["record"]
            return decided
        for event in reversed(self.events):
            if event.kind == "decided" and event.visit == row.number:
                said: dict[str, Any] = event.body["record"]
                return said
        return records_of(self._connection, self.study, [row.number])[row.number]

    def events_of(self, row: VisitRow) -> list[Event]:
        """Return everything that happened in a visit."""
        written = events_of(self._connection, self.study, row.number, row.number)
        return [*written, *(event for event in self.events if event.visit == row.number)]

    # -- what is added ---------------------------------------------------------------------------

    def append(self, kind: str, visit: int | None, body: dict[str, Any], live: Any = None) -> None:
        """Add an event to the end of the journal."""
        serial = self.before + len(self.events) + 1
        self.events.append(Event(serial, self.before, self.at, kind, visit, body, live))

    def add(self, row: VisitRow) -> None:
        """Add a visit that has just begun."""
        self.visits += 1
        self._new[row.number] = self._know(row)

    def change(self, row: VisitRow) -> None:
        """Note that a visit has moved on."""
        if row.number not in self._new:
            self._changed[row.number] = row

    def note(self, follows: Iterable[Follows]) -> None:
        """Write down what follows from earlier events, and where visits stand then."""
        said = list(follows)
        concerned = [follow.visit for follow in said if follow.visit is not None]
        rows = {row.number: row for row in self.by_numbers(concerned)}
        for follow in said:
            self.append(follow.kind, follow.visit, follow.body)
            if follow.visit is None:
                continue
            row = rows[follow.visit]
            late = row.status == "late"  # its reward came too late, and stays so
            if follow.kind == "lost":
                row.status = "late" if late else "lost"
            else:
                if not late:
                    row.status = "learned" if row.reward is not None else "silent"
                row.learned, row.block = follow.body["order"], follow.body["block"]
                row.learned_after = follow.body["after"]
                self.learned = follow.body["order"] + 1
            self.change(row)

    def empty(self, row: VisitRow) -> None:
        """Take everything out of a visit's events but that they happened, and on which day."""
        for event in self.events_of(row):
            gone = {"at": event.at // DAY * DAY, "body": "{}"}
            self._connection.execute(
                update(events).where(events.c.study == self.study, events.c.serial == event.serial),
                gone,
            )
        self.events = [
            replace(event, at=event.at // DAY * DAY, body={}, live=None)
            if event.visit == row.number
            else event
            for event in self.events
        ]

    def unlink(self, row: VisitRow) -> None:
        """Delete the secrets by which a person's browser finds their visit."""
        mine = links.c.visit == row.number
        if row.own is not None:
            mine |= links.c.own == row.own
        self._connection.execute(delete(links).where(links.c.study == self.study, mine))

    def keep(self, snapshot: Snapshot, *, base: bool = False) -> None:
        """Keep a snapshot with this page."""
        self._snapshot = snapshot, base

    # -- writing ---------------------------------------------------------------------------------

    def write(self) -> None:
        """Put everything into the database; the transaction is the caller's."""
        if self._snapshot is not None:
            self._write_snapshot(*self._snapshot)
            reached("snapshot written")
        with together(self._connection):
            self._write_rows()

    def _write_rows(self) -> None:
        execute = self._connection.execute
        if self._new:
            rows = [{"study": self.study, **_as_dict(row)} for row in self._new.values()]
            execute(NEW_VISITS, rows)
            reached("visits added")
        if self._changed:
            execute(CHANGED, [self._change_of(row) for row in self._changed.values()])
            reached("visits changed")
        if self.events:
            execute(NEW_EVENTS, [self._line(event) for event in self.events])
            reached("events appended")
        self.tally.write(self._connection)
        if self.events:
            execute(
                COUNTED,
                {
                    "of_study": self.study,
                    "serial": self.before + len(self.events),
                    "visits": self.visits,
                    "decided": self.decided,
                    "learned": self.learned,
                    "at": self.at,
                    "paused": self.paused,
                    "stopped": self.stopped,
                },
            )
            reached("counters written")

    def _change_of(self, row: VisitRow) -> dict[str, Any]:
        changed = _as_dict(row)
        return {"of_study": self.study, "of_number": changed.pop("number"), **changed}

    def _line(self, event: Event) -> dict[str, Any]:
        return {
            "study": self.study,
            "serial": event.serial,
            "page": event.page,
            "at": event.at,
            "kind": event.kind,
            "visit": event.visit,
            "body": dumped(event.body),
        }

    def _write_snapshot(self, snapshot: Snapshot, base: bool) -> None:
        """Keep it, the base and the one before it; older ones are of no use."""
        execute, mine = self._connection.execute, snapshots.c.study == self.study
        kept = execute(
            select(snapshots.c.serial, snapshots.c.base).where(mine).order_by(snapshots.c.serial)
        ).all()
        if any(serial == snapshot.serial for serial, _ in kept):
            return  # another worker was sooner; it is the same
        outdated = [serial for serial, is_base in kept[:-1] if base or not is_base]
        if base:
            outdated = [serial for serial, _ in kept]
        if outdated:
            execute(snapshots.delete().where(mine, snapshots.c.serial.in_(outdated)))
        execute(
            insert(snapshots),
            {"study": self.study, "base": base, **snapshot._asdict()},
        )


def _as_dict(row: VisitRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in FIELDS}


def _event(row: Sequence[Any]) -> Event:
    serial, page, at, kind, visit, body = row
    return Event(serial, page, at, kind, visit, json.loads(body))


def read_events(
    connection: Connection, study: int, after: int, until: int, most: int = AT_ONCE
) -> list[list[Event]]:
    """Return the next pages after an event, whole ones, up to another event.

    Serials are given out while the study's row is held, so what is there up to its counter is all
    that there will ever be.
    """
    wanted = {"study": study, "after": after, "until": until, "most": most}
    rows = connection.execute(READ, wanted).all()
    found = [_event(row) for row in rows]
    pages = list(pages_of(found))
    if len(found) == most and found[-1].serial < until:
        if len(pages) == 1:  # a page that is longer than what is read at once
            return read_events(connection, study, after, until, 2 * most)
        pages.pop()  # it may go on
    return pages


def list_events(database: Database, study: int, after: int, limit: int) -> list[dict[str, Any]]:
    """Return lines of the journal after an event, as callers get them."""
    with database.reading() as connection:
        rows = connection.execute(
            select(events.c.serial, events.c.at, events.c.kind, events.c.visit, events.c.body)
            .where(events.c.study == study, events.c.serial > after)
            .order_by(events.c.serial)
            .limit(limit)
        ).all()
    return [{**row._mapping, "body": json.loads(row.body)} for row in rows]


def events_of(connection: Connection, study: int, first: int, last: int) -> list[Event]:
    """Return everything that happened in the visits from one number to another, in its order."""
    rows = connection.execute(
        select(*LINE)
        .where(events.c.study == study, events.c.visit.between(first, last))
        .order_by(events.c.serial)
    )
    return [_event(row) for row in rows]


def records_of(
    connection: Connection, study: int, numbers: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """Return what decided visits have done, as the journal has it."""
    found: dict[int, dict[str, Any]] = {}
    for start in range(0, len(numbers), AT_ONCE):
        part = numbers[start : start + AT_ONCE]
        for number, body in connection.execute(
            select(events.c.visit, events.c.body).where(
                events.c.study == study, events.c.visit.in_(part), events.c.kind == "decided"
            )
        ):
            found[number] = json.loads(body)["record"]
    return found

"""What a dashboard shows of a study out of its summaries, however long the journal is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from askless.storage.database import Database
from askless.storage.summaries import COUNTS, STATIONS
from askless.storage.tables import events, questions, summaries

__all__ = ["Overview", "read_overview"]

POINTS = 120  # of a course over all visits, at most
RECENT = 3  # hundreds that are "now"
DAYS = 60
LINES = 20  # of the journal
# Lines whose body says nothing of anybody, and so may be shown.
HARMLESS = ("dropped", "form", "retired", "priced")


@dataclass(frozen=True)
class Overview:
    """Counts and sums of a study.

    Attributes
    ----------
    totals : dict
        By arm, "" for all: everything so far.
    recent : dict
        The same of the last hundreds of visits.
    course : list of dict
        All visits from the first to the last, `width` to a part; `start` is the first number.
    width : int
        How many visits a part of the course has.
    days : list of dict
        The last days, by their number since 1970.
    questions : dict
        By question: put, answered, skipped, here.
    dropped : dict
        By arm and question: when it was dropped.
    form_since : float or None
        When the short form was last changed.
    events : list of dict
        The last lines of the journal, the newest first, without what anybody said.
    """

    totals: dict[str, dict[str, Any]]
    recent: dict[str, dict[str, Any]]
    course: list[dict[str, Any]]
    width: int
    days: list[dict[str, Any]]
    questions: dict[str, dict[str, int]]
    dropped: dict[tuple[str, str], float]
    form_since: float | None
    events: list[dict[str, Any]]


def read_overview(database: Database, study: int) -> Overview:
    """Read the summaries of a study, and the end of its journal.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import LiveStudy, Start
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     _ = live.run([Start()])
    ...     found = read_overview(database, live.id)
    ...     database.close()
    >>> found.totals[""]["started"], found.questions["age"]["here"], found.events[0]["kind"]
    (1, 1, 'asked')
    """
    with database.reading() as connection:
        newest = connection.execute(
            select(func.max(summaries.c.start)).where(*_mine(study, "hundred"))
        ).scalar()
        hundreds = 0 if newest is None else newest + 1
        wide = max(1, -(-hundreds // POINTS))
        dropped, form_since = _changes(connection, study)
        return Overview(
            totals=_by_arm(connection, study, "day", 0),
            recent=_by_arm(connection, study, "hundred", hundreds - RECENT),
            course=_course(connection, study, wide),
            width=100 * wide,
            days=_days(connection, study),
            questions=_questions(connection, study),
            dropped=dropped,
            form_since=form_since,
            events=_events(connection, study),
        )


SUMS = [func.sum(summaries.c[name]).label(name) for name in COUNTS]
MEASURED = ("reward", "squares")  # the other sums are counts


def _mine(study: int, span: str) -> tuple[Any, Any]:
    return summaries.c.study == study, summaries.c.span == span


def _numbers(row: Any) -> dict[str, Any]:
    """Return sums as plain numbers; PostgreSQL's are decimals."""
    return {
        name: float(value) if name in MEASURED else int(value)
        for name, value in row._mapping.items()
        if name in COUNTS
    }


def _by_arm(connection: Connection, study: int, span: str, first: int) -> dict[str, dict[str, Any]]:
    rows = connection.execute(
        select(summaries.c.arm, *SUMS)
        .where(*_mine(study, span), summaries.c.start >= first)
        .group_by(summaries.c.arm)
    )
    return {row.arm: _numbers(row) for row in rows}


def _course(connection: Connection, study: int, wide: int) -> list[dict[str, Any]]:
    part = (summaries.c.start // wide).label("part")
    rows = connection.execute(
        select(part, *SUMS)
        .where(*_mine(study, "hundred"), summaries.c.arm == "")
        .group_by(part)
        .order_by(part)
    )
    return [{"start": int(row.part) * wide * 100, **_numbers(row)} for row in rows]


def _days(connection: Connection, study: int) -> list[dict[str, Any]]:
    rows = connection.execute(
        select(summaries.c.start, *(summaries.c[name] for name in COUNTS))
        .where(*_mine(study, "day"), summaries.c.arm == "")
        .order_by(summaries.c.start.desc())
        .limit(DAYS)
    ).all()
    return [{"start": row.start, **_numbers(row)} for row in reversed(rows)]


def _questions(connection: Connection, study: int) -> dict[str, dict[str, int]]:
    rows = connection.execute(select(questions).where(questions.c.study == study))
    return {row.question: {name: getattr(row, name) for name in STATIONS} for row in rows}


def _changes(
    connection: Connection, study: int
) -> tuple[dict[tuple[str, str], float], float | None]:
    """Return when questions were dropped, and when the short form was changed last."""
    # Events of no visit, by their kind: an index has them together.
    of_none = (events.c.study == study, events.c.visit.is_(None))
    dropped = {}
    for at, text in connection.execute(
        select(events.c.at, events.c.body).where(*of_none, events.c.kind == "dropped")
    ):
        body = json.loads(text)
        dropped[body["arm"], body["question"]] = at
    form = select(func.max(events.c.at)).where(*of_none, events.c.kind == "form")
    return dropped, connection.execute(form).scalar()


def _events(connection: Connection, study: int) -> list[dict[str, Any]]:
    rows = connection.execute(
        select(events.c.serial, events.c.at, events.c.kind, events.c.visit, events.c.body)
        .where(events.c.study == study)
        .order_by(events.c.serial.desc())
        .limit(LINES)
    )
    return [
        {
            "serial": row.serial,
            "at": row.at,
            "kind": row.kind,
            "visit": row.visit,
            "body": json.loads(row.body) if row.kind in HARMLESS else {},
        }
        for row in rows
    ]

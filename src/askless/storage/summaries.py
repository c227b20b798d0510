"""Counts and sums by day, hundred visits and question: what is read instead of the journal."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from askless.storage.database import Database
from askless.storage.tables import questions, summaries
from askless.storage.write_points import reached

if TYPE_CHECKING:
    from askless.storage.journal import VisitRow

__all__ = ["SPANS", "Tally", "read_spans", "stations"]

SPANS = ("day", "hundred")

DAY = 86_400.0
KEY = ("span", "start", "arm")
COUNTS = (
    "started",
    "decided",
    "full",
    "short",
    "checks",
    "asked",
    "rewarded",
    "late",
    "reward",
    "squares",
    "asked_short",
)
STATIONS = ("put", "answered", "skipped", "here")  # what a question can have seen of a visit


@cache
def _adding(dialect: str) -> Any:
    """Return how sums are added to those that are there, or begun."""
    return _upsert(dialect, summaries, KEY, COUNTS)


@cache
def _adding_questions(dialect: str) -> Any:
    return _upsert(dialect, questions, ("question",), STATIONS)


def _upsert(dialect: str, table: Table, key: Sequence[str], counts: Sequence[str]) -> Any:
    insert = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[dialect]
    new: Any = insert(table)
    sums = {name: table.c[name] + new.excluded[name] for name in counts}
    return new.on_conflict_do_update(index_elements=["study", *key], set_=sums)


def stations(record: Mapping[str, Any] | None) -> Counter[tuple[str, str]]:
    """Say what each question has seen of a visit, by what the visit has done.

    Examples
    --------
    >>> found = stations({"asked": ["age", "donor"], "answers": {"age": None}, "arm": None})
    >>> sorted(found)
    [('age', 'put'), ('age', 'skipped'), ('donor', 'here'), ('donor', 'put')]
    """
    found: Counter[tuple[str, str]] = Counter()
    if record is None:
        return found
    answers, open_ = record["answers"], record["arm"] is None
    for name in record["asked"]:
        found[name, "put"] = 1
        if name in answers:
            found[name, "skipped" if answers[name] is None else "answered"] = 1
        elif open_:
            found[name, "here"], open_ = 1, False  # it stands at the first of them
    return found


class Tally:
    """What one transaction adds to the summaries of a study.

    Attributes
    ----------
    sums : dict
        What it adds, by span, start and arm.
    questions : Counter
        And by question and what it has seen.
    """

    def __init__(self, study: int, at: float) -> None:
        self._study, self._at = study, at
        self.sums: defaultdict[tuple[str, int, str], dict[str, float]] = defaultdict(dict)
        self.questions: Counter[tuple[str, str]] = Counter()
        self._erases = False

    def started(self, row: VisitRow, sign: int = 1) -> None:
        """Count a visit that has begun."""
        self._count(row, row.started, {"started": sign}, arm=False)

    def decided(self, row: VisitRow, sign: int = 1) -> None:
        """Count a decision, its kind and what was asked for it."""
        kind = "checks" if row.kind == "check" else str(row.kind)
        counted: dict[str, float] = {"decided": sign, "asked": sign * (row.asked or 0)}
        if kind in COUNTS:
            counted[kind] = sign
        if kind == "short":
            counted["asked_short"] = counted["asked"]
        self._count(row, row.decided_at or self._at, counted)

    def rewarded(self, row: VisitRow, reward: float, sign: int = 1) -> None:
        """Count a reward, on the day of the decision."""
        late = row.status == "late"
        counted: dict[str, float] = {"late" if late else "rewarded": sign}
        if not late:
            counted |= {"reward": sign * reward, "squares": sign * reward * reward}
        self._count(row, row.decided_at or self._at, counted)

    def moved(self, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Count where a visit has got to, by what it had done and has done now."""
        self.questions.update(stations(after))
        self.questions.subtract(stations(before))

    def _count(
        self, row: VisitRow, at: float, counted: dict[str, float], *, arm: bool = True
    ) -> None:
        self._erases |= min(counted.values()) < 0
        arms = ["", *([row.arm] if arm and row.arm is not None else [])]
        for span, start in (("day", int(at // DAY)), ("hundred", row.number // 100)):
            for name in arms:
                sums = self.sums[span, start, name]
                for what, by in counted.items():
                    sums[what] = sums.get(what, 0) + by

    def _tidy(self, connection: Connection) -> None:
        """Leave nothing of somebody who was the only one, not even what rounding has left."""
        mine, zero = summaries.c.study == self._study, {"reward": 0.0, "squares": 0.0}
        connection.execute(update(summaries).where(mine, summaries.c.rewarded == 0).values(zero))
        counts = [summaries.c[name] == 0 for name in ("started", "decided", "rewarded", "late")]
        connection.execute(delete(summaries).where(mine, *counts))
        connection.execute(
            delete(questions).where(questions.c.study == self._study, questions.c.put == 0)
        )

    def write(self, connection: Connection) -> None:
        """Add it to what is there."""
        self._write_questions(connection)
        if not self.sums:
            return
        rows = [
            {"study": self._study, **dict(zip(KEY, key, strict=True))}
            | {name: sums.get(name, 0) for name in COUNTS}
            for key, sums in self.sums.items()
        ]
        connection.execute(_adding(connection.dialect.name), rows)
        if self._erases:
            self._tidy(connection)
        reached("summaries written")

    def _write_questions(self, connection: Connection) -> None:
        changed = {name for (name, _), by in self.questions.items() if by}
        if changed:
            rows = [
                {"study": self._study, "question": name}
                | {what: self.questions[name, what] for what in STATIONS}
                for name in sorted(changed)
            ]
            connection.execute(_adding_questions(connection.dialect.name), rows)


def read_spans(database: Database, study: int, span: str, last: int) -> list[dict[str, Any]]:
    """Return the sums of the last days or hundreds of a study, in all (arm None) and by arm."""
    mine = (summaries.c.study == study, summaries.c.span == span)
    with database.reading() as connection:
        newest = connection.execute(select(func.max(summaries.c.start)).where(*mine)).scalar()
        if newest is None:
            return []
        rows = connection.execute(
            select(summaries.c.start, summaries.c.arm, *(summaries.c[name] for name in COUNTS))
            .where(*mine, summaries.c.start > newest - last)
            .order_by(summaries.c.start, summaries.c.arm)
        ).all()
    return [{**row._mapping, "arm": row.arm or None} for row in rows]

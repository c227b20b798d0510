"""Counts and sums by day and by hundred visits: what a dashboard reads instead of the journal."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, func, insert, select, tuple_, update

from askless.storage.database import Database
from askless.storage.tables import summaries
from askless.storage.write_points import reached

if TYPE_CHECKING:
    from askless.storage.journal import VisitRow

__all__ = ["SPANS", "Tally", "read_spans"]

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
)
ADDED = (
    update(summaries)
    .where(
        summaries.c.study == bindparam("of_study"),
        *(summaries.c[name] == bindparam(f"of_{name}") for name in KEY),
    )
    .values({name: summaries.c[name] + bindparam(f"add_{name}") for name in COUNTS})
)


class Tally:
    """What one transaction adds to the summaries of a study."""

    def __init__(self, study: int, at: float) -> None:
        self._study, self._at = study, at
        self._sums: defaultdict[tuple[str, int, str], dict[str, float]] = defaultdict(dict)

    def started(self, row: VisitRow, sign: int = 1) -> None:
        """Count a visit that has begun."""
        self._count(row, row.started, {"started": sign}, arm=False)

    def decided(self, row: VisitRow, sign: int = 1) -> None:
        """Count a decision, its kind and what was asked for it."""
        kind = "checks" if row.kind == "check" else str(row.kind)
        counted: dict[str, float] = {"decided": sign, "asked": sign * (row.asked or 0)}
        if kind in COUNTS:
            counted[kind] = sign
        self._count(row, row.decided_at or self._at, counted)

    def rewarded(self, row: VisitRow, reward: float, sign: int = 1) -> None:
        """Count a reward, on the day of the decision."""
        late = row.status == "late"
        counted: dict[str, float] = {"late" if late else "rewarded": sign}
        if not late:
            counted |= {"reward": sign * reward, "squares": sign * reward * reward}
        self._count(row, row.decided_at or self._at, counted)

    def _count(
        self, row: VisitRow, at: float, counted: dict[str, float], *, arm: bool = True
    ) -> None:
        arms = ["", *([row.arm] if arm and row.arm is not None else [])]
        for span, start in (("day", int(at // DAY)), ("hundred", row.number // 100)):
            for name in arms:
                sums = self._sums[span, start, name]
                for what, by in counted.items():
                    sums[what] = sums.get(what, 0) + by

    def write(self, connection: Connection) -> None:
        """Add it to what is there."""
        if not self._sums:
            return
        keys = [summaries.c[name] for name in KEY]
        there = {
            tuple(key)
            for key in connection.execute(
                select(*keys).where(
                    summaries.c.study == self._study, tuple_(*keys).in_(list(self._sums))
                )
            )
        }
        new, old = [], []
        for key, sums in self._sums.items():
            counted: dict[str, Any] = {name: sums.get(name, 0) for name in COUNTS}
            named = dict(zip(KEY, key, strict=True))
            if key in there:
                of = {f"of_{name}": value for name, value in named.items()}
                by = {f"add_{name}": value for name, value in counted.items()}
                old.append({"of_study": self._study, **of, **by})
            else:
                new.append({"study": self._study, **named, **counted})
        if new:
            connection.execute(insert(summaries), new)
        if old:
            connection.execute(ADDED, old)
        reached("summaries written")


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

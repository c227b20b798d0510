"""A live study as files that anybody reads: its visits, its journal, and what the columns mean."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from askless.environments.cell_writing import writing_rows
from askless.errors import SettingError, extra, meant
from askless.policies import VisitRecord
from askless.simulation.visits_file import LoggedVisit, check_names, columns_of, row_of
from askless.storage.codebook import codebook, event_columns, in_words, visit_columns
from askless.storage.database import Database
from askless.storage.journal import AT_ONCE, COLUMNS, VisitRow
from askless.storage.moment import Moment, moment_of
from askless.storage.tables import events, visits
from askless.survey import Study

__all__ = ["ENDINGS", "Exported", "export"]

ENDINGS = ("csv", "parquet")
TABLES = ("visits", "events")
OTHERS = ("codebook.md", "codebook.json", "study.yaml")
TOLD = ("decided", "rewarded", "late", "learned", "lost")  # what a visit's row is put together from
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")  # how cells begin that spreadsheets run


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes
    ----------
    folder : Path
        Where.
    files : tuple of str
        Their names.
    counts : dict
        How many visits are in the file (`visits`), how many of them are open (`open`), how many
        were erased and are not (`erased`), and how many events there are (`events`).
    changed : bool
        Whether an arm was retired or the price changed: a visits file does not tell when.
    """

    folder: Path
    files: tuple[str, ...]
    counts: dict[str, int]
    changed: bool

    @property
    def rebuilds(self) -> bool:
        """Whether the study can be rebuilt from its visits file, and so analysed."""
        return not (self.changed or self.counts["erased"])


def export(
    database: Database,
    name: str,
    folder: str | Path,
    *,
    ending: str = "csv",
    with_ids: bool = False,
    force: bool = False,
) -> Exported:
    """Write a study as it is at one moment into a folder, while others go on with it.

    Parameters
    ----------
    database : Database
        Where it is.
    name : str
        How it is called there.
    folder : str or Path
        Where the files go; it is made if it is not there.
    ending : {"csv", "parquet"}
        Of the tables; Parquet needs the extra `data`.
    with_ids : bool
        Write the callers' own ids of people, too.
    force : bool
        Replace an export that is in the folder.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Database, LiveStudy, Start
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     (seen,) = live.run([Start(own="person 1")])
    ...     done = export(database, "charity", f"{folder}/export")
    ...     (visit,) = al.read_visits(f"{folder}/export/visits.csv", live.study)
    ...     database.close()
    >>> done.counts
    {'visits': 1, 'open': 1, 'erased': 0, 'events': 3}
    >>> visit.record.arm is None
    True
    """
    if ending not in ENDINGS:
        raise SettingError(f"the format is {ending!r}{meant(ending, ENDINGS, 'choose')}")
    if ending == "parquet":
        with extra("data"):
            import pyarrow  # noqa: F401, PLC0415 (before the work)
    target = Path(folder)
    stale = _check_folder(target, force)
    with moment_of(database, name) as moment:
        study = moment.study
        check_names(study)
        target.mkdir(exist_ok=True)
        # Beside the old files until all is there: an export that fails leaves them as they were.
        beside = Path(tempfile.mkdtemp(prefix=".askless-export-", dir=target))
        try:
            done = _write_all(moment, study, beside, ending, with_ids)
            for old in stale:
                old.unlink()
            for file in done.files:
                (beside / file).replace(target / file)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return replace(done, folder=target)


def _check_folder(folder: Path, force: bool) -> list[Path]:
    """Return the files of an earlier export; refuse them unless they may go."""
    if not folder.is_dir():
        if folder.exists():
            raise SettingError(f"{folder} is a file; give a folder")
        if not folder.absolute().parent.is_dir():
            raise SettingError(f"{folder}: there is no folder {folder.parent}; make it first")
        return []
    names = [*(f"{table}.{ending}" for table in TABLES for ending in ENDINGS), *OTHERS]
    there = [folder / name for name in names if os.path.lexists(folder / name)]
    if there and not force:
        raise SettingError(
            f"{folder} has {there[0].name} already; give another folder, or --force to replace it"
        )
    return there


def _write_all(moment: Moment, study: Study, folder: Path, ending: str, with_ids: bool) -> Exported:
    visits_file, events_file = (f"{table}.{ending}" for table in TABLES)
    counts = dict.fromkeys(("visits", "open", "erased", "events"), 0)
    rows = _Rows(moment, study, with_ids=with_ids, guarded=ending == "csv")
    columns = {column.name: column.type for column in visit_columns(study, with_ids=with_ids)}
    with writing_rows(folder / visits_file, columns) as write:
        for chunk in rows:
            write(chunk)
            counts["visits"] += len(chunk)
    counts["open"] = rows.open
    mine = visits.c.study == moment.id
    execute = moment.connection.execute
    erased = select(func.count()).where(mine, visits.c.status == "erased")
    counts["erased"] = execute(erased).scalar_one()
    with writing_rows(folder / events_file, {c.name: c.type for c in event_columns()}) as write:
        for chunk in _events(moment):
            write(chunk)
            counts["events"] += len(chunk)
    book = codebook(study, ending, counts, with_ids=with_ids)
    (folder / "codebook.md").write_text(in_words(book), encoding="utf-8")
    text = json.dumps(book, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "codebook.json").write_text(text + "\n", encoding="utf-8")
    (folder / "study.yaml").write_bytes(moment.counters["file"].encode())
    changes = select(events.c.serial).where(
        events.c.study == moment.id,
        events.c.visit.is_(None),
        events.c.kind.in_(("retired", "priced")),
    )
    changed = execute(changes.limit(1)).first() is not None
    return Exported(folder, (visits_file, events_file, *OTHERS), counts, changed)


# -- visits --------------------------------------------------------------------------------------


class _Rows:
    """The rows of a visits file, some at a time: decided visits in their order, then open ones."""

    def __init__(self, moment: Moment, study: Study, *, with_ids: bool, guarded: bool) -> None:
        self._moment, self._columns = moment, list(columns_of(study))
        self._with_ids, self._guarded = with_ids, guarded
        self.open = 0
        # What follows from the journal and whoever writes next will note.
        self._follows = {
            follow.visit: (follow.kind, follow.body)
            for follow in moment.replica().follows
            if follow.visit is not None
        }

    def __iter__(self) -> Iterator[list[list[str]]]:
        for rows in self._by("decided", visits.c.decided.is_not(None)):
            told = self._told([row.number for row in rows])
            yield [self._decided(row, told[row.number]) for row in rows]
        for rows in self._by("number", visits.c.status == "open"):
            self.open += len(rows)
            yield [self._open(row) for row in rows]

    def _by(self, order: str, which: Any) -> Iterator[list[VisitRow]]:
        """Go through visits, each read with the place where the last one ended."""
        last = -1
        column = visits.c[order]
        while True:
            found = self._moment.connection.execute(
                select(*COLUMNS)
                .where(visits.c.study == self._moment.id, which, column > last)
                .order_by(column)
                .limit(AT_ONCE)
            ).all()
            if not found:
                return
            rows = [VisitRow(*row) for row in found]
            last = getattr(rows[-1], order)
            yield rows

    def _told(self, numbers: Sequence[int]) -> dict[int, dict[str, tuple[float, Any]]]:
        """Return what the journal says of visits, by number and kind: when, and what."""
        told: dict[int, dict[str, tuple[float, Any]]] = {number: {} for number in numbers}
        for number, kind, at, body in self._moment.connection.execute(
            select(events.c.visit, events.c.kind, events.c.at, events.c.body).where(
                events.c.study == self._moment.id,
                events.c.visit.in_(numbers),
                events.c.kind.in_(TOLD),
            )
        ):
            told[number][kind] = at, json.loads(body)
        for number in numbers:
            if number in self._follows:
                kind, body = self._follows[number]
                told[number][kind] = 0.0, body
        return told

    def _decided(self, row: VisitRow, told: Mapping[str, tuple[float, Any]]) -> list[str]:
        record = VisitRecord.read(told["decided"][1]["record"])
        visit = LoggedVisit(record)
        if "learned" in told:
            said = told["learned"][1]
            lesson = replace(record, reward=said["reward"], learned_in=said["block"])
            visit = LoggedVisit(lesson, said["order"], said["after"])
        came = told.get("rewarded") or told.get("late")
        return [
            *row_of(visit, self._columns),
            _status(told),
            _time(row.started),
            _time(told["decided"][0]),
            _time(came[0]) if came else "",
            repr(float(came[1]["reward"])) if came else "",
            *self._own(row),
        ]

    def _open(self, row: VisitRow) -> list[str]:
        record = VisitRecord.read(json.loads(row.record or "null"))
        cells = row_of(LoggedVisit(record), self._columns)
        return [*cells, row.status, _time(row.started), "", "", "", *self._own(row)]

    def _own(self, row: VisitRow) -> list[str]:
        if not self._with_ids:
            return []
        own = row.own or ""
        # The one text that strangers can write; a spreadsheet would run it as a formula.
        return [f"'{own}" if self._guarded and own.startswith(FORMULA) else own]


def _status(told: Mapping[str, Any]) -> str:
    """Return where a decided visit stands, as `VisitRow` calls it."""
    if "late" in told:
        return "late"
    if "learned" in told:
        return "learned" if "rewarded" in told else "silent"
    return next((kind for kind in ("lost", "rewarded") if kind in told), "waiting")


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")


# -- events --------------------------------------------------------------------------------------


def _events(moment: Moment) -> Iterator[list[list[str]]]:
    """Go through the journal; of erased visits nothing is said but that there was something."""
    names = [column.name for column in event_columns()]
    of_visit = (visits.c.study == events.c.study) & (visits.c.number == events.c.visit)
    wanted = select(*(events.c[name] for name in names), visits.c.status).select_from(
        events.outerjoin(visits, of_visit)
    )
    last = 0
    while True:
        found = moment.connection.execute(
            wanted.where(events.c.study == moment.id, events.c.serial > last)
            .order_by(events.c.serial)
            .limit(AT_ONCE)
        ).all()
        if not found:
            return
        last = found[-1].serial
        yield [_event(tuple(row)) for row in found]


def _event(row: tuple[Any, ...]) -> list[str]:
    serial, page, at, kind, visit, body, status = row
    gone = status == "erased" and kind != "erased"
    number = "" if visit is None else str(visit)
    return [str(serial), str(page), _time(at), kind, number, "{}" if gone else body]

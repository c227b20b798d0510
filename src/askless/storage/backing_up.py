"""A study in one file, as it was at one moment: its tables, for either kind of database."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import LargeBinary, Table, select, tuple_

from askless import __version__
from askless.errors import SettingError
from askless.storage.database import NEWEST, Database
from askless.storage.journal import AT_ONCE
from askless.storage.moment import Moment, moment_of
from askless.storage.replica import dumped
from askless.storage.tables import (
    admins,
    events,
    keys,
    links,
    questions,
    signing,
    snapshots,
    studies,
    summaries,
    visits,
)

__all__ = ["FORMAT", "MANIFEST", "PARTS", "VERSION", "BackedUp", "backup", "carried", "part_name"]

FORMAT, VERSION = "askless.backup", 1
MANIFEST = "manifest.json"
# In the order of their references; who is signed in must do so again.
PARTS = (
    studies,
    events,
    visits,
    snapshots,
    summaries,
    questions,
    keys,
    links,
    admins,
    signing,
)
EPOCH = (1980, 1, 1, 0, 0, 0)  # the files of a zip have a time; ours says nothing


@dataclass(frozen=True)
class BackedUp:
    """What a backup has: the file, how many events and visits, and the digest of the state."""

    path: Path
    events: int
    visits: int
    digest: str


def backup(database: Database, name: str, path: str | Path, *, force: bool = False) -> BackedUp:
    """Write everything of a study into one file, while others go on with it.

    The file has what people answered and the secrets by which callers name visits, so only its
    owner may read it; of keys it has hashes alone.

    Parameters
    ----------
    database : Database
        Where the study is.
    name : str
        How it is called there.
    path : str or Path
        The file.
    force : bool
        Replace a file that is there.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Database, LiveStudy, Start
    >>> from askless.storage.restoring import restore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database, other = Database(f"{folder}/study.db"), Database(f"{folder}/other.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     (seen,) = live.run([Start(own="person 1")])
    ...     done = backup(database, "charity", f"{folder}/charity.zip")
    ...     again = restore(f"{folder}/charity.zip", other)
    ...     database.close(); other.close()
    >>> done.events, again.events, again.digest == done.digest
    (3, 3, True)
    """
    target = Path(path)
    if not target.absolute().parent.is_dir():
        raise SettingError(f"{target}: there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise SettingError(f"{target} is a folder; give the name of a file")
    if os.path.lexists(target) and not force:
        raise SettingError(
            f"{target} is there already; give another file, or --force to replace it"
        )
    # For its owner alone, and beside the old one until all is there.
    handle, made = tempfile.mkstemp(prefix=".askless-backup-", dir=target.absolute().parent)
    beside = Path(made)
    try:
        with os.fdopen(handle, "wb") as file, moment_of(database, name) as moment:
            done = _write(moment, file, target)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return done


def _write(moment: Moment, file: Any, target: Path) -> BackedUp:
    digest = moment.replica().as_snapshot().digest
    parts: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for table in PARTS:
            parts[part_name(table)] = _write_part(archive, moment, table)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "tables": NEWEST,
            "askless": __version__,
            "study": moment.counters["name"],
            "taken": time.time(),
            "serial": moment.counters["serial"],
            "digest": digest,
            "parts": parts,
        }
        archive.writestr(_entry(MANIFEST), dumped(manifest))
    rows = {name: part["rows"] for name, part in parts.items()}
    return BackedUp(target, rows[part_name(events)], rows[part_name(visits)], digest)


def part_name(table: Table) -> str:
    """Return what a table's file is called in a backup."""
    return f"{table.name}.jsonl"


def carried(table: Table) -> list[Any]:
    """Return the columns that a backup has; a study's place is another one in every database."""
    place = "id" if table is studies else "study"
    return [column for column in table.columns if column.name != place]


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def _write_part(archive: zipfile.ZipFile, moment: Moment, table: Table) -> dict[str, Any]:
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(_entry(part_name(table)), "w", force_zip64=True) as part:
        for row in _rows(moment, table):
            line = dumped(row).encode() + b"\n"
            part.write(line)
            digest.update(line)
            size += len(line)
            count += 1
    return {"rows": count, "bytes": size, "sha256": digest.hexdigest()}


def _rows(moment: Moment, table: Table) -> Iterator[dict[str, Any]]:
    """Go through the rows that a study has in a table, in the order of their key."""
    columns = carried(table)
    binary = {column.name for column in columns if isinstance(column.type, LargeBinary)}
    mine = table.c.id == moment.id if table is studies else table.c.study == moment.id
    # What tells the rows of one study apart; reading goes on where it ended.
    key = [column for column in table.primary_key.columns if column in columns]
    wanted = select(*columns).where(mine).order_by(*key)
    last: tuple[Any, ...] | None = None
    while True:
        further = wanted if last is None else wanted.where(tuple_(*key) > tuple_(*last))
        found = moment.connection.execute(further.limit(AT_ONCE)).mappings().all()
        for row in found:
            yield {
                name: base64.b64encode(value).decode() if name in binary else value
                for name, value in row.items()
            }
        if len(found) < AT_ONCE or not key:
            return
        last = tuple(found[-1][column.name] for column in key)

"""A study out of its backup: all of it into a database that does not have it, or nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Double, LargeBinary, String, Table, insert, select
from sqlalchemy.exc import IntegrityError

from askless.errors import AsklessError, SettingError, StateError, StorageError
from askless.storage.backing_up import FORMAT, MANIFEST, PARTS, VERSION, carried, part_name
from askless.storage.database import NEWEST, Database
from askless.storage.journal import AT_ONCE
from askless.storage.moment import moment_in
from askless.storage.tables import events, keys, links, studies, visits

__all__ = ["Restored", "restore"]

MOST_MANIFEST = 1 << 20
MOST_LINE = 1 << 26  # a row; snapshots are the longest
MOST_STATE = 1 << 28  # a snapshot, unpacked
CHUNK = 1 << 20
STRANGE = re.compile("[\\0\ud800-\udfff]")  # in texts: what PostgreSQL, or UTF-8, does not have
BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError)
# What wrong data can set off while a study is put together; none of it is a message for people.
UNFIT = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)


@dataclass(frozen=True)
class Restored:
    """What was restored: the study's name, how many events and visits, the digest of its state."""

    name: str
    events: int
    visits: int
    digest: str


def restore(path: str | Path, database: Database) -> Restored:
    """Put a study from its backup into a database, in one transaction.

    The file is looked through first; one that is damaged, cut off, newer or something else is
    refused, and so is a database that has the study. Then the state that follows from what was
    written is compared with the one of which the backup was taken.

    Parameters
    ----------
    path : str or Path
        The file that `backup` wrote.
    database : Database
        Of either kind; tables are made if it has none.
    """
    with _opened(Path(path)) as (archive, manifest):
        for table in PARTS:
            _check_part(archive, table, manifest)
        database.migrate()
        try:
            with database.writing() as connection:
                return _write(connection, archive, manifest)
        except IntegrityError:
            raise StateError(f"{path}: its rows do not fit together; nothing is written") from None


# -- the file ------------------------------------------------------------------------------------


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """Open a backup; whatever is wrong with it is one error."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            yield archive, _manifest(archive)
    except BROKEN:
        raise StateError(f"{path} is damaged, or no backup of a study") from None
    except RuntimeError as error:  # what zipfile says of files with a password
        if "password" not in str(error):
            raise
        raise StateError(f"{path} is no backup of a study: it has a password") from None
    except StateError as error:
        raise StateError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
    except OSError as error:
        if error.filename is None:
            raise StateError(f"{path} is damaged, or no backup of a study") from None
        raise SettingError(f"{path}: cannot read the file: {error.strerror}") from None


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Return what a backup says of itself; nothing of the archive is ever put on the disk."""
    names = [entry.filename for entry in archive.infolist()]
    if MANIFEST not in names or archive.getinfo(MANIFEST).file_size > MOST_MANIFEST:
        raise StateError("it is no backup of a study")
    with archive.open(MANIFEST) as part:
        try:
            manifest = json.loads(part.read(MOST_MANIFEST))
        except (ValueError, RecursionError):
            raise StateError("it is damaged: its manifest is no JSON") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StateError("it is no backup of a study")
    version, tables = manifest.get("version"), manifest.get("tables")
    if type(version) is int and version > VERSION:
        raise StateError("it is of a newer askless; restore it with that, or update this one")
    if version != VERSION or tables != NEWEST:
        raise StateError(
            f"its tables are of version {tables}, and this askless has {NEWEST}; restore it with"
            f" askless {manifest.get('askless')}, and let this one bring the database up to date"
        )
    parts = manifest.get("parts")
    if not isinstance(parts, dict) or sorted(names) != sorted([MANIFEST, *map(part_name, PARTS)]):
        raise StateError("it has other parts than a backup of a study")
    return manifest


def _check_part(archive: zipfile.ZipFile, table: Table, manifest: dict[str, Any]) -> None:
    """Compare a part with what the manifest says of it, before anything is written."""
    name = part_name(table)
    said = manifest["parts"].get(name)
    size = archive.getinfo(name).file_size
    if not isinstance(said, dict) or said.get("bytes") != size:
        raise StateError(f"it is damaged: {name} is not as long as it was")
    digest = hashlib.sha256()
    with archive.open(name) as part:
        while data := part.read(CHUNK):
            digest.update(data)
    if digest.hexdigest() != said.get("sha256"):
        raise StateError(f"it is damaged: {name} is not what was written")


def _rows(archive: zipfile.ZipFile, table: Table) -> Iterator[dict[str, Any]]:
    """Go through a part's rows, each checked for what its columns can hold."""
    columns = {column.name: column for column in carried(table)}
    name = part_name(table)
    with archive.open(name) as part:
        while line := part.readline(MOST_LINE):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict) or row.keys() != columns.keys():
                raise StateError(f"it is damaged: {name} has a row that is none")
            yield {key: _value(columns[key], value, name) for key, value in row.items()}


def _value(column: Any, value: Any, where: str) -> Any:
    """Return a value as its column holds it; refuse what no database would take."""
    kind = column.type
    if value is None and column.nullable:
        return None
    if isinstance(kind, LargeBinary):
        value = _unpacked(value)
        fits = value is not None
    elif isinstance(kind, Double):
        fits = type(value) in (int, float) and math.isfinite(value)
    elif isinstance(kind, String):
        fits = isinstance(value, str) and len(value) <= (kind.length or MOST_LINE)
        fits = fits and not STRANGE.search(value)
    else:
        fits = type(value) is kind.python_type and abs(value) < 2**63
    if not fits:
        raise StateError(f"it is damaged: {where} has a row whose {column.name!r} cannot be")
    return value


def _unpacked(value: Any) -> bytes | None:
    """Return the bytes of a snapshot; None if they are none, or would unpack to no end."""
    try:
        packed = base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return None
    unpacking = zlib.decompressobj()
    size, rest = 0, packed
    while rest and size <= MOST_STATE:
        size += len(unpacking.decompress(rest, CHUNK))
        rest = unpacking.unconsumed_tail
    return packed if size <= MOST_STATE else None


# -- the database --------------------------------------------------------------------------------


def _write(connection: Connection, archive: zipfile.ZipFile, manifest: dict[str, Any]) -> Restored:
    (row,) = _only(list(_rows(archive, studies)))
    there = connection.execute(select(studies.c.id).where(studies.c.name == row["name"])).first()
    if there is not None:
        raise SettingError(
            f"the database has a study {row['name']!r} already; restore into another database"
        )
    (of,) = connection.execute(insert(studies).values(row)).inserted_primary_key or (0,)
    counts = {}
    for table in PARTS[1:]:
        counts[table] = _insert(connection, archive, table, of)
        if counts[table] != manifest["parts"][part_name(table)].get("rows"):
            raise StateError(f"it is damaged: {part_name(table)} has not as many rows as it had")
    digest = _digest(connection, of)
    if digest != manifest.get("digest"):
        raise StateError(
            "what it leads to is not the state of which it was taken: it has been changed, or was"
            " written by another version of askless; nothing is written"
        )
    return Restored(row["name"], counts[events], counts[visits], digest)


def _only(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(rows) != 1:
        raise StateError(f"it is damaged: it has {len(rows)} studies, and a backup has one")
    return rows


def _insert(connection: Connection, archive: zipfile.ZipFile, table: Table, of: int) -> int:
    """Write a part's rows, some at a time; return how many there were."""
    count, waiting = 0, []
    for row in _rows(archive, table):
        waiting.append({"study": of, **row})
        count += 1
        if len(waiting) == AT_ONCE:
            _flush(connection, table, waiting)
            waiting = []
    if waiting:
        _flush(connection, table, waiting)
    return count


def _flush(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if table in (keys, links):
        (name,) = table.primary_key.columns
        ids = [row[name.name] for row in rows]
        if connection.execute(select(name).where(name.in_(ids))).first() is not None:
            raise SettingError(
                f"the database has {table.name} of this study under another name: the study is"
                " there already; restore into another database"
            )
    connection.execute(insert(table), rows)


def _digest(connection: Connection, of: int) -> str:
    """Return the digest of the state to which what was written leads."""
    try:
        return moment_in(connection, of).replica().as_snapshot().digest
    except StorageError:
        raise
    except AsklessError as error:
        raise StateError(f"{error}; nothing is written") from None
    except UNFIT:
        raise StateError("its journal cannot be followed; nothing is written") from None

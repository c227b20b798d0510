"""Where studies live: SQLite in a file, or PostgreSQL by its address."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from askless.errors import SettingError, StorageError
from askless.storage.tables import metadata

__all__ = ["NEWEST", "Database", "together"]

NEWEST = "0002"  # the migration that this version of askless works with
WAIT = 30.0  # seconds for another writer
VACUUM_WAIT = 5.0  # seconds for readers that hold up what takes deleted rows out of the files
TABLE_WAIT = 500  # milliseconds for one table, in which nobody else gets to it
LEFT = "what was deleted is still in the files"
READ = f"{LEFT}: others are reading; try again when they are done"
VACUUMED = ("events", "visits", "snapshots", "summaries", "questions", "links")
# A network that is cut is noticed within a minute, not after the hours of TCP's own.
PATIENCE = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": int(WAIT * 1000),
}


class Database:
    """A database that holds studies.

    Parameters
    ----------
    address : str or Path
        `postgresql://…`, `sqlite:///file`, or the path of a file for SQLite.
    pragmas : mapping, optional
        Further settings of SQLite's connections, such as `max_page_count`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     database.is_newest()
    ...     database.close()
    True
    """

    def __init__(self, address: str | Path, *, pragmas: Mapping[str, int] | None = None) -> None:
        self.url = url_of(address)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        self._pragmas = {
            "journal_mode": "WAL",
            "synchronous": "FULL",
            "foreign_keys": "ON",
            "secure_delete": "ON",  # what is deleted is overwritten
            "busy_timeout": int(WAIT * 1000),
            **(pragmas or {}),
        }
        # Errors must not carry what people have answered.
        patience = {
            name: value
            for name, value in PATIENCE.items()
            if not self.sqlite and name not in self.url.query
        }
        self.engine = create_engine(self.url, hide_parameters=True, connect_args=patience)
        if self.sqlite:
            event.listen(self.engine, "connect", self._set_up)
            event.listen(self.engine, "begin", _begin)

    def _set_up(self, connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        cursor = connection.cursor()
        for name, value in self._pragmas.items():
            cursor.execute(f"PRAGMA {name}={value}")
        cursor.close()

    # -- transactions ----------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Write in one transaction: all of it, or nothing."""
        with guarded(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read what is there at one moment, while others write."""
        options: dict[str, Any] = {"askless_reads": True}
        if not self.sqlite:
            options["isolation_level"] = "REPEATABLE READ"
        with guarded(), self.engine.connect() as connection:
            reader = connection.execution_options(**options)
            with reader.begin():
                yield reader

    def vacuum(self) -> None:
        """Give back the room of what was deleted, so that no byte of it is left in the tables."""
        with guarded(LEFT), self.engine.connect() as connection:
            raw = connection.execution_options(isolation_level="AUTOCOMMIT")
            if self.sqlite:
                self._write_anew(raw)
            else:
                _let_readers_end(raw)
                _rewrite_all(raw)

    def _write_anew(self, connection: Connection) -> None:
        """Let SQLite write its file anew, and empty its log."""
        cursor = connection.connection.cursor()
        try:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA busy_timeout=50")  # whoever waits there holds up all writers
            emptied = _in_time(lambda: not _checkpoint(cursor))
        except sqlite3.Error as error:
            raise StorageError(f"{LEFT}: {error}; make room, and try again") from None
        finally:
            cursor.execute(f"PRAGMA busy_timeout={self._pragmas['busy_timeout']}")
            cursor.close()
        if not emptied:
            raise StorageError(READ)

    # -- its tables ------------------------------------------------------------------------------

    def is_newest(self) -> bool:
        """Whether its tables are those of this version of askless."""
        with self.reading() as connection:
            return _revision(connection) == NEWEST

    def migrate(self) -> None:
        """Bring its tables to this version; whoever comes second waits."""
        if self.is_newest():
            return  # without importing what migrates
        from askless.storage.migrations import upgrade  # noqa: PLC0415

        with self.writing() as connection:
            if not self.sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(7204110)"))
            found = _revision(connection)
            if found is None:
                _check_empty(connection)
            if found != NEWEST:
                upgrade(connection, found)

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def __repr__(self) -> str:
        return f"Database({self.url.render_as_string(hide_password=True)!r})"


def url_of(address: str | Path) -> URL:
    """Return the address of a database; refuse what is none."""
    given = str(address)
    if "://" not in given:
        if not given:
            raise SettingError("the database has no name; give a file or postgresql://…")
        if not Path(given).absolute().parent.is_dir():
            raise SettingError(f"{given}: there is no folder {Path(given).parent}; make it first")
        return URL.create("sqlite", database=given)
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        raise SettingError(
            "this is no address of a database; give a file or postgresql://…"
        ) from None
    backend = url.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise SettingError(f"askless does not know {backend!r}; give a file or postgresql://…")
    if not url.database or url.database == ":memory:":
        raise SettingError("a study in memory would be lost; give the file of a database")
    return url


# Whoever may still see what was deleted before a moment. Of other roles' sessions PostgreSQL tells
# no more than these columns; only sessions that vacuum by themselves have no user.
OLDER = text(
    "SELECT count(*) FROM (SELECT backend_xid, backend_xmin FROM pg_stat_activity"
    " WHERE usesysid IS NOT NULL AND pid <> pg_backend_pid()"
    " AND (datname = current_database() OR datname IS NULL)"
    " UNION ALL SELECT transaction, NULL FROM pg_prepared_xacts WHERE database = current_database()"
    " UNION ALL SELECT NULL, xmin FROM pg_replication_slots) AS seen(began, sees)"
    " WHERE greatest(age(began), age(sees)) > age(CAST(CAST(:now AS xid8) AS xid))"
)


def _let_readers_end(connection: Connection) -> None:
    """Wait until nobody can see what was deleted: PostgreSQL would copy it for them."""
    moment = text("SELECT CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text)")
    now = connection.execute(moment).scalar_one()
    if not _in_time(lambda: not connection.execute(OLDER, {"now": now}).scalar_one()):
        raise StorageError(READ)


def _rewrite_all(connection: Connection) -> None:
    """Write the tables anew; those who read one hold that up, and it holds up all who come."""
    connection.execute(text(f"SET lock_timeout = '{TABLE_WAIT}ms'"))
    try:
        for table in VACUUMED:
            if not _in_time(partial(_rewritten, connection, table)):
                raise StorageError(READ)
    finally:
        connection.execute(text("RESET lock_timeout"))


def _in_time(done: Callable[[], bool]) -> bool:
    """Try until something is done, or for too long."""
    until = time.monotonic() + VACUUM_WAIT
    while not done():
        if time.monotonic() >= until:
            return False
        time.sleep(0.1)
    return True


def _checkpoint(cursor: Any) -> bool:
    """Empty the log of SQLite; return whether somebody keeps it from that."""
    busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return bool(busy)


def _rewritten(connection: Connection, table: str) -> bool:
    """Write a table anew, if nobody reads it; PostgreSQL only warns where the role may not."""
    where = text("SELECT pg_relation_filenode(CAST(:table AS regclass))")
    before = connection.execute(where, {"table": table}).scalar_one()
    try:
        connection.execute(text(f"VACUUM FULL {table}"))
    except OperationalError as error:
        if type(error.orig).__name__ != "LockNotAvailable":
            raise
        return False
    if connection.execute(where, {"table": table}).scalar_one() == before:
        raise StorageError(
            f"this role may not vacuum the table {table}, so that what was deleted is still in its"
            " file; let the owner of the table erase, or grant MAINTAIN"
        )
    return True


@contextmanager
def guarded(so: str = "nothing was written") -> Iterator[None]:
    """Turn what a database can fail with into one error, which says nothing about anybody.

    `so` says what that means, where it is known.
    """
    try:
        yield
    except IntegrityError:
        raise  # a slip of ours, never to be tried again
    except OperationalError as error:
        raise _failure(error, so) from None
    except DBAPIError as error:
        if error.connection_invalidated or type(error.orig).__name__ in FLEETING:
            raise _failure(error, so) from None
        unreached = isinstance(error, ProgrammingError) and error.statement is None
        if unreached or type(error.orig).__name__ in FORBIDDEN:
            raise _told("the database refuses", error) from None
        if type(error) is DatabaseError:  # what SQLite says of a file that is damaged
            raise _told("the database cannot be read", error) from None
        raise
    except PoolTimeout:
        raise StorageError("the database has no connection left; try again") from None


@contextmanager
def together(connection: Connection) -> Iterator[None]:
    """Send statements that give nothing back without waiting for each of them.

    SQLite is in this process and has nobody to wait for.
    """
    if connection.dialect.name != "postgresql":
        yield
        return
    raw: Any = connection.connection.driver_connection
    driver: Any = connection.dialect.loaded_dbapi
    try:
        with raw.pipeline():
            yield
    except driver.Error as error:  # of any of them: SQLAlchemy has not seen it
        gone = connection.dialect.is_disconnect(error, raw, None)
        if gone:
            connection.invalidate()
        raise DBAPIError.instance(
            None,
            None,
            error,
            driver.Error,
            hide_parameters=True,
            connection_invalidated=gone,
            dialect=connection.dialect,
        ) from None


FLEETING = ("AdminShutdown", "InterfaceError", "CrashShutdown", "CannotConnectNow", "DiskFull")
FORBIDDEN = ("InsufficientPrivilege", "ReadOnlySqlTransaction")


def _failure(error: DBAPIError, so: str) -> StorageError:
    # Whoever is cut off does not know whether the last thing they said was heard.
    known = "" if error.connection_invalidated and so != LEFT else f"{so}, "
    return _told("the database does not answer", error, f"{known}try again")


def _told(what: str, error: DBAPIError, do: str = "") -> StorageError:
    """Return an error with what the database says, and without."""
    rest = f"; {do}" if do else ""
    return StorageError(f"{what}: {_first_line(error)}{rest}", f"{what}{rest}")


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).splitlines()[0] if error.orig is not None else type(error).__name__


def _begin(connection: Connection) -> None:
    reads = connection.get_execution_options().get("askless_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _check_empty(connection: Connection) -> None:
    """Refuse a database in which another program has tables by our names."""
    theirs = set(inspect(connection).get_table_names()) & set(metadata.tables)
    if theirs:
        raise SettingError(
            f"the database has tables of another program: {', '.join(sorted(theirs))}; give askless"
            " a database of its own"
        )


def _revision(connection: Connection) -> str | None:
    """Return the migration that the tables are at; None where there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)

"""What the verbs for live studies share: which database is meant, and which study of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askless.errors import SettingError, StorageError, listed

if TYPE_CHECKING:
    from askless.storage import Database

__all__ = ["DbOption", "StudyArgument", "file_of", "open_study"]

SQLITE = b"SQLite format 3\0"  # how its files begin

DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="ADDRESS",
        help="The database: a file, or postgresql://…; left out, the one .db file of this folder.",
    ),
]
StudyArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="STUDY-NAME",
        help="The study's name; may be left out where the database has one study.",
    ),
]


def open_study(db: str | None, study: str | None) -> tuple[Database, str]:
    """Return the database of a live study, and its name there; nothing is made or changed.

    Parameters
    ----------
    db : str or None
        Its address; None is the one `.db` file of this folder.
    study : str or None
        The study's name; None is the one that the database has.

    Returns
    -------
    tuple of Database and str
        The caller closes the database.
    """
    from askless.storage import Database  # noqa: PLC0415 (so that help comes at once)
    from askless.storage.live_study import find_study, study_names  # noqa: PLC0415

    database = Database(_only_file() if db is None else db)
    try:
        if database.sqlite:
            _check_file(Path(str(database.url.database)))
        if not database.is_newest():
            raise StorageError(
                "the tables of the database are not those of this askless; `askless serve` makes"
                " them and brings them up to date"
            )
        with database.reading() as connection:
            if study is not None:
                find_study(connection, study)
                return database, study
            names = study_names(connection)
    except BaseException:
        database.close()
        raise
    if len(names) != 1:
        database.close()
        has = f"it has {listed(names)}; say which one" if names else "it has no study yet"
        raise SettingError(f"which study is meant? {has}")
    return database, names[0]


def file_of(name: str) -> str:
    """Return the file in which a study lives by default."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._")
    if not stem:
        raise SettingError(f"the study is called {name!r}, which gives no file name; give --db")
    return f"{stem}.db"


def _only_file() -> str:
    """Return the one database of this folder."""
    found = sorted(path.name for path in Path().glob("*.db") if path.is_file())
    if len(found) != 1:
        here = f"this folder has {listed(found)}" if found else "this folder has no .db file"
        raise SettingError(f"which database is meant? {here}; give it with --db")
    return found[0]


def _check_file(path: Path) -> None:
    """Refuse what is no database, before SQLite makes it one."""
    if not path.is_file():
        raise SettingError(f"{path}: there is no such database")
    with path.open("rb") as file:
        if file.read(len(SQLITE)) != SQLITE:
            raise SettingError(f"{path} is not a database of SQLite")

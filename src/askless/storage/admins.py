"""Who may look at a study's dashboard: passwords as argon2 keeps them, sessions as digests."""

from __future__ import annotations

import hashlib
import secrets
import time
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, insert, select, update

from askless.errors import SettingError
from askless.storage.database import Database
from askless.storage.live_study import find_study
from askless.storage.tables import admins, sessions

__all__ = ["ADMIN", "SESSION", "find_session", "has_admin", "set_password", "sign_in", "sign_out"]

ADMIN = "admin"  # who it is unless another name is given
SESSION = 12 * 3600  # seconds after which one must sign in again
SHORTEST, LONGEST = 10, 1_000  # characters of a password

hasher = PasswordHasher()


def set_password(database: Database, study: str, password: str, *, name: str = ADMIN) -> bool:
    """Let somebody look at a study's dashboard, or change their password; return whether new.

    Whoever is signed in under the name must sign in again.

    Parameters
    ----------
    database : Database
        Where the study is.
    study : str
        The only study that it is for.
    password : str
        Of at least 10 characters; kept as argon2 keeps it.
    name : str
        Under which name to sign in.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Database, LiveStudy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     _ = LiveStudy.open(database, al.Study.example())
    ...     _ = set_password(database, "charity", "a long password")
    ...     wrong = sign_in(database, "charity", "admin", "another password")
    ...     secret = sign_in(database, "charity", "admin", "a long password")
    ...     found = find_session(database, "charity", secret)
    ...     database.close()
    >>> wrong, found
    (None, 'admin')
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise SettingError(
            f"the password has {len(password)} characters; give {SHORTEST} to {LONGEST:,}"
        )
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise SettingError("the name of an administrator is a line of 1 to 200 characters")
    kept = hasher.hash(password)
    with database.writing() as connection:
        of, _ = find_study(connection, study)
        mine = (admins.c.study == of, admins.c.name == name)
        changed = connection.execute(update(admins).where(*mine).values(password=kept)).rowcount
        if not changed:
            row = {"study": of, "name": name, "password": kept, "created": time.time()}
            connection.execute(insert(admins).values(row))
        connection.execute(delete(sessions).where(sessions.c.study == of, sessions.c.admin == name))
    return not changed


def has_admin(database: Database, study: str) -> bool:
    """Whether anybody can sign in to a study's dashboard."""
    with database.reading() as connection:
        of, _ = find_study(connection, study)
        found = connection.execute(select(admins.c.name).where(admins.c.study == of).limit(1))
        return found.first() is not None


def sign_in(
    database: Database, study: str, name: str, password: str, *, now: float | None = None
) -> str | None:
    """Return the secret of a new session; None if name or password are wrong.

    It takes as long for a name that is not there.
    """
    now = time.time() if now is None else now
    name = name if name.isprintable() else ""  # nobody's; PostgreSQL takes no NUL
    with database.reading() as connection:
        of, _ = find_study(connection, study)
        kept = connection.execute(
            select(admins.c.password).where(admins.c.study == of, admins.c.name == name)
        ).scalar()
    if not _fits(kept or _nobody(), password) or kept is None:
        return None
    secret = secrets.token_urlsafe(32)
    with database.writing() as connection:
        # The password may have been changed meanwhile.
        still = connection.execute(
            select(admins.c.password).where(admins.c.study == of, admins.c.name == name)
        ).scalar()
        if still != kept:
            return None
        connection.execute(delete(sessions).where(sessions.c.expires <= now))
        row = {"digest": _digest(secret), "study": of, "admin": name, "created": now}
        connection.execute(insert(sessions).values(**row, expires=now + SESSION))
    return secret


def find_session(
    database: Database, study: str, secret: str, *, now: float | None = None
) -> str | None:
    """Return who is signed in with a secret; None if nobody is, or no longer."""
    now = time.time() if now is None else now
    with database.reading() as connection:
        of, _ = find_study(connection, study)
        found: str | None = connection.execute(
            select(sessions.c.admin).where(
                sessions.c.digest == _digest(secret),
                sessions.c.study == of,
                sessions.c.expires > now,
            )
        ).scalar()
    return found


def sign_out(database: Database, study: str, secret: str) -> None:
    """End a session."""
    with database.writing() as connection:
        of, _ = find_study(connection, study)
        connection.execute(
            delete(sessions).where(sessions.c.study == of, sessions.c.digest == _digest(secret))
        )


def _fits(kept: str, password: str) -> bool:
    try:
        return hasher.verify(kept, password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobody() -> str:
    """Return what is compared where there is no such name: nobody has this password."""
    return hasher.hash(secrets.token_urlsafe(32))


def _digest(secret: str) -> str:
    # 256 random bits: a plain hash cannot be guessed back.
    return hashlib.sha256(secret.encode()).hexdigest()

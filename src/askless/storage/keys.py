"""Keys by which programs may call a study: shown once, kept as hashes."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import insert, select, update

from askless.errors import SettingError, meant
from askless.storage.database import Database
from askless.storage.live_study import find_study
from askless.storage.tables import keys, studies

__all__ = ["SCOPES", "Key", "find_key", "list_keys", "make_key", "revoke_key"]

# What a key may be for; admin may do everything.
SCOPES = {
    "serve": "start, see and answer visits",
    "reward": "give rewards",
    "export": "read summaries, effects, events and metrics",
    "admin": "all of that, pause, retire and erase",
}
SHAPE = re.compile(r"ask_([A-Za-z0-9]{12})_([A-Za-z0-9_-]{43})")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True)
class Key:
    """What is known of a key; its secret is not."""

    id: str
    study: str
    name: str
    scopes: frozenset[str]
    created: float
    expires: float | None
    revoked: float | None

    def allows(self, scope: str) -> bool:
        """Whether it may be used for this."""
        return scope in self.scopes or "admin" in self.scopes

    def stands(self, now: float) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or now < self.expires)


def make_key(
    database: Database,
    study: str,
    scopes: Iterable[str],
    *,
    name: str = "",
    days: float | None = None,
) -> str:
    """Make a key and return it; nobody can read it again.

    Parameters
    ----------
    database : Database
        Where the study is.
    study : str
        The only study that it is for.
    scopes : iterable of str
        What it may be used for: serve, reward, export, admin.
    name : str
        What people call it in lists.
    days : float, optional
        After how many days it expires; never if left out.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Database, LiveStudy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     _ = LiveStudy.open(database, al.Study.example())
    ...     secret = make_key(database, "charity", ["serve", "reward"])
    ...     found = find_key(database, secret)
    ...     database.close()
    >>> secret[:4], found.study, found.allows("serve"), found.allows("export")
    ('ask_', 'charity', True, False)
    """
    wanted = list(dict.fromkeys(scopes))
    if not wanted:
        raise SettingError(f"a key needs a scope; the scopes are {', '.join(SCOPES)}")
    for scope in wanted:
        if scope not in SCOPES:
            raise SettingError(
                f"there is no scope {scope!r}{meant(scope, SCOPES, 'the scopes are')}"
            )
    if days is not None and not 0 < days <= 36_525:
        raise SettingError(f"days is {days:g}; give how many days the key is good for, above 0")
    if len(name) > 200 or not name.isprintable():
        raise SettingError("the name of a key is a line of at most 200 characters")
    now = time.time()
    made = "".join(secrets.choice(LETTERS) for _ in range(12)), secrets.token_urlsafe(32)
    with database.writing() as connection:
        of, _ = find_study(connection, study)
        connection.execute(
            insert(keys).values(
                id=made[0],
                study=of,
                name=name,
                scopes=" ".join(wanted),
                digest=_digest(made[1]),
                created=now,
                expires=None if days is None else now + days * 86_400,
            )
        )
    return f"ask_{made[0]}_{made[1]}"


def _digest(secret: str) -> str:
    # 256 random bits: a plain hash cannot be guessed back.
    return hashlib.sha256(secret.encode()).hexdigest()


COLUMNS = [
    keys.c.id,
    studies.c.name,
    keys.c.name,
    keys.c.scopes,
    keys.c.created,
    keys.c.expires,
    keys.c.revoked,
]
JOINED = select(*COLUMNS, keys.c.digest).join(studies, studies.c.id == keys.c.study)


def find_key(database: Database, presented: str) -> Key | None:
    """Return what is known of a key that somebody presents; None if it is forged."""
    parts = SHAPE.fullmatch(presented)
    if parts is None:
        return None
    with database.reading() as connection:
        row = connection.execute(JOINED.where(keys.c.id == parts[1])).one_or_none()
    if row is None or not hmac.compare_digest(row[-1], _digest(parts[2])):
        return None
    return _key(row)


def list_keys(database: Database, study: str) -> list[Key]:
    """Return the keys of a study, the oldest first."""
    with database.reading() as connection:
        of, _ = find_study(connection, study)
        found = connection.execute(JOINED.where(keys.c.study == of).order_by(keys.c.created)).all()
    return [_key(row) for row in found]


def revoke_key(database: Database, study: str, key_id: str) -> None:
    """Let a key be good for nothing from now on."""
    with database.writing() as connection:
        of, _ = find_study(connection, study)
        there = connection.execute(
            select(keys.c.id).where(keys.c.study == of, keys.c.id == key_id)
        ).scalar()
        if there is None:
            raise SettingError(f"study {study!r} has no key {key_id!r}; see: askless key list")
        connection.execute(
            update(keys)
            .where(keys.c.id == key_id, keys.c.revoked.is_(None))
            .values(revoked=time.time())
        )


def _key(row: tuple[object, ...]) -> Key:
    ident, study, name, scopes, created, expires, revoked, _ = row
    return Key(ident, study, name, frozenset(str(scopes).split()), created, expires, revoked)  # type: ignore[arg-type]

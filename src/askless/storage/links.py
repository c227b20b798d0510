"""Links by which people come to a study and back to their visit; of secrets, digests are kept."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from askless.errors import AsklessError, SettingError
from askless.storage.database import Database
from askless.storage.live_study import find_study
from askless.storage.tables import links, visits

__all__ = [
    "DAY",
    "Link",
    "LinkError",
    "add_link",
    "digest_of",
    "exchange",
    "find_link",
    "link_in",
    "make_invitations",
]

DAY = 86_400.0
MOST_INVITATIONS = 100_000
MOST_DAYS = 36_525


class LinkError(AsklessError):
    """A link that leads nowhere; `reason` is unknown, expired or used."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"this link is {reason}")
        self.reason = reason


@dataclass(frozen=True)
class Link:
    """What is known of a link; its secret is not.

    Attributes
    ----------
    kind : str
        invite, resume or reward.
    visit : int or None
        The number of the visit to which it leads, once that has begun.
    token : str or None
        How operations name that visit.
    own : str or None
        How the caller names the person.
    expires, used : float or None
        When it ends, and when an invitation was exchanged.
    """

    kind: str
    visit: int | None
    token: str | None
    own: str | None
    expires: float | None
    used: float | None


def digest_of(secret: str) -> str:
    """Return what is kept of a secret, which has more bits than anybody can guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


def make_invitations(
    database: Database, study: str, count: int, *, days: float | None = None
) -> list[str]:
    """Make codes that each let one person in, once; nobody can read them again.

    Parameters
    ----------
    database : Database
        Where the study is.
    study : str
        How it is called there.
    count : int
        How many.
    days : float, optional
        After how many days they expire; never if left out.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Database, LiveStudy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     codes = make_invitations(database, live.name, 2)
    ...     link = find_link(database, live.id, codes[0])
    ...     database.close()
    >>> len(set(codes)), link.kind, link.used
    (2, 'invite', None)
    """
    if type(count) is not int or not 1 <= count <= MOST_INVITATIONS:
        raise SettingError(
            f"count is {count!r}; give how many invitations, 1 to {MOST_INVITATIONS:,}"
        )
    if days is not None and not 0 < days <= MOST_DAYS:
        raise SettingError(f"days is {days:g}; give for how many days they are good, above 0")
    codes = [secrets.token_urlsafe(24) for _ in range(count)]
    now = time.time()
    with database.writing() as connection:
        of, _ = find_study(connection, study)
        rows = [
            {
                "digest": digest_of(code),
                "study": of,
                "kind": "invite",
                "created": now,
                "expires": None if days is None else now + days * DAY,
            }
            for code in codes
        ]
        connection.execute(insert(links), rows)
    return codes


def link_in(connection: Connection, study: int, digest: str) -> Link | None:
    """Return what a transaction sees of a link."""
    of_visit = (visits.c.study == links.c.study) & (visits.c.number == links.c.visit)
    row = connection.execute(
        select(
            links.c.kind,
            links.c.visit,
            visits.c.token,
            links.c.own,
            links.c.expires,
            links.c.used,
        )
        .select_from(links.outerjoin(visits, of_visit))
        .where(links.c.study == study, links.c.digest == digest)
    ).one_or_none()
    return None if row is None else Link(*row)


def find_link(
    database: Database, study: int, secret: str, *kinds: str, now: float | None = None
) -> Link:
    """Return the link of a secret that somebody presents; refuse one that leads nowhere."""
    with database.reading() as connection:
        link = link_in(connection, study, digest_of(secret))
    if link is None or (kinds and link.kind not in kinds):
        raise LinkError("unknown")
    if link.expires is not None and link.expires <= (time.time() if now is None else now):
        raise LinkError("expired")
    return link


def add_link(
    connection: Connection, study: int, digest: str, kind: str, visit: int, *, until: float | None
) -> None:
    """Let a secret lead to a visit; again, or by two at once: no change."""
    insert_in: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
    new = insert_in[connection.dialect.name](links)
    values = {"digest": digest, "study": study, "kind": kind, "visit": visit}
    values |= {"created": time.time(), "expires": until}
    connection.execute(new.values(values).on_conflict_do_nothing())


def exchange(database: Database, study: int, code: str, secret: str, *, days: float) -> None:
    """Give a browser its own secret for an invitation, once; again by the same one: no change.

    Parameters
    ----------
    database : Database
        Where the study is.
    study : int
        Its place there.
    code : str
        The invitation.
    secret : str
        By which this browser finds its visit from then on.
    days : float
        For how many days.
    """
    now = time.time()
    with database.writing() as connection:
        taken = connection.execute(  # one of several that try at once changes the row
            update(links)
            .where(
                links.c.study == study,
                links.c.digest == digest_of(code),
                links.c.kind == "invite",
                links.c.used.is_(None),
                links.c.expires.is_(None) | (links.c.expires > now),
            )
            .values(used=now)
        ).rowcount
        invite = link_in(connection, study, digest_of(code))
        if invite is None or invite.kind != "invite":
            raise LinkError("unknown")
        if not taken:
            if invite.used is None:
                raise LinkError("expired")
            if link_in(connection, study, digest_of(secret)) is None:
                raise LinkError("used")
            return
        connection.execute(
            insert(links).values(
                digest=digest_of(secret),
                study=study,
                kind="resume",
                own=invite.own,
                created=now,
                expires=now + days * DAY,
            )
        )

"""The secret with which a study signs what it sends back to a survey tool."""

from __future__ import annotations

import secrets
import time

from sqlalchemy import insert, select

from askless.storage.database import Database
from askless.storage.live_study import find_study
from askless.storage.tables import signing

__all__ = ["signing_secret"]


def signing_secret(database: Database, study: str) -> str:
    """Return a study's secret; it is made when it is first wanted and stays the same.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Database, LiveStudy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     first, again = [signing_secret(database, live.name) for _ in range(2)]
    ...     database.close()
    >>> len(first), first == again
    (64, True)
    """
    with database.reading() as connection:
        of, _ = find_study(connection, study)
        wanted = select(signing.c.secret).where(signing.c.study == of)
        known = connection.execute(wanted).scalar()
    if known is not None:
        return str(known)
    with database.writing() as connection:
        # Whoever holds the study's row is alone: two that come at once get the same secret.
        find_study(connection, study, hold=True)
        known = connection.execute(wanted).scalar()
        if known is None:
            known = secrets.token_hex(32)
            connection.execute(insert(signing).values(study=of, secret=known, created=time.time()))
    return str(known)

"""One moment of a study: what a copy of it is made from, while others go on writing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from askless.errors import StateError
from askless.storage.database import Database
from askless.storage.journal import read_events
from askless.storage.live_study import find_study, load_replica
from askless.storage.replica import Replica
from askless.storage.tables import studies
from askless.survey import Study

__all__ = ["Moment", "moment_of"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A study as it is at one moment, and the transaction that sees it so.

    Attributes
    ----------
    connection : Connection
        Reads what was there then, whatever is written meanwhile.
    id : int
        The study's place in the database.
    counters : dict
        Its row of the table of studies.
    """

    connection: Connection
    id: int
    counters: dict[str, Any]

    @property
    def study(self) -> Study:
        """The study, as its file says it."""
        return Study.parse(self.counters["file"], source=f"study {self.counters['name']!r}")

    def replica(self) -> Replica:
        """Return a replica at the end of the journal; it knows what is still to be noted."""
        replica = load_replica(self.connection, self.id, self.study)
        end = self.counters["serial"]
        while replica.position < end:
            found = read_events(self.connection, self.id, replica.position, end)
            if not found:
                raise StateError(f"the journal ends at event {replica.position}, and counts {end}")
            for page in found:
                replica.take(page)
        return replica


@contextmanager
def moment_of(database: Database, name: str) -> Iterator[Moment]:
    """Look at a study in one transaction; refuse one that is not there."""
    with database.reading() as connection:
        yield moment_in(connection, find_study(connection, name)[0])


def moment_in(connection: Connection, study: int) -> Moment:
    """Return what a transaction sees of a study."""
    row = connection.execute(select(studies).where(studies.c.id == study)).one()
    return Moment(connection, study, dict(row._mapping))

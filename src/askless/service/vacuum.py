"""Takes what was deleted out of the database's files: once at a time, for all who wait for it."""

from __future__ import annotations

import asyncio

from askless.service.aside import aside
from askless.storage import Database

__all__ = ["Vacuum"]

LONGEST = 300.0  # seconds


class Vacuum:
    """Writes a database anew, which takes long and more than one at a time would not make shorter.

    Parameters
    ----------
    database : Database
        Whose files have what was deleted.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._now: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def done(self) -> None:
        """Return once what has been deleted by now is out of the files.

        One that has begun may have passed it by: all who come meanwhile share the next.
        """
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._now))
            self._next.add_done_callback(_look)
        await asyncio.shield(self._next)

    async def _after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        self._now, self._next = self._next, None
        await aside(self._database.vacuum, seconds=LONGEST)


def _look(task: asyncio.Task[None]) -> None:
    """See what came of it; those who wanted to know may have gone."""
    if not task.cancelled():
        task.exception()

"""Erased bytes are taken out once at a time, and for all who wait."""

import asyncio
import threading

import pytest

from askless.errors import StorageError
from askless.service.vacuum import Vacuum


class Slow:
    """A database whose vacuum ends when a test says so, and sees what was deleted before."""

    def __init__(self):
        self.deleted, self.seen, self.running, self.most = 0, [], 0, 0
        self.go = threading.Semaphore(0)
        self.fails = False

    def vacuum(self):
        self.running += 1
        self.most = max(self.most, self.running)
        self.seen.append(self.deleted)
        self.go.acquire()
        self.running -= 1
        if self.fails:
            raise StorageError("others are reading")


def test_all_who_wait_share_one_that_begins_after_them():
    """Fails if each call writes the database anew, or one is told of a vacuum from before it."""

    async def play():
        database = Slow()
        vacuum = Vacuum(database)

        async def erase():
            database.deleted += 1
            mine = database.deleted
            await vacuum.done()
            return mine, len(database.seen)

        first = asyncio.create_task(erase())
        while not database.seen:
            await asyncio.sleep(0.001)
        rest = [asyncio.create_task(erase()) for _ in range(20)]
        await asyncio.sleep(0.01)
        assert database.seen == [1]  # the others wait for the one after it
        rest.pop().cancel()  # nobody else loses by that
        database.go.release()
        assert await first == (1, 1)
        database.go.release()
        found = await asyncio.gather(*rest)
        assert {runs for _, runs in found} == {2}
        assert database.seen == [1, 21]
        assert database.most == 1

    asyncio.run(play())


def test_one_that_fails_is_told_to_its_own_and_keeps_nobody_from_the_next():
    """Fails if an error goes to others, or the next one never begins."""

    async def play():
        database = Slow()
        vacuum, database.fails = Vacuum(database), True
        database.go.release()
        with pytest.raises(StorageError, match="others are reading"):
            await vacuum.done()
        database.fails = False
        database.go.release()
        await vacuum.done()

    asyncio.run(play())

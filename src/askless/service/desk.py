"""One thread a study: what callers want is done in its order, many of them in one transaction."""

from __future__ import annotations

import asyncio
import copy
import logging
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from askless.errors import StorageError
from askless.policies import Policy
from askless.service.aside import LONGEST_WAIT
from askless.service.measures import Measures
from askless.storage import LiveStudy, Operation, Tick
from askless.storage.journal import Page
from askless.storage.replica import Replica

__all__ = ["Desk", "Look", "policy_now"]

log = logging.getLogger("askless.service")
MOST_AT_ONCE = 64  # operations of one transaction
IDLE = 0.1  # seconds without callers after which what followed is written down
TICK = 1.0  # seconds between two looks at windows that have passed


class Look(Operation):
    """Look at the newest state of a study."""

    __slots__ = ("_at",)

    def __init__(self, at: Callable[[Page, Replica], Any]) -> None:
        self._at = at

    def run(self, page: Page, replica: Replica) -> Any:
        """Return what is seen."""
        return self._at(page, replica)


def policy_now(_: Page, replica: Replica) -> Policy:
    """Return the policy as it is, for whoever takes longer to look than others should wait."""
    return copy.deepcopy(replica.policy)


class Wanted(NamedTuple):
    """An operation, and who waits for its outcome."""

    operation: Operation
    waiting: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class Desk(threading.Thread):
    """Does the operations of one study.

    They are put into one transaction as they come: while the disk is busy with some, the next
    gather. Whoever asked is told once theirs are safe; learning comes after that.
    """

    def __init__(self, live: LiveStudy, measures: Measures) -> None:
        super().__init__(name=f"desk of {live.name}", daemon=True)
        self.live, self._measures = live, measures
        self._wanted: queue.SimpleQueue[Wanted | None] = queue.SimpleQueue()
        self._ticked = 0.0

    async def ask(self, operation: Operation) -> Any:
        """Do an operation; its error is raised here."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[Any] = loop.create_future()
        self._wanted.put(Wanted(operation, waiting, loop))
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                outcome = await waiting
        except TimeoutError:
            raise StorageError("the database is too slow to answer; try again") from None
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def close(self) -> None:
        """Do what is still wanted, write down what followed, and end."""
        self._wanted.put(None)
        self.join(LONGEST_WAIT)

    # -- the thread ------------------------------------------------------------------------------

    def run(self) -> None:
        """Work until closed."""
        going = True
        while going:
            batch, going = self._gather()
            if batch:
                self._do(batch)
            else:
                self._settle(last=not going)

    def _gather(self) -> tuple[list[Wanted], bool]:
        """Wait for operations; take all that are there."""
        batch: list[Wanted] = []
        try:
            found = self._wanted.get(timeout=IDLE)
            while True:
                if found is None:
                    return batch, False
                if not found.waiting.cancelled():
                    batch.append(found)
                if len(batch) >= MOST_AT_ONCE:
                    return batch, True
                found = self._wanted.get_nowait()
        except queue.Empty:
            return batch, True

    def _do(self, batch: list[Wanted]) -> None:
        def answered(outcomes: list[Any]) -> None:
            _tell(batch, outcomes)

        before = self.live.policy_seconds
        with self._measures.transaction(self.live.name, len(batch)):
            try:
                self.live.run([wanted.operation for wanted in batch], answered)
            except Exception as error:
                if not isinstance(error, StorageError):
                    log.error("a transaction failed: %s", type(error).__name__)
                _tell(batch, [error] * len(batch))  # who has been told already is not told again
        self._measures.policy(self.live.name, self.live.policy_seconds - before)

    def _settle(self, *, last: bool) -> None:
        """While nobody wants anything: write down what followed, let time pass."""
        now = time.monotonic()
        ticks = now - self._ticked >= TICK or last
        if not (ticks or self.live.pending):
            return
        try:
            self.live.run([Tick()] if ticks else [])
            if self.live.pending and (last or ticks):
                self.live.run([])
        except Exception as error:
            if not isinstance(error, StorageError):
                log.error("settling failed: %s", type(error).__name__)
        if ticks:
            self._ticked = now


def _tell(batch: list[Wanted], outcomes: list[Any]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
    for wanted, outcome in zip(batch, outcomes, strict=True):
        by_loop.setdefault(wanted.loop, []).append((wanted.waiting, outcome))
    for loop, told in by_loop.items():
        with suppress(RuntimeError):  # the server is gone; what was done stays done
            loop.call_soon_threadsafe(_settle_futures, told)


def _settle_futures(told: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for waiting, outcome in told:
        if not waiting.done():
            waiting.set_result(outcome)

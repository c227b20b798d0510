"""What takes a while is done beside the loop, and for no longer than callers wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

import anyio
from anyio import CapacityLimiter, to_thread

from askless.errors import StorageError

__all__ = ["LONGEST_WAIT", "aside"]

LONGEST_WAIT = 30.0  # seconds for an answer

Out = TypeVar("Out")
Given = TypeVarTuple("Given")


async def aside(
    work: Callable[[*Given], Out],
    *given: *Given,
    seconds: float = LONGEST_WAIT,
    limiter: CapacityLimiter | None = None,
) -> Out:
    """Return what something brings that may have to wait for the database.

    Where that does not answer, whoever asked is told so; the thread is left to itself. A limiter
    says how many may do such work at once; the wait for one's turn counts.
    """
    try:
        with anyio.fail_after(seconds):
            return await to_thread.run_sync(work, *given, abandon_on_cancel=True, limiter=limiter)
    except TimeoutError:
        raise StorageError("the database is too slow to answer; try again") from None

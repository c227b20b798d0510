"""Whether a call is made again, and when: one rule for both clients."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Generic, TypeVar

import httpx

from askless.client.call import Call
from askless.client.refusals import code_of, refusal
from askless.errors import NotFoundError, ServiceError

__all__ = ["Attempts"]

Out = TypeVar("Out")
FIRST_WAIT = 0.2  # seconds; twice as long each time
LONGEST_WAIT = 10.0
MOST_PATIENCE = 60.0  # a service that asks for more is not waited for
BUSY = frozenset({429, 502, 503, 504})
draw: Callable[[], float] = secrets.SystemRandom().random


class Attempts(Generic[Out]):
    """How often a call has been made, and what is done with what came of it.

    Every call may be made again: a visit has an id, and the same answers or the same reward again
    change nothing. A call is made again where no answer came and where the service says that it is
    busy, after a wait that doubles, of which a half is drawn at random so that many callers do not
    come back at once; a Retry-After is waited for beside that.
    """

    def __init__(self, call: Call[Out], retries: int, key: str) -> None:
        self._call, self._key = call, key
        self._left = retries if call.patient else 0
        self._wait = FIRST_WAIT
        self.again = False

    def lost(self, error: httpx.RequestError) -> float:
        """Return how long to wait after no answer; raise if there were enough attempts."""
        if self._left == 0:
            raise ServiceError(
                f"the service does not answer ({type(error).__name__}); it may or may not have done"
                " what was asked: ask again"
            ) from None
        return self._next()

    def busy(self, response: httpx.Response) -> float | None:
        """Return how long to wait before asking a busy service again; None if that is no use."""
        asked = _retry_after(response)
        # A paused study stays so until somebody resumes it.
        if response.status_code not in BUSY or code_of(response) == "paused":
            return None
        if self._left == 0 or asked > MOST_PATIENCE:
            return None
        return asked + self._next()

    def outcome(self, response: httpx.Response) -> Out:
        """Return what an answer says, or raise why it was refused."""
        if response.is_success:
            try:
                data = response.json() if response.content else None
            except (ValueError, RecursionError):
                data = None
            return self._call.read(data)
        error = refusal(response, self._key)
        if self._call.gone and self.again and isinstance(error, NotFoundError):
            return self._call.read(None)
        raise error

    def _next(self) -> float:
        wait, self._wait = self._wait, min(2 * self._wait, LONGEST_WAIT)
        self._left -= 1
        self.again = True
        return wait * (1 + draw()) / 2


def _retry_after(response: httpx.Response) -> float:
    """Return how many seconds the service asks for: a number, or a date."""
    said = response.headers.get("Retry-After", "")
    if said.isdecimal():
        return float(said)
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except ValueError:
        return 0.0

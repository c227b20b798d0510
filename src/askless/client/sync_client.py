"""A live study as seen by a program: `policy.visit` and `policy.learn`, over HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from time import sleep
from types import TracebackType
from typing import Any, TypeVar

import httpx

from askless.client import call as calls
from askless.client.attempts import Attempts
from askless.client.call import Call
from askless.client.connection import Connection
from askless.client.event import Event
from askless.client.live_visit import LiveVisit, SeenVisit, token_of
from askless.client.summary import Summary
from askless.policies import Effect

__all__ = ["Client"]

Out = TypeVar("Out")


class Client:
    """Calls a live study that `askless serve` holds.

    Every call may be lost on the way and is then made again: no visit is started twice, no reward
    is learned twice. Threads may share a client.

    Parameters
    ----------
    address : str
        Where the service is, such as https://study.example.org. A key is not sent over plain http,
        except to this very machine.
    study : str
        The study's name.
    key : str
        A key of the study. One with the scopes serve and reward is enough for visits.
    timeout : float
        Seconds that one attempt may take; erasures may take longer.
    retries : int
        How often a call is made again where no answer comes or the service is busy.
    plain_http : bool
        Send the key over plain http to other machines too; for a network of your own.
    transport : httpx.BaseTransport, optional
        How requests travel, for tests and unusual networks.

    Examples
    --------
    >>> import askless as al
    >>> with al.Client("http://127.0.0.1:8000", "charity", "ask_key") as client:
    ...     client
    Client('http://127.0.0.1:8000', study='charity')

    With a service at that address, a visit goes as in the library:

    >>> def one_visit(client, ask_the_person):
    ...     visit = client.visit(id="person 7")
    ...     while visit.asks:
    ...         visit.answer({q: ask_the_person(q) for q in visit.asks})
    ...     client.learn(visit, reward=25)
    ...     return visit.arm
    """

    def __init__(
        self,
        address: str,
        study: str,
        key: str,
        *,
        timeout: float = 10,
        retries: int = 5,
        plain_http: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._to = Connection.of(address, study, key, timeout, retries, plain_http=plain_http)
        self._study = study
        self._http = httpx.Client(**self._to.http(), transport=transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._to.address.service!r}, study={self._study!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the connections go."""
        self._http.close()

    # -- visits ----------------------------------------------------------------------------------

    def visit(
        self,
        known: Mapping[str, Any] | None = None,
        arms: Iterable[str] | None = None,
        id: str | None = None,  # noqa: A002 (the word of the API)
    ) -> LiveVisit:
        """Start a visit, or return the one that this person has.

        Parameters
        ----------
        known : mapping, optional
            Answers that are known already and need not be asked.
        arms : iterable of str, optional
            The arms that this person may get; all if left out.
        id : str, optional
            How you name the person: the same id again is the same visit. Drawn if left out.
        """
        return LiveVisit(self, self._do(calls.start(known, arms, id)))

    def find(self, visit: LiveVisit | str) -> LiveVisit:
        """Return a visit as it stands now, by its token."""
        return LiveVisit(self, self._do(calls.see(token_of(visit))))

    def learn(self, visit: LiveVisit | str, reward: float) -> LiveVisit:
        """Give a decided visit's reward: now or next week, once; return the visit as it stands.

        The same reward again is ignored, another one is refused.
        """
        seen = self._do(calls.learn(token_of(visit), reward))
        if isinstance(visit, SeenVisit):
            visit._seen = seen
            return visit
        return LiveVisit(self, seen)

    # -- the study -------------------------------------------------------------------------------

    def summary(self) -> Summary:
        """Return how far the study is (a key with the scope export)."""
        return self._do(calls.summary())

    def effects(self) -> list[Effect]:
        """Return what answers do to rewards, as `policy.effects()` (scope export)."""
        return self._do(calls.effects())

    def events(self, after: int = 0) -> Iterator[Event]:
        """Go through the journal behind a serial, page by page, to its end (scope export)."""
        following: int | None = after
        while following is not None:
            page = self._do(calls.events(following))
            yield from page.events
            following = page.follows(following)

    def pause(self) -> None:
        """Take no new visits; those that are open go on (scope admin)."""
        self._do(calls.pause())

    def resume(self) -> None:
        """Take new visits again (scope admin)."""
        self._do(calls.resume())

    def stop(self) -> None:
        """End the study: no new visits, ever; those that are open go on (scope admin)."""
        self._do(calls.stop())

    def reprice(self, price: float) -> None:
        """Change what asking one question may cost, in reward units (scope admin)."""
        self._do(calls.reprice(price))

    def retire(self, arm: str) -> None:
        """Play an arm no more; rewards that are still to come are learned (scope admin)."""
        self._do(calls.retire(arm))

    def erase(self, visit: LiveVisit | str) -> None:
        """Erase a person's visit, and what was learned from it (scope admin)."""
        self._do(calls.erase(token_of(visit)))

    def health(self) -> dict[str, Any]:
        """Return what the service says of itself, without a key and asked once."""
        return self._do(calls.health())

    # -- over the network ------------------------------------------------------------------------

    def _do(self, call: Call[Out]) -> Out:
        """Make a call, again where that is of use."""
        attempts = Attempts(call, self._to.retries, self._to.key)
        while True:
            try:
                response = self._http.request(**self._to.request(call))
            except httpx.RequestError as error:
                wait: float | None = attempts.lost(error)
            else:
                wait = attempts.busy(response)
                if wait is None:
                    return attempts.outcome(response)
            sleep(wait or 0.0)

"""The same verbs for programs that wait for many people at once."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, TypeVar

import httpx

from askless.client import call as calls
from askless.client.attempts import Attempts
from askless.client.call import Call
from askless.client.connection import Connection
from askless.client.event import Event
from askless.client.live_visit import AsyncLiveVisit, SeenVisit, token_of
from askless.client.summary import Summary
from askless.policies import Effect

__all__ = ["AsyncClient"]

Out = TypeVar("Out")


class AsyncClient:
    """`Client` for asyncio: the same verbs, to be awaited.

    Parameters
    ----------
    address, study, key, timeout, retries, plain_http
        As those of `Client`.
    transport : httpx.AsyncBaseTransport, optional
        How requests travel, for tests and unusual networks.

    Examples
    --------
    >>> import askless as al
    >>> async def one_visit(client: al.AsyncClient, ask_the_person):
    ...     visit = await client.visit(id="person 7")
    ...     while visit.asks:
    ...         await visit.answer({q: await ask_the_person(q) for q in visit.asks})
    ...     await client.learn(visit, reward=25)
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
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._to = Connection.of(address, study, key, timeout, retries, plain_http=plain_http)
        self._study = study
        self._http = httpx.AsyncClient(**self._to.http(), transport=transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._to.address.service!r}, study={self._study!r})"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let the connections go."""
        await self._http.aclose()

    # -- visits ----------------------------------------------------------------------------------

    async def visit(
        self,
        known: Mapping[str, Any] | None = None,
        arms: Iterable[str] | None = None,
        id: str | None = None,  # noqa: A002 (the word of the API)
    ) -> AsyncLiveVisit:
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
        return AsyncLiveVisit(self, await self._do(calls.start(known, arms, id)))

    async def find(self, visit: AsyncLiveVisit | str) -> AsyncLiveVisit:
        """Return a visit as it stands now, by its token."""
        return AsyncLiveVisit(self, await self._do(calls.see(token_of(visit))))

    async def learn(self, visit: AsyncLiveVisit | str, reward: float) -> AsyncLiveVisit:
        """Give a decided visit's reward: now or next week, once; return the visit as it stands.

        The same reward again is ignored, another one is refused.
        """
        seen = await self._do(calls.learn(token_of(visit), reward))
        if isinstance(visit, SeenVisit):
            visit._seen = seen
            return visit
        return AsyncLiveVisit(self, seen)

    # -- the study -------------------------------------------------------------------------------

    async def summary(self) -> Summary:
        """Return how far the study is (a key with the scope export)."""
        return await self._do(calls.summary())

    async def effects(self) -> list[Effect]:
        """Return what answers do to rewards, as `policy.effects()` (scope export)."""
        return await self._do(calls.effects())

    async def events(self, after: int = 0) -> AsyncIterator[Event]:
        """Go through the journal behind a serial, page by page, to its end (scope export)."""
        following: int | None = after
        while following is not None:
            page = await self._do(calls.events(following))
            for event in page.events:
                yield event
            following = page.follows(following)

    async def pause(self) -> None:
        """Take no new visits; those that are open go on (scope admin)."""
        await self._do(calls.pause())

    async def resume(self) -> None:
        """Take new visits again (scope admin)."""
        await self._do(calls.resume())

    async def stop(self) -> None:
        """End the study: no new visits, ever; those that are open go on (scope admin)."""
        await self._do(calls.stop())

    async def reprice(self, price: float) -> None:
        """Change what asking one question may cost, in reward units (scope admin)."""
        await self._do(calls.reprice(price))

    async def retire(self, arm: str) -> None:
        """Play an arm no more; rewards that are still to come are learned (scope admin)."""
        await self._do(calls.retire(arm))

    async def erase(self, visit: AsyncLiveVisit | str) -> None:
        """Erase a person's visit, and what was learned from it (scope admin)."""
        await self._do(calls.erase(token_of(visit)))

    async def health(self) -> dict[str, Any]:
        """Return what the service says of itself, without a key and asked once."""
        return await self._do(calls.health())

    # -- over the network ------------------------------------------------------------------------

    async def _do(self, call: Call[Out]) -> Out:
        """Make a call, again where that is of use."""
        attempts = Attempts(call, self._to.retries, self._to.key)
        while True:
            try:
                response = await self._http.request(**self._to.request(call))
            except httpx.RequestError as error:
                wait: float | None = attempts.lost(error)
            else:
                wait = attempts.busy(response)
                if wait is None:
                    return attempts.outcome(response)
            await sleep(wait or 0.0)

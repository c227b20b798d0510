"""Simulated people sent through the HTTP API of a service, at a pace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import NamedTuple

from askless.client import AsyncClient, AsyncLiveVisit
from askless.demo.people import Person
from askless.errors import (
    AnswerError,
    ConflictError,
    NotFoundError,
    PausedError,
    RewardError,
    SettingError,
    StoppedError,
    VisitError,
)

__all__ = ["Passage", "Sender"]

AT_ONCE = 16  # people in the study at a time; more wait outside
LOOK_AGAIN = 0.5  # seconds after which somebody at the door of a paused study tries again
SLOWEST, FASTEST = 0.01, 1_000.0  # visits a second
# What an administrator's hand can do to a visit under way: it is noted, and the next one comes.
MEANWHILE = (AnswerError, ConflictError, NotFoundError, RewardError, SettingError, VisitError)


class Passage(NamedTuple):
    """A decided visit."""

    number: int  # of the visit in its study
    person: Person
    asked: int  # how many questions were put
    arm: str


class Sender:
    """Lets people come.

    Parameters
    ----------
    client : AsyncClient
        By which the study is called; its key needs the scopes serve and reward.
    people : iterator of Person
        Who comes.
    pace : float
        How many come a second, at most: a service that is slower is waited for.

    Attributes
    ----------
    sent, started, left : int
        How many were sent, got in, and have gone before the arm was decided.
    decided : list of Passage
        Decided visits, in the order in which they ended.
    rewarded : list of Passage
        Those whose reward was taken.
    refused : list of str
        What the service has refused, because somebody changed the study meanwhile.
    over : bool
        Whether the study was stopped, so that nobody can come any more.
    """

    def __init__(self, client: AsyncClient, people: Iterator[Person], pace: float) -> None:
        self._client, self._people, self._gap = client, people, 1 / check_pace(pace)
        self._places = asyncio.Semaphore(AT_ONCE)
        self.sent = self.started = self.left = 0
        self.decided: list[Passage] = []
        self.rewarded: list[Passage] = []
        self.refused: list[str] = []
        self.over = False

    async def send(self, enough: Callable[[], bool]) -> None:
        """Let people come until it is enough; those under way finish, and bring their rewards."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        try:
            async with asyncio.TaskGroup() as group:
                while not (enough() or self.over):
                    await self._places.acquire()
                    self.sent += 1
                    group.create_task(self._come(next(self._people), group))
                    # Whoever could not come in time does not come in a crowd afterwards.
                    due = max(due + self._gap, loop.time())
                    await asyncio.sleep(due - loop.time())
        except ExceptionGroup as several:
            raise several.exceptions[0] from None

    async def _come(self, person: Person, group: asyncio.TaskGroup) -> None:
        try:
            visit = await self._enter(person)
            passage = None if visit is None else await self._answer(person, visit)
        except MEANWHILE as error:
            self.refused.append(str(error))
            return
        finally:
            self._places.release()
        if visit is not None and passage is not None:
            group.create_task(self._bring(visit.token, passage))

    async def _enter(self, person: Person) -> AsyncLiveVisit | None:
        """Start a visit; wait while the study is paused."""
        while True:
            try:
                visit = await self._client.visit(arms=person.arms)
            except StoppedError:
                self.over = True
                return None
            except PausedError:
                await asyncio.sleep(LOOK_AGAIN)
            else:
                self.started += 1
                return visit

    async def _answer(self, person: Person, visit: AsyncLiveVisit) -> Passage | None:
        """Answer what is asked, as long as patience lasts."""
        asked = 0
        while visit.asks:
            answered = visit.asks[: max(0, person.patience - asked)]
            if answered:
                put = len(visit.asks)
                await visit.answer({question: person.answers[question] for question in answered})
                asked += len(answered)
                if len(answered) == put:
                    continue
            self.left += 1
            return None
        passage = Passage(visit.number, person, asked, visit.arm)
        self.decided.append(passage)
        return passage

    async def _bring(self, token: str, passage: Passage) -> None:
        await asyncio.sleep(passage.person.wait)
        try:
            await self._client.learn(token, passage.person.rewards[passage.arm])
        except MEANWHILE as error:
            self.refused.append(str(error))
        else:
            self.rewarded.append(passage)


def check_pace(pace: float) -> float:
    """Return how many people come a second, or refuse it."""
    if not SLOWEST <= pace <= FASTEST:  # nor what is no number
        raise SettingError(
            f"pace is {pace:g}; give how many simulated people come a second, from {SLOWEST:g} to"
            f" {FASTEST:,.0f}"
        )
    return pace

"""One respondent's passage through a live study: reads as `askless.Visit`, moves over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from askless.client import call
from askless.client.seen import Seen
from askless.errors import VisitError
from askless.survey import Question
from askless.survey.question import Answer

if TYPE_CHECKING:
    from askless.client.async_client import AsyncClient
    from askless.client.sync_client import Client

__all__ = ["AsyncLiveVisit", "LiveVisit", "SeenVisit"]


class SeenVisit:
    """What can be seen of a visit, as it stood when the service last spoke of it."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.number}, {self.status}>"

    @property
    def token(self) -> str:
        """How the service names the visit; keep it where a reward comes later."""
        return self._seen.token

    @property
    def id(self) -> str | None:
        """How the caller names the person; drawn at random if the caller gave none."""
        return self._seen.id

    @property
    def number(self) -> int:
        """The visit's number in its study, from 0."""
        return self._seen.number

    @property
    def status(self) -> str:
        """How far it is: open, waiting, rewarded, learned, lost, silent or late."""
        return self._seen.status

    @property
    def asks(self) -> tuple[str, ...]:
        """The questions to put now, in survey order; empty once the arm is decided."""
        return tuple(question.name for question in self._seen.questions)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The same with their texts and options."""
        return self._seen.questions

    @property
    def at_most(self) -> int:
        """How many questions are still to come, at most; it never grows."""
        return self._seen.at_most

    @property
    def answers(self) -> dict[str, Answer]:
        """Every answer held, as given; `None` is a skip."""
        return {q: list(a) if isinstance(a, list) else a for q, a in self._seen.answers.items()}

    @property
    def decided(self) -> bool:
        """Whether the arm has been decided."""
        return self._seen.arm is not None

    @property
    def arm(self) -> str:
        """The arm to play; an error while questions are open."""
        return self._arm()[0]

    @property
    def arm_text(self) -> str:
        """What the study file says of the arm; its name if it says nothing."""
        return self._arm()[1]

    @property
    def reward(self) -> float | None:
        """The reward that came."""
        return self._seen.reward

    def _arm(self) -> tuple[str, str]:
        arm = self._seen.arm
        if arm is None:
            raise VisitError(f"the arm is not decided yet; first answer {', '.join(self.asks)}")
        return arm.name, arm.text


class LiveVisit(SeenVisit):
    """A visit of a live study; made by `Client.visit`, and used as the library's `Visit`."""

    def __init__(self, client: Client, seen: Seen) -> None:
        super().__init__(seen)
        self._client = client

    def answer(self, answers: Mapping[str, Any]) -> None:
        """Take any non-empty part of what is asked; all of it, or nothing if one does not fit."""
        self._seen = self._client._do(call.answer(self.token, answers))

    def revise(self, answers: Mapping[str, Any]) -> None:
        """Change answers, until the arm is decided; all of them, or none if one does not fit."""
        self._seen = self._client._do(call.revise(self.token, answers))


class AsyncLiveVisit(SeenVisit):
    """A visit of a live study; made by `AsyncClient.visit`."""

    def __init__(self, client: AsyncClient, seen: Seen) -> None:
        super().__init__(seen)
        self._client = client

    async def answer(self, answers: Mapping[str, Any]) -> None:
        """Take any non-empty part of what is asked; all of it, or nothing if one does not fit."""
        self._seen = await self._client._do(call.answer(self.token, answers))

    async def revise(self, answers: Mapping[str, Any]) -> None:
        """Change answers, until the arm is decided; all of them, or none if one does not fit."""
        self._seen = await self._client._do(call.revise(self.token, answers))


def token_of(visit: SeenVisit | str) -> str:
    """Return how a visit is named, given itself or that name."""
    return visit.token if isinstance(visit, SeenVisit) else visit

"""A visit as the service shows it, read and checked: nothing of what follows trusts the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from askless.client.event import Event
from askless.client.summary import Span, Summary
from askless.errors import AsklessError, ServiceError
from askless.policies import Effect
from askless.survey import Arm, Question
from askless.survey.kinds import question_from_dict
from askless.survey.question import Answer

__all__ = [
    "EventsPage",
    "Seen",
    "read_data",
    "read_effects",
    "read_events",
    "read_summary",
    "read_visit",
]

Read = TypeVar("Read")


@dataclass(frozen=True)
class Seen:
    """A visit at one moment; answers and its token are not shown when it is printed."""

    token: str = field(repr=False)
    id: str | None = field(repr=False)
    number: int
    status: str
    questions: tuple[Question, ...]
    at_most: int
    answers: dict[str, Answer] = field(repr=False)
    arm: Arm | None
    reward: float | None = field(repr=False)


@dataclass(frozen=True)
class EventsPage:
    """Some events in their order, and the serial after which the next are; None if none are."""

    events: tuple[Event, ...]
    next: int | None

    def follows(self, after: int) -> int | None:
        """Return where to read on; a service that leads back would be read for ever."""
        if self.next is not None and self.next <= after:
            raise ServiceError("the service's list of events leads back to where it began")
        return self.next


def _reader(what: str) -> Callable[[Callable[[Any], Read]], Callable[[Any], Read]]:
    """Say that an answer is not what it should be, without showing it, whatever is wrong."""

    def wrap(read: Callable[[Any], Read]) -> Callable[[Any], Read]:
        def checked(data: Any) -> Read:
            try:
                return read(data)
            except (AsklessError, AttributeError, KeyError, TypeError):
                raise ServiceError(
                    f"the service's answer is not {what} as this version of askless knows it; is"
                    " this the address of askless serve, and is it of the same version?"
                ) from None

        return checked

    return wrap


@_reader("a visit")
def read_visit(data: Any) -> Seen:
    """Read what the service says of a visit.

    >>> read_visit({"visit": "t0ken", "id": None, "number": 3, "status": "open", "at_most": 1,
    ...     "asks": [{"name": "donor", "kind": "yes_no", "text": "Have you given?"}],
    ...     "answers": {"age": 44}, "arm": None, "reward": None})
    Seen(number=3, status='open', questions=(YesNo(name='donor', text='Have you given?', help='',
    cost=1.0, always_ask=False, may_skip=False),), at_most=1, arm=None)
    """
    arm = data["arm"]
    return Seen(
        token=_be(data["visit"], str),
        id=_be(data["id"], str, type(None)),
        number=_be(data["number"], int),
        status=_be(data["status"], str),
        questions=tuple(_question(asked) for asked in data["asks"]),
        at_most=_be(data["at_most"], int),
        answers=dict(_be(data["answers"], dict)),
        arm=None if arm is None else Arm(arm["name"], text=arm["text"]),
        reward=_be(data["reward"], int, float, type(None)),
    )


# What the service says of a question and the library knows; a later version may say more.
SAID = ("name", "kind", "text", "help", "may_skip", "low", "high", "options")


def _question(data: Mapping[str, Any]) -> Question:
    return question_from_dict({key: data[key] for key in SAID if data.get(key) is not None})


@_reader("a list of effects")
def read_effects(data: Any) -> list[Effect]:
    """Read effects as `policy.effects()` returns them."""
    return [_filled(Effect, row) for row in _be(data["effects"], list)]


@_reader("a summary")
def read_summary(data: Any) -> Summary:
    """Read how far a study is."""
    form = data["form"]
    return _filled(
        Summary,
        data,
        questions=tuple(data["questions"]),
        arms=tuple(data["arms"]),
        support={arm: tuple(used) for arm, used in data["support"].items()},
        form=None if form is None else tuple(form),
        asked_now=tuple(data["asked_now"]),
        spans=tuple(_filled(Span, span) for span in data["spans"]),
    )


def _filled(kind: type[Read], data: Mapping[str, Any], **read: Any) -> Read:
    """Fill a dataclass with what the service says of its fields; what it says beside is ignored."""
    names = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: read[name] if name in read else data[name] for name in names})


@_reader("a list of events")
def read_events(data: Any) -> EventsPage:
    """Read some events of the journal."""
    events = tuple(
        Event(
            serial=_be(event["serial"], int),
            at=_be(event["at"], int, float),
            kind=_be(event["kind"], str),
            visit=_be(event["visit"], int, type(None)),
            body=_be(event["body"], dict),
        )
        for event in _be(data["events"], list)
    )
    return EventsPage(events, _be(data["next"], int, type(None)))


@_reader("an object")
def read_data(data: Any) -> dict[str, Any]:
    """Read what is handed on as it is."""
    return dict(_be(data, dict))


def _be(value: Any, *kinds: type) -> Any:
    """Return a value of one of these kinds."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError
    return value

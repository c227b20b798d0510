"""Each verb as one request, before anything is sent: both clients send the same."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from askless.client.address import part
from askless.client.seen import (
    EventsPage,
    Seen,
    read_data,
    read_effects,
    read_events,
    read_summary,
    read_visit,
)
from askless.client.summary import Summary
from askless.errors import AnswerError, AsklessError, RewardError, SettingError
from askless.policies import Effect
from askless.whole import is_whole

__all__ = ["Call"]

Out = TypeVar("Out")
ID_BYTES = 16  # two visits never draw the same
PAGE = 1000  # events asked for at once
LONGEST_ERASURE = 330.0  # seconds; the service writes its database anew, in 300 at most


@dataclass(frozen=True)
class Call(Generic[Out]):
    """A request that may be sent any number of times, and how its answer is read.

    Attributes
    ----------
    body : bytes or None
        JSON. It may hold answers, so that it is not shown.
    of_study : bool
        Whether the path is the study's, and the key is sent.
    gone : bool
        Whether "there is no such thing" means, when asked again, that it has been done.
    patient : bool
        Whether it is made again where the service does not answer.
    seconds : float
        How long its answer is waited for at least.
    """

    method: str
    path: str = field(repr=False)
    read: Callable[[Any], Out] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)
    of_study: bool = True
    gone: bool = False
    patient: bool = True
    seconds: float = 0.0


def start(
    known: Mapping[str, Any] | None, arms: Iterable[str] | None, own: str | None
) -> Call[Seen]:
    """Start a visit; without an id of the caller's own it gets one, so that it is never two."""
    if own is not None and not isinstance(own, str):
        raise SettingError("id is no text; give one that names the person, such as 'person 7'")
    if arms is not None and (isinstance(arms, str) or not isinstance(arms, Iterable)):
        raise SettingError("arms is no list; give a list of names")
    body: dict[str, Any] = {"id": secrets.token_hex(ID_BYTES) if own is None else own}
    if known is not None:
        body["known"] = _answers(known)
    if arms is not None:
        body["arms"] = list(arms)
    return Call("POST", "/visits", read_visit, _json(body, AnswerError, "an answer"))


def see(token: str) -> Call[Seen]:
    """Look at a visit."""
    return Call("GET", _visit(token), read_visit)


def answer(token: str, answers: Mapping[str, Any]) -> Call[Seen]:
    """Answer some of what it asks."""
    return Call("POST", f"{_visit(token)}/answers", read_visit, _answered(answers))


def revise(token: str, answers: Mapping[str, Any]) -> Call[Seen]:
    """Change answers."""
    return Call("PATCH", f"{_visit(token)}/answers", read_visit, _answered(answers))


def learn(token: str, reward: float) -> Call[Seen]:
    """Give a reward."""
    if isinstance(reward, bool | np.bool_):
        raise RewardError("the reward is no number")
    body = _json({"reward": reward}, RewardError, "the reward")
    return Call("POST", f"{_visit(token)}/reward", read_visit, body)


def erase(token: str) -> Call[None]:
    """Erase a person's visit."""
    return Call("DELETE", _visit(token), _nothing, gone=True, seconds=LONGEST_ERASURE)


def summary() -> Call[Summary]:
    """Sum the study up."""
    return Call("GET", "/summary", read_summary)


def effects() -> Call[list[Effect]]:
    """Say what answers do to rewards."""
    return Call("GET", "/effects", read_effects)


def events(after: int) -> Call[EventsPage]:
    """Read the journal from a place on."""
    if not is_whole(after) or after < 0:
        raise SettingError("after is no serial of an event; give a whole number from 0")
    return Call("GET", f"/events?after={int(after)}&limit={PAGE}", read_events)


def pause() -> Call[None]:
    """Take no new visits."""
    return Call("POST", "/pause", _nothing)


def resume() -> Call[None]:
    """Take them again."""
    return Call("POST", "/resume", _nothing)


def stop() -> Call[None]:
    """End the study."""
    return Call("POST", "/stop", _nothing)


def reprice(price: float) -> Call[None]:
    """Change the price of a question."""
    if isinstance(price, bool | np.bool_):
        raise SettingError("the price is no number")
    return Call("POST", "/price", _nothing, _json({"price": price}, SettingError, "the price"))


def retire(arm: str) -> Call[None]:
    """Play an arm no more."""
    return Call("POST", f"/arms/{part(arm, 'the arm')}/retire", _nothing)


def health() -> Call[dict[str, Any]]:
    """Ask whether the service is well; who asks wants to know now."""
    return Call("GET", "/health", read_data, of_study=False, patient=False)


# -- what they share -----------------------------------------------------------------------------


def _visit(token: str) -> str:
    return f"/visits/{part(token, 'the visit')}"


def _nothing(_: Any) -> None:
    """Read nothing: that it was answered is the answer."""


def _answered(answers: Mapping[str, Any]) -> bytes:
    return _json({"answers": _answers(answers)}, AnswerError, "an answer")


def _answers(answers: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(answers, Mapping) or not all(isinstance(name, str) for name in answers):
        raise AnswerError("the answers are no mapping of questions' names to answers")
    return dict(answers)


def _json(body: dict[str, Any], error: type[AsklessError], what: str) -> bytes:
    """Return a body as JSON; what cannot be is refused without being shown."""
    try:
        return json.dumps(body, allow_nan=False, default=_plain).encode()
    except (TypeError, ValueError, RecursionError):
        raise error(f"{what} is neither a number, a text, True, False, None nor a list") from None


def _plain(value: Any) -> Any:
    """Return what numpy and sets hold as JSON can."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError

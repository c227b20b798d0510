"""The service's one shape of an error, turned back into the library's own errors."""

from __future__ import annotations

from typing import Any

import httpx

from askless.errors import (
    AnswerError,
    AsklessError,
    ConflictError,
    KeyRefusedError,
    NotFoundError,
    PausedError,
    RewardError,
    ServiceError,
    SettingError,
    StoppedError,
    StorageError,
    VisitError,
)

__all__ = ["code_of", "refusal"]

LONGEST = 1000  # characters of a message
BY_CODE: dict[str, type[AsklessError]] = {
    "answer": AnswerError,
    "conflict": ConflictError,
    "not_found": NotFoundError,
    "paused": PausedError,
    "refused": AsklessError,
    "reward": RewardError,
    "setting": SettingError,
    "stopped": StoppedError,
    "storage": StorageError,
    "visit": VisitError,
}
BY_STATUS: dict[int, type[AsklessError]] = {
    400: SettingError,
    401: KeyRefusedError,
    403: KeyRefusedError,
    404: NotFoundError,
    409: ConflictError,
    413: SettingError,
    422: SettingError,
}


def code_of(response: httpx.Response) -> str | None:
    """Return the word for programs; None where the answer is not of the service's shape."""
    return _said(response)[0]


def refusal(response: httpx.Response, key: str) -> AsklessError:
    """Return why something was refused, in the service's words.

    >>> said = {"error": {"code": "reward", "message": "the reward is not a number from 0 to 1"}}
    >>> refusal(httpx.Response(422, json=said), "ask_key")
    RewardError('the reward is not a number from 0 to 1')
    """
    code, message = _said(response)
    status = response.status_code
    if code is None:
        return ServiceError(
            f"the answer, of status {status}, is not that of askless serve; is the address right,"
            " and does what stands before the service hand requests on?"
        )
    if key in message:  # whatever a stranger's service says, a key is in no message
        message = "the service refuses this"
    # A key is refused whatever the code; all else goes by its code.
    kind = BY_STATUS.get(status, ServiceError)
    if kind is not KeyRefusedError:
        kind = BY_CODE.get(code, kind)
    return kind(message[:LONGEST])


def _said(response: httpx.Response) -> tuple[str | None, str]:
    """Return code and message; the body of anything else is not looked at."""
    try:
        error: Any = response.json()["error"]
        code, message = error["code"], error["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, ""
    if not isinstance(code, str) or not isinstance(message, str):
        return None, ""
    return code, message

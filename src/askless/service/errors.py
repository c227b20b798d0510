"""The one shape of every error, and which of ours is which: nothing of what was sent is in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Match

from askless.errors import (
    AnswerError,
    AsklessError,
    RewardError,
    SettingError,
    StateError,
    StoppedError,
    StorageError,
    VisitError,
)
from askless.storage import ConflictError, NotFoundError, PausedError

__all__ = ["ErrorShape", "Faces", "Refusal", "answer_errors", "answered", "refused"]

log = logging.getLogger("askless.service")
RETRY_AFTER = 2  # seconds

# By how an address begins, what makes an error into a page; other addresses answer in JSON.
Faces = Mapping[str, Callable[[Request, BaseException], Response]]

# The first that fits says status and code.
KNOWN: tuple[tuple[type[AsklessError], int, str], ...] = (
    (NotFoundError, 404, "not_found"),
    (ConflictError, 409, "conflict"),
    (StoppedError, 409, "stopped"),
    (PausedError, 409, "paused"),
    (StorageError, 503, "storage"),
    (StateError, 500, "state"),
    (AnswerError, 422, "answer"),
    (RewardError, 422, "reward"),
    (VisitError, 409, "visit"),
    (SettingError, 422, "setting"),
    (AsklessError, 422, "refused"),
)
METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 415: "content_type"}


class ErrorBody(BaseModel):
    """What went wrong."""

    code: str = Field(description="A word for programs.")
    message: str = Field(description="A sentence for people: what is wrong, and what to do.")


class ErrorShape(BaseModel):
    """The shape of every error."""

    error: ErrorBody


class Refusal(HTTPException):
    """An error that is answered as it is, also where it interrupts the reading of a body."""

    def __init__(
        self, status: int, code: str, message: str, *, retry_after: int | None = None
    ) -> None:
        super().__init__(status, code)
        self.status, self.code, self.message, self.retry_after = status, code, message, retry_after

    def response(self) -> Response:
        """Return it in the one shape."""
        headers = {"Cache-Control": "no-store"}
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        body = {"error": {"code": self.code, "message": self.message}}
        return JSONResponse(body, self.status, headers)


# What may stand in the place of an error: words of the shapes, never what was sent.
PLACES = {"body", "id", "known", "arms", "answers", "reward", "price"}
PLACES |= {"query", "after", "limit", "span", "last", "path", "visit"}


def refused(error: BaseException) -> Refusal:
    """Return how an error is answered."""
    if isinstance(error, Refusal):
        return error
    for kind, status, code in KNOWN:
        if isinstance(error, kind):
            retry = RETRY_AFTER if status == 503 else None
            if status == 500:
                log.error("the state of a study is in doubt: %s", type(error).__name__)
                break
            said = str(error)
            if isinstance(error, StorageError) and error.discreet != said:
                log.warning("%s", said)  # strangers are not told where the database is
                said = error.discreet
            return Refusal(status, code, said, retry_after=retry)
    return Refusal(500, "internal", "something went wrong in the service; it has been noted")


def _invalid(errors: Sequence[Any]) -> Refusal:
    """Say where a request does not have its shape, without repeating any of it."""
    first = errors[0]
    if first["type"] in ("json_invalid", "json_type"):
        return Refusal(400, "json", "the body is not JSON; send one JSON object")
    place = ".".join(part for part in map(str, first["loc"]) if part in PLACES)
    wanted = WANTED.get(first["type"], first["msg"])
    if len(first["loc"]) > 2:  # of several kinds that would do, the first says only its own
        wanted = KINDS.get(first["loc"][1], wanted)
    return Refusal(422, "shape", f"{place or 'body'}: {wanted}")


WANTED = {  # in place of messages that could repeat what was sent
    "value_error": "the value does not fit",
    "union_tag_invalid": "the value does not fit",
    "extra_forbidden": "it has a key that is not known here",
    "enum": "the value does not fit",
    "literal_error": "the value does not fit",
}
ANSWERS = "an answer is a number, true or false, a text, a list of texts, or null; no other fits"
NUMBER = "give a number; NaN and what is infinite are none"
KINDS = {
    "reward": NUMBER,
    "price": NUMBER,
    "answers": ANSWERS,
    "known": ANSWERS,
}


def _methods(request: Request) -> list[str]:
    """Return what an address takes, by all of its routes; the first alone would say too little."""
    tried = ({**request.scope, "method": method} for method in METHODS)
    return [
        scope["method"]
        for scope in tried
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    ]


def answered(request: Request, error: BaseException, faces: Faces) -> Response:
    """Answer an error as its address does: on a page, or in the one shape."""
    for beginning, face in faces.items():
        if request.scope["path"].startswith(beginning):
            return face(request, error)
    return refused(error).response()


def answer_errors(app: FastAPI, faces: Faces, pages: Sequence[type[Exception]] = ()) -> None:
    """Let an application answer every error: of pages on a page, else in the one shape.

    `pages` are errors that only pages know.
    """

    async def ours(request: Request, error: Exception) -> Response:
        return answered(request, error, faces)

    async def shape(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answered(request, _invalid(error.errors()), faces)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = CODES.get(error.status_code, "bad_request")
        said = {
            404: "there is nothing at this address",
            405: "this address does not take this method",
        }.get(error.status_code, "the request cannot be read")
        response = answered(request, Refusal(error.status_code, code, said), faces)
        response.headers.update(error.headers or {})
        if error.status_code == 405:
            response.headers["Allow"] = ", ".join(_methods(request))
        return response

    of_pages: Sequence[type[Exception]] = [Refusal, *pages]
    for kind in of_pages:
        app.add_exception_handler(kind, ours)
    app.add_exception_handler(AsklessError, ours)
    app.add_exception_handler(RequestValidationError, shape)
    app.add_exception_handler(HTTPException, http)

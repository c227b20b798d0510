"""What every request passes: its size and kind are checked, it is counted, it is noted.

Notes say which route was called and how it ended, never an address with a token in it, nor a body.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Iterable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askless.service.errors import Refusal, refused, respond
from askless.service.measures import Measures

__all__ = ["Gate"]

access = logging.getLogger("askless.access")
log = logging.getLogger("askless.service")
MOST_BYTES = 64 * 1024
WITH_BODY = ("POST", "PUT", "PATCH")


class Gate:
    """The outermost part of the application."""

    def __init__(self, app: ASGIApp, measures: Measures, studies: Iterable[str]) -> None:
        self._app, self._measures, self._studies = app, measures, frozenset(studies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500
        read = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async def receiving() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MOST_BYTES:
                raise _too_large()
            return message

        try:
            refusal = _unfit(scope)
            if refusal is None:
                await self._app(scope, receiving, sending)
            else:
                await respond(scope["path"], refusal)(scope, receive, sending)
        except Exception as error:
            # What was sent may be in the message of an error; where it happened is enough.
            frames = "".join(traceback.format_tb(error.__traceback__))
            log.error("unforeseen %s\n%s", type(error).__name__, frames)
            await respond(scope["path"], refused(error))(scope, receive, sending)
        finally:
            seconds = time.perf_counter() - begun
            route, study = _route(scope), scope.get("path_params", {}).get("study")
            known = study if study in self._studies else ""  # else anybody could add to the counts
            self._measures.request(known, route, status, seconds)
            access.info("%s %s %d %.1f ms", scope["method"], route, status, 1000 * seconds)


def _too_large() -> Refusal:
    return Refusal(413, "too_large", f"the body is larger than {MOST_BYTES} bytes; send less")


def _unfit(scope: Scope) -> Refusal | None:
    """Say why a request is refused before it is read."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or len(length) > 15:
        return Refusal(400, "bad_request", "the length of the body is no number")
    if int(length) > MOST_BYTES:
        return _too_large()
    has_body = int(length) > 0 or b"transfer-encoding" in headers
    if scope["method"] in WITH_BODY and has_body:
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if scope["path"].startswith("/v1/"):
            if kind != b"application/json":
                return Refusal(
                    415, "content_type", "send JSON, with Content-Type: application/json"
                )
        elif kind != b"application/x-www-form-urlencoded":  # what pages for people send
            return Refusal(415, "content_type", "the form cannot be read")
    return None


def _route(scope: Scope) -> str:
    """Return the route's own words, in which there is nothing of the request."""
    route: Any = scope.get("route")
    return str(getattr(route, "path", "(no route)"))

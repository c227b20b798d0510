"""Connections that are answered at once, whoever has made their socket, and whose headers end."""

from __future__ import annotations

import asyncio
import socket

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["PROMPT", "Prompt"]

PROMPT = f"{__name__}:Prompt"  # how workers find it
MOST_BYTES = 64 * 1024  # of a request's address and headers, as of a body


def _refusal(status: bytes, code: bytes, message: bytes) -> bytes:
    """Return an answer in the shape of all errors, for what never reaches the application."""
    said = b'{"error":{"code":"%s","message":"%s"}}' % (code, message)
    return (
        b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncache-control: no-store\r\n"
        b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (status, len(said), said)
    )


NO_HTTP = _refusal(b"400 Bad Request", b"bad_request", b"the request cannot be read")
TOO_LARGE = _refusal(
    b"431 Request Header Fields Too Large",
    b"too_large",
    b"the headers are larger than %d bytes; send less" % MOST_BYTES,
)


class _TooLargeError(Exception):
    """Ends the reading of a request."""


class Prompt(HttpToolsProtocol):
    """HTTP without a wait for full packets.

    The socket that several workers share does not say that it is TCP, so asyncio leaves that wait
    on (Kludex/uvicorn#3149): every answer on a kept connection would come 40 ms later.

    The parser has no limit of headers, so they are counted here: those that it has told of, and
    what it was given since it told of anything, which is of a header that has not ended.
    """

    _told, _untold, _answer = 0, 0, NO_HTTP

    def data_received(self, data: bytes) -> None:
        """Take what was sent."""
        self._untold += len(data)
        super().data_received(data)
        if self._told + self._untold > MOST_BYTES and not self.transport.is_closing():
            self._answer = TOO_LARGE
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Begin to count: a connection may bring many requests."""
        self._told = self._untold = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count a part of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header, before the body or after it."""
        self._count(len(name) + len(value) + len(": \r\n"))
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """Leave the body to the application, which has a limit of its own."""
        self._untold = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End counting."""
        self._told = self._untold = 0
        super().on_message_complete()

    def _count(self, more: int) -> None:
        self._told, self._untold = self._told + more, 0
        if self._told > MOST_BYTES:
            self._answer = TOO_LARGE
            raise _TooLargeError  # which the parser takes for what is no HTTP

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 (what was sent is not repeated)
        """Refuse what is no HTTP, or too much of it; it never reaches the application."""
        self.transport.write(self._answer)
        self.transport.close()

    def connection_made(
        self,
        transport: asyncio.Transport,  # type: ignore[override]
    ) -> None:
        """Take a connection."""
        line = transport.get_extra_info("socket")
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)

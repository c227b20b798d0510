"""Connections that are answered at once, whoever has made their socket."""

from __future__ import annotations

import asyncio
import socket

from uvicorn.protocols.http.auto import AutoHTTPProtocol

__all__ = ["PROMPT", "Prompt"]

PROMPT = f"{__name__}:Prompt"  # how workers find it


SAID = b'{"error":{"code":"bad_request","message":"the request cannot be read"}}'
NO_HTTP = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncache-control: no-store\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(SAID), SAID)
)


class Prompt(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """HTTP without a wait for full packets.

    The socket that several workers share does not say that it is TCP, so asyncio leaves that wait
    on (Kludex/uvicorn#3149): every answer on a kept connection would come 40 ms later.
    """

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 (what was sent is not repeated)
        """Refuse what is no HTTP, in the shape of all errors; it never reaches the application."""
        self.transport.write(NO_HTTP)
        self.transport.close()

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Take a connection."""
        line = transport.get_extra_info("socket")
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)

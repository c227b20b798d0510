"""Connections that are answered at once, whoever has made their socket."""

from __future__ import annotations

import asyncio
import socket

from uvicorn.protocols.http.auto import AutoHTTPProtocol

__all__ = ["PROMPT", "Prompt"]

PROMPT = f"{__name__}:Prompt"  # how workers find it


class Prompt(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """HTTP without a wait for full packets.

    The socket that several workers share does not say that it is TCP, so asyncio leaves that wait
    on (Kludex/uvicorn#3149): every answer on a kept connection would come 40 ms later.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Take a connection."""
        line = transport.get_extra_info("socket")
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)

"""Callers of a service on this machine, which do as little as a client can."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import numpy as np

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


class Caller:
    """One connection that is kept."""

    def __init__(self, port: int, key: str) -> None:
        self._port = port
        self._head = (
            f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )

    async def open(self) -> None:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def post(self, path: str, body: object) -> dict:
        """Send JSON, return what comes back."""
        sent = json.dumps(body)
        self._writer.write(
            f"POST {path} HTTP/1.1\r\n{self._head}{len(sent)}\r\n\r\n{sent}".encode()
        )
        head = await self._reader.readuntil(b"\r\n\r\n")
        got = await self._reader.readexactly(int(LENGTH.search(head)[1]))
        if head[9] != ord("2"):
            raise RuntimeError(f"{head[:12]!r}: {got[:200]!r}")
        return json.loads(got)

    def close(self) -> None:
        """Let go."""
        self._writer.close()


Task = Callable[[Caller, int], Awaitable[None]]


@dataclass(frozen=True)
class Pace:
    """How quickly tasks were done: how many a second, and how long the slowest of 100 took."""

    a_second: float
    p99: float


def measure_pace(port: int, key: str, task: Task, numbers: range, connections: int) -> Pace:
    """Do a task for every number, from several connections at once."""
    return asyncio.run(_measure(port, key, task, numbers, connections))


async def _measure(port: int, key: str, task: Task, numbers: range, connections: int) -> Pace:
    callers = [Caller(port, key) for _ in range(connections)]
    left, seconds = iter(numbers), []
    for caller in callers:
        await caller.open()

    async def work(caller: Caller) -> None:
        for number in left:
            begun = time.perf_counter()
            await task(caller, number)
            seconds.append(time.perf_counter() - begun)

    begun = time.perf_counter()
    await asyncio.gather(*map(work, callers))
    passed = time.perf_counter() - begun
    for caller in callers:
        caller.close()
    return Pace(len(numbers) / passed, float(np.quantile(seconds, 0.99)))

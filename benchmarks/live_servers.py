"""Servers to be measured: askless and the bare endpoint, each in processes of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from askless.survey.study import EXAMPLE

BARE = Path(__file__).parent / "bare_endpoint.py"
STUDY = "charity"
PATIENCE = 60  # seconds for a server to begin


@dataclass(frozen=True)
class Server:
    """A server that runs, and how long it took until its first answer."""

    port: int
    seconds: float


@contextmanager
def askless_server(folder: Path, address: str, workers: int) -> Iterator[Server]:
    """Serve the example study, without limits on calls."""
    port = free_port()
    command = [
        str(Path(sys.executable).parent / "askless"), "serve", str(EXAMPLE), "--db", address,
        "--port", str(port), "--workers", str(workers), "--quiet",
        "--key-rate", "0", "--address-rate", "0",
    ]  # fmt: skip
    with running(command, port, "/health", folder / "askless.log") as server:
        yield server


@contextmanager
def bare_server(folder: Path, address: str, workers: int) -> Iterator[Server]:
    """Serve the endpoint that writes a row."""
    port = free_port()
    command = [sys.executable, str(BARE), address, str(port), str(workers)]
    with running(command, port, "/openapi.json", folder / "bare.log") as server:
        yield server


@contextmanager
def running(command: list[str], port: int, path: str, log: Path) -> Iterator[Server]:
    """Run a server until it is no longer needed; begin once it answers."""
    begun = time.perf_counter()
    with log.open("ab") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, cwd=log.parent, start_new_session=True
        )
        try:
            while not answers(port, path):
                if process.poll() is not None or time.perf_counter() - begun > PATIENCE:
                    raise RuntimeError(log.read_text()[-2000:])
                time.sleep(0.01)
            yield Server(port, time.perf_counter() - begun)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def answers(port: int, path: str) -> bool:
    """Whether somebody answers there."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def free_port() -> int:
    """Return a port that is free."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]


def first_key(folder: Path) -> str:
    """Return the key that a study is given at its first start."""
    return re.search(r"ask_\S+", (folder / "askless.log").read_text())[0]


def policy_seconds(port: int, key: str) -> float:
    """Return how long all workers have been in the policy."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/studies/{STUDY}/metrics",
        headers={"Authorization": f"Bearer {key}"},
    )
    with urllib.request.urlopen(request) as answer:
        text = answer.read().decode()
    lines = re.findall(r"^askless_policy_seconds_total\{[^}]*\} (\S+)$", text, re.MULTILINE)
    return sum(map(float, lines))

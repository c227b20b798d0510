"""A server that runs the application: one process, or several workers on PostgreSQL."""

from __future__ import annotations

import errno
import json
import logging.config
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import uvicorn

from askless.errors import SettingError, StorageError
from askless.service.limits import ADDRESS_RATE, KEY_RATE
from askless.service.measures import SHARED
from askless.service.names import check_name
from askless.service.prompt import PROMPT
from askless.storage import Database
from askless.storage.database import url_of

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Service", "base_of", "check_free", "serve", "serving"]

VARIABLE = "ASKLESS_SERVICE"  # how workers hear what they serve
PATIENCE, LITTLE_PATIENCE = 10, 2  # seconds for calls under way when it is stopped
MOST_WORKERS = 64


@dataclass(frozen=True)
class Service:
    """What is served, where.

    Attributes
    ----------
    address : str
        Of the database.
    studies : tuple of str
        Names of studies that are in it.
    host, port : str, int
        Where to listen; port 0 is any that is free.
    workers : int
        How many processes; more than one only on PostgreSQL.
    key_rate, address_rate : float
        See `create_app`.
    quiet : bool
        Without a line for every call.
    proxy : str, optional
        Addresses of the web servers before it, separated by commas, whose word is taken for who
        calls and whether by https (`X-Forwarded-For`, `X-Forwarded-Proto`); if left out, this very
        machine.
    """

    address: str
    studies: tuple[str, ...]
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    key_rate: float = KEY_RATE
    address_rate: float = ADDRESS_RATE
    quiet: bool = False
    proxy: str | None = None

    def __post_init__(self) -> None:
        for name in self.studies:
            check_name(name)
        if not 1 <= self.workers <= MOST_WORKERS:
            raise SettingError(f"workers is {self.workers}; give 1 to {MOST_WORKERS}")
        if self.workers > 1 and url_of(self.address).get_backend_name() == "sqlite":
            raise SettingError(
                "SQLite has one writer; for several workers put the study on PostgreSQL:"
                " --db postgresql://…"
            )
        if not 0 <= self.port <= 65_535:
            raise SettingError(f"port is {self.port}; give 0 (any) to 65535")
        for name in ("key_rate", "address_rate"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise SettingError(f"{name} is not a number of calls a second from 0 (no limit) on")


def serve(service: Service) -> None:
    """Serve until stopped."""
    logging.config.dictConfig(_logs(service.quiet))
    settings = {"host": service.host, "port": service.port, **_settings(service)}
    if service.workers == 1:
        uvicorn.run(_app_of(service), **settings)
        return
    shared = tempfile.mkdtemp(prefix="askless-measures-")
    os.environ[SHARED] = shared
    os.environ[VARIABLE] = json.dumps(asdict(service))
    try:
        uvicorn.run(
            "askless.service.serving:work", factory=True, workers=service.workers, **settings
        )
    finally:
        shutil.rmtree(shared, ignore_errors=True)


def work() -> FastAPI:
    """Return the application of one of several workers."""
    told = json.loads(os.environ[VARIABLE])
    service = Service(**{**told, "studies": tuple(told["studies"])})
    logging.config.dictConfig(_logs(service.quiet))
    return _app_of(service)


@contextmanager
def serving(service: Service, *, or_any: bool = False) -> Iterator[str]:
    """Serve in a thread while something else is done; yields the address.

    Parameters
    ----------
    service : Service
        Of one worker; signals are left to the caller.
    or_any : bool
        Whether to take any port that is free, if that of the service is taken.
    """
    line = _listening(service.host, service.port, or_any=or_any)
    logging.config.dictConfig(_logs(service.quiet))
    settings = {**_settings(service), "timeout_graceful_shutdown": LITTLE_PATIENCE}
    server = uvicorn.Server(uvicorn.Config(_app_of(service), **settings))
    thread = threading.Thread(target=server.run, args=([line],), name="service")
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise StorageError("the service did not start; its notes above say why")
            thread.join(0.01)
        yield base_of(service.host, line.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()


def base_of(host: str, port: int) -> str:
    """Return how the addresses of what is served there begin.

    >>> base_of("127.0.0.1", 8000), base_of("::1", 8000)
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listening(host: str, port: int, *, or_any: bool) -> socket.socket:
    """Return a socket at which callers are heard."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise SettingError(
                f"cannot listen at {host}, port {port}: {(error.strerror or str(error)).lower()}"
            ) from None
        if or_any:
            return _listening(host, 0, or_any=False)
        raise SettingError(
            f"port {port} is taken; give another with --port, or 0 for any that is free"
        ) from None


def _app_of(service: Service) -> FastAPI:
    # Whoever only looks after workers needs none of it, and starts them sooner.
    from askless.service.app import create_app  # noqa: PLC0415

    return create_app(
        Database(service.address),
        service.studies,
        key_rate=service.key_rate,
        address_rate=service.address_rate,
    )


def _settings(service: Service) -> dict[str, Any]:
    """Return what every server is told."""
    return {
        "http": PROMPT,
        "log_config": None,
        "access_log": False,  # its lines would have the names of visits in them
        "server_header": False,
        "timeout_graceful_shutdown": PATIENCE,
        "forwarded_allow_ips": service.proxy,
    }


def check_free(host: str, port: int) -> None:
    """Refuse an address at which nobody can listen: another is there, or it is not this machine's.

    >>> check_free("127.0.0.1", 0)
    """
    try:
        kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            line.bind(address)
    except OSError as error:
        raise SettingError(
            f"cannot listen on {host}, port {port}: {error.strerror}; give another --port or --host"
        ) from None


def _logs(quiet: bool) -> dict[str, object]:
    """Return how it writes its notes: to stderr, a line each."""
    line = {"handlers": ["notes"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
        "handlers": {"notes": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "loggers": {
            "askless": {**line, "level": "INFO"},
            "askless.access": {**line, "level": "WARNING" if quiet else "INFO"},
            "uvicorn": {**line, "level": "WARNING" if quiet else "INFO"},
            # Named here, or it would be handed on to the one above, with the names of visits.
            "uvicorn.access": {"handlers": [], "propagate": False},
        },
    }

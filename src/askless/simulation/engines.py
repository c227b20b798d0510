"""Where the runs of a sweep are played: on this machine, by Dask or by Ray."""

from __future__ import annotations

import itertools
import logging
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from askless.errors import SettingError, extra, meant, shown
from askless.simulation.local_runs import shared_out

__all__ = ["ENGINES", "Engine"]

ENGINES = ("local", "dask", "ray")
PATIENCE = 10  # seconds until a cluster that does not answer is given up
MOST = 10_000  # processes
AHEAD = 16  # runs that wait for each process; so many are handed out at a time


class Engine:
    """An open engine: hands out calls and returns what they give, in order."""

    def __init__(self, name: str, workers: int) -> None:
        self.name, self._workers = name, workers

    @classmethod
    @contextmanager
    def open(cls, engine: str, *, address: str | None, workers: int | None) -> Iterator[Engine]:
        """Open an engine; close what it has started."""
        if engine not in ENGINES:
            raise SettingError(f"engine is {shown(engine)}{meant(engine, ENGINES, 'choose')}")
        if workers is not None and (type(workers) is not int or not 1 <= workers <= MOST):
            raise SettingError(f"workers is {shown(workers)}; give a whole number from 1 to {MOST}")
        if engine == "local" and address is not None:
            raise SettingError("address is of a cluster; choose the engine dask or ray")
        count = workers or os.cpu_count() or 1
        with ExitStack() as stack:
            if engine == "dask":
                stack.enter_context(_dask(address, count))
            elif engine == "ray":
                stack.enter_context(_ray(address, count))
            yield cls(engine, count)

    def results(
        self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], *, threads: bool
    ) -> Iterator[Any]:
        """Return what each call gives, in their order; only a few of them wait at a time.

        `threads`: whether those of this machine may be worked on by threads.
        """
        portion = AHEAD * self._workers
        if self.name == "local":
            yield from shared_out(function, calls, self._workers, threads=threads, portion=portion)
            return
        with extra("cli"):
            from joblib import Parallel, delayed, parallel_config  # noqa: PLC0415

        tasks = itertools.starmap(delayed(function), calls)
        given = "list" if self.name == "ray" else "generator"  # as they come, if it can be
        with (
            parallel_config(backend=self.name, n_jobs=self._workers),
            Parallel(return_as=given) as parallel,
        ):
            while now := list(itertools.islice(tasks, portion)):
                yield from parallel(now)


@contextmanager
def _dask(address: str | None, workers: int) -> Iterator[None]:
    with extra("dask"):
        from distributed import Client, LocalCluster  # noqa: PLC0415

    with ExitStack() as stack:
        where: Any = address
        if address is not None and address.startswith("tcp://"):  # the others speak second
            _knock("Dask scheduler", address)
        if address is None:
            where = stack.enter_context(
                LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            )
        try:
            stack.enter_context(Client(where, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise SettingError(f"no Dask scheduler answers at {address}: {error}") from None
        yield


def _knock(kind: str, address: str) -> None:
    """Refuse an address at which no cluster answers: both kinds speak first.

    Their own clients wait for minutes, or for ever where something else listens.
    """
    host, _, port = address.rpartition("://")[2].rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as line:
            if not line.recv(1):
                raise OSError("the line was closed")
    except TimeoutError:
        raise SettingError(f"no {kind} answers at {address}: what is there says nothing") from None
    except (OSError, ValueError, OverflowError) as error:
        raise SettingError(f"no {kind} answers at {address}: {error}") from None


@contextmanager
def _ray(address: str | None, workers: int) -> Iterator[None]:
    with extra("ray"):
        import ray  # noqa: PLC0415
        from ray.util.joblib import register_ray  # noqa: PLC0415

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    logging.getLogger("ray").setLevel(logging.ERROR)
    if address not in (None, "auto"):
        _knock("Ray cluster", str(address))
    try:
        if address is None:
            ray.init(num_cpus=workers, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, OSError, RuntimeError) as error:
        line = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SettingError(f"no Ray cluster answers at {address}: {line}") from None
    try:
        register_ray()
        yield
    finally:
        ray.shutdown()

"""Runs shared out on this machine, among threads or processes: the one place where that is done."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from askless.environments import Environment
from askless.environments.base import is_linear
from askless.errors import extra
from askless.policies import Policy

__all__ = ["may_share_threads", "shared_out"]


def may_share_threads(policy: Policy, environment: Environment) -> bool:
    """Whether runs of a policy can be shared out among threads: nothing but the core plays them.

    Its loops hold no lock of Python's, and each run has its own copy of the policy. A loop in
    Python, of the policy or of the people who come, would wait for those of all other threads.
    Measured with two workers, in turn: 8 runs of 100,000 visits take as long either way, 200 runs
    of 2,000 visits 0.4 to 0.7 times as long among threads, to which nothing has to be sent.
    """
    return is_linear(environment) and policy.player() is not None


def shared_out(
    function: Callable[..., Any],
    calls: Iterable[tuple[Any, ...]],
    workers: int,
    *,
    threads: bool,
    in_order: bool = True,
    portion: int | None = None,
) -> Iterator[Any]:
    """Go through what a function gives for each call, which `workers` work on at a time.

    Parameters
    ----------
    function : callable
        Plays a run; it must not matter in which thread or process.
    calls : iterable of tuple
        Its arguments.
    workers : int
        How many threads or processes.
    threads : bool
        Whether they may be threads: see `may_share_threads`.
    in_order : bool
        Whether results come in the order of the calls, or as they end.
    portion : int, optional
        How many calls are made up at a time; all if left out.
    """
    if workers == 1:
        yield from itertools.starmap(function, calls)
        return
    with extra("cli"):
        from joblib import Parallel, delayed  # noqa: PLC0415

    tasks = itertools.starmap(delayed(function), calls)
    with Parallel(
        n_jobs=workers,
        backend="threading" if threads else "loky",
        return_as="generator" if in_order else "generator_unordered",
        batch_size="auto" if in_order else 1,  # else long runs may wait behind each other
    ) as parallel:
        while now := list(itertools.islice(tasks, portion)):
            yield from parallel(now)

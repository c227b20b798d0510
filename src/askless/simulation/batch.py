"""Many policies at once: all their runs are shared out together, so that no core waits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence

from askless.environments import Environment
from askless.policies import Policy
from askless.simulation.local_runs import may_share_threads, shared_out
from askless.simulation.runs import Run, Runs
from askless.simulation.simulate import (
    Checkpoints,
    check_count,
    check_match,
    checkpoint_visits,
    describe,
    play_run,
)

__all__ = ["simulate_all"]

Task = tuple[Policy, Environment]
Job = tuple[int, int]  # a task, a run
Played = tuple[int, Run, float]
Frame = tuple[int, int, Checkpoints]  # horizon, seed and when figures are kept


def simulate_all(
    tasks: Sequence[Task],
    horizon: int,
    runs: int = 1,
    seed: int = 0,
    *,
    workers: int | None = None,
    checkpoints: Checkpoints = 200,
    progress: Callable[[int], None] | None = None,
) -> list[Runs]:
    """Run several policies, each in its environment; what `simulate` gives for each, in order.

    The `seconds` of a policy are the sum of those of its runs, which may have been played at the
    same time.

    Parameters
    ----------
    tasks : sequence of (Policy, Environment)
        Who plays where. Long tasks should come first: the last runs then end together.
    horizon, runs, seed, checkpoints, progress
        As in `simulate`.
    workers : int, optional
        Threads or processes, as in `simulate`; as many as there are cores if left out. The figures
        do not depend on it.
    """
    workers = check_frame(horizon, runs, seed, workers)
    checkpoint_visits(horizon, checkpoints)  # refuses what is none
    for policy, environment in tasks:
        check_match(policy, environment)

    done: list[list[Run]] = [[] for _ in tasks]
    seconds = [0.0] * len(tasks)
    jobs = [(task, run) for task in range(len(tasks)) for run in range(runs)]
    for task, run, taken in _played(tasks, jobs, (horizon, seed, checkpoints), workers):
        done[task].append(run)
        seconds[task] += taken
        if progress is not None:
            progress(horizon)
    return [
        Runs(
            policy=policy.name,
            settings=describe(policy),
            horizon=int(horizon),
            seed=int(seed),
            seconds=seconds[i],
            runs=tuple(sorted(done[i], key=lambda run: run.index)),
        )
        for i, (policy, _) in enumerate(tasks)
    ]


def check_frame(horizon: int, runs: int, seed: int, workers: int | None) -> int:
    """Refuse what `simulate_all` cannot work with; return how many runs are played at a time."""
    for name, value, least in (("horizon", horizon, 1), ("runs", runs, 1), ("seed", seed, 0)):
        check_count(name, value, least)
    if workers is None:
        return os.cpu_count() or 1
    check_count("workers", workers, 1)
    return workers


def _played(
    tasks: Sequence[Task], jobs: Sequence[Job], frame: Frame, workers: int
) -> Iterator[Played]:
    """Play every job; they come as they end."""
    threads = all(may_share_threads(policy, environment) for policy, environment in tasks)
    calls = ((task, *tasks[task], run, frame) for task, run in jobs)
    return shared_out(_play, calls, min(workers, len(jobs)), threads=threads, in_order=False)


def _play(task: int, policy: Policy, environment: Environment, run: int, frame: Frame) -> Played:
    horizon, seed, checkpoints = frame
    started = time.perf_counter()
    played = play_run(policy, environment, horizon, seed, run, checkpoints)
    return task, played, time.perf_counter() - started

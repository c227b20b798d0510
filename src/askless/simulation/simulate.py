"""Run a policy on simulated respondents: compiled where it can be, through visits otherwise."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from askless.checks.blocks import described
from askless.core.arrays import Ints
from askless.environments import Environment, LinearEnvironment
from askless.environments.base import first_respondents, number_of, useful_of
from askless.errors import SettingError, shown
from askless.policies import Policy, as_policy
from askless.policies.linear_ucb import LinearUCB
from askless.policies.one_by_one import OneByOne
from askless.simulation.delays import Delay, Late
from askless.simulation.local_runs import may_share_threads, shared_out
from askless.simulation.runs import Drop, Run, Runs
from askless.simulation.tally import Tally
from askless.whole import check_whole

__all__ = ["simulate"]

Progress = Callable[[int], None]
Checkpoints = int | list[int] | tuple[int, ...]  # how many, or which
MOST = 10**15  # visits, runs, or a seed
MIX = 0x9E3779B97F4A7C15  # spreads seeds over all streams of random numbers


def simulate(
    policy: Policy | str | Mapping[str, Any],
    environment: Environment,
    horizon: int,
    runs: int = 1,
    seed: int = 0,
    *,
    delay: Delay | None = None,
    workers: int = 1,
    checkpoints: Checkpoints = 200,
    progress: Progress | None = None,
) -> Runs:
    """Run a policy on simulated respondents; the policy itself is not changed.

    Parameters
    ----------
    policy : Policy, str or mapping
        Every run starts from a copy of it. Or the name of one, or its `name` and settings.
    environment : Environment
        The respondents; of the same survey, arms and reward range. One of askless, or your own.
    horizon : int
        Visits of a run.
    runs : int
        How many runs.
    seed : int
        A run's respondents depend on (seed, index of the run) alone: not on the policy, its
        settings, the horizon or the number of workers.
    delay : Delay, optional
        How late rewards come, and in which order they are learned; at once if left out.
    workers : int
        How many runs are played at the same time: by threads where a compiled loop plays them,
        else by processes.
    checkpoints : int or sequence of int
        At how many evenly spaced visits figures are kept; or at which. The last is the horizon.
    progress : callable, optional
        Called with a number of further visits played.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=5)
    >>> policy = al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=(0, 2), beta_min=0.5)
    >>> runs = al.simulate(policy, world, horizon=500, runs=2, seed=1)
    >>> [int(run.plays.sum()) for run in runs.runs]
    [500, 500]
    """
    for name, value in (("horizon", horizon), ("runs", runs), ("workers", workers)):
        check_count(name, value, 1)
    check_count("seed", seed, 0)
    if not isinstance(delay, Delay | None):
        raise SettingError(f"delay is {shown(delay)}; give an askless.Delay")
    described(environment)
    policy = as_policy(policy, environment)
    check_match(policy, environment)
    visits = checkpoint_visits(horizon, checkpoints)
    policy = copy.deepcopy(policy)  # all runs begin at one moment of it
    started = time.perf_counter()
    if workers == 1:
        done = [_run(policy, environment, delay, visits, seed, i, progress) for i in range(runs)]
    else:
        done = _share_out(policy, environment, delay, visits, seed, runs, workers, progress)
    return Runs(
        policy=policy.name,
        settings=describe(policy) | ({"delay": asdict(delay)} if delay else {}),
        horizon=int(horizon),
        seed=int(seed),
        seconds=time.perf_counter() - started,
        runs=tuple(done),
    )


def check_match(policy: Policy, environment: Environment) -> None:
    """Refuse a policy of another survey, other arms or another reward range."""
    world = described(environment)
    if not policy.survey.same_columns(world.survey):
        raise SettingError("the policy's survey is not the environment's; use environment.survey")
    if policy.arms != world.arms:
        raise SettingError("the policy's arms are not the environment's; use environment.arms")
    if not policy.roster.has_rules(world.rules):
        raise SettingError(
            "the rules of the policy's arms (eligible_if) are not the environment's; use"
            " environment.arms"
        )
    if policy.reward != world.reward:
        raise SettingError("the policy's reward range is not the environment's; use its reward")
    if isinstance(environment, LinearEnvironment):
        everyone = policy.roster.live & (environment.eligible == 1)
        if not everyone.any():
            raise SettingError(
                "every arm that is open to everyone is retired in the policy; some visits would"
                " have no arm"
            )
        world.rules.check_cover(everyone)
    elif (useful := useful_of(environment)) is not None:
        shape = policy.support.shape
        if np.shape(useful) != shape or np.asarray(useful).dtype != bool:
            raise SettingError(
                f"environment {world.name}: useful is {shown(useful, 60)}; give booleans of shape"
                f" {shape}, an arm a row and a question a column, or leave it out"
            )


def describe(policy: Policy) -> dict[str, Any]:
    """Return a policy's settings with every default filled in."""
    return {"coding": policy.survey.coding, **policy.all_settings()}


def _run(
    policy: Policy,
    environment: Environment,
    delay: Delay | None,
    visits: Ints,
    seed: int,
    index: int,
    progress: Progress | None,
) -> Run:
    policy = copy.deepcopy(policy)
    policy._stream = (seed * MIX + index + 1) % 2**64  # what it draws differs from run to run
    player = policy.player() if delay is None else None
    if delay is not None:
        late = Late(delay, policy.reward, (seed, index), number_of(environment))
        player = OneByOne(policy, late)
    elif player is None:
        player = OneByOne(policy)
    tally = Tally.empty(visits, len(policy.arms), len(policy.survey))
    drops = np.zeros(policy.support.shape, dtype=np.int64)
    live = policy.roster.live
    for block in first_respondents(environment, seed, index, int(visits[-1]), live):
        tally.add(player.play(block, tally.begun, drops))
        if progress is not None:
            progress(len(block))
    return Run(
        index=index,
        visits=visits,
        **tally.curves(),
        other_arms=tally.other_arms,
        support=policy.support,
        drops=_drops(policy, environment, drops),
        questions_left=policy.may_ask(),
    )


def _drops(policy: Policy, environment: Environment, drops: Ints) -> tuple[Drop, ...]:
    if not drops.any():
        return ()
    useful = useful_of(environment)
    rows = policy._model.arms.dropped_at if isinstance(policy, LinearUCB) else drops
    found = [
        Drop(
            arm=policy.arms[k],
            question=policy.survey.names[g],
            visit=int(drops[k, g]),
            row=int(rows[k, g]),
            useful=None if useful is None else bool(useful[k, g]),
        )
        for k, g in np.argwhere(drops > 0)
    ]
    return tuple(sorted(found, key=lambda drop: drop.visit))


def _share_out(
    policy: Policy,
    environment: Environment,
    delay: Delay | None,
    visits: Ints,
    seed: int,
    runs: int,
    workers: int,
    progress: Progress | None,
) -> list[Run]:
    threads = delay is None and may_share_threads(policy, environment)
    calls = ((policy, environment, delay, visits, seed, i, None) for i in range(runs))
    done = []
    for run in shared_out(_run, calls, min(workers, runs), threads=threads):
        done.append(run)
        if progress is not None:
            progress(int(visits[-1]))
    return done


def play_run(
    policy: Policy,
    environment: Environment,
    horizon: int,
    seed: int,
    index: int,
    checkpoints: Checkpoints,
) -> Run:
    """Play one run by itself: the one that `simulate` plays as its `index`-th."""
    return _run(
        policy, environment, None, checkpoint_visits(horizon, checkpoints), seed, index, None
    )


def checkpoint_visits(horizon: int, checkpoints: Checkpoints) -> Ints:
    """Return the numbers of visits at which figures are kept; refuse what is none."""
    if isinstance(checkpoints, list | tuple):
        for visit in checkpoints:
            check_count("a checkpoint", visit, 1)
            if visit > horizon:
                raise SettingError(f"a checkpoint is {visit}; the horizon is {horizon} visits")
        return np.unique([*checkpoints, horizon]).astype(np.int64)
    check_count("checkpoints", checkpoints, 1)
    return np.unique(np.linspace(0, horizon, min(checkpoints, horizon) + 1).astype(np.int64)[1:])


def check_count(name: str, value: Any, least: int) -> None:
    """Refuse what is no number of visits, of runs, or a seed."""
    check_whole(value, name, least, MOST)

"""Run a policy on simulated respondents: compiled where it can be, through visits otherwise."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from askless.environments import Block, LinearEnvironment
from askless.errors import SettingError, extra, shown
from askless.kernels import ahead
from askless.kernels.bundles import Floats, Ints
from askless.kernels.outcome import outcome
from askless.kernels.simulation import play_interactive_visits, play_visits
from askless.policies import ElasticNetSurveyUCB, Policy
from askless.policies.linear_ucb import LinearUCB
from askless.simulation.runs import Drop, Run, Runs

__all__ = ["simulate"]

Progress = Callable[[int], None]
MOST = 10**15  # visits, runs, or a seed


def simulate(
    policy: Policy,
    environment: LinearEnvironment,
    horizon: int,
    runs: int = 1,
    seed: int = 0,
    *,
    workers: int = 1,
    checkpoints: int = 200,
    progress: Progress | None = None,
) -> Runs:
    """Run a policy on simulated respondents; the policy itself is not changed.

    Parameters
    ----------
    policy : Policy
        Every run starts from a copy of it.
    environment : LinearEnvironment
        The respondents; of the same survey, arms and reward range.
    horizon : int
        Visits of a run.
    runs : int
        How many runs.
    seed : int
        A run's respondents depend on (seed, index of the run) alone: not on the policy, its
        settings, the horizon or the number of workers.
    workers : int
        Processes among which runs are shared out.
    checkpoints : int
        At how many evenly spaced visits figures are kept.
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
        _check_whole(name, value, 1)
    _check_whole("seed", seed, 0)
    _check_whole("checkpoints", checkpoints, 1)
    check_match(policy, environment)
    visits = np.unique(np.linspace(0, horizon, min(checkpoints, horizon) + 1).astype(np.int64)[1:])
    warm_up(policy, environment)
    started = time.perf_counter()
    if workers == 1:
        done = [_run(policy, environment, visits, seed, i, progress) for i in range(runs)]
    else:
        done = _share_out(policy, environment, visits, seed, runs, workers, progress)
    return Runs(
        policy=policy.name,
        settings=describe(policy),
        horizon=int(horizon),
        seed=int(seed),
        seconds=time.perf_counter() - started,
        runs=tuple(done),
    )


def warm_up(policy: Policy, environment: LinearEnvironment) -> None:
    """Play two visits on a copy, so that everything is compiled."""
    _run(policy, environment, np.array([2]), 0, 0, None)


def check_match(policy: Policy, environment: LinearEnvironment) -> None:
    """Refuse a policy of another survey, other arms or another reward range."""
    if not policy.survey.same_columns(environment.survey):
        raise SettingError("the policy's survey is not the environment's; use environment.survey")
    if policy.arms != tuple(arm.name for arm in environment.arms):
        raise SettingError("the policy's arms are not the environment's; use environment.arms")
    if policy.reward != environment.reward:
        raise SettingError("the policy's reward range is not the environment's; use its reward")


def describe(policy: Policy) -> dict[str, Any]:
    """Return a policy's settings with every default filled in."""
    settings = {"coding": policy.survey.coding, **policy._settings()}
    if isinstance(policy, LinearUCB):
        constants = policy.constants
        settings |= {"delta": policy.delta, "alpha": policy.alpha, "beta_min": policy.beta_min}
        settings |= {"sigma": constants.sigma, "b1": constants.b1, "b2": constants.b2}
    if isinstance(policy, ElasticNetSurveyUCB):
        settings["lam"] = policy.lam
    return settings


@dataclass
class _Tally:
    """What a run adds up: a block of visits at a time, in constant memory."""

    visits: Ints
    regret: list[float] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    total_regret: float = 0.0
    total_asked: int = 0
    other_arms: int = 0
    begun: int = 0

    def add(self, regret: Floats, asked: Ints, others: Ints) -> None:
        self.other_arms += int(others.sum())
        sums, counts = np.cumsum(regret), np.cumsum(asked)
        due = self.visits[(self.visits > self.begun) & (self.visits <= self.begun + len(regret))]
        for at in due - self.begun - 1:
            self.regret.append(self.total_regret + float(sums[at]))
            self.asked.append(self.total_asked + int(counts[at]))
        self.total_regret += float(sums[-1])
        self.total_asked += int(counts[-1])
        self.begun += len(regret)


def _run(
    policy: Policy,
    environment: LinearEnvironment,
    visits: Ints,
    seed: int,
    index: int,
    progress: Progress | None,
) -> Run:
    policy = copy.deepcopy(policy)
    before = policy.support
    player: _Fused | _Interactive | _ThroughVisits = _ThroughVisits(policy, environment)
    if isinstance(policy, LinearUCB) and policy.roster.live.all():
        interactive = policy.settings.interactive
        player = (_Interactive if interactive else _Fused)(policy, environment)
    tally = _Tally(visits)
    plays = np.zeros(len(policy.arms), dtype=np.int64)
    drops = np.zeros(before.shape, dtype=np.int64)
    for block in _blocks(environment, seed, index, int(visits[-1])):
        played, regret, asked, others = player.play(block, tally.begun, drops)
        tally.add(regret, asked, others)
        plays += np.bincount(played, minlength=len(plays))
        if progress is not None:
            progress(len(played))
    return Run(
        index=index,
        visits=visits,
        regret=np.array(tally.regret),
        asked=np.array(tally.asked),
        other_arms=tally.other_arms,
        plays=plays,
        support=policy.support,
        drops=_drops(policy, environment, drops),
        questions_left=policy.needed(policy.roster.live),
    )


def _blocks(environment: LinearEnvironment, seed: int, index: int, count: int) -> Iterator[Block]:
    for block in environment.respondents(seed, index):
        yield Block(block.contexts[:count], block.luck[:count])
        count -= len(block.luck)
        if count <= 0:
            return


def _drops(policy: Policy, environment: LinearEnvironment, drops: Ints) -> tuple[Drop, ...]:
    useful = environment.useful
    rows = policy._model.arms.dropped_at if isinstance(policy, LinearUCB) else drops
    found = [
        Drop(
            arm=policy.arms[k],
            question=policy.survey.names[g],
            visit=int(drops[k, g]),
            row=int(rows[k, g]),
            useful=bool(useful[k, g]),
        )
        for k, g in np.argwhere(drops > 0)
    ]
    return tuple(sorted(found, key=lambda drop: drop.visit))


class Played(NamedTuple):
    """What became of a block of visits."""

    arms: Ints
    regret: Floats
    asked: Ints
    others: Ints  # 1 where the full survey would have given another arm


def _noise(environment: LinearEnvironment) -> tuple[int, float, float]:
    raw = environment.survey.coding == "raw"
    low = environment.reward.low / environment.reward.span if raw else -0.5
    return environment.noise_form, environment.spread, low


class _Fused:
    """Visits of a UCB policy inside one compiled loop."""

    def __init__(self, policy: LinearUCB, environment: LinearEnvironment) -> None:
        self.model = policy._model
        k, p = environment.coefficients.shape
        self.ahead = ahead.empty(k, p)
        self.every = np.append(np.arange(p), 0)
        self.coefficients = np.c_[environment.coefficients, np.zeros(k)]
        self.noise = _noise(environment)
        self.always = np.array([int(q.always_ask) for q in policy.survey])

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        count = len(block.luck)
        played, asked = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        regret = np.empty(count)
        play_visits(
            self.model.address,
            self.ahead,
            block.contexts,
            block.luck,
            self.every,
            self.coefficients,
            self.noise,
            self.always,
            begun,
            drops,
            played,
            regret,
            asked,
        )
        return Played(played, regret, asked, np.zeros(count, dtype=np.int64))


class _Interactive:
    """Visits of an interactive UCB policy inside one compiled loop, beside the full survey."""

    def __init__(self, policy: LinearUCB, environment: LinearEnvironment) -> None:
        self.model = policy._model
        self.coefficients, self.noise = environment.coefficients, _noise(environment)

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        count = len(block.luck)
        played, asked, others = np.empty((3, count), dtype=np.int64)
        regret = np.empty(count)
        play_interactive_visits(
            self.model.address,
            block.contexts,
            block.luck,
            self.coefficients,
            self.noise,
            begun,
            drops,
            played,
            regret,
            asked,
            others,
        )
        return Played(played, regret, asked, others)


class _ThroughVisits:
    """Visits of any policy, asked and answered one by one."""

    def __init__(self, policy: Policy, environment: LinearEnvironment) -> None:
        self.policy, self.environment = policy, environment

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        policy, world = self.policy, self.environment
        raw = world.survey.coding == "raw"
        form, spread, low = _noise(world)
        played, asked, regret, others = [], [], [], []
        for t, (z, luck) in enumerate(zip(block.contexts, block.luck, strict=True)):
            answers = world.survey.decode(z)
            visit = policy.visit()
            while asks := visit.asks:
                visit.answer({question: answers[question] for question in asks})
            arm = visit.arm_index
            others.append(bool(visit.explain().ruled_out) and policy.play(z) != arm)
            expected = world.coefficients @ z
            units = outcome(form, spread, low, world.reward.span, float(expected[arm]), luck)
            before = policy.support
            policy.learn(visit, world.reward.from_units(units, raw=raw))
            drops[before & ~policy.support] = begun + t + 1
            played.append(arm)
            asked.append(len(visit.asked))
            regret.append(float(expected[policy.roster.live].max() - expected[arm]))
        return Played(np.array(played), np.array(regret), np.array(asked), np.array(others))


def _share_out(
    policy: Policy,
    environment: LinearEnvironment,
    visits: Ints,
    seed: int,
    runs: int,
    workers: int,
    progress: Progress | None,
) -> list[Run]:
    with extra("cli"):
        from joblib import Parallel, delayed  # noqa: PLC0415

    jobs = (delayed(_run)(policy, environment, visits, seed, i, None) for i in range(runs))
    done = []
    for run in Parallel(n_jobs=workers, return_as="generator")(jobs):
        done.append(run)
        if progress is not None:
            progress(int(visits[-1]))
    return done


def _check_whole(name: str, value: Any, least: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= MOST:
        raise SettingError(f"{name} is {shown(value)}; give a whole number from {least} to {MOST}")

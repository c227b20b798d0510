"""Sweeps: a grid of policies and environments, many runs of each, on all cores or on a cluster."""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from askless.checks.blocks import described
from askless.environments import Environment, LinearEnvironment
from askless.errors import SettingError, shown
from askless.policies import Policy, Target, policy_class, policy_of
from askless.simulation.engines import Engine
from askless.simulation.fingerprint import class_fingerprint, fingerprint
from askless.simulation.local_runs import may_share_threads
from askless.simulation.runs import Run, known
from askless.simulation.simulate import (
    Checkpoints,
    check_count,
    check_match,
    checkpoint_visits,
    play_run,
)
from askless.simulation.sweep_results import FORMAT, VERSION, appending, count_done
from askless.survey.names import check_between

__all__ = ["GRID", "KEYS", "Sweep", "expanded"]

GRID = {"environments", "policies"}
KEYS = GRID | {"horizon", "runs", "seed", "checkpoints"}
MOST_LEAVE = 0.5  # of the people, at a question


@dataclass(frozen=True)
class Sweep:
    """A grid: every policy in every environment, so many runs of each.

    Parameters
    ----------
    policies : sequence of mapping
        Each a policy's `name` and its settings; a list stands for each of its values. The name is
        one of `askless.POLICIES`, which has yours once it is registered, or `module:Class`.
    environments : mapping of str to Environment
        The respondents, by names of your own; of askless, or your own.
    horizon, runs, seed : int
        Visits of a run, runs of each combination, seed of all of them.
    checkpoints : int or sequence of int
        At how many evenly spaced visits figures are kept; or at which. The last is the horizon.
    dropout : float
        The share of people who give up at each question that they are asked. Visits are then those
        that are completed; `started_at` says how many people start for so many to complete.

    Examples
    --------
    >>> import tempfile, pathlib, askless as al
    >>> sweep = al.Sweep(
    ...     policies=[{"name": "epoch", "beta_min": [0.3, 0.5]}, {"name": "linucb"}],
    ...     environments={"three arms": al.paper_environment(arms=3, features=5)},
    ...     horizon=500, runs=2)
    >>> len(sweep)
    6
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> sweep.run(path)
    >>> al.sweep_frame(path)["questions_per_visit"].max()
    np.float64(5.0)
    """

    policies: Sequence[Mapping[str, Any]]
    environments: Mapping[str, Environment]
    horizon: int
    runs: int = 1
    seed: int = 0
    checkpoints: Checkpoints = 20
    dropout: float = 0.0
    _chosen: tuple[dict[str, Any], ...] = field(init=False, repr=False)
    _kinds: dict[str, type[Policy]] = field(init=False, repr=False, compare=False)
    _made: dict[Any, _Made] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, least in (("horizon", 1), ("runs", 1), ("seed", 0)):
            check_count(name, getattr(self, name), least)
        checkpoint_visits(self.horizon, self.checkpoints)  # refuses what is none
        check_between(self.dropout, "dropout", 0.0, MOST_LEAVE)
        if not isinstance(self.environments, Mapping):
            raise SettingError(
                f"environments is {shown(self.environments)}; give them by names of your own"
            )
        if not self.policies or not self.environments:
            raise SettingError("a sweep needs at least one policy and one environment")
        chosen = tuple(itertools.chain.from_iterable(map(expanded, self.policies)))
        object.__setattr__(self, "_chosen", chosen)
        object.__setattr__(self, "_kinds", {p["name"]: policy_class(p["name"]) for p in chosen})
        object.__setattr__(self, "_made", {})
        for name, world in self.environments.items():
            try:
                described(world)
            except SettingError as error:
                raise SettingError(f"environment {name!r}: {error}") from None
            for i, settings in enumerate(chosen):
                key = self._key(i, world)
                if key not in self._made:  # what fits one of a plan's hundreds of worlds fits all
                    self._made[key] = _Made(settings, self._travels(settings["name"]), world)

    def __len__(self) -> int:
        return len(self.environments) * len(self._chosen) * self.runs

    def _key(self, i: int, world: Environment) -> Any:
        """Return what a policy is made of: its settings, and what of a world it is made for."""
        kind = self._kinds[self._chosen[i]["name"]]
        return i, id(world) if issubclass(kind, Target) else _form(world)

    def jobs(self) -> Iterator[tuple[str, dict[str, Any], int]]:
        """Go through the grid: the name of an environment, a policy's settings, a run."""
        return itertools.product(self.environments, self._chosen, range(self.runs))

    def header(self) -> dict[str, Any]:
        """Return what tells this sweep from others, as the first line of its results."""
        sources = {name: class_fingerprint(kind) for name, kind in self._kinds.items()}
        foreign = {name: source for name, source in sources.items() if source is not None}
        return {
            "format": FORMAT,
            "version": VERSION,
            "environments": {
                name: fingerprint(world, self.seed) for name, world in self.environments.items()
            },
            "policies": list(self._chosen),
            **({"classes": foreign} if foreign else {}),
            **{name: _plain(getattr(self, name)) for name in sorted(KEYS - GRID)},
            **({"dropout": float(self.dropout)} if self.dropout else {}),
        }

    def run(
        self,
        path: str | Path,
        *,
        engine: str = "local",
        address: str | None = None,
        workers: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Play all runs that the file does not have yet, and append them to it.

        Parameters
        ----------
        path : str or Path
            Lines of JSON; a file that a sweep has left unfinished is gone on with.
        engine : {"local", "dask", "ray"}
            Where to play: on this machine, or a cluster. The results are the same.
        address : str, optional
            Of a running cluster; without one, dask and ray start their own on this machine.
        workers : int, optional
            How many runs are played at a time; as many as there are cores if left out.
        progress : callable, optional
            Called with a number of further visits played.
        """
        target = Path(path)
        done = count_done(target, self.header, self.jobs())
        if progress is not None and done:
            progress(done * self.horizon)
        if done == len(self):
            return
        with (
            Engine.open(engine, address=address, workers=workers) as pool,
            appending(target) as add,
        ):
            if target.stat().st_size == 0:
                add(self.header())
            for row in self._results(pool, done, progress):
                add(row)

    def play(
        self,
        *,
        engine: str = "local",
        address: str | None = None,
        workers: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> list[dict[str, Any]]:
        """Play all runs without a file, where as in `run`; return what it would have of each.

        Examples
        --------
        >>> import askless as al
        >>> world = al.paper_environment(arms=3, features=5)
        >>> sweep = al.Sweep([{"name": "linucb"}], {"three arms": world}, horizon=100, runs=2)
        >>> [row["questions_per_visit"] for row in sweep.play(workers=1)]
        [5.0, 5.0]
        """
        with Engine.open(engine, address=address, workers=workers) as pool:
            return list(self._results(pool, 0, progress))

    def _results(
        self, pool: Engine, done: int, progress: Callable[[int], None] | None
    ) -> Iterator[dict[str, Any]]:
        """Play the jobs after the first so many; yields their lines in the order of the grid."""
        grid = itertools.product(
            self.environments.items(), range(len(self._chosen)), range(self.runs)
        )
        calls = (
            (world, name, self._made[self._key(i, world)], run, *self._frame())
            for (name, world), i, run in itertools.islice(grid, done, None)
        )
        threads = all(made.threads for made in self._made.values())
        for row in pool.results(play_job, calls, threads=threads):
            yield row
            if progress is not None:
                progress(self.horizon)

    def _travels(self, name: str) -> type[Policy] | None:
        """Return the class that goes along with a job: other processes have registered nothing.

        They import `module:Class` themselves, so that they can say what is wrong with it.
        """
        return None if ":" in name else self._kinds[name]

    def _frame(self) -> tuple[int, int, Checkpoints, float]:
        return self.horizon, self.seed, self.checkpoints, self.dropout


class _Made:
    """A policy of the grid, made once for all of its runs.

    Threads share it. Other processes get its settings and make it themselves: those are shorter
    than its sums.
    """

    def __init__(
        self, settings: dict[str, Any], kind: type[Policy] | None, world: Environment
    ) -> None:
        self.settings, self.kind = settings, kind
        self._policy: Policy | None = policy_of(settings, world)
        check_match(self._policy, world)
        self.threads = may_share_threads(self._policy, world)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_policy": None}

    def policy(self, world: Environment) -> Policy:
        """Return the policy; runs start from copies of it."""
        if self._policy is None:
            with warnings.catch_warnings(action="ignore"):  # whoever made the sweep was warned
                self._policy = policy_of(self.settings, world, kind=self.kind)
        return self._policy


def _form(world: Environment) -> Any:
    """Return what says whether a policy fits a world; of others than ours, the world itself."""
    if type(world) is not LinearEnvironment:
        return id(world)
    return id(world.survey), world.arms, world.reward, tuple(world.eligible.tolist())


def _plain(number: Checkpoints) -> int | list[int]:
    return [int(n) for n in number] if isinstance(number, list | tuple) else int(number)


def expanded(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Go through all combinations of a mapping's lists."""
    if not isinstance(settings, Mapping) or not isinstance(settings.get("name"), str):
        give = "its name and settings, as in {name: linucb}"
        name: Any = settings
        if isinstance(name, str):
            give = f"{{name: {shown(name)[1:-1]}}}, and its settings if it has some"
        raise SettingError(f"a policy of a sweep is {shown(settings)}; give {give}")
    lists = [value if isinstance(value, list | tuple) else [value] for value in settings.values()]
    for name, values in zip(settings, lists, strict=True):
        if not values:
            raise SettingError(f"setting {name!r} of a sweep is an empty list; give values")
    for values in itertools.product(*lists):
        given = dict(zip(settings, values, strict=True))
        try:
            json.dumps(given, allow_nan=False)
        except (TypeError, ValueError):
            raise SettingError(
                f"a policy of a sweep is {shown(given)}; give settings that can be written down"
                " as JSON: numbers, texts, true or false"
            ) from None
        yield given


def play_job(
    world: Environment,
    name: str,
    made: _Made,
    run: int,
    horizon: int,
    seed: int,
    checkpoints: Checkpoints,
    dropout: float = 0.0,
) -> dict[str, Any]:
    """Play one run; return its line.

    `regret_at`, `reward_at`, `asked_at` and `cost_at` are sums up to each of `visits`. `drops` has,
    in the order in which it happened: visit, index of the arm, index of the question, the arm's
    rows then, and whether the question is useful. What nobody knows is None.
    """
    policy = made.policy(world)
    played: Run = play_run(policy, world, horizon, seed, run, checkpoints)
    return {
        "environment": name,
        "policy": made.settings,
        "run": run,
        "regret": known(played.regret),
        "reward": played.reward,
        "questions_per_visit": played.questions_per_visit,
        "questions_left": len(played.questions_left),
        "useful_dropped": played.useful_dropped,
        "other_arms": played.other_arms,
        "plays": played.plays.tolist(),
        "visits": played.visits.tolist(),
        "regret_at": [known(regret) for regret in played.regret_at],
        "reward_at": played.reward_at.tolist(),
        "asked_at": played.asked_at.tolist(),
        "cost_at": played.cost_at.tolist(),
        **({"started_at": _started(played, dropout)} if dropout else {}),
        "drops": [
            [d.visit, policy.arm_index(d.arm), policy.survey.index(d.question), d.row, d.useful]
            for d in played.drops
        ],
    }


def _started(played: Run, dropout: float) -> list[float]:
    """Return how many people start for so many to complete: (1 − d)^−q for a visit of q questions.

    Of those who are put a question, the share d leaves, whoever they are.
    """
    each = (1.0 - dropout) ** -np.arange(played.lengths_at.shape[1], dtype=float)
    return [float(number) for number in played.lengths_at @ each]

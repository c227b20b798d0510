"""Sweeps: a grid of policies and environments, many runs of each, on all cores or on a cluster.

Results are lines of JSON in the order of the grid, so that the file is the same on any engine, with
any number of workers, and after any number of interruptions.
"""

from __future__ import annotations

import itertools
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.checks.blocks import described
from askless.environments import Environment, LinearEnvironment
from askless.errors import SettingError, StateError, extra, shown
from askless.policies import Policy, policy_class, policy_of
from askless.simulation.engines import Engine
from askless.simulation.fingerprint import class_fingerprint, fingerprint
from askless.simulation.local_runs import may_share_threads
from askless.simulation.runs import Run, known
from askless.simulation.simulate import (
    Checkpoints,
    check_match,
    check_whole,
    checkpoint_visits,
    play_run,
)
from askless.survey.names import check_between

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GRID", "KEYS", "Sweep", "expanded", "sweep_frame", "sweep_rows"]

FORMAT, VERSION = "askless.sweep", 3
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
    _threads: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, least in (("horizon", 1), ("runs", 1), ("seed", 0)):
            check_whole(name, getattr(self, name), least)
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
        seen, threads = set(), True
        for name, world in self.environments.items():
            try:
                described(world)
            except SettingError as error:
                raise SettingError(f"environment {name!r}: {error}") from None
            key = _form(world)
            if key in seen:  # what fits one of a plan's hundreds of worlds fits all
                continue
            seen.add(key)
            for settings in chosen:
                policy = policy_of(settings, world)
                check_match(policy, world)
                threads = threads and may_share_threads(policy, world)
        object.__setattr__(self, "_threads", threads)

    def __len__(self) -> int:
        return len(self.environments) * len(self._chosen) * self.runs

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
        done = self._done(target)
        if progress is not None and done:
            progress(done * self.horizon)
        jobs = itertools.islice(self.jobs(), done, None)
        if done == len(self):
            return
        with (
            Engine.open(engine, address=address, workers=workers) as pool,
            _appending(target) as add,
        ):
            if target.stat().st_size == 0:
                add(self.header())
            calls = (
                (self.environments[e], e, p, self._travels(p["name"]), run, *self._frame())
                for e, p, run in jobs
            )
            # Threads share one list of what warnings are shown, which is the caller's.
            shared = self._threads and pool.name == "local"
            quiet = warnings.catch_warnings(action="ignore") if shared else nullcontext()
            with quiet:
                play = play_job if shared else play_elsewhere
                for row in pool.results(play, calls, threads=shared):
                    add(row)
                    if progress is not None:
                        progress(self.horizon)

    def _travels(self, name: str) -> type[Policy] | None:
        """Return the class that goes along with a job: other processes have registered nothing.

        They import `module:Class` themselves, so that they can say what is wrong with it.
        """
        return None if ":" in name else self._kinds[name]

    def _frame(self) -> tuple[int, int, Checkpoints, float]:
        return self.horizon, self.seed, self.checkpoints, self.dropout

    def _done(self, target: Path) -> int:
        """Count the runs that a file of this sweep has; refuse any other file."""
        if not target.exists() or target.stat().st_size == 0:
            return 0
        with target.open(encoding="utf-8", errors="replace") as file:
            try:
                header = json.loads(file.readline())
            except ValueError:
                header = None
            if not isinstance(header, dict):
                header = {}
            if header.get("format") != FORMAT:
                raise StateError(f"{target}: these are not results of a sweep; name another file")
            if header != json.loads(json.dumps(self.header())):
                raise StateError(f"{target}: these are results of another sweep; name another file")
            count = 0
            for (name, settings, run), text in zip(self.jobs(), file, strict=False):
                row = _line(target, count + 2, text)
                if [row.get(key) for key in ("environment", "policy", "run")] != [
                    name,
                    json.loads(json.dumps(settings)),
                    run,
                ]:
                    raise StateError(
                        f"{target}, line {count + 2}: this run is not the sweep's next"
                    )
                count += 1
            if file.readline():
                raise StateError(f"{target}: the file has more runs than the sweep")
        return count


def _form(world: Environment) -> Any:
    """Return what says whether a policy fits a world; of others than ours, the world itself."""
    if type(world) is not LinearEnvironment:
        return id(world)
    return id(world.survey), world.arms, world.reward, tuple(world.eligible.tolist())


def _plain(number: Checkpoints) -> int | list[int]:
    return [int(n) for n in number] if isinstance(number, list | tuple) else int(number)


def _line(target: Path, number: int, text: str) -> dict[str, Any]:
    try:
        if not text.endswith("\n"):
            raise ValueError
        row = json.loads(text)
    except ValueError:
        raise StateError(
            f"{target}, line {number}: the line is not complete; remove it to go on from there"
        ) from None
    return row if isinstance(row, dict) else {}


@contextmanager
def _appending(target: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Open a file to add lines to, each in one write, so that a kill leaves whole lines."""
    try:
        file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise StateError(f"{target}: cannot write the file: {error.strerror}") from None

    def add(row: dict[str, Any]) -> None:
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        try:
            written = os.write(file, line)
        except OSError as error:
            raise StateError(f"{target}: cannot write the file: {error.strerror}") from None
        if written < len(line):
            raise StateError(
                f"{target}: the last line could not be written whole; make room on the disk,"
                " remove it and start again"
            )

    try:
        yield add
    finally:
        os.close(file)


def expanded(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Go through all combinations of a mapping's lists."""
    if not isinstance(settings, Mapping) or not isinstance(settings.get("name"), str):
        raise SettingError(f"a policy of a sweep is {shown(settings)}; give its name and settings")
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
    settings: dict[str, Any],
    kind: type[Policy] | None,
    *rest: Any,
) -> dict[str, Any]:
    """Play one run of the grid; return its line. `rest` is what `line_of` wants of it."""
    return line_of(policy_of(settings, world, kind=kind), world, name, settings, *rest)


def play_elsewhere(
    world: Environment,
    name: str,
    settings: dict[str, Any],
    kind: type[Policy] | None,
    *rest: Any,
) -> dict[str, Any]:
    """Play one run of the grid on whichever machine: whoever started the sweep has been warned."""
    with warnings.catch_warnings(action="ignore"):
        policy = policy_of(settings, world, kind=kind)
    return line_of(policy, world, name, settings, *rest)


def line_of(
    policy: Policy,
    world: Environment,
    name: str,
    settings: dict[str, Any],
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
    played: Run = play_run(policy, world, horizon, seed, run, checkpoints)
    return {
        "environment": name,
        "policy": settings,
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


def sweep_rows(path: str | Path) -> Iterator[dict[str, Any]]:
    """Go through the results of a sweep: a mapping a run."""
    with Path(path).open(encoding="utf-8") as file:
        next(file, None)
        yield from map(json.loads, file)


def sweep_frame(path: str | Path) -> pd.DataFrame:
    """Return the results of a sweep: a row a run, with a column a setting and a figure.

    `regret_at`, `reward_at`, `asked_at` and `cost_at` are lists of what was summed up to each of
    `visits`; `drops` lists (visit, arm, question, the arm's rows then, whether it is useful) by
    index.
    """
    with extra("cli"):
        import pandas as pd  # noqa: PLC0415

    flat = [
        {"environment": row["environment"]}
        | {("policy" if key == "name" else key): value for key, value in row["policy"].items()}
        | {key: value for key, value in row.items() if key not in ("environment", "policy")}
        for row in sweep_rows(path)
    ]
    return pd.DataFrame(flat)

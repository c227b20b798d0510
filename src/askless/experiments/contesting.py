"""How a contest is played: the same people for all, in files that a restart goes on with."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from askless.checks.blocks import described
from askless.core.arrays import Floats
from askless.environments import Block, Environment
from askless.environments.base import first_respondents, useful_of
from askless.errors import SettingError
from askless.evaluation.stage import Progress
from askless.experiments.contest import SINGLE, Contest
from askless.experiments.entrants import Entrant, slug
from askless.simulation import Sweep, simulate
from askless.simulation.simulate import check_count
from askless.simulation.sweep_results import sweep_rows
from askless.survey.names import check_between

__all__ = ["contest"]

SIZES = (500, 2_000, 10_000)
PRICE = 0.002  # of a question, of the reward range
TIMED, TIMES = 2_000, 3  # visits, and how often: the median counts


def contest(
    entering: Sequence[Entrant],
    worlds: Mapping[str, Environment],
    folder: str | Path,
    *,
    sizes: Sequence[int] = SIZES,
    runs: int = 3,
    seed: int = 0,
    price: float = PRICE,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Contest:
    """Let policies play on worlds, with the same people for all; runs that are there are kept.

    Parameters
    ----------
    entering : sequence of Entrant
        The policies.
    worlds : mapping of str to Environment
        The worlds, by names of your own.
    folder : str or Path
        Where runs are kept, a file a policy, world and, where it is planned, size. Whatever has
        changed of people, settings, sizes or the number of runs is played anew, in a file of its
        own.
    sizes : sequence of int
        Numbers of people.
    runs, seed : int
        Runs of each, and the seed of all of them.
    price : float
        Of a question of cost 1, as a share of the range of rewards.
    engine, address, workers
        Where to play, as in `Sweep.run`.
    progress : callable, optional
        Called with what is being played, how many visits further, and of how many.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.experiments.contesting import contest
    >>> from askless.experiments.entrants import named_entrant
    >>> both = [named_entrant(name, 0.002) for name in ("survey-bandit", "linucb")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = contest(both, {"arms": al.family("many-arms")}, folder, sizes=[200], runs=2,
    ...                     workers=1)
    >>> found.labels, found.net.shape
    (['SurveyBandit', 'LinUCB, Li 2010', 'best single arm'], (3, 1, 1, 2))
    """
    frame = _Frame(
        sizes=tuple(sorted({_size(size) for size in sizes})),
        runs=runs,
        seed=seed,
        folder=Path(folder),
        where={"engine": engine, "address": address, "workers": workers},
    )
    check_count("runs", runs, 1)
    check_between(price, "price", 0.0, 1.0)
    if not entering or not worlds or not frame.sizes:
        raise SettingError("a contest needs a policy, a world and a number of people")
    labels = [entrant.label for entrant in entering]
    if len(set(labels)) < len(labels):
        raise SettingError(f"two policies are called the same: {', '.join(labels)}")
    frame.folder.mkdir(parents=True, exist_ok=True)
    shape = len(labels) + 1, len(worlds), len(frame.sizes), runs
    figures = {name: np.full(shape, np.nan) for name in ("reward", "cost", "asked", "lost")}
    total = len(worlds) * sum(map(frame.visits, entering))

    def told(further: int) -> None:
        if progress is not None:
            progress("policies and worlds", further, total)

    for w, (name, world) in enumerate(worlds.items()):
        for k, entrant in enumerate(entering):
            for s, rows in frame.play(entrant, name, world, told):
                for figure, table in figures.items():
                    table[k, w, s] = [row[figure] for row in rows]
        figures["reward"][-1, w] = frame.single(world)
        figures["cost"][-1, w] = figures["asked"][-1, w] = 0.0
    counts = [len(described(world).survey) for world in worlds.values()]
    return Contest(
        worlds=list(worlds),
        labels=[*labels, SINGLE],
        sizes=frame.sizes,
        price=price,
        **figures,
        questions=np.array(counts, dtype=float),
        micros=_timed(entering, next(iter(worlds.values())), frame.sizes[-1]),
    )


def _size(size: Any) -> int:
    check_count("a number of people", size, 1)
    return int(size)


@dataclass(frozen=True)
class _Frame:
    """What all policies and worlds of a contest share."""

    sizes: tuple[int, ...]
    runs: int
    seed: int
    folder: Path
    where: Mapping[str, Any]

    def groups(self, entrant: Entrant) -> list[tuple[int, ...]]:
        """Return the places of the sizes that one run of a policy serves."""
        every = range(len(self.sizes))
        return [(s,) for s in every] if entrant.planned else [tuple(every)]

    def visits(self, entrant: Entrant) -> int:
        """Return how many visits a policy plays in a world."""
        return self.runs * sum(self.sizes[group[-1]] for group in self.groups(entrant))

    def play(
        self, entrant: Entrant, name: str, world: Environment, told: Callable[[int], None]
    ) -> Iterator[tuple[int, list[dict[str, float]]]]:
        """Play what is not kept; yields the runs of each size, by its place."""
        for group in self.groups(entrant):
            sizes = [self.sizes[s] for s in group]
            sweep = Sweep(
                policies=[entrant.policy(described(world).reward.span, sizes[-1])],
                environments={name: world},
                horizon=sizes[-1],
                runs=self.runs,
                seed=self.seed,
                checkpoints=sizes,
            )
            planned = f"-{sizes[-1]}" if entrant.planned else ""
            path = (
                self.folder / f"{slug(name)}--{slug(entrant.label)}{planned}--{_hash(sweep)}.jsonl"
            )
            sweep.run(path, progress=told, **self.where)
            rows = list(sweep_rows(path))
            for i, s in enumerate(group):
                yield s, [_figures(row, i, world) for row in rows]

    def single(self, world: Environment) -> Floats:
        """Return what the arm brings that is best over the people of all runs (sizes × runs).

        Whoever may not get it gets the best one of the others.
        """
        reward, tables = described(world).reward, []
        for run in range(self.runs):
            blocks = first_respondents(world, self.seed, run, self.sizes[-1])
            tables.append(np.vstack([_brought(block) for block in blocks]))
        told = [~np.isnan(table) for table in tables]
        counts = np.sum([flags.sum(axis=0) for flags in told], axis=0)
        totals = np.sum([np.nansum(table, axis=0) for table in tables], axis=0)
        means = np.where(counts > 0, totals / np.maximum(counts, 1), -np.inf)
        order = np.argsort(-means, kind="stable")
        found = np.empty((len(self.sizes), self.runs))
        for run, (table, flags) in enumerate(zip(tables, told, strict=True)):
            first = order[flags[:, order].argmax(axis=1)]
            sums = np.cumsum(table[np.arange(len(table)), first])
            found[:, run] = [sums[size - 1] / size for size in self.sizes]
        return np.asarray((found - reward.low) / reward.span)


def _brought(block: Block) -> Floats:
    """Return what each arm would bring (n × K), NaN where someone may not get it."""
    if block.allowed is None:
        return block.rewards
    return np.where(block.allowed, block.rewards, np.nan)


def _hash(sweep: Sweep) -> str:
    """Return what tells a sweep from others, so that whatever has changed is played anew."""
    known = json.dumps([version("askless"), sweep.header()])
    return hashlib.sha256(known.encode()).hexdigest()[:8]


def _figures(row: Mapping[str, Any], at: int, world: Environment) -> dict[str, float]:
    """Return a run's figures a visit at one of its checkpoints, rewards as shares of the range."""
    visits, reward = row["visits"][at], described(world).reward
    known = useful_of(world) is not None
    dropped = len(
        {question for visit, _, question, _, useful in row["drops"] if useful and visit <= visits}
    )
    return {
        "reward": (row["reward_at"][at] / visits - reward.low) / reward.span,
        "cost": row["cost_at"][at] / visits,
        "asked": row["asked_at"][at] / visits,
        "lost": float(dropped) if known else np.nan,
    }


def _timed(entering: Sequence[Entrant], world: Environment, people: int) -> Floats:
    """Return microseconds a visit of every policy, measured one after the other; NaN: no policy.

    Of a study of up to 2,000 people, the median of three after one that does not count.
    """
    span, micros = described(world).reward.span, np.full(len(entering) + 1, np.nan)
    visits = min(people, TIMED)
    for k, entrant in enumerate(entering):
        policy, took = entrant.policy(span, visits), []
        for _ in range(1 + TIMES):
            start = time.perf_counter()
            simulate(policy, world, visits)
            took.append(time.perf_counter() - start)
        micros[k] = 1e6 * float(np.median(took[1:])) / visits
    return micros

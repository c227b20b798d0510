"""Vowpal Wabbit and obp on the people of our tables, as they are used: for `make rivals`.

The people are written down first (`rivals.py people`), since these libraries live in the bench's
own environment. Everybody asks everything. Settings are in these libraries' favour: of a few that
were tried, those that earned more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from rich.progress import track

import askless as al

SIZES, RUNS = (500, 2_000, 10_000), 3
NOISE = 0.25  # of the range; obp's models take the noise to be 1, and rewards to be around 0
PEOPLE, LINES = "people", "others.jsonl"

Player = Callable[[np.ndarray, np.ndarray, int], np.ndarray]  # contexts, rewards, seed: rewards got


def write_people(kept: Path, worlds: Mapping[str, al.TableEnvironment], seed: int) -> None:
    """Write down the first people of the first runs of every table."""
    folder = kept / PEOPLE
    folder.mkdir(parents=True, exist_ok=True)
    for name, world in worlds.items():
        parts: dict[str, np.ndarray] = {}
        for run in range(RUNS):
            contexts, rewards = [], []
            for block in world.respondents(seed, run):
                contexts.append(block.contexts)
                rewards.append((block.rewards - world.reward.low) / world.reward.span)
                if sum(map(len, contexts)) >= SIZES[-1]:
                    break
            parts[f"contexts{run}"] = np.vstack(contexts)[: SIZES[-1]]
            parts[f"rewards{run}"] = np.vstack(rewards)[: SIZES[-1]]
        np.savez_compressed(folder / f"{name}.npz", **parts)


def vowpal(*options: str) -> Player:
    """Return Vowpal Wabbit: every answer crossed with every arm, costs are what a reward lacks."""

    def play(contexts: np.ndarray, rewards: np.ndarray, seed: int) -> np.ndarray:
        import vowpalwabbit  # noqa: PLC0415 (in the bench's own environment only)

        rng, count = np.random.default_rng(seed), rewards.shape[1]
        flags = ["--cb_explore_adf", "--quiet", "-q", "ua", f"--random_seed {seed}", *options]
        model = vowpalwabbit.Workspace(" ".join(flags))
        got = np.empty(len(contexts))
        for t, (z, outcomes) in enumerate(zip(contexts, rewards, strict=True)):
            shared = "shared |u " + " ".join(f"f{j}:{x:g}" for j, x in enumerate(z[1:]) if x)
            arms = [f"|a arm{k}" for k in range(count)]
            chances = np.array(model.predict([shared, *arms]))
            arm = int(rng.choice(count, p=chances / chances.sum()))
            got[t] = outcomes[arm]
            arms[arm] = f"0:{1 - got[t]:g}:{chances[arm]:g} {arms[arm]}"
            model.learn([shared, *arms])
        model.finish()
        return got

    return play


def open_bandit(name: str, **settings: float) -> Player:
    """Return a policy of obp, told rewards from the middle of the range in units of the noise.

    Its LinUCB is greedy unless it is told to explore.
    """

    def play(contexts: np.ndarray, rewards: np.ndarray, seed: int) -> np.ndarray:
        from obp import policy  # noqa: PLC0415 (in the bench's own environment only)

        kind = getattr(policy, name)
        shape = {"dim": contexts.shape[1], "n_actions": rewards.shape[1]}
        model = kind(**shape, random_state=seed, **settings)
        got = np.empty(len(contexts))
        for t, (z, outcomes) in enumerate(zip(contexts, rewards, strict=True)):
            row = z[None]
            arm = int(model.select_action(row)[0])
            got[t] = outcomes[arm]
            model.update_params(action=arm, reward=(got[t] - 0.5) / NOISE, context=row)
        return got

    return play


PLAYERS: dict[str, Player] = {
    "Vowpal Wabbit, squarecb": vowpal("--squarecb", "--gamma_scale 1000"),
    "Vowpal Wabbit, bag of 5": vowpal("--bag 5", "--greedify"),
    "obp, LinUCB": open_bandit("LinUCB", epsilon=1.0),
    "obp, LinTS": open_bandit("LinTS"),
}


def play_others(kept: Path) -> None:
    """Play what is not kept, a line a library, table and run."""
    path = kept / LINES
    done = {(line["library"], line["table"], line["run"]) for line in _lines(kept)}
    jobs = [
        (library, file, run)
        for file in sorted((kept / PEOPLE).glob("*.npz"))
        for library in PLAYERS
        for run in range(RUNS)
        if (library, file.stem, run) not in done
    ]
    found = Parallel(n_jobs=2, return_as="generator")(delayed(_played)(*job) for job in jobs)
    with path.open("a") as out:
        for line in track(found, total=len(jobs), description="other libraries", transient=True):
            out.write(json.dumps({**line, "of": _of(kept, line["table"])}) + "\n")
            out.flush()


def _played(library: str, file: Path, run: int) -> dict:
    people = np.load(file)
    contexts, rewards = people[f"contexts{run}"], people[f"rewards{run}"]
    got = np.cumsum(PLAYERS[library](contexts, rewards, run + 1))
    means = [float(got[size - 1] / size) for size in SIZES]
    return {"library": library, "table": file.stem, "run": run, "rewards": means}


@cache
def _of(kept: Path, table: str) -> str:
    """Return what a line is about: these people, and how this file has them played."""
    people = np.load(kept / PEOPLE / f"{table}.npz")
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for name in sorted(people):
        digest.update(people[name].tobytes())
    return digest.hexdigest()[:16]


def played_by_others(kept: Path) -> dict[str, np.ndarray]:
    """Return rewards a visit by library (tables × sizes × runs), NaN where there are none."""
    tables, found = list(al.TABLES), {}
    for line in _lines(kept):
        table = found.setdefault(line["library"], np.full((len(tables), 3, RUNS), np.nan))
        table[tables.index(line["table"]), :, line["run"]] = line["rewards"]
    return found


def _lines(kept: Path) -> list[dict]:
    """Return the lines that are whole, and about these people and players."""
    path, found = kept / LINES, []
    for text in path.read_text().splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
        except ValueError:  # stopped while it was written
            continue
        if line["of"] == _of(kept, line["table"]):
            found.append(line)
    return found

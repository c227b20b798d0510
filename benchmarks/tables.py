"""Who earns most net of the price of questions, on bandits from real tables: `make tables`.

Every run is a line of build/tables.jsonl; a run that is there is not played again. Everybody meets
the same people of a table and seed. The prototype of short forms was tuned on these tables with
other seeds.
"""

from __future__ import annotations

import json
import platform
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from rich.progress import track

import askless as al
from askless.report.page import processor

KEPT = Path("build/tables.jsonl")
SEEDS = range(1_700, 1_705)
PEOPLE = (500, 2_000, 10_000)
PRICES = (0.001, 0.002, 0.005)  # of a question, of the reward range
BETA_MIN = 0.1  # of the reward range
NOISE, SINGLE, PILOTS = "LinUCB, noise", "best single arm", (0.1, 0.2)
DEMANDED = {0.001: -0.006, 0.002: 0.004, 0.005: 0.025}
SHARES = (0.65, 0.50, 0.45)


def rivals(span: float) -> dict[str, dict[str, Any]]:
    """Return the policies that play all sizes in one run."""
    return {
        "SurveyBandit, price 0": {"name": "survey-bandit", "beta_min": BETA_MIN * span, "price": 0},
        NOISE: {"name": "linucb", "width": "noise"},
        "LinUCB, li2010": {"name": "linucb"},
        "Ridge SurveyUCB": {"name": "ridge", "beta_min": BETA_MIN * span},
    }


def planned(span: float, people: int) -> dict[str, dict[str, Any]]:
    """Return those that know for how many people the study is planned."""
    ours = {"name": "survey-bandit", "beta_min": BETA_MIN * span, "planned": people}
    priced = {own(price): {**ours, "price": price * span} for price in PRICES}
    pilot = {"name": "pilot-then-screen", "planned": people}
    return priced | {f"pilot of {share:.0%}": {**pilot, "share": share} for share in PILOTS}


def jobs() -> Iterator[tuple[str, str, dict[str, Any], int, tuple[int, ...]]]:
    """Go through what is to be played: table, label, policy, seed, sizes."""
    for name in al.TABLES:
        span = np.ptp(al.TABLES[name].reward)
        for seed in SEEDS:
            for label, policy in rivals(float(span)).items():
                yield name, label, policy, seed, PEOPLE
            for people in PEOPLE:
                for label, policy in planned(float(span), people).items():
                    yield name, label, policy, seed, (people,)
            yield name, SINGLE, {"name": "single"}, seed, PEOPLE


def play(
    name: str, label: str, policy: dict[str, Any], seed: int, sizes: tuple[int, ...]
) -> list[dict[str, Any]]:
    """Play a run; a line a size: reward and questions a visit, both as shares."""
    world = al.table(name)
    low, span = world.reward.low, world.reward.span
    if label == SINGLE:
        rows = [(size, single_of(world, seed, size), 0.0) for size in sizes]
    else:
        with warnings.catch_warnings(action="ignore"):  # at 0.005 R digits is said to be dear
            run = al.simulate(policy, world, max(sizes), seed=seed, checkpoints=list(sizes)).runs[0]
        whole = sum(question.cost for question in world.survey)
        rows = [
            (int(n), run.reward_at[i] / n, run.cost_at[i] / n / whole)
            for i, n in enumerate(run.visits)
        ]
    return [
        {
            "table": name,
            "policy": label,
            "seed": seed,
            "people": size,
            "reward": float((reward - low) / span),
            "share": float(share),
        }
        for size, reward, share in rows
    ]


def single_of(world: al.TableEnvironment, seed: int, size: int) -> float:
    """Return what the arm brings that is best on average, known beforehand."""
    total, begun = np.zeros(len(world.arms)), 0
    for block in world.respondents(seed, 0):
        rewards = block.rewards[: size - begun]
        total += rewards.sum(axis=0)
        begun += len(rewards)
        if begun == size:
            return float(total.max() / size)
    raise AssertionError


def played() -> list[dict[str, Any]]:
    """Return all lines, those that are kept and those that are played now."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()] if KEPT.exists() else []
    done = {(line["table"], line["policy"], line["seed"], line["people"]) for line in lines}
    left = [job for job in jobs() if (job[0], job[1], job[3], job[4][0]) not in done]
    found = Parallel(n_jobs=2, return_as="generator")(delayed(play)(*job) for job in left)
    with KEPT.open("a") as file:
        for rows in track(found, total=len(left), description="tables", transient=True):
            for row in rows:
                file.write(json.dumps(row) + "\n")
                lines.append(row)
            file.flush()
    return lines


class Results:
    """What each policy brought on each table: means over seeds, of rewards in units of R."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self.tables = list(al.TABLES)
        self.policies = list(dict.fromkeys(line["policy"] for line in lines))
        shape = len(self.tables), len(PEOPLE), len(SEEDS)
        self.reward = {policy: np.full(shape, np.nan) for policy in self.policies}
        self.share = {policy: np.full(shape, np.nan) for policy in self.policies}
        for line in lines:
            at = (
                self.tables.index(line["table"]),
                PEOPLE.index(line["people"]),
                line["seed"] - SEEDS[0],
            )
            self.reward[line["policy"]][at] = line["reward"]
            self.share[line["policy"]][at] = line["share"]
        self.counts = np.array([len(al.table(name).survey) for name in self.tables])

    def net(self, policy: str, price: float) -> Any:
        """Return the reward net of the price of what was asked (tables × sizes), seeds averaged."""
        paid = price * self.share[policy] * self.counts[:, None, None]
        return (self.reward[policy] - paid).mean(axis=2)

    def gain(self, policy: str, price: float) -> Any:
        """Return by how much more that is than of LinUCB with estimated width."""
        return self.net(policy, price) - self.net(NOISE, price)

    @property
    def most(self) -> Any:
        """All tables but digits, which has ten arms and 61 questions."""
        return np.array([name != "digits" for name in self.tables])


def own(price: float) -> str:
    """Return what our policy is called at a price."""
    return f"SurveyBandit, {price:g} R"


def print_summary(results: Results) -> None:
    """Print the means over tables, a block a price."""
    sizes = " | ".join(f"{size:,} people" for size in PEOPLE)
    for price in PRICES:
        print(
            f"\nAt a price of {price:g} R a question, mean over {results.most.sum()} tables of the"
        )
        print(f"reward net of it, less that of {NOISE} (in R/1000, ± a standard error over tables;")
        print("tables won):\n")
        print(f"| | {sizes} |\n|---|{'---|' * len(PEOPLE)}")
        others = [p for p in results.policies if not p.startswith("SurveyBandit") and p != NOISE]
        for policy in (own(price), "SurveyBandit, price 0", *others):
            gain = results.gain(policy, price)[results.most]
            error = gain.std(axis=0, ddof=1) / np.sqrt(len(gain))
            cells = [
                f"{1e3 * gain[:, i].mean():+.1f} ± {1e3 * error[i]:.1f} ({(gain[:, i] > 0).sum()})"
                for i in range(len(PEOPLE))
            ]
            print(f"| {policy} | {' | '.join(cells)} |")


def print_tables(results: Results, price: float) -> None:
    """Print every table: what ours asks, and its net beside that of rivals."""
    print(
        f"\nEvery table at {price:g} R: share of the questions that ours asks; its net reward less"
    )
    print(
        f"that of {NOISE}, and of the better pilot (R/1000), after {PEOPLE[0]:,}, {PEOPLE[1]:,} and"
    )
    print(f"{PEOPLE[2]:,} people:\n")
    print("| table | questions | share asked | over asking everything | over a pilot |")
    print("|---|---:|---|---|---|")
    policy = own(price)
    share, gain = results.share[policy].mean(axis=2), results.gain(policy, price)
    pilots = np.max([results.net(f"pilot of {part:.0%}", price) for part in PILOTS], axis=0)
    over = results.net(policy, price) - pilots
    for i, name in enumerate(results.tables):
        columns = (
            " · ".join(f"{x:.2f}" for x in share[i]),
            " · ".join(f"{1e3 * x:+.1f}" for x in gain[i]),
            " · ".join(f"{1e3 * x:+.1f}" for x in over[i]),
        )
        print(f"| {name} | {results.counts[i]} | {' | '.join(columns)} |")


def print_demands(results: Results) -> None:
    """Print what was demanded beside what was reached."""
    print("\n| demanded | reached after 500 · 2,000 · 10,000 people |\n|---|---|")
    most = results.most
    for price, least in DEMANDED.items():
        reached = results.gain(own(price), price)[most].mean(axis=0)
        said = " · ".join(f"{x:+.4f}" for x in reached)
        print(f"| net less {NOISE}'s at {price:g} R ≥ {least:+.3f} | {said} |")
    share = results.share[own(0.002)].mean(axis=2)[most].mean(axis=0)
    said, wanted = (" · ".join(f"{x:.2f}" for x in xs) for xs in (share, SHARES))
    print(f"| share of questions at 0.002 R ≤ {wanted} | {said} |")
    for price in PRICES:
        for part in PILOTS:
            over = results.net(own(price), price) - results.net(f"pilot of {part:.0%}", price)
            said = " · ".join(f"{x:+.4f}" for x in over[most].mean(axis=0))
            print(f"| above a pilot of {part:.0%} at {price:g} R | {said} |")


def main() -> None:
    """Play what is left, and print everything."""
    results = Results(played())
    print(f"{processor()}, Python {platform.python_version()}; {len(SEEDS)} seeds a table;")
    print(f"beta_min {BETA_MIN:g} R.")
    print_demands(results)
    print_summary(results)
    print_tables(results, 0.002)


if __name__ == "__main__":
    main()

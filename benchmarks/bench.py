"""Speed as ratios, measured in one interleaved run: prints tables, writes JSON and a page of docs.

Run it with `make bench`, which makes an environment of its own for the rivals.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from asking import measure_bounds, run_everything, run_interactive
from bench_table import Table
from contenders import CONTENDERS, OTHERS, visits
from cores import CORES, RUNS, measure_cores
from doors import DOORS, GOALS
from doors import QUESTIONS as DOOR_QUESTIONS
from dropping import DROPPING, run_dropping
from first_decision import POLICIES, first_decision
from growth import (
    SUPPORTS,
    measure_size,
    measure_support,
    multiply_adds,
    shortened,
    sizes,
    speed_of_light,
    visits_for,
)
from nets import ACTIVE, NETS, ROWS, stream
from short_speed import CHOICE, FORMS, choosing, measure_choice, run_forms
from snapshots import (
    CONSTRUCTION,
    measure_construction,
    measure_snapshot,
)
from snapshots import POLICIES as SNAPSHOTS
from snapshots import QUESTIONS as LARGE
from snapshots import learned as learned_policy

import askless as al
from askless import core
from askless.report.page import processor

ROUNDS = 7
EPOCH_VISITS = 102_400
ASKING = {"arm": 20_480, "question": 2_048}  # visits of an interactive run, by grain
ARMS, QUESTIONS = 5, 50


def interleaved(tasks: dict[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, float]:
    """Run every task once to warm up, then in turn, so many rounds; return the medians."""
    for name, task in tasks.items():
        print(f"  {name}", file=sys.stderr)
        task()
    spent: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            spent[name].append(task())
    return {name: statistics.median(values) for name, values in spent.items()}


def compare_makers() -> Table:
    """LinUCB of every maker on the same visits."""
    world = al.paper_environment(arms=ARMS, features=QUESTIONS, coding="raw")
    data = {name: visits(world, ARMS + count) for name, _, count in CONTENDERS}
    arms: dict[str, np.ndarray] = {}

    def task(name: str, run: Any, count: int) -> Callable[[], float]:
        def timed() -> float:
            seconds, arms[name] = run(data[name])
            return 1e6 * seconds / count

        return timed

    tasks = {name: task(name, run, n) for name, run, n in CONTENDERS}
    medians = interleaved(tasks | {"multiply-adds": speed_of_light})
    numpys = arms["numpy loop"]
    light = multiply_adds(ARMS, QUESTIONS + 1) / medians.pop("multiply-adds")
    table = Table(
        "makers",
        f"LinUCB, {ARMS} arms, {QUESTIONS} questions",
        ("", "µs a visit", "× numpy", "× obp", "of the limit", "same arms"),
    )
    for name, median in medians.items():
        shared = min(len(numpys), len(arms[name]))
        same = float(np.mean(numpys[:shared] == arms[name][:shared]))
        table.add(
            name,
            median,
            medians["numpy loop"] / median,
            medians["obp LinUCB"] / median,
            None if name in OTHERS else light / median,
            None if name in OTHERS else same,
        )
    return table


def compare_doors() -> Table:
    """A visit through each door of the library."""
    table = Table(
        "doors",
        f"A visit through each door, {ARMS} arms",
        (
            "",
            *(f"µs, {q} questions" for q in DOOR_QUESTIONS),
            "visits a second, 10 questions",
            "goal",
        ),
    )
    tasks = {
        f"{name}, {q}": lambda measure=measure, q=q: measure(q)
        for name, measure in DOORS.items()
        for q in DOOR_QUESTIONS
    }
    medians = interleaved(tasks)
    for name in DOORS:
        own = [medians[f"{name}, {q}"] for q in DOOR_QUESTIONS]
        table.add(name, *own, round(1e6 / own[1]), GOALS.get(name))
    return table


def compare_sizes() -> Table:
    """Our loop with more questions and more arms, beside numpy and the limit."""
    table = Table(
        "growth",
        "LinUCB, fused: more questions, then more arms",
        ("arms", "questions", "µs a visit", "ps / arm / question²", "of the limit", "× numpy"),
    )
    data = {size: visits_for(*size) for size in sizes()}
    spent: dict[tuple[int, int], list[tuple[float, float]]] = {size: [] for size in data}
    light = []
    for i in range(1 + ROUNDS):
        for size, both in data.items():
            measured = measure_size(both)
            light.append(speed_of_light())
            if i > 0:  # the first round warms up
                spent[size].append(measured)
    for (arms, questions), rounds in spent.items():
        ours, numpys = (statistics.median(column) for column in zip(*rounds, strict=True))
        least = multiply_adds(arms, questions + 1) / statistics.median(light)
        table.add(
            arms, questions, ours, 1e6 * ours / (arms * questions**2), least / ours, numpys / ours
        )
    return table


def compare_supports() -> Table:
    """Ridge SurveyUCB once all but some questions are gone."""
    table = Table(
        "support",
        f"Ridge SurveyUCB, fused, {ARMS} arms, {QUESTIONS} questions of which some are left",
        ("left in an arm", "µs a visit", "× everything left"),
    )
    runs = {useful: shortened(useful) for useful in SUPPORTS}
    medians = interleaved(
        {
            str(useful): lambda player=player, blocks=blocks: measure_support(player, blocks)
            for useful, (player, blocks, _) in runs.items()
        }
    )
    for useful, (_, _, left) in runs.items():
        median = medians[str(useful)]
        table.add(round(left / ARMS), median, medians[str(SUPPORTS[-1])] / median)
    return table


def compare_cores() -> Table:
    """Runs of one policy shared out among the cores."""
    table = Table(
        "cores",
        f"Ridge SurveyUCB, {RUNS} runs on {os.cpu_count()} cores",
        ("workers", "seconds", "× one"),
    )
    medians = interleaved({str(n): lambda n=n: measure_cores(n) for n in CORES}, rounds=5)
    for count, median in medians.items():
        table.add(int(count), median, medians["1"] / median)
    return table


def compare_drops() -> Table:
    """The compiled loops of the policies that drop questions."""
    table = Table(
        "epochs",
        f"{ARMS} arms, {QUESTIONS} questions, centred, {EPOCH_VISITS:,} visits",
        ("fused", "µs a visit", "× ridge"),
    )
    medians = interleaved(
        {name: lambda name=name: run_dropping(name, EPOCH_VISITS) for name in DROPPING}
    )
    for name, median in medians.items():
        table.add(name, median, medians[name.replace("epoch", "ridge")] / median)
    return table


def compare_forms() -> Table:
    """What short forms cost: choosing one, and a simulation with them."""
    table = Table(
        "short forms",
        f"Short forms: a simulation of {EPOCH_VISITS:,} visits, people drawn and all",
        ("", "µs a visit", "times as long as with every visit full"),
    )
    tasks = {name: lambda name=name: run_forms(name, EPOCH_VISITS) for name in FORMS}
    policy = choosing(*CHOICE)
    medians = interleaved(tasks | {"choosing": lambda: 1e3 * measure_choice(policy)})
    chosen = medians.pop("choosing")
    for name, median in medians.items():
        table.add(name, median, median / medians["every visit is full"])
    table.add(f"choosing a form once, {CHOICE[0]} questions, {CHOICE[1]} arms", chosen, None)
    return table


def compare_nets() -> Table:
    """Elastic nets of every maker, refitted after every row."""
    table = Table(
        "nets",
        "Elastic net, 51 columns: a refit after each row",
        ("", "active", *(f"µs, n = {n:,}" for n in ROWS), "× enet_path"),
    )
    for active in ACTIVE:
        medians = []
        for n in ROWS:
            data = stream(n, active)
            tasks = {
                f"{name}, {n:,} rows, {active} active": lambda data=data, run=run, count=count: (
                    1e6 * run(data, count) / count
                )
                for name, run, count in NETS
            }
            medians.append(list(interleaved(tasks, rounds=5).values()))
        for (name, _, _), own in zip(NETS, zip(*medians, strict=True), strict=True):
            least = min(row[0] / mine for row, mine in zip(medians, own, strict=True))
            table.add(name, active, *own, least)
    return table


def compare_asking() -> Table:
    """What a certified bound costs, and a visit that asks no more than it must."""
    table = Table(
        "asking",
        f"Interactive surveys, ridge, {ARMS} arms, {QUESTIONS} questions, beta_min 0.3",
        ("", "µs", "times as long as asking everything"),
    )
    for name, values in measure_bounds().items():
        table.add(f"bound, 50 unasked: {name}", statistics.median(values), None)
    tasks: dict[str, Callable[[], float]] = {"asks everything": run_everything}
    for grain, count in ASKING.items():
        tasks[f"grain {grain}"] = lambda grain=grain, count=count: run_interactive(grain, count)
    medians = interleaved(tasks)
    for name, median in medians.items():
        table.add(f"a visit, sequential: {name}", median, median / medians["asks everything"])
    return table


def compare_starts() -> Table:
    """A new process until its first decision; least of some, since other processes disturb it."""
    table = Table(
        "starts",
        "Time to the first decision: a new process, CPU beyond importing numpy",
        ("", "ms, import askless", "ms, policy, first asks, arm and row learned"),
    )
    for name in POLICIES:
        imported, rest = min((first_decision(name) for _ in range(ROUNDS)), key=sum)
        table.add(name, 1e3 * imported, 1e3 * rest)
    return table


def compare_snapshots() -> Table:
    """Saved policies: how large, and how long it takes."""
    table = Table(
        "snapshots",
        f"A saved policy, {ARMS} arms, {QUESTIONS} questions, CPU",
        ("", "kB", "ms, save", "ms, load"),
    )
    for name in SNAPSHOTS:
        table.add(name, *measure_snapshot(learned_policy(name)))
    return table


def compare_construction() -> Table:
    """Large surveys: what a question costs must not depend on how many there are."""
    table = Table(
        "construction",
        "Making a survey, CPU",
        ("", *(f"µs a question, {count:,} questions" for count in LARGE)),
    )
    for name in CONSTRUCTION:
        table.add(name, *(measure_construction(name, count) for count in LARGE))
    return table


COMPARISONS: tuple[Callable[[], Table], ...] = (
    compare_makers,
    compare_starts,
    compare_doors,
    compare_snapshots,
    compare_construction,
    compare_sizes,
    compare_supports,
    compare_cores,
    compare_drops,
    compare_forms,
    compare_nets,
    compare_asking,
)


def head() -> str:
    """Say on what the tables were made."""
    versions = {"Python": platform.python_version(), "numpy": np.__version__, "core": core.LEVEL}
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"{processor()}, {os.cpu_count()} cores, {made}; medians of {ROUNDS} rounds in turn"


def main(names: Iterable[str]) -> None:
    """Measure, print, write."""
    wanted = set(names) or {run.__name__.removeprefix("compare_") for run in COMPARISONS}
    print(head())
    tables = []
    for run in COMPARISONS:
        if run.__name__.removeprefix("compare_") in wanted:
            print(run.__name__, file=sys.stderr)
            tables.append(run())
            print(f"\n{tables[-1].text()}", flush=True)
    if not list(names):
        data = {"made_on": head(), "tables": {table.name: table.to_dict() for table in tables}}
        Path("bench.json").write_text(json.dumps(data, indent=2))
        page = "\n\n".join([HEADING.format(head=head()), *(table.markdown() for table in tables)])
        Path("docs/speed.md").write_text(page + "\n")
        print("\nWrote bench.json and docs/speed.md")


HEADING = """# Speed

`make bench` measured this and wrote this page, and `bench.json` with the same numbers.
Made on: {head} (5 for the nets and the cores).

Ratios above 1 mean faster than what they are named after. *Of the limit*: the multiply-adds that
the algorithm cannot do without, at the speed at which this core does multiply-adds and nothing
else, divided by the time taken. *Same arms*: in how many of the visits a maker plays what numpy
plays. Rivals and ours get the same contexts, drawn beforehand, and the same rewards. *Fused* is the
simulator's loop, which scores the next 16 contexts together because it knows them; no other maker
has one. *Simulated whole* is that with people drawn and figures added up, `askless simulate`: other
people than those of the rest, so that its arms are not compared. *One row at a time* is the array
door, `policy.play(z)` and `policy.learn_row(...)`, for whoever has contexts as numbers. A live
study goes through full visits, which check, encode and explain every answer by name: what those
cost is in the table of doors."""


if __name__ == "__main__":
    main(sys.argv[1:])

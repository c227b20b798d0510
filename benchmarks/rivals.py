"""Who earns most for the fewest questions, on sixteen tables of real people: `make rivals`.

All policies behind our door play in the environment of the tests; Vowpal Wabbit and obp, up to
10,000 visits and three runs, in that of the bench, on the same people (`rivals.py people` writes
them down, `rivals.py others` plays). Every run is kept in build/rivals and not played again.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import numpy as np
from other_libraries import play_others, played_by_others, write_people
from rich.progress import Progress

import askless as al
from askless.experiments.contest import Contest
from askless.experiments.contesting import contest
from askless.experiments.entrants import OURS, entrants
from askless.report.contest_report import said_of, write_contest
from askless.report.page import processor

KEPT = Path("build/rivals")
SIZES = (500, 2_000, 10_000, 50_000)
RUNS, SEED, PRICE = 10, 1_900, 0.002


def worlds() -> dict[str, al.TableEnvironment]:
    """Return the tables."""
    return {name: al.table(name) for name in al.TABLES}


def print_sizes(found: Contest) -> None:
    """Print a table a number of people, best net first."""
    rows = list(found.summary())
    for people in found.sizes:
        print(f"\n{people:,} people:\n")
        print("| policy | net | reward | share asked | mean rank | best or near | µs a visit |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for row in rows:
            if row["people"] == people:
                ranks = "| | |"
                if row["rank"] is not None:
                    ranks = f"{row['rank']:.1f} | {row['near_best']} | {row['micros']:,.0f} |"
                print(
                    f"| {row['policy']} | {row['net']:.4f} ± {row['error']:.4f} |"
                    f" {row['reward']:.4f} | {row['share']:.2f} | {ranks}"
                )


def print_worlds(found: Contest) -> None:
    """Print every table: who nets most, and by how much ours is behind or ahead of the next."""
    net, best, near = found.net.mean(axis=3), found.best(), found.near_best()
    own = found.labels.index(OURS)
    print("\nEvery table: who nets most; ours less the best of the others (R/1000, * where others")
    print("are ahead by more than two paired standard errors):\n")
    print(f"| table | questions | {' | '.join(f'{size:,}' for size in found.sizes)} |")
    print(f"|---|---:|{'---|' * len(found.sizes)}")
    others = [k for k in range(len(found.labels) - 1) if k != own]
    for w, name in enumerate(found.worlds):
        cells = []
        for s in range(len(found.sizes)):
            ahead = 1e3 * (net[own, w, s] - net[others, w, s].max())
            star = "" if near[own, w, s] else "*"
            cells.append(f"{found.labels[best[w, s]]}: {ahead:+.1f}{star}")
        print(f"| {name} | {found.questions[w]:.0f} | {' | '.join(cells)} |")


def print_others(found: Contest) -> None:
    """Print what other libraries brought on the same people, where they have been played."""
    played = played_by_others(KEPT)
    if not played:
        print("\nVowpal Wabbit and obp have not been played: make rivals does that in .venv-bench.")
        return
    tables = min(int((~np.isnan(rewards)).all(axis=(1, 2)).sum()) for rewards in played.values())
    print(
        f"\nOther libraries on the same people ({tables} tables, three runs, up to 10,000 visits),"
    )
    print(
        "which ask everything: mean net over the tables less that of ours, and of LinUCB with the"
    )
    print("measured noise, in R/1000, ± a standard error over tables:\n")
    print("| library | 500 | 2,000 | 10,000 |\n|---|---|---|---|")
    net = found.net
    rows = {label: net[found.labels.index(label)][:, :3, :3] for label in (OURS, "LinUCB, noise")}
    for name, rewards in played.items():
        theirs = rewards - PRICE * found.questions[:, None, None]
        cells = []
        for s in range(3):
            gaps = [1e3 * (theirs[:, s] - rows[label][:, s]).mean(axis=1) for label in rows]
            cells.append(" · ".join(_mean(gap[~np.isnan(gap)]) for gap in gaps))
        print(f"| {name} | {' | '.join(cells)} |")


def _mean(gaps: np.ndarray) -> str:
    return f"{gaps.mean():+.1f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.1f}"


def main() -> None:
    """Play what is left, print everything, write the report."""
    with Progress(transient=True) as bar:
        task = bar.add_task("rivals")

        def told(what: str, further: int, total: int) -> None:  # noqa: ARG001
            bar.update(task, advance=further, total=total)

        found = contest(
            entrants(PRICE),
            worlds(),
            KEPT / "runs",
            sizes=SIZES,
            runs=RUNS,
            seed=SEED,
            price=PRICE,
            workers=2,
            progress=told,
        )
    print(f"{processor()}, Python {platform.python_version()}; {RUNS} runs a table, seed {SEED},")
    print(f"price {PRICE:g} of the reward range a question, beta_min 0.1 of it.\n")
    print("\n".join(said_of(found)))
    print_sizes(found)
    print_worlds(found)
    print_others(found)
    write_contest(found, KEPT, "make rivals")
    print(f"\nThe report is {KEPT / 'report.html'}.")


if __name__ == "__main__":
    if sys.argv[1:] == ["people"]:
        write_people(KEPT, worlds(), SEED)
    elif sys.argv[1:] == ["others"]:
        play_others(KEPT)
    else:
        main()

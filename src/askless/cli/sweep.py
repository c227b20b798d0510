"""`askless sweep`: a grid of policies and environments from a file, on all cores or a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from askless.cli.grid import Grid
from askless.cli.terminal import messages, output, progress_bar
from askless.simulation import read_sweep
from askless.simulation.engines import ENGINES
from askless.simulation.sweep_results import sweep_rows

FIGURES = ("regret", "questions_per_visit", "questions_left", "useful_dropped")
HEADINGS = ("policy", "regret", "questions a visit", "left", "useful dropped")


def sweep(
    file: Annotated[Path, typer.Argument(help="The sweep, a YAML file.")],
    out: Annotated[Path, typer.Option(help="Results, a line a run; gone on with.")] = Path(
        "sweep.jsonl"
    ),
    engine: Annotated[str, typer.Option(help=f"One of {', '.join(ENGINES)}.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="Of a running Dask or Ray cluster; else one is started here.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes of this machine; all cores if left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Play a grid of policies on the paper's people; one that was stopped goes on where it was."""
    chosen = read_sweep(file)
    visits, what = len(chosen) * chosen.horizon, f"{len(chosen):,} runs"
    with progress_bar(visits, what, lambda: _kept(out, len(chosen))) as progress:
        chosen.run(out, engine=engine, address=address, workers=workers, progress=progress)
    table = _means(sweep_rows(out))
    if as_json:
        typer.echo(json.dumps(table))
    else:
        _show(table, chosen.runs, chosen.horizon)
        output.print(f"All runs are in {out}", highlight=False, soft_wrap=True)
        return
    messages.print(f"All runs are in {out}", highlight=False, soft_wrap=True)


def _kept(out: Path, runs: int) -> str:
    """Say what is left of a sweep that was stopped."""
    done = sum(1 for _ in sweep_rows(out)) if out.exists() and out.stat().st_size else 0
    return f"{done:,} of {runs:,} runs are in {out}, and the same command goes on from there"


def _means(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row a combination: its settings and the means over its runs, in one pass."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        given = {"environment": row["environment"]}
        given |= {("policy" if k == "name" else k): value for k, value in row["policy"].items()}
        means = found.setdefault(json.dumps(given), given | {"runs": 0} | dict.fromkeys(FIGURES, 0))
        means["runs"] += 1
        for name in FIGURES:
            means[name] += (row[name] - means[name]) / means["runs"]
    return list(found.values())


def _show(rows: list[dict[str, Any]], runs: int, horizon: int) -> None:
    many = f"{runs:,} run{'s' if runs > 1 else ''}"
    grid = Grid(HEADINGS, words=("policy",), title=f"Means of {many} of {horizon:,} visits")
    last = None
    for row in rows:
        if row["environment"] != last:
            last = row["environment"]
            grid.head(str(last))
        settings = {
            key: value
            for key, value in row.items()
            if key not in (*FIGURES, "environment", "policy", "runs")
        }
        grid.add(
            " ".join([row["policy"], *(f"{key}={value}" for key, value in settings.items())]),
            f"{row['regret']:,.0f}",
            f"{row['questions_per_visit']:.2f}",
            f"{row['questions_left']:.1f}",
            f"{row['useful_dropped']:.2f}",
        )
    grid.show()

"""`askless sweep`: a grid of policies and environments from a file, on all cores or a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from askless.cli.terminal import messages, output, progress_bar, say_compiling
from askless.simulation import read_sweep, sweep_frame
from askless.simulation.engines import ENGINES

FIGURES = ("regret", "questions_per_visit", "questions_left", "useful_dropped")
DETAILS = (
    *(*FIGURES, "run", "other_arms", "plays", "visits"),
    *("regret_at", "asked_at", "cost_at", "drops"),
)


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
    """Play a grid of policies and environments; a sweep that was stopped goes on where it was."""
    chosen = read_sweep(file)
    say_compiling()
    with progress_bar(len(chosen) * chosen.horizon, f"{len(chosen):,} runs") as progress:
        chosen.run(out, engine=engine, address=address, workers=workers, progress=progress)
    table = _means(sweep_frame(out))
    if as_json:
        typer.echo(json.dumps(table))
    else:
        _show(table, chosen.runs, chosen.horizon)
        output.print(f"All runs are in {out}", highlight=False, soft_wrap=True)
        return
    messages.print(f"All runs are in {out}", highlight=False, soft_wrap=True)


def _means(frame: Any) -> list[dict[str, Any]]:
    """Return a row a combination: its settings and the means over its runs."""
    keys = [name for name in frame.columns if name not in DETAILS]
    rows = []
    for values, group in frame.groupby(keys, sort=False, dropna=False):
        given = {
            key: value
            for key, value in zip(keys, values, strict=True)
            if value == value  # noqa: PLR0124
        }
        means = {name: float(group[name].mean()) for name in FIGURES}
        rows.append(given | {"runs": len(group)} | means)
    return rows


def _show(rows: list[dict[str, Any]], runs: int, horizon: int) -> None:
    many = f"{runs:,} run{'s' if runs > 1 else ''}"
    table = Table(title=f"Means of {many} of {horizon:,} visits")
    table.add_column("policy", no_wrap=True)
    for heading in ("regret", "questions", "left", "useful dropped"):
        table.add_column(heading, justify="right")
    last = None
    for row in rows:
        if row["environment"] != last:
            table.add_section()
            last = row["environment"]
            table.add_row(f"[bold]{last}[/bold]")
        settings = {
            key: value
            for key, value in row.items()
            if key not in (*FIGURES, "environment", "policy", "runs")
        }
        table.add_row(
            " ".join([row["policy"], *(f"{key}={value}" for key, value in settings.items())]),
            f"{row['regret']:,.0f}",
            f"{row['questions_per_visit']:.2f}",
            f"{row['questions_left']:.1f}",
            f"{row['useful_dropped']:.2f}",
        )
    output.print(table)

"""`askless compare`: all policies on the paper's respondents, at growing horizons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from askless.cli.terminal import output, progress_bar
from askless.environments import paper_environment


def compare(
    beta_min: Annotated[float, typer.Option(help="Smallest effect worth a question.")] = 0.3,
    arms: Annotated[int, typer.Option(help="Arms; the first three are worth playing.")] = 5,
    features: Annotated[int, typer.Option(help="Questions; two matter.")] = 50,
    delta: Annotated[float, typer.Option(help="How often the guarantees may fail.")] = 0.1,
    horizon: Annotated[int, typer.Option(help="Visits of a run.")] = 100_000,
    runs: Annotated[int, typer.Option(help="Runs of each curve.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes; the figures do not depend on it.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("askless-compare"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Compare LinUCB and all SurveyUCBs: regret and questions a visit, at growing horizons."""
    from askless.report.comparison import (  # noqa: PLC0415 (plotting takes half a second)
        compared,
        contenders,
        horizon_table,
        write_comparison,
    )

    world = paper_environment(arms=arms, features=features)
    count = len(contenders(world, beta_min, delta))
    out.mkdir(parents=True, exist_ok=True)  # before the work, not after it
    with progress_bar(horizon * runs * count, "all policies") as progress:
        curves = dict(
            compared(
                world, beta_min, delta, horizon, runs, seed, workers=workers, progress=progress
            )
        )
    many = f"{runs} run{'s' if runs > 1 else ''}"
    title = f"{arms} arms, beta_min = {beta_min:g}: mean and range of {many}"
    write_comparison(curves, title, out)
    table = horizon_table(curves)
    if as_json:
        typer.echo(json.dumps(table.to_dict(orient="records")))
        return
    shown = Table(title=title)
    shown.add_column("policy", no_wrap=True)
    shown.add_column("", no_wrap=True)
    for visits in sorted(table["visits"].unique()):
        shown.add_column(f"{visits:,}", justify="right", no_wrap=True)
    lost = []
    for label, rows in table.groupby("curve", sort=False):
        shown.add_row(str(label), "regret", *(f"{value:,.0f}" for value in rows["regret"]))
        shown.add_row("", "questions", *(f"{value:.1f}" for value in rows["questions"]))
        lost += [str(label)] if rows["useful_dropped"].iloc[-1] else []
    output.print(shown)
    output.print(
        "Mean regret, and mean questions a visit, up to so many visits. * no guarantee.\n"
        f"Settings: delta {delta:g}, all else at its default, centred coding.\n"
        f"Useful questions were dropped by: {', '.join(lost) or 'none'}.\n"
        f"The figure (PNG, SVG) and the table (CSV) are in {out}",
        highlight=False,
        soft_wrap=True,
    )

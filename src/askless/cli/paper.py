"""`askless paper`: the paper's experiment, as a table and figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from askless.cli.terminal import messages, output, progress_bar, say_compiling

if TYPE_CHECKING:
    from askless.report.paper import Figure


def paper(
    quick: Annotated[
        bool, typer.Option("--quick", help="Two runs of a curve instead of five.")
    ] = False,
    horizon: Annotated[int, typer.Option(help="Visits of a run.")] = 100_000,
    runs: Annotated[
        int | None, typer.Option(help="Runs of each curve; 5, or 2 with --quick.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes; the figures do not depend on it. 1, or 2 with --quick."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the figures.")] = Path("askless-paper"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Run the paper's five figures: regret and survey length with and without dropping."""
    from askless.report.paper import (  # noqa: PLC0415 (plotting takes half a second to import)
        paper_figures,
        visits_of,
        write_paper,
    )

    if runs is None:
        runs = 2 if quick else 5
    if workers is None:
        workers = 2 if quick else 1
    out.mkdir(parents=True, exist_ok=True)  # before the work, not after it
    say_compiling()
    with progress_bar(visits_of(horizon, runs), "the paper's experiment") as progress:
        figures = list(paper_figures(horizon, runs, seed, workers=workers, progress=progress))
    for figure in figures:
        write_paper(figure, out)
    if as_json:
        curves = {f.name: {k: runs.to_dict() for k, runs in f.curves.items()} for f in figures}
        typer.echo(json.dumps(curves))
        messages.print(f"Figures are in {out}", highlight=False)
    else:
        _show(figures, horizon, runs, out)


def _show(figures: list[Figure], horizon: int, runs: int, out: Path) -> None:
    table = Table(title=f"The paper's experiment, {runs} runs of {horizon:,} visits")
    for heading in ("arms", "beta_min", "curve", "regret", "questions a visit", "left"):
        table.add_column(heading, justify="left" if heading == "curve" else "right")
    for figure in figures:
        for label, curve in figure.curves.items():
            left = sum(len(run.questions_left) for run in curve.runs) / len(curve.runs)
            table.add_row(
                str(figure.arms),
                f"{figure.beta_min:g}",
                label,
                f"{curve.regret:,.0f}",
                f"{curve.questions_per_visit:.1f}",
                f"{left:.1f}",
            )
        table.add_section()
    output.print(table)
    output.print(
        "The paper's LinUCB is the same UCB without dropping.\n"
        "Radius published_sqrt (elastic net: published_scaled_sqrt), sigma 1, alpha 1, delta 0.1,"
        " b1 2, b2 √50, raw coding; no guarantee. Epoch SurveyUCB: delta 0.1, else its defaults;"
        " guaranteed where beta_min is below the effects that matter, which are 1 here.\n"
        f"Figures (PNG, SVG) and curves (CSV) are in {out}",
        highlight=False,
        soft_wrap=True,
    )

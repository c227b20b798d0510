"""`askless paper`: the paper's experiment, as tables, figures and one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from askless.cli.terminal import output, progress_bar, report

if TYPE_CHECKING:
    from askless.experiments.claims import Claim
    from askless.experiments.paper import Curve, Experiment

HORIZON, RUNS = 100_000, 5  # the paper's
QUICK_HORIZON, QUICK_RUNS = 20_000, 2
NOTE = """\
Mean over runs, range of the runs' regret; left: questions that some arm still
uses at the end. The paper's LinUCB is the same UCB without dropping.
Radius published_sqrt (elastic net: published_scaled_sqrt), sigma 1, alpha 1,
delta 0.1, b1 2 (where it says so: 50, as in the paper), b2 √50, raw coding: no
guarantee. "valid" and Epoch: delta 0.1, else the defaults; guaranteed where
beta_min is below the effects that matter, which are 1 here.
"""


def paper(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help=f"{QUICK_RUNS} runs of {QUICK_HORIZON:,} visits instead of {RUNS} of {HORIZON:,}.",
        ),
    ] = False,
    horizon: Annotated[
        int | None, typer.Option(help=f"Visits of a run; {HORIZON}, --quick {QUICK_HORIZON}.")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help=f"Runs of each curve; {RUNS}, --quick {QUICK_RUNS}.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(help="Runs played at a time; changes no figure. As many as there are cores."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("askless-paper"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Run the paper's experiment: its five figures, its claims, its bound, in one report."""
    from askless.experiments.paper import paper_experiment, visits_of  # noqa: PLC0415 (help comes at once)
    from askless.report.page import check_folder  # noqa: PLC0415
    from askless.report.paper_report import summary, write_paper  # noqa: PLC0415
    from askless.simulation.batch import check_frame  # noqa: PLC0415

    if horizon is None:
        horizon = QUICK_HORIZON if quick else HORIZON
    if runs is None:
        runs = QUICK_RUNS if quick else RUNS
    check_frame(horizon, runs, seed, workers)
    check_folder(out)  # before the work, not after it
    with progress_bar(visits_of(horizon, runs), "the paper's experiment") as progress:
        done = paper_experiment(horizon, runs, seed, workers=workers, progress=progress)
    page = write_paper(done, out)[0]
    where = f"The report is {page}; figures (PNG, SVG) and curves (CSV, JSON) are beside it."
    report(lambda: _show(done), where, summary(done) if as_json else None)


def _show(experiment: Experiment) -> None:
    from askless.experiments.claims import judged  # noqa: PLC0415 (as above)
    from askless.experiments.paper import runs_of  # noqa: PLC0415

    _show_curves(experiment)
    _show_claims(judged(runs_of(experiment)))
    output.print(NOTE, highlight=False, end="")
    if (experiment.horizon, experiment.runs) != (HORIZON, RUNS):
        output.print(
            f"The paper's experiment is {RUNS} runs of {HORIZON:,} visits; verdicts from fewer or"
            " shorter runs may differ.",
            highlight=False,
        )


def _show_curves(experiment: Experiment) -> None:
    table = _table(f"The paper's experiment, {experiment.size}")
    table.add_column("curve", no_wrap=True)
    for heading in ("regret", "range", "questions a visit", "left"):
        table.add_column(heading, justify="right", no_wrap=heading != "questions a visit")
    for figure in experiment.figures:
        _, arms, beta_min = figure.about
        table.add_row(f"[bold]{arms} arms, beta_min {beta_min:g}[/bold]")
        for label, curve in figure.curves.items():
            _add(table, label, curve)
        table.add_section()
    table.add_row("[bold]in no figure[/bold]")
    for key, curve in experiment.others.items():
        label = key.label.replace("SurveyUCB, ", "")
        _add(table, f"{label}, {key.arms} arms, {key.beta_min:g}", curve)
    output.print(table)


def _add(table: Table, label: str, curve: Curve) -> None:
    low, high = curve.range
    table.add_row(
        label,
        f"{curve.runs.regret:,.0f}",
        f"{low:,.0f}–{high:,.0f}",
        f"{curve.runs.questions_per_visit:.1f}",
        f"{curve.left:.1f}",
    )


def _show_claims(claims: tuple[Claim, ...]) -> None:
    table = _table("The paper's claims, as measured")
    table.add_column("")
    table.add_column("claim, and what was measured")
    table.add_column("runs", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for claim in claims:
        bold = f"[bold]{claim.verdict}[/bold]"
        table.add_row(str(claim.number), f"[bold]{claim.text}[/bold]", "", bold)
        for part in claim.parts:
            verdict = "holds" if part.holds else "does not hold"
            table.add_row("", part.measured, f"{part.agree}/{part.runs}", verdict)
        table.add_section()
    output.print(table)


def _table(title: str) -> Table:
    return Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)

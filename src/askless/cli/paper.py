"""`askless paper`: the paper's experiment, as tables, figures and one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askless.cli.grid import Grid
from askless.cli.terminal import output, progress_bar, report

if TYPE_CHECKING:
    from askless.experiments.claims import Claim
    from askless.experiments.paper import Curve, Experiment

HORIZON, RUNS = 100_000, 5  # the paper's
QUICK_HORIZON, QUICK_RUNS = 20_000, 2
CLAIM = "claim"
VERDICTS = {"holds": "hold", "holds in part": "hold in part", "does not hold": "do not hold"}
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

    claims = judged(runs_of(experiment))
    short = any(claim.so_far for claim in claims)
    for line in _so_far(experiment, claims) if short else _verdict(experiment, claims):
        output.print(line, markup=False, highlight=False)
    output.print()
    _claims(claims, short=short).show()
    _curves(experiment).show()
    output.print(NOTE, markup=False, highlight=False, end="")


def _verdict(experiment: Experiment, claims: Sequence[Claim]) -> Iterator[str]:
    """Say how many claims came out how, in a run as long as the paper's."""
    found = Counter(claim.verdict for claim in claims)
    counts = ", ".join(f"{count} {VERDICTS.get(said, said)}" for said, count in found.items())
    yield f"Of the paper's {len(claims)} claims, in {experiment.size}: {counts}."


def _so_far(experiment: Experiment, claims: Sequence[Claim]) -> Iterator[str]:
    """Say what a run shorter than the paper's can judge, and what it cannot."""
    parts = [part for claim in claims for part in claim.so_far]
    seen = sum(part.holds for part in parts)
    yield (
        f"A short run: {experiment.size}; the paper's experiment is {RUNS} runs of {HORIZON:,}"
        " visits."
    )
    yield (
        "It shows how regret and questions compare until then. It cannot judge the paper's claims:"
        " questions leave late, so that what is not seen yet may still come, and what is seen may"
        f" not last. So far {seen} of the {len(parts)} things that they say are seen; the report"
        " lists them. To judge them: askless paper"
    )


def _claims(claims: Sequence[Claim], *, short: bool) -> Grid:
    """Make a line a claim; where runs are as long as the paper's, also of what was measured."""
    last = "seen so far" if short else "verdict"
    headings = ("", CLAIM, last) if short else ("", CLAIM, "runs", last)
    grid = Grid(headings, words=(CLAIM, "verdict"), title="The paper's claims")
    for claim in claims:
        if short:
            seen = sum(part.holds for part in claim.so_far)
            grid.add(str(claim.number), claim.text, f"{seen} of {len(claim.so_far)}")
            continue
        grid.head(str(claim.number), claim.text, "", claim.verdict)
        for part in claim.parts:
            verdict = "holds" if part.holds else "does not hold"
            grid.add("", part.measured, f"{part.agree}/{part.runs}", verdict)
    return grid


def _curves(experiment: Experiment) -> Grid:
    headings = ("curve", "regret", "range", "questions a visit", "left")
    grid = Grid(headings, words=("curve",), title=f"The curves, {experiment.size}")
    for figure in experiment.figures:
        _, arms, beta_min = figure.about
        grid.head(f"{arms} arms, beta_min {beta_min:g}")
        for label, curve in figure.curves.items():
            _add(grid, label, curve)
    grid.head("in no figure")
    for key, curve in experiment.others.items():
        label = key.label.replace("SurveyUCB, ", "")
        _add(grid, f"{label}, {key.arms} arms, {key.beta_min:g}", curve)
    return grid


def _add(grid: Grid, label: str, curve: Curve) -> None:
    low, high = curve.range
    grid.add(
        label,
        f"{curve.runs.regret:,.0f}",
        f"{low:,.0f}–{high:,.0f}",
        f"{curve.runs.questions_per_visit:.1f}",
        f"{curve.left:.1f}",
    )

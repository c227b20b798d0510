"""`askless analyse STUDY VISITS`: what a finished study has shown."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from askless.cli.grid import Grid
from askless.cli.terminal import check_order, messages, output, report
from askless.survey import Study

if TYPE_CHECKING:
    from askless.evaluation import Analysis
    from askless.report.analysis_words import Words

FOLDER = Path("askless-analysis")
REWARD, EFFECTS = "reward a visit", "effects of answers"
SHOWN = 10  # effects in the terminal; the page has all


def analyse(
    study: Annotated[Path, typer.Argument(help="The study file, as the study was run.")],
    visits: Annotated[Path, typer.Argument(help="Its visits file: CSV or Parquet.")],
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = FOLDER,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Say what a finished study has shown: effects, arm means, what decisions were worth."""
    from askless import evaluation  # noqa: PLC0415 (so that help comes at once)
    from askless.report.analysis_report import write_analysis  # noqa: PLC0415 (plotting is slow)
    from askless.report.page import check_folder  # noqa: PLC0415

    check_order(study, visits, "visits file")
    read = Study.read(study)
    if out.exists():
        check_folder(out)  # before the work; a new one is made once all is there
    with messages.status("reading and rebuilding the study"):  # silent if it is no terminal
        done = evaluation.analyse(read, visits)
        command = ["askless", "analyse", str(study), str(visits)]
        command += ["--out", str(out)] if out != FOLDER else []
        page = write_analysis(done, out, shlex.join(command))[0]
    where = f"The report is {page}; tables (CSV), figures and data (JSON) are beside it."
    report(lambda: _show(done), where, done.to_dict() if as_json else None)


def _show(analysis: Analysis) -> None:
    from askless.evaluation import sureness  # noqa: PLC0415 (as above)
    from askless.report import analysis_summary as summary  # noqa: PLC0415
    from askless.report.analysis_words import Words  # noqa: PLC0415

    words = Words(analysis.study.reward.span)
    first, *others = summary.said_of(analysis)
    output.print(f"[bold]{escape(first)}[/bold]", highlight=False)
    output.print("\n".join(others), markup=False, highlight=False)
    for doubt in summary.doubts_of(analysis):
        output.print(f"[bold]Mind:[/bold] {escape(doubt)}", highlight=False)
    output.print()
    _show_means(analysis, words)
    telling = sureness.telling(analysis)
    shown = sureness.surest(telling, SHOWN)
    if shown:
        grid = Grid((EFFECTS, "estimate", "at the end", "at all times"), words=(EFFECTS,))
        for row in shown:
            label = f"{row.arm}, {summary.label_of(row)}"
            ends = words.ends(row.end_low, row.end_high), words.ends(row.low, row.high)
            grid.add(label, words.signed(row.estimate), *ends)
        grid.show()
    if len(telling) > SHOWN:
        more = len(telling) - SHOWN
        output.print(f"These are the surest; {more:,} more are in the report.", highlight=False)
    why = summary.why_so_few(analysis)
    if why:
        output.print(why, markup=False, highlight=False)


def _show_means(analysis: Analysis, words: Words) -> None:
    from askless.report.analysis_summary import LISTED  # noqa: PLC0415 (as above)

    grid = Grid((REWARD, "estimate", "95%"), words=(REWARD,))
    for value in analysis.values:
        if value.estimate is not None:
            label = LISTED.get(value.what, value.what)
            grid.add(label, words.plain(value.estimate), words.ends(value.low, value.high))
    for mean in analysis.arm_means:
        if mean.estimate is not None:
            label = f"{mean.arm} for all, by {mean.by}"
            grid.add(label, words.plain(mean.estimate), words.ends(mean.low, mean.high))
    grid.show()

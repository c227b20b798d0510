"""`askless plan STUDY`: how a study will go, before anyone is asked."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from askless.cli.terminal import numbers, output, report, stages
from askless.survey import Study

if TYPE_CHECKING:
    from askless.evaluation import Plan
    from askless.report.plan_report import Column

LEAST_NEEDED = ("cost", "over")  # headings of columns that a narrow table does without
DIM, ELSEWHERE = "dim, the range of 9 in 10 of them", "in the report, their ranges"


def plan(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    respondents: Annotated[
        str, typer.Option(help="For how many people, separated by commas.")
    ] = "500,2000,10000",
    price: Annotated[
        str | None,
        typer.Option(
            help="Prices of a question to try beside the study's, separated by commas; half and"
            " twice as much if left out."
        ),
    ] = None,
    pilot: Annotated[
        Path | None, typer.Option(help="A CSV of answers from which people are drawn.")
    ] = None,
    worlds: Annotated[
        int, typer.Option(help="How many plausible worlds to draw; at least 20.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Seed of all worlds and people.")] = 0,
    engine: Annotated[str, typer.Option(help="local, dask or ray.")] = "local",
    address: Annotated[str | None, typer.Option(help="Of a running cluster.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; all cores if left out. Changes no figure.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("askless-plan"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Say whether to shorten a survey, with which setting, and how many people that takes."""
    from askless import evaluation  # noqa: PLC0415 (so that help comes at once)
    from askless.report.page import check_folder  # noqa: PLC0415
    from askless.report.plan_report import write_plan  # noqa: PLC0415 (plotting takes a second)

    read = Study.read(study)
    given: dict[str, Any] = {"respondents": numbers("--respondents", respondents, int)}
    if price is not None:
        given["prices"] = numbers("--price", price, float)
    check_folder(out)  # before the work, not after it
    with stages() as progress:
        done = evaluation.plan(
            read,
            **given,
            pilot=pilot,
            worlds=worlds,
            seed=seed,
            engine=engine,
            address=address,
            workers=workers,
            progress=progress,
        )
    command = ["askless", "plan", str(study), "--respondents", respondents]
    command += ["--price", price] if price is not None else []
    command += ["--pilot", str(pilot)] if pilot is not None else []
    command += ["--worlds", str(worlds), "--seed", str(seed)]
    page = write_plan(done, out, shlex.join(command))[0]
    where = f"The report is {page}; figures (PNG, SVG) and data (JSON) are beside it."
    report(lambda: _show(done), where, done.to_dict() if as_json else None)


def _show(plan: Plan) -> None:
    first, *others = plan.advice()
    output.print(f"[bold]{escape(first)}[/bold]", highlight=False)
    output.print("\n".join(others), markup=False, highlight=False)
    for warning in plan.warnings():
        output.print(f"[bold]Mind:[/bold] {escape(warning)}", highlight=False)
    output.print()
    table, where = _that_fits(plan)
    output.print(table)
    output.print(escape(_notes(plan, where)), highlight=False)


def _that_fits(plan: Plan) -> tuple[Table, str]:
    """Return the widest table that breaks no number, and where the ranges of its figures are."""
    from askless.report.plan_report import columns_of  # noqa: PLC0415 (plotting takes a second)

    columns, roomy = columns_of(plan), output.options.update(max_width=10_000)
    for ranges, gap in ((True, 1), (False, 1), (False, 0)):
        table = _table(plan, columns, ranges=ranges, gap=gap)
        if Measurement.get(output, roomy, table).maximum <= output.width:
            return table, DIM if ranges else ELSEWHERE
    kept = [column for column in columns if column.heading[0] not in LEAST_NEEDED]
    return _table(plan, kept, ranges=False, gap=0), f"{ELSEWHERE} and what one arm lacks"


def _table(plan: Plan, columns: list[Column], *, ranges: bool, gap: int) -> Table:
    """Make a line a way, and one more for the range of 9 in 10 worlds where there is room."""
    table = Table(
        title=escape(f"{plan.study.name}: {plan.worlds} plausible worlds"),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, gap, 0, 0),
    )
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column("\n".join(column.heading), justify="right", no_wrap=True)
    for people in plan.respondents:
        table.add_row(f"[bold]{people:,} people[/bold]")
        for way in plan.ways:
            forecast = plan.forecast(way.label, people)
            table.add_row(way.label, *(column.middle(forecast) for column in columns))
            if ranges:
                own = (escape(column.range(forecast)) for column in columns)
                table.add_row("", *own, style="dim")
        table.add_section()
    return table


def _notes(plan: Plan, where: str) -> str:
    net = (
        "the reward a person who starts, who gives up at a question with a probability of"
        f" {plan.dropout:g} and then brings nothing"
        if plan.dropout
        else f"the reward less {plan.price:.3g} a question (weighed by its cost)"
    )
    return (
        f"Medians of the worlds and, {where}. Net: {net}. One arm for all: the one that a test"
        " with a fifth of the people finds best; nothing is asked. Loses: worlds where a question"
        " that matters was dropped for good. A pilot asks everything of that share of people, with"
        " arms at random, then what a lasso says.\n"
    )

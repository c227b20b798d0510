"""`askless plan STUDY`: how a study will go, before anyone is asked."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from askless.cli.grid import Grid
from askless.cli.terminal import numbers, output, report, stages
from askless.environments import PilotAnswers
from askless.errors import SettingError
from askless.survey import Study

if TYPE_CHECKING:
    from askless.evaluation import Plan
    from askless.report.plan_report import Column

LONG = 40_000_000  # worlds × people × columns²; a plan of more takes more than a few seconds
# Headings of columns that a narrow table does without, the first one sooner; what its notes say.
LEAST_NEEDED = {"over": "what one arm lacks", "cost": "what questions cost"}
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
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            help="A column of that file that holds no answers, such as an id. May be repeated.",
            metavar="COLUMN",
        ),
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
    people = _people_of(pilot, read, leave_out or [])
    check_folder(out)  # before the work, not after it
    with stages(begun=_sign_of_life(read, worlds, max(given["respondents"]))) as progress:
        done = evaluation.plan(
            read,
            **given,
            pilot=people,
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
    command += [part for name in leave_out or [] for part in ("--leave-out", name)]
    command += ["--worlds", str(worlds), "--seed", str(seed)]
    page = write_plan(done, out, shlex.join(command))[0]
    where = f"The report is {page}; figures (PNG, SVG) and data (JSON) are beside it."
    report(lambda: _show(done), where, done.to_dict() if as_json else None)


def _sign_of_life(study: Study, worlds: int, people: int) -> str:
    """Return what a long plan says where no bar shows that it goes on."""
    if worlds * people * study.survey.column_count**2 < LONG:
        return ""
    return f"playing {worlds:,} worlds with up to {people:,} people in each; this can take minutes"


def _people_of(pilot: Path | None, study: Study, leave_out: list[str]) -> PilotAnswers | None:
    if pilot is None and leave_out:
        raise SettingError("--leave-out says nothing without --pilot; leave it out")
    if pilot is None:
        return None
    return PilotAnswers.read(pilot, study.survey, leave_out=leave_out)


def _show(plan: Plan) -> None:
    first, *others = plan.advice()
    output.print(f"[bold]{escape(first)}[/bold]", highlight=False)
    output.print("\n".join(others), markup=False, highlight=False)
    for warning in plan.warnings():
        output.print(f"[bold]Mind:[/bold] {escape(warning)}", highlight=False)
    output.print()
    grid, where = _that_fits(plan)
    grid.show()
    output.print(escape(_notes(plan, where)), highlight=False)


def _that_fits(plan: Plan) -> tuple[Grid, str]:
    """Return the widest table that breaks no number, and where the ranges of its figures are."""
    from askless.report.plan_report import columns_of  # noqa: PLC0415 (plotting takes a second)

    columns = columns_of(plan)
    for ranges, gap in ((True, 1), (False, 0)):
        grid = _grid(plan, columns, ranges=ranges)
        if grid.fits(output.width, gap):
            return grid, DIM if ranges else ELSEWHERE
    for count in range(1, len(LEAST_NEEDED) + 1):
        left_out = list(LEAST_NEEDED)[:count]
        kept = [column for column in columns if column.heading[0] not in left_out]
        grid = _grid(plan, kept, ranges=False)
        if grid.fits(output.width):
            return grid, " and ".join([ELSEWHERE, *map(LEAST_NEEDED.__getitem__, left_out)])
    return _grid(plan, columns, ranges=False), ELSEWHERE  # as a list, which has room for all


def _grid(plan: Plan, columns: list[Column], *, ranges: bool) -> Grid:
    """Make a line a way, and one more for the range of 9 in 10 worlds where there is room."""
    title = f"{plan.study.name}: {plan.worlds} plausible worlds"
    headings = ("", *("\n".join(column.heading) for column in columns))
    grid = Grid(headings, words=("",), title=title)
    for people in plan.respondents:
        grid.head(f"{people:,} people")
        for way in plan.ways:
            forecast = plan.forecast(way.label, people)
            grid.add(way.label, *(column.middle(forecast) for column in columns))
            if ranges:
                grid.add("", *(column.range(forecast) for column in columns), style="dim")
    return grid


def _notes(plan: Plan, where: str) -> str:
    net = (
        "the reward a person who starts, who gives up at a question with a probability of"
        f" {plan.dropout:g} and then brings nothing"
        if plan.dropout
        else f"the reward less {plan.price:.3g} a question (weighed by its cost)"
    )
    asks = "it asks what rules need" if plan.needed else "nothing is asked"
    return (
        f"Medians of the worlds and, {where}. Net: {net}. One arm for all: the one that a test"
        f" with a fifth of the people finds best; {asks}. Loses: worlds where a question"
        " that matters was dropped for good. A pilot asks everything of that share of people, with"
        " arms at random, then what a lasso says.\n"
    )

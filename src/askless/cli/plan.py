"""`askless plan STUDY`: how a study will go, before anyone is asked."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from askless.cli.terminal import messages, output, progress_bar
from askless.errors import SettingError
from askless.survey import Study

if TYPE_CHECKING:
    from askless.evaluation import Plan

TO = "…"  # between the ends of an interval, where there is little room


def plan(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    respondents: Annotated[
        str, typer.Option(help="For how many people, separated by commas.")
    ] = "500,2000,10000",
    beta_min: Annotated[
        str | None,
        typer.Option(help="Which to try, separated by commas; the study's and half of it."),
    ] = None,
    pilot: Annotated[
        Path | None, typer.Option(help="A CSV of answers from which people are drawn.")
    ] = None,
    worlds: Annotated[int, typer.Option(help="How many plausible worlds to draw.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of all worlds and people.")] = 0,
    engine: Annotated[str, typer.Option(help="local, dask or ray.")] = "local",
    address: Annotated[str | None, typer.Option(help="Of a running cluster.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; all cores if left out. Changes no figure.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("askless-plan"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Say how many people a study needs, how short its survey gets, and what it risks."""
    from askless import evaluation  # noqa: PLC0415 (so that help comes at once)
    from askless.evaluation.plan import visits_of  # noqa: PLC0415
    from askless.report.page import check_folder  # noqa: PLC0415
    from askless.report.plan_report import write_plan  # noqa: PLC0415 (plotting takes a second)

    read = Study.read(study)
    given: dict[str, Any] = {"respondents": _numbers("--respondents", respondents, int)}
    if beta_min is not None:
        given["beta_min"] = _numbers("--beta-min", beta_min, float)
    total = visits_of(read, **given, worlds=worlds)  # refuses what cannot be planned
    check_folder(out)  # before the work, not after it
    with progress_bar(total, "the study in plausible worlds") as progress:
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
    command += ["--beta-min", beta_min] if beta_min is not None else []
    command += ["--pilot", str(pilot)] if pilot is not None else []
    command += ["--worlds", str(worlds), "--seed", str(seed)]
    report = write_plan(done, out, shlex.join(command))[0]
    where = f"The report is {report}; figures (PNG, SVG) and data (JSON) are beside it."
    if as_json:
        typer.echo(json.dumps(done.to_dict(), allow_nan=False))
        messages.print(where, markup=False, highlight=False, soft_wrap=True)
        return
    _show(done)
    output.print(where, markup=False, highlight=False, soft_wrap=True)


def _numbers(option: str, text: str, kind: type) -> list[Any]:
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise SettingError(
            f"{option} is {text!r}; give {what} separated by commas, such as"
            f" {'500,2000' if kind is int else '0.1,0.2'}"
        ) from None


def _show(plan: Plan) -> None:
    from askless.report.plan_report import label_of, range_text  # noqa: PLC0415

    costs = any(question.cost != 1 for question in plan.study.survey)
    table = Table(
        title=escape(f"{plan.study.name}: {plan.worlds} plausible worlds"),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column("", no_wrap=True)
    headings = ["questions a visit", "reward a visit", "more than one arm", "loses"]
    for heading in headings[:1] + ["cost a visit"] * costs + headings[1:]:
        table.add_column(heading, justify="right", min_width=6, overflow="fold")
    digits = plan.reward_digits
    for people in plan.respondents:
        table.add_row(f"[bold]{people:,} respondents[/bold]")
        for beta_min in (None, *plan.beta_mins):
            now = plan.forecast(beta_min, people)
            cells = [
                range_text(now.questions, to=TO),
                *([range_text(now.cost, to=TO)] if costs else []),
                range_text(now.reward, digits, to=TO),
                range_text(now.over_single, digits, to=TO),
                "" if beta_min is None else f"{100 * now.losing.middle:.1f}%",
            ]
            table.add_row(label_of(beta_min), *cells)
        table.add_section()
    output.print(table)
    output.print(_gone(plan))
    output.print(
        "Median of the worlds, and the range of 9 in 10 of them. More than one arm:\n"
        "reward over the best single arm for all. Loses: chance of losing a useful\n"
        "question.\n",
        highlight=False,
    )
    output.print("\n".join(plan.advice()), markup=False, highlight=False, soft_wrap=True)
    for warning in plan.warnings():
        output.print(f"[bold]Mind:[/bold] {escape(warning)}", highlight=False, soft_wrap=True)


def _gone(plan: Plan) -> Table:
    from askless.report.plan_report import formula_text, label_of, visits_text  # noqa: PLC0415

    gone = Table(
        title="Unneeded questions gone after",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    for heading in ("", "half", "all", "an arm's rows", "by formula"):
        gone.add_column(heading, justify="right" if heading else "left")
    most = plan.respondents[-1]
    for beta_min in plan.beta_mins:
        found = plan.shortening(beta_min)
        gone.add_row(
            label_of(beta_min),
            visits_text(found.half, most, TO),
            visits_text(found.all, most, TO),
            visits_text(found.rows, most, TO),
            formula_text(found, TO),
        )
    return gone

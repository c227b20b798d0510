"""`askless compare`: policies beside each other on the paper's respondents, at growing horizons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from askless.cli.contest import compare_on_tables
from askless.cli.grid import Grid
from askless.cli.policy_options import class_of
from askless.cli.terminal import of_study, output, progress_bar, refuse_options
from askless.environments import paper_environment
from askless.errors import SettingError
from askless.experiments import compare as run_comparison
from askless.experiments.comparison import Comparison, contenders, digits_of
from askless.policies import POLICIES
from askless.policies.building import settings_of

# What says nothing beside --tables, and what says nothing without it.
OF_THE_PAPER, OF_TABLES = ("arms", "features", "delta", "horizon"), ("study", "sizes", "price")


def compare(
    context: typer.Context,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(POLICIES)}, or module:Class, instead of all; with --tables"
            " also linucb-noise and others of the contest. May be repeated."
        ),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            help="Compare on these worlds instead of the paper's: all, families, names of"
            " `askless tables`, or files of people, separated by commas."
        ),
    ] = None,
    study: Annotated[
        Path | None, typer.Option(help="The study file that says what such files mean.")
    ] = None,
    sizes: Annotated[
        str, typer.Option(help="With --tables: numbers of people, separated by commas.")
    ] = "500,2000,10000",
    price: Annotated[
        float, typer.Option(help="With --tables: of a question, as a share of the reward range.")
    ] = 0.002,
    beta_min: Annotated[
        float | None,
        typer.Option(
            help="Smallest effect worth a question: 0.3; with --tables, as a share of the reward"
            " range, 0.1."
        ),
    ] = None,
    arms: Annotated[int, typer.Option(help="Arms; the first three are worth playing.")] = 5,
    features: Annotated[int, typer.Option(help="Questions; two matter.")] = 50,
    delta: Annotated[float, typer.Option(help="How often the guarantees may fail.")] = 0.1,
    horizon: Annotated[int, typer.Option(help="Visits of a run.")] = 100_000,
    runs: Annotated[
        int | None, typer.Option(help="Runs of each curve: 3; with --tables 5.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 0,
    workers: Annotated[int, typer.Option(help="Runs played at a time; changes no figure.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("askless-compare"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Compare policies on the paper's people at growing horizons; with --tables, on real people."""
    if tables is None and study is not None:
        raise SettingError(
            f"--study says what files of people mean, and there are none; {of_study(study)}"
        )
    where = "with" if tables is not None else "without"
    refuse_options(context, OF_THE_PAPER if tables is not None else OF_TABLES, f"{where} --tables")
    if tables is not None:
        compare_on_tables(
            tables=tables,
            study=study,
            policies=policy,
            sizes=sizes,
            price=price,
            beta_min=beta_min,
            runs=5 if runs is None else runs,
            seed=seed,
            workers=workers,
            out=out,
            as_json=as_json,
        )
        return
    from askless.report.comparison_report import write_comparison  # noqa: PLC0415 (so that help comes at once)

    beta_min, runs = 0.3 if beta_min is None else beta_min, 3 if runs is None else runs
    world = paper_environment(arms=arms, features=features)
    chosen: Any = contenders(beta_min, delta)
    if policy:
        chosen = [_with_settings(name, beta_min=beta_min, delta=delta) for name in policy]
    out.mkdir(parents=True, exist_ok=True)  # before the work, not after it
    with progress_bar(horizon * runs * len(chosen), "all policies") as progress:
        done = run_comparison(
            chosen, world, horizon, runs, seed, workers=workers, progress=progress
        )
    many = f"{runs} run{'s' if runs > 1 else ''}"
    title = f"{arms} arms, beta_min = {beta_min:g}: mean and range of {many}"
    write_comparison(done, title, out)
    if as_json:
        typer.echo(json.dumps(list(done.rows())))
        return
    _show(done, many)
    output.print(
        "Reward and questions are those of a visit, up to so many visits; regret is all of it"
        f" until then.{'' if policy else ' * no guarantee.'}\n"
        f"Settings: beta_min {beta_min:g}, delta {delta:g}, all else at its default, centred"
        " coding.\n"
        f"The figure (PNG, SVG) and the table (CSV) are in {out}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _show(found: Comparison, many: str) -> None:
    rows = list(found.rows())
    last = [row for row in rows if row["visits"] == rows[-1]["visits"]]
    best = min(last, key=lambda row: row["regret"])
    lost = [f"{row['curve']} ({row['useful_dropped']})" for row in last if row["useful_dropped"]]
    output.print(
        f"After {best['visits']:,} visits {best['curve']} has the lowest regret of {len(last)}:"
        f" {best['regret']:,.0f}, at {best['questions']:.1f} questions a visit (means of {many}).\n"
        f"Useful questions were dropped by: {', '.join(lost) or 'none'}.",
        markup=False,
        highlight=False,
    )
    sizes = [f"{row['visits']:,}" for row in rows if row["curve"] == best["curve"]]
    grid = Grid(("up to visit", "", *sizes), words=("up to visit", ""))
    names = ("regret", "reward", "questions")
    digits = {name: digits_of(name, [row[name] for row in rows]) for name in names}
    for curve in found.runs:
        own = [row for row in rows if row["curve"] == curve]
        for name in names:
            cells = (f"{row[name]:,.{digits[name]}f}" for row in own)
            grid.add(curve if name == names[0] else "", name, *cells)
    grid.show()


def _with_settings(name: str, **given: float) -> dict[str, Any]:
    """Return a policy's name with those of the settings that it takes."""
    taken = settings_of(class_of(name))
    return {"name": name} | {key: value for key, value in given.items() if key in taken}

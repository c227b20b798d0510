"""`askless compare --tables`: policies on real people and on hard worlds, at several sizes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich import box
from rich.table import Table

from askless.cli.terminal import messages, numbers, output, stages
from askless.environments import FAMILIES, TABLES, Environment, family, read_table, table
from askless.errors import SettingError, meant
from askless.survey import Study

if TYPE_CHECKING:
    from askless.evaluation.contest import Contest

FILES = (".csv", ".parquet", ".pq")
HEADINGS = ("net", "±", "reward", "share\nasked", "mean\nrank", "best\nor near", "µs\na visit")


def worlds_named(names: str, study: Path | None) -> dict[str, Environment]:
    """Return worlds by what was written: `all`, `families`, names, or files of people."""
    read = None if study is None else Study.read(study)
    worlds: dict[str, Environment] = {}
    for name in (part.strip() for part in names.split(",")):
        if name == "all":
            worlds |= {known: table(known) for known in TABLES}
        elif name == "families":
            worlds |= {known: family(known) for known in FAMILIES}
        elif name in TABLES:
            worlds[name] = table(name)
        elif name in FAMILIES:
            worlds[name] = family(name)
        elif Path(name).suffix.lower() in FILES:
            if read is None:
                raise SettingError(f"{name}: say with --study what its columns mean")
            known = Path(name).stem
            if known in worlds or known in {*TABLES, *FAMILIES}:
                raise SettingError(f"{name}: another table is called {known!r}; rename the file")
            worlds[known] = read_table(name, read)
        else:
            every = ["all", "families", *TABLES, *FAMILIES]
            raise SettingError(f"there is no table {name!r}{meant(name, every, 'there are')}")
    return worlds


def compare_on_tables(
    *,
    tables: str,
    study: Path | None,
    policies: list[str] | None,
    sizes: str,
    price: float,
    beta_min: float | None,
    runs: int,
    seed: int,
    workers: int,
    out: Path,
    as_json: bool,
) -> None:
    """Play what is not there yet, and write the report."""
    from askless.evaluation.contest import contest  # noqa: PLC0415 (so that help comes at once)
    from askless.evaluation.entrants import BETA_MIN, entrants, named_entrant  # noqa: PLC0415
    from askless.report.contest_report import said_of, write_contest  # noqa: PLC0415 (plots)
    from askless.report.page import check_folder  # noqa: PLC0415

    at, worlds = numbers("--sizes", sizes, int), worlds_named(tables, study)
    settings = price, BETA_MIN if beta_min is None else beta_min
    entering = [named_entrant(name, *settings) for name in policies or []] or entrants(*settings)
    check_folder(out)  # before the work, not after it
    with stages() as progress:
        found = contest(
            entering,
            worlds,
            out / "runs",
            sizes=at,
            runs=runs,
            seed=seed,
            price=price,
            workers=workers,
            progress=progress,
        )
    command = ["askless", "compare", "--tables", tables, "--sizes", sizes]
    command += ["--price", f"{settings[0]:g}", "--beta-min", f"{settings[1]:g}"]
    command += ["--study", str(study)] if study is not None else []
    command += [part for name in policies or [] for part in ("--policy", name)]
    command += ["--runs", str(runs), "--seed", str(seed)]
    report = write_contest(found, out, shlex.join(command))[0]
    where = f"The report is {report}; figures, runs.csv and contest.json are beside it."
    if as_json:
        typer.echo(json.dumps({"said": said_of(found), "summary": list(found.summary())}))
        messages.print(where, markup=False, highlight=False, soft_wrap=True)
        return
    output.print("\n".join(said_of(found)), markup=False, highlight=False)
    for people in found.sizes:
        output.print(_grid(found, people))
    output.print(
        f"Net: the reward, as a share of its range, less {price:g} a question, ± its standard"
        " error. Best or near: worlds where it is the highest, or, of five runs or more, within two"
        " paired standard errors of that. The best single arm is known beforehand and does not"
        " compete.\n",
        markup=False,
        highlight=False,
    )
    output.print(where, markup=False, highlight=False, soft_wrap=True)


def _grid(found: Contest, people: int) -> Table:
    """Make a line a policy, the best net first."""
    grid = Table(
        title=f"{people:,} people, means over {len(found.worlds)} worlds",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    grid.add_column("", no_wrap=True)
    for heading in HEADINGS:
        grid.add_column(heading, justify="right", no_wrap=True)
    for row in found.summary():
        if row["people"] == people:
            grid.add_row(
                row["policy"],
                f"{row['net']:.4f}",
                "" if row["error"] is None else f"{row['error']:.4f}",
                f"{row['reward']:.4f}",
                f"{row['share']:.2f}",
                f"{row['rank']:.1f}",
                f"{row['near_best']}",
                "" if row["micros"] is None else f"{row['micros']:,.0f}",
            )
    return grid

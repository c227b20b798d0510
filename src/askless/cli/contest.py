"""`askless compare --tables`: policies on real people and on hard worlds, at several sizes."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import track

from askless.checks.blocks import described
from askless.cli.grid import Grid
from askless.cli.terminal import messages, numbers, output, report, stages
from askless.environments import FAMILIES, TABLES, Environment, family, read_table, table
from askless.environments.tables.outcomes import DrawnTable
from askless.errors import SettingError, meant
from askless.survey import Study

if TYPE_CHECKING:
    from askless.experiments.contest import Contest

FILES = (".csv", ".parquet", ".pq")
GROUPS: dict[str, tuple[str, ...]] = {"all": tuple(TABLES), "families": tuple(FAMILIES)}
DEAR = 0.5  # of the reward range
HEADINGS = (
    "policy",
    "net",
    "±",
    "reward",
    "share\nasked",
    "mean\nrank",
    "best\nor near",
    "µs\na visit",
)


def worlds_named(names: str, study: Path | None) -> dict[str, Environment]:
    """Return worlds by what was written: `all`, `families`, names, or files of people."""
    makers: dict[str, Callable[[], Environment]] = {}
    files = False
    for name in (part.strip() for part in names.split(",")):
        if name in (*GROUPS, *TABLES, *FAMILIES):
            for known in GROUPS.get(name, (name,)):
                makers[known] = partial(table if known in TABLES else family, known)
        elif Path(name).suffix.lower() in FILES:
            known = Path(name).stem
            if study is None:
                raise SettingError(f"{name}: say with --study what its columns mean")
            if known in {*makers, *TABLES, *FAMILIES}:
                raise SettingError(f"{name}: another table is called {known!r}; rename the file")
            makers[known], files = partial(_people_of, name, study), True
        else:
            every = [*GROUPS, *TABLES, *FAMILIES]
            ends = f"; files of people end in {', '.join(FILES)}"
            raise SettingError(f"there is no table {name!r}{meant(name, every, 'there are')}{ends}")
    if study is not None and not files:
        raise SettingError("--study says nothing without a file of people; leave it out")
    shown = track(
        makers.items(),
        "reading worlds",
        console=messages,
        transient=True,
        disable=not messages.is_terminal,
    )
    return {name: make() for name, make in shown}


def _people_of(name: str, study: Path) -> Environment:
    with warnings.catch_warnings(action="always"):
        return read_table(name, Study.read(study))


def notes_on(worlds: Mapping[str, Environment], price: float) -> list[str]:
    """Return what must be known of worlds to read their figures."""
    modelled = [name for name, world in worlds.items() if isinstance(world, DrawnTable)]
    dear = [name for name, world in worlds.items() if price * len(described(world).survey) > DEAR]
    notes = []
    if modelled:
        notes.append(
            f"What arms would have brought people who did not get them is modelled in"
            f" {', '.join(modelled)}: true as far as the model is, and arms were given at random."
        )
    if dear:
        notes.append(
            f"At this price a full survey costs more than {DEAR:g} of the reward range in"
            f" {', '.join(dear)}: whoever asks everything must lose there."
        )
    return notes


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
    from askless.experiments.contesting import contest  # noqa: PLC0415 (so that help comes at once)
    from askless.experiments.entrants import BETA_MIN, entrants, named_entrant  # noqa: PLC0415
    from askless.report.contest_report import said_of, write_contest  # noqa: PLC0415
    from askless.report.page import check_folder  # noqa: PLC0415

    at, worlds = numbers("--sizes", sizes, int), worlds_named(tables, study)
    settings = price, BETA_MIN if beta_min is None else beta_min
    entering = [named_entrant(name, *settings) for name in policies or []] or entrants(*settings)
    check_folder(out)  # before the work, not after it
    notes = notes_on(worlds, price)
    kept = f"finished runs are in {out / 'runs'}, and the same command goes on from there"
    with (
        stages(kept=lambda: kept) as progress,
        warnings.catch_warnings(action="ignore"),  # the notes say it
    ):
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
    command += ["--out", str(out)] if str(out) != "askless-compare" else []
    page = write_contest(found, out, shlex.join(command), notes)[0]
    where = f"The report is {page}; figures, runs.csv and contest.json are there too."
    told = {"said": said_of(found), "notes": notes, "summary": list(found.summary())}
    report(lambda: _show(found, notes, price), where, told if as_json else None)


def _show(found: Contest, notes: list[str], price: float) -> None:
    from askless.report.contest_report import means_over, said_of  # noqa: PLC0415 (as above)

    said = said_of(found) or [_said_of_others(found)]
    output.print("\n".join([*said, *notes]), markup=False, highlight=False)
    for people in found.sizes:
        output.print()
        _grid(found, people, means_over(found)).show()
    output.print(
        f"Net: the reward, as a share of its range, less {price:g} a question, ± its standard"
        " error. Share asked: of the survey's questions. Rank: by net, 1 is best. Best or near:"
        " worlds where the net is the highest, or, of five runs or more, within two paired standard"
        " errors of that. The best single arm is known only afterwards and does not compete.\n",
        markup=False,
        highlight=False,
    )


def _said_of_others(found: Contest) -> str:
    """Say who nets most, where ours does not compete."""
    sizes = []
    for people in found.sizes:
        rows = [r for r in found.summary() if r["people"] == people and r["rank"] is not None]
        best = max(rows, key=lambda row: float(row["net"]))
        sizes.append(f"{best['policy']} with {people:,} people ({best['net']:.4f})")
    return f"Who nets most, on average over worlds: {', '.join(sizes)}."


def _grid(found: Contest, people: int, over: str) -> Grid:
    """Make a line a policy, the best net first."""
    grid = Grid(HEADINGS, words=("policy",), title=f"{people:,} people, {over}")
    for row in found.summary():
        if row["people"] == people:
            grid.add(
                row["policy"],
                f"{row['net']:.4f}",
                "" if row["error"] is None else f"{row['error']:.4f}",
                f"{row['reward']:.4f}",
                f"{row['share']:.2f}",
                "" if row["rank"] is None else f"{row['rank']:.1f}",
                "" if row["rank"] is None else f"{row['near_best']} of {len(found.worlds)}",
                "" if row["micros"] is None else f"{row['micros']:,.0f}",
            )
    return grid

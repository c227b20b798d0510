"""`askless export`: a live study as files, for `askless analyse` and for anybody else."""

from __future__ import annotations

import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from askless.cli.live import DbOption, StudyArgument, open_study
from askless.cli.terminal import messages, output


class Format(StrEnum):
    """Of the tables."""

    csv = "csv"
    parquet = "parquet"


def export(
    to: Annotated[Path, typer.Option("--to", help="Folder for the files.", metavar="FOLDER")],
    study: StudyArgument = None,
    db: DbOption = None,
    ending: Annotated[
        Format, typer.Option("--format", help="Of the tables: csv or parquet.")
    ] = Format.csv,
    with_ids: Annotated[
        bool, typer.Option("--with-ids", help="Write the callers' own ids of people, too.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an export there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Write a live study's visits, journal and codebook, while it runs."""
    from askless.storage import export as write  # noqa: PLC0415 (so that help comes at once)

    database, name = open_study(db, study)
    try:
        with messages.status("reading the study"):  # silent if it is no terminal
            done = write(database, name, to, ending=ending.value, with_ids=with_ids, force=force)
    finally:
        database.close()
    if as_json:
        said = {"folder": str(to), "files": list(done.files), **done.counts}
        typer.echo(json.dumps({**said, "rebuilds": done.rebuilds}))
        return
    counts = done.counts
    lines = [
        f"{counts['visits']:,} visits ({counts['open']:,} of them open) and {counts['events']:,}"
        f" events are in {to}; codebook.md says what the columns mean."
    ]
    table = to / done.files[0]
    if done.rebuilds:
        command = shlex.join(["askless", "analyse", str(to / "study.yaml"), str(table)])
        lines.append(f"What the study has shown: {command}")
    else:
        why = [f"{counts['erased']:,} visits were erased"] * bool(counts["erased"])
        why += ["an arm was retired or the price changed"] * done.changed
        lines.append(f"{' and '.join(why)}: the study cannot be rebuilt or analysed from {table}.")
    output.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)

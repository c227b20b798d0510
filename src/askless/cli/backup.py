"""`askless backup`: everything of a live study in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from askless.cli.live import DbOption, StudyArgument, open_study
from askless.cli.terminal import messages, output


def backup(
    to: Annotated[Path, typer.Option("--to", help="The file to write.", metavar="FILE")],
    study: StudyArgument = None,
    db: DbOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Write everything of a live study into one file, while it runs."""
    from askless.storage import backup as write  # noqa: PLC0415 (so that help comes at once)

    database, name = open_study(db, study)
    try:
        with messages.status("reading the study"):  # silent if it is no terminal
            done = write(database, name, to, force=force)
    finally:
        database.close()
    if as_json:
        counts = {"visits": done.visits, "events": done.events}
        typer.echo(json.dumps({"file": str(to), "study": name, **counts, "digest": done.digest}))
        return
    output.print(
        f"{name}: {done.visits:,} visits and {done.events:,} events are in {to}. State"
        f" {done.digest[:16]}.\nIt has what people said, and the secrets of their visits: keep it"
        " as you keep the database.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )

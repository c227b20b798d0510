"""`askless restore`: a study out of its backup, into either kind of database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from askless.cli.terminal import messages, output


def restore(
    file: Annotated[Path, typer.Argument(help="What askless backup wrote.")],
    db: Annotated[
        str,
        typer.Option(
            "--db",
            metavar="ADDRESS",
            help="The database, which must not have the study: a file, or postgresql://…",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Put a study from its backup into a database that does not have it."""
    from askless.storage import Database  # noqa: PLC0415 (so that help comes at once)
    from askless.storage import restore as put  # noqa: PLC0415

    database = Database(db)
    try:
        with messages.status("restoring the study"):  # silent if it is no terminal
            done = put(file, database)
    finally:
        database.close()
    if as_json:
        counts = {"visits": done.visits, "events": done.events}
        typer.echo(json.dumps({"study": done.name, **counts, "digest": done.digest}))
        return
    output.print(
        f"{done.name}: {done.visits:,} visits and {done.events:,} events are restored. State"
        f" {done.digest[:16]}, as it was.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )

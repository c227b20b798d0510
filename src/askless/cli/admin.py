"""`askless admin`: who may look at the dashboard of a live study."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from askless.cli.live import DbOption, StudyArgument, open_study
from askless.cli.verbs import Verbs
from askless.errors import SettingError

app = typer.Typer(
    name="admin",
    cls=Verbs,
    help="Say who may look at the dashboard of a live study.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def about() -> None:
    """Say who may look at the dashboard of a live study."""


@app.command()
def password(
    study: StudyArgument = None,
    name: Annotated[str, typer.Option(help="Under which name to sign in.")] = "admin",
    from_stdin: Annotated[
        bool, typer.Option("--stdin", help="Read it from the first line of standard input.")
    ] = False,
    db: DbOption = None,
) -> None:
    """Set the password of a study's dashboard; whoever is signed in must do so again."""
    from askless.storage.admins import set_password  # noqa: PLC0415 (so that help comes at once)

    database, found = open_study(db, study)
    try:
        new = set_password(database, found, _read(from_stdin), name=name)
    finally:
        database.close()
    typer.echo(f"the password of {name} for study {found!r} is {'set' if new else 'changed'}")


def _read(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise SettingError("there is no terminal to ask in; pipe the password and give --stdin")
    asked: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return asked

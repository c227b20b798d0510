"""`askless key`: make, list and revoke the keys by which programs call a live study."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from askless.cli.grid import Grid
from askless.cli.live import DbOption, StudyArgument, open_study
from askless.cli.verbs import Verbs

if TYPE_CHECKING:
    from askless.storage.keys import Key

HEADINGS = ("key", "name", "scopes", "made", "expires", "revoked")

app = typer.Typer(
    name="key",
    cls=Verbs,
    help="Make, list and revoke the keys by which programs call a live study.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def new(
    study: StudyArgument = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="What it is for: serve (visits), reward, export (summaries, effects, events,"
            " metrics) or admin (everything); may be given several times. Left out: serve and"
            " reward."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="What people call it in lists.")] = "",
    days: Annotated[float | None, typer.Option(help="After how many days it expires.")] = None,
    db: DbOption = None,
) -> None:
    """Make a key and print it; nobody can read it again."""
    from askless.storage.keys import make_key  # noqa: PLC0415 (so that help comes at once)

    database, found = open_study(db, study)
    try:
        typer.echo(make_key(database, found, scope or ["serve", "reward"], name=name, days=days))
    finally:
        database.close()


@app.command("list")
def list_them(
    study: StudyArgument = None,
    db: DbOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """List the keys of a study; their secrets are nowhere."""
    from askless.storage.keys import list_keys  # noqa: PLC0415 (so that help comes at once)

    database, found = open_study(db, study)
    try:
        keys = list_keys(database, found)
    finally:
        database.close()
    if as_json:
        typer.echo(json.dumps([_as_data(key) for key in keys]))
        return
    grid = Grid(HEADINGS, words=HEADINGS)
    for key in keys:
        grid.add(*(str(said or "") for said in _as_data(key).values()))
    grid.show()


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(help="The key's short name, as `askless key list` has it.")],
    study: StudyArgument = None,
    db: DbOption = None,
) -> None:
    """Let a key be good for nothing, within seconds."""
    from askless.storage.keys import revoke_key  # noqa: PLC0415 (so that help comes at once)

    database, found = open_study(db, study)
    try:
        revoke_key(database, found, key)
    finally:
        database.close()
    typer.echo(f"key {key} is revoked")


@app.command()
def signing(study: StudyArgument = None, db: DbOption = None) -> None:
    """Print the secret with which the study signs what it sends back to a survey tool."""
    from askless.storage.signing import signing_secret  # noqa: PLC0415 (so that help comes at once)

    database, found = open_study(db, study)
    try:
        typer.echo(signing_secret(database, found))
    finally:
        database.close()


def _as_data(key: Key) -> dict[str, str | None]:
    return {
        "key": key.id,
        "name": key.name,
        "scopes": " ".join(sorted(key.scopes)),
        "made": _day(key.created),
        "expires": _day(key.expires),
        "revoked": _day(key.revoked),
    }


def _day(at: float | None) -> str | None:
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(" ", "minutes")

"""`askless invite`: make links that each let one person into a live study's pages."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, urlsplit

import typer

from askless.cli.live import DbOption, StudyArgument, open_study
from askless.errors import SettingError


def invite(
    study: StudyArgument = None,
    count: Annotated[int, typer.Option(help="How many.")] = 1,
    days: Annotated[float | None, typer.Option(help="After how many days they expire.")] = None,
    address: Annotated[
        str, typer.Option(help="Where people reach the service.", metavar="URL")
    ] = "http://127.0.0.1:8000",
    db: DbOption = None,
) -> None:
    """Make invitations and print their links, one a line; nobody can read them again."""
    from askless.storage.links import make_invitations  # noqa: PLC0415 (so that help comes at once)

    base = _base(address)
    database, found = open_study(db, study)
    try:
        codes = make_invitations(database, found, count, days=days)
    finally:
        database.close()
    for code in codes:
        typer.echo(f"{base}/s/{quote(found, safe='')}/i/{code}")


def _base(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise SettingError(f"address is {address!r}; give one such as https://study.example.org")
    return address.rstrip("/")

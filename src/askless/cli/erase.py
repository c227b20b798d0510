"""`askless erase`: takes a respondent out of a live study."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from askless.cli.live import DbOption, StudyArgument, open_study
from askless.cli.terminal import output
from askless.errors import SettingError

QUESTION = "Erase this respondent for good? What was learned from them is taken out too."


def erase(
    study: StudyArgument = None,
    visit: Annotated[str | None, typer.Option(help="The visit, as callers know it.")] = None,
    own: Annotated[
        str | None, typer.Option("--id", help="Or the caller's own id of the person.")
    ] = None,
    link: Annotated[str | None, typer.Option(help="Or the personal link that pages show.")] = None,
    db: DbOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether that is meant.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Erase a respondent: answers, reward, names, and what was learned from them."""
    from askless.storage import erase as take_out  # noqa: PLC0415 (so that help comes at once)

    if [visit, own, link].count(None) != 2:
        raise SettingError("whom to erase? give one of --visit, --id and --link")
    database, name = open_study(db, study)
    try:
        if not yes:
            if not sys.stdin.isatty():
                raise SettingError("erasing cannot be undone; say --yes where nobody can be asked")
            typer.confirm(QUESTION, abort=True, err=True)
        done = take_out(database, name, visit=visit, own=own, link=link)
    finally:
        database.close()
    if as_json:
        typer.echo(json.dumps(asdict(done)))
        return
    if done.was == "erased":
        said = f"visit {done.number} was erased before"
    else:
        rest = ", and what was learned from it is taken out" if done.unlearned else ""
        said = f"visit {done.number} (it was {done.was}) is erased{rest}"
    output.print(f"{name}: {said}.", markup=False, highlight=False, soft_wrap=True)

"""`askless verify`: whether a live study is what its journal says."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from askless.cli.grid import Grid
from askless.cli.live import DbOption, StudyArgument, open_study
from askless.cli.terminal import counted, output, stages

if TYPE_CHECKING:
    from askless.storage import Verification


def verify(
    study: StudyArgument = None,
    db: DbOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Replay a live study's journal; say whether everything kept beside it follows from it."""
    from askless.storage import verify as prove  # noqa: PLC0415 (so that help comes at once)

    database, name = open_study(db, study)
    done = 0
    try:
        with stages("events", lambda: "nothing was changed") as advance:

            def show(so_far: int, events: int) -> None:
                nonlocal done
                advance("replaying", so_far - done, events)
                done = so_far

            found = prove(database, name, progress=show)
    finally:
        database.close()
    if as_json:
        typer.echo(json.dumps({"ok": found.ok, **asdict(found)}))
    else:
        _show(found)
    if not found.ok:
        raise typer.Exit(1)


def _show(found: Verification) -> None:
    since = f" since the erasure at event {found.base:,}" if found.base else ""
    replayed = counted(found.events - found.base, "event")
    if found.ok:
        erased = f", {found.erased:,} erased" if found.erased else ""
        _print(
            f"{found.study}: verified. {replayed}{since} replayed; {counted(found.visits, 'visit')}"
            f" ({found.decided:,} decided, {found.learned:,} learned{erased}), their summaries and"
            f" {counted(found.snapshots, 'snapshot')} follow from them. State {found.digest[:16]}."
        )
        return
    more = ", and perhaps more" if found.is_cut else ""
    _print(f"{found.study}: NOT verified. What does not follow from its journal{more}:")
    grid = Grid(("", "finding"), words=("finding",))
    for number, finding in enumerate(found.findings, 1):
        grid.add(str(number), finding)
    grid.show()


def _print(text: str) -> None:
    output.print(text, markup=False, highlight=False, soft_wrap=True)

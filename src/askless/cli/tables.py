"""`askless tables`: the bandits that come out of real data."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from askless.cli.grid import Grid
from askless.cli.terminal import output
from askless.environments import TABLES, Table

HEADINGS = "table", "about", "kind", "people", "questions", "arms", "reward"
WORDS = "table", "about"
SHOWN = tuple(heading for heading in HEADINGS if heading != "kind")  # it has a grid each


def tables(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the list of docs/tables.md, with sources.")
    ] = False,
) -> None:
    """List the bandits out of real data, for `al.table(name)`."""
    if as_json:
        typer.echo(json.dumps([table.to_dict() for table in TABLES.values()]))
    elif markdown:
        typer.echo(_markdown())
    else:
        _show()


def _row(table: Table) -> list[str]:
    low, high = table.reward
    numbers = [f"{count:,}" for count in (table.people, table.questions, len(table.arms))]
    return [table.name, table.title, table.kind, *numbers, f"{low:,} to {high:,}"]


def _markdown() -> str:
    rows = [[f"`{name}`", *_row(table)[1:]] for name, table in TABLES.items()]
    lines = [HEADINGS, ["---"] * len(HEADINGS), *rows]
    grid = [f"| {' | '.join(line)} |" for line in lines]
    notes = [
        f"- `{name}`: arms {', '.join(table.arms)}. {table.note} From {table.source}"
        for name, table in TABLES.items()
    ]
    return "\n".join([*grid, "", *notes])


def _show() -> None:
    kinds = {table.kind: table.how for table in TABLES.values()}
    output.print(f"{len(TABLES)} tables for al.table(name), people drawn with replacement")
    for kind, how in kinds.items():
        grid = Grid(SHOWN, words=WORDS, title=f"{kind}: {how}")
        for table in TABLES.values():
            if table.kind == kind:
                cells = dict(zip(HEADINGS, _row(table), strict=True))
                grid.add(*(cells[heading] for heading in SHOWN))
        grid.show()

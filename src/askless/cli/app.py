"""The verbs put together, and one way in which errors leave."""

from __future__ import annotations

from typing import Any

import typer

from askless.cli import check, init, paper, simulate
from askless.cli.terminal import complain
from askless.errors import AsklessError

# typer may bring its own click; this is the one that it raises from.
UsageError: Any = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

app = typer.Typer(
    help="Ask people as few questions as possible and still give each the best decision.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(simulate.simulate)
app.command()(paper.paper)
app.command()(init.init)
app.command()(check.check)


def run() -> int:
    """Run the command line; return the exit code."""
    try:
        code = app(standalone_mode=False)
    except UsageError as error:
        message = error.format_message()
        if message.startswith("Usage:"):  # nothing was asked for: here is what can be
            typer.echo(message)
        else:
            complain(message)
        return 2
    except AsklessError as error:
        complain(str(error))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        complain("stopped")
        return 130
    return int(code or 0)

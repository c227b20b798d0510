"""The verbs put together, and one way in which errors leave."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from askless import __version__
from askless.cli import (
    STOPPED,
    admin,
    analyse,
    backup,
    check,
    compare,
    erase,
    export,
    init,
    invite,
    key,
    paper,
    plan,
    replay,
    restore,
    serve,
    simulate,
    sweep,
    tables,
    verify,
)
from askless.cli.misuse import misused
from askless.cli.terminal import Stop, complain
from askless.cli.verbs import Verbs
from askless.errors import AsklessError

# typer may bring its own click; this is the one that it raises from.
UsageError: Any = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

# In the order of use.
VERBS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    "Plan": (init.init, check.check, plan.plan),
    "Simulate": (simulate.simulate, sweep.sweep, compare.compare),
    "Run live": (
        serve.serve,
        admin.app,
        key.app,
        invite.invite,
        verify.verify,
        erase.erase,
        export.export,
        backup.backup,
        restore.restore,
    ),
    "Analyse": (analyse.analyse, replay.replay),
    "Research": (paper.paper, tables.tables),
}


class AllVerbs(Verbs):
    """The verbs in the order of use."""

    order = tuple(
        str(verb.info.name) if isinstance(verb, typer.Typer) else verb.__name__
        for verbs in VERBS.values()
        for verb in verbs
    )


app = typer.Typer(
    cls=AllVerbs,
    help="Ask people as few questions as possible and still give each the best decision.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"askless {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Ask people as few questions as possible and still give each the best decision."""


for heading, verbs in VERBS.items():
    for verb in verbs:
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, rich_help_panel=heading)
        else:
            app.command(rich_help_panel=heading)(verb)


def _look_here() -> None:
    """Let policies named as module:Class lie in this folder; what is installed goes first."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def run() -> int:
    """Run the command line; return the exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _mind
        return _run()


def _mind(message: Warning | str, *_place: object, **_line: object) -> None:
    """Say what a library warns of, without where in its code."""
    complain(f"mind: {message}")


def _run() -> int:
    try:
        _look_here()
        code = app(prog_name="askless", standalone_mode=False)
    except UsageError as error:
        message = misused(error) or error.format_message()
        if message.startswith("Usage:"):  # nothing was asked for: here is what can be
            typer.echo(message)
        else:
            complain(message)
        return 2
    except AsklessError as error:
        complain(str(error))
        return 2
    except OSError as error:  # a folder that cannot be written, a full disk
        where = f"{error.filename}: " if error.filename else ""
        complain(f"{where}{(error.strerror or str(error)).lower()}")
        return 2
    except Stop as stopped:
        complain(str(stopped))
        return STOPPED
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    if code == STOPPED:  # the library has caught Ctrl-C, or we have
        complain("stopped")
    return int(code or 0)

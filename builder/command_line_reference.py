"""The page docs/reference/command-line.md out of the command line: each verb, each option."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Any, get_args

import typer

from askless.cli.app import VERBS, app
from askless.cli.verbs import description

TAKES = {"int": "COUNT", "float": "NUMBER", "Path": "PATH", "Format": "WORD"}
INTRODUCTION = """# Command line, verb by verb

Out of the code, by `make settings`; `askless VERB --help` says the same. What the verbs are for,
with examples: [the command line](../command-line.md). An option without a default is left out
unless it is given. Every verb also has `--help`, or `-h`; `askless help VERB` shows the same.
"""


def command_line_reference() -> str:
    """Return the page."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    parts = [INTRODUCTION]
    for heading, verbs in VERBS.items():
        parts.append(f"## {heading}\n")
        for verb in verbs:
            name = verb.info.name if isinstance(verb, typer.Typer) else verb.__name__
            parts += _section("askless", name, commands[name], 3)
    return "\n".join(parts)


def _section(path: str, name: str, command: Any, level: int) -> list[str]:
    """Return what a verb does and takes; below it, the verbs that it has."""
    path = f"{path} {name}"
    parts = [f"{'#' * level} {path}\n", f"{inspect.cleandoc(command.help)}\n"]
    below = getattr(command, "commands", {})
    if below:
        lines = [f"- [`{path} {one}`](#{path.replace(' ', '-')}-{one}): " for one in below]
        said = (description(verb) for verb in below.values())
        parts.append("\n".join(map(str.__add__, lines, said)) + "\n")
        for one, verb in below.items():
            parts += _section(path, one, verb, level + 1)
        return parts
    arguments = [given for given in command.params if given.opts[0][0] != "-"]
    options = [given for given in command.params if given.opts[0][0] == "-"]
    names = [_named(given) if given.required else f"[{_named(given)}]" for given in arguments]
    words = _words(command)
    needed = [
        f"{given.opts[0]} {given.metavar or words[given.name]}"
        for given in options
        if given.required
    ]
    parts.append(f"```text\n{' '.join([path, *needed, '[OPTIONS]', *names])}\n```\n")
    rows = [f"| `{_named(given)}` | {_cells(given)} |" for given in arguments]
    rows += [
        f"| `{', '.join(given.opts)}{_form(given, words)}` | {_cells(given)} |" for given in options
    ]
    parts.append("\n".join(["| | what it says | default |", "|---|---|---|", *rows]) + "\n")
    return parts


def _named(argument: Any) -> str:
    return str(argument.metavar or argument.name).upper()


def _words(command: Any) -> dict[str, str]:
    """Return in a word what each of a verb's options takes."""
    found = {}
    for name, taken in inspect.signature(command.callback, eval_str=True).parameters.items():
        kind = str(get_args(taken.annotation)[0] if get_args(taken.annotation) else "str")
        found[name] = next((word for part, word in TAKES.items() if part in kind), "TEXT")
    return found


def _form(option: Any, words: dict[str, str]) -> str:
    """Return what stands behind an option, as a table has it."""
    if option.is_flag:
        return ""
    return f" {option.metavar or words[option.name]}".replace("|", "\\|")


def _cells(given: Any) -> str:
    """Return what an argument or an option says, and its default."""
    said = " ".join((given.help or "").split()).replace("|", "\\|")
    value = given.default.value if isinstance(given.default, Enum) else given.default
    if given.required:
        default = "**must be given**"
    elif value is None or value is False or value == "":
        default = ""
    else:
        default = f"`{value}`"
    return f"{said} | {default}"

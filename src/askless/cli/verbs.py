"""How verbs are listed, under headings and in whole sentences, and what a mistyped one meant."""

from __future__ import annotations

import inspect
import re
from typing import Any, ClassVar

from typer.core import TyperGroup

from askless.cli.terminal import of_study
from askless.errors import SettingError, meant, near

__all__ = ["Verbs", "misused"]

TOO_MANY = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")
NUMBERS = re.compile(r"[\d.,\s]+")


class Verbs(TyperGroup):
    """Verbs, each under a heading or none, in their order if there is one."""

    order: ClassVar[tuple[str, ...]] = ()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (its base has it)
        """Return the names of the verbs as they are listed."""
        return sorted(self.commands, key=self.order.index) if self.order else list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write them with their descriptions, which the library would cut to a line each."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            verb = self.commands[name]
            heading = getattr(verb, "rich_help_panel", None)
            heading = heading if isinstance(heading, str) else "Commands"
            panels.setdefault(heading, []).append((name, description(verb)))
        widest = max(map(len, self.commands))
        for heading, rows in panels.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{widest}}", said) for name, said in rows])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the verb that is meant; else say which may have been."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            verbs = meant(args[0], self.commands, "there are")
            raise SettingError(f"there is no verb {args[0]!r}{verbs}")
        return super().resolve_command(ctx, args)


def description(verb: Any) -> str:
    """Return a verb's first paragraph as one line."""
    return " ".join(inspect.cleandoc(verb.help or "").partition("\n\n")[0].split())


def misused(error: Any) -> str | None:
    """Return what is wrong with how a verb was called; None where the error says it itself."""
    if getattr(error, "ctx", None) is None:
        return None
    arguments = [one for one in error.ctx.command.params if one.param_type_name == "argument"]
    usage = " ".join([error.ctx.command_path, *(_form(one) for one in arguments)])
    lacking = getattr(error, "param", None)
    if lacking in arguments and type(error).__name__ == "MissingParameter":
        return f"{error.ctx.command_path} needs {_form(lacking)}; it is called as {usage}"
    if many := TOO_MANY.fullmatch(error.format_message()):
        return _too_many(many[1], error.ctx.command_path, usage, any(arguments))
    return _mistyped(error, [one.name for one in arguments], usage)


def _form(argument: Any) -> str:
    return f"{argument.name.upper()}" if argument.required else f"[{argument.name.upper()}]"


def _too_many(given: str, path: str, usage: str, takes_some: bool) -> str:
    if NUMBERS.fullmatch(given):
        said = "numbers of one option are separated by commas and no spaces, as in 500,2000"
    elif given.endswith((".yaml", ".yml")) and not takes_some:
        said = of_study(given)
    else:
        said = f"it is called as {usage}"
    return f"{path} cannot take {given}; {said}"


def _mistyped(error: Any, arguments: list[str], usage: str) -> str | None:
    """Return what is wrong with an option that a verb does not have; None of other errors."""
    wrong = getattr(error, "option_name", None)
    if not hasattr(error, "possibilities") or wrong is None:
        return None
    path = error.ctx.command_path
    if wrong.lstrip("-") in arguments:
        return f"{path} takes it without {wrong}; it is called as {usage}"
    known = [name for one in error.ctx.command.params for name in one.opts if name[:1] == "-"]
    about = near(wrong, known).replace("'", "") or f"; {path} --help lists those it has"
    return f"{path} has no option {wrong}{about}"

"""How verbs are listed, under headings and in whole sentences; what a mistyped one meant."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from typer.core import TyperGroup

from askless.errors import SettingError, meant

__all__ = ["Verbs"]


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

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `help VERB` for what it asks, `VERB --help`."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the verb that is meant; else say which may have been."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            verbs = meant(args[0], self.commands, "there are")
            raise SettingError(f"there is no verb {args[0]!r}{verbs}")
        return super().resolve_command(ctx, args)


def description(verb: Any) -> str:
    """Return a verb's first paragraph as one line."""
    return " ".join(inspect.cleandoc(verb.help or "").partition("\n\n")[0].split())

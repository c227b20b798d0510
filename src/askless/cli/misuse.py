"""What is wrong with how a verb was called, in the words of the house and with the remedy."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from askless.cli.terminal import in_digits, of_study
from askless.errors import meant, near

__all__ = ["misused"]

TOO_MANY = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")
VALUELESS = re.compile(r"Option '(.*)' requires an argument\.?")
NUMBERS = re.compile(r"[\d.,\s]+")
CHOICES = re.compile(r"not one of (.*)")
# What the library's complaint about a value is about, in its several versions; what to give.
KINDS = {"integer": ("a whole number", "1000"), "number": ("a number", "0.5")}
KINDS["float"] = KINDS["number"]


def misused(error: Any) -> str | None:
    """Return what is wrong with how a verb was called; None where the error says it itself."""
    if getattr(error, "ctx", None) is None:  # the verb is not known where an option comes last
        bare = VALUELESS.fullmatch(str(getattr(error, "message", "")))
        return bare and f"{bare[1]} lacks its value; write one after it, or leave {bare[1]} out"
    path, taken = error.ctx.command_path, error.ctx.command.params
    arguments = [one for one in taken if one.param_type_name == "argument"]
    usage = " ".join([path, *(_form(one) for one in arguments)])
    about = getattr(error, "param", None)
    if about in arguments and type(error).__name__ == "MissingParameter":
        return f"{path} needs {_form(about)}; it is called as {usage}"
    if (option := _without_value(error)) is not None:
        return f"{path}: {option.opts[0]} lacks its value: {_said(option)}"
    if about is not None and type(error).__name__ == "MissingParameter":
        return f"{path} needs {about.opts[0]} {about.metavar or 'VALUE'}: {_said(about)}"
    if about is not None:
        return _of_another_kind(error, about)
    if many := TOO_MANY.fullmatch(error.format_message()):
        return _too_many(many[1], path, usage, any(arguments))
    return _mistyped(error, [one.name for one in arguments], usage)


def _form(argument: Any) -> str:
    return f"{argument.name.upper()}" if argument.required else f"[{argument.name.upper()}]"


def _said(option: Any) -> str:
    """Return what an option's help says of it, as it goes on within a sentence."""
    text = " ".join((option.help or "see --help").split()).rstrip(".")
    return text[0].lower() + text[1:]


def _without_value(error: Any) -> Any:
    """Return the option without a value: it took the next option for one, or is empty."""
    options = [one for one in error.ctx.command.params if one.param_type_name == "option"]
    names = {name for one in options for name in one.opts}
    if type(error).__name__ not in ("BadParameter", "UsageError"):
        return None
    return next((one for one in options if not {*_given(one)}.isdisjoint({*names, ""})), None)


def _given(option: Any) -> Iterator[str]:
    """Go through the values that an option was given; the last one holds."""
    if option.is_flag:
        return
    for at, word in enumerate(sys.argv[1:], start=2):
        name, sign, value = word.partition("=")
        if name in option.opts and (sign or at < len(sys.argv)):
            yield value if sign else sys.argv[at]


def _of_another_kind(error: Any, option: Any) -> str | None:
    """Return what is wrong with a value that is no number, or none of some words."""
    given = [*_given(option)][-1:]
    if not given:
        return None
    if choices := CHOICES.search(error.message):
        words = re.findall(r"'(.*?)'", choices[1])
        return f"{option.opts[0]} is {given[0]!r}{meant(given[0], words, 'choose from')}"
    for kind, (what, example) in KINDS.items():
        if kind in error.message:
            number = in_digits(given[0], whole=kind == "integer") or example
            return f"{option.opts[0]} is {given[0]!r}; give {what}, such as {number}"
    return None


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

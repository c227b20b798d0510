"""Checks that every description shares: names, texts and numbers."""

import math
from typing import Any, SupportsFloat

import numpy as np

from askless.errors import SettingError, shown

__all__ = [
    "check_between",
    "check_name",
    "check_names",
    "check_number",
    "check_text",
]


def check_name(name: Any, what: str) -> str:
    """Return a name that can stand in files and tables, or refuse it."""
    if not isinstance(name, str):
        raise SettingError(f"{what} is called {shown(name)}; a name is a text: put it in quotes")
    if not name.strip():
        raise SettingError(f"{what} has an empty name; give it one")
    if name != name.strip() or not name.isprintable():
        raise SettingError(
            f"{what} is called {shown(name, 60)}; leave out line breaks and spaces at the ends"
        )
    return str.__str__(name)  # a plain text, also of a NumPy text or an enumeration


def check_names(names: list[str], what: str) -> None:
    """Refuse a name that is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SettingError(f"two {what}s are called {name!r}; names must differ")
        seen.add(name)


def check_text(text: Any, what: str) -> str:
    """Return a text for people, or refuse it."""
    if not isinstance(text, str):
        raise SettingError(f"{what} is {shown(text)}; give a text")
    if any("\ud800" <= letter <= "\udfff" for letter in text):  # no file or page can hold it
        raise SettingError(
            f"{what} has half a character in it (\\uD800 to \\uDFFF); write it whole"
        )
    return str.__str__(text)


def check_flag(value: Any, what: str) -> bool:
    """Return True or False as a bool, or refuse what is neither."""
    if not isinstance(value, bool | np.bool_):
        raise SettingError(f"{what} is {shown(value)}; give True or False", what)
    return bool(value)


def check_between(value: Any, what: str, least: float, most: float) -> float:
    """Return a number within bounds, the ends included, or refuse it."""
    number = check_number(value, what)
    if not least <= number <= most:
        raise SettingError(f"{what} is {number:g}; give a number from {least:g} to {most:g}", what)
    return number


def check_number(value: Any, what: str) -> float:
    """Return a finite number as a float, or refuse it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | str | bytes | np.ndarray) or not isinstance(value, SupportsFloat):
        raise SettingError(f"{what} is {shown(value)}; give a number", what)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise SettingError(f"{what} is {shown(value)}; give a finite number", what)
    return number

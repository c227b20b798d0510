"""Colours of pages, and whether people can read one on the other (WCAG 2.2)."""

from __future__ import annotations

import re
from typing import Any

from askless.errors import SettingError, shown

__all__ = ["LEAST_CONTRAST", "check_colour", "check_contrast", "contrast"]

LEAST_CONTRAST = 4.5  # of text, level AA
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def check_colour(value: Any, what: str) -> str:
    """Return a colour as #rrggbb, or refuse it.

    >>> check_colour("#0B6E4F", "accent")
    '#0b6e4f'
    """
    if not isinstance(value, str) or not COLOUR.fullmatch(value):
        raise SettingError(f"{what} is {shown(value)}; give a colour such as '#0b6e4f', in quotes")
    return value.lower()


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21.

    >>> contrast("#ffffff", "#000000")
    21.0
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check_contrast(colour: str, text: str) -> None:
    """Refuse a colour on which its text cannot be read."""
    found = contrast(colour, text)
    if found < LEAST_CONTRAST:
        raise SettingError(
            f"text of the colour {text} on {colour} has a contrast of {found:.2f}; give a darker"
            f" accent or another on_accent: people need at least {LEAST_CONTRAST}"
        )


def _luminance(colour: str) -> float:
    """Return the relative luminance, as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

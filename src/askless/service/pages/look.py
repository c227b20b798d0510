"""The one stylesheet of pages, with a study's own colours before it."""

from __future__ import annotations

import hashlib
from functools import cache

from askless.service.web import HERE
from askless.survey.pages import Pages

__all__ = ["look_of", "stylesheet"]


def stylesheet(pages: Pages) -> str:
    """Return a study's stylesheet."""
    return _stylesheet(pages.accent, pages.on_accent)


def look_of(pages: Pages) -> str:
    """Return its address, which is another one whenever it has changed."""
    return "look.css?v=" + hashlib.sha256(stylesheet(pages).encode()).hexdigest()[:12]


@cache
def _stylesheet(accent: str, on_accent: str) -> str:
    rest = (HERE / "static" / "pages.css").read_text(encoding="utf-8")
    return f":root{{--accent:{accent};--on-accent:{on_accent}}}\n{rest}"

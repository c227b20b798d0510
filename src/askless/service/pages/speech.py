"""The interface's own words, in every language that ships."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from askless.service.web import HERE
from askless.survey.pages import LANGUAGES

__all__ = ["Speech", "chosen_by", "speech_in"]


class Speech:
    """The words of the interface in one language.

    Attributes
    ----------
    language, direction : str
        Such as "ar" and "rtl".

    Examples
    --------
    >>> speech_in("en").say("one_of", first=1, n=8)
    'Question 1 of at most 8'
    """

    def __init__(self, language: str) -> None:
        self.language, self.direction = language, LANGUAGES[language]
        text = (HERE / "locales" / f"{language}.json").read_text(encoding="utf-8")
        self._words: dict[str, str] = json.loads(text)

    def say(self, key: str, **values: object) -> str:
        """Return words by their key, with values put in."""
        return self._words[key].format(**values)


@cache
def speech_in(language: str) -> Speech:
    """Return the words of a language; they are read once."""
    return Speech(language)


def chosen_by(accepted: str, spoken: Sequence[str]) -> str:
    """Return the language that a browser asks for most (Accept-Language); else the first.

    >>> chosen_by("fr, ar;q=0.8, en;q=0.3", ["en", "ar"])
    'ar'
    """
    wanted = []
    for part in accepted.split(",")[:20]:
        tag, _, weight = part.partition(";q=")
        try:
            wanted.append((-float(weight or 1), tag.strip().lower().split("-")[0]))
        except ValueError:
            continue
    for _, language in sorted(wanted, key=lambda pair: pair[0]):
        if language in spoken:
            return language
    return spoken[0]

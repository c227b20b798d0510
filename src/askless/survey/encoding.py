"""Answers into columns: what plainly fits is written at once, all else its question looks at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from askless.core.words import GRID
from askless.survey.kinds import Choice, Scale, YesNo
from askless.survey.question import Answer, Question

__all__ = ["Encoding"]

Values = tuple[float, ...]


class Way(NamedTuple):
    """How one question's plain answers become columns; no call is made for them."""

    first: int  # its first column
    kinds: tuple[type, ...]  # of which type an answer must be, exactly; none: always looked at
    values: dict[Any, Values] | None  # by answer; None: a scale, by what follows
    low: float = 0.0
    high: float = 0.0
    length: float = 1.0
    may_skip: bool = False


class Encoding:
    """The ways of all questions of a survey."""

    def __init__(self, questions: Sequence[Question], first: Sequence[int], *, raw: bool) -> None:
        self.questions, self.raw = questions, raw
        self.shift = 0.0 if raw else 0.5
        self.ways = [self._way(question, at) for question, at in zip(questions, first, strict=True)]

    def _way(self, question: Question, at: int) -> Way:
        """Return the way of a question; a kind of one's own, and a multi, are always looked at."""
        if type(question) is Scale:
            low, high = question.low, question.high
            return Way(at, (float, int), None, low, high, high - low, question.may_skip)
        if type(question) is YesNo:
            return Way(at, (bool,), self._table(question, (False, True)))
        if type(question) is Choice:
            return Way(at, (str,), self._table(question, question.options))
        return Way(at, (), {})

    def _table(self, question: Question, answers: Sequence[Answer]) -> dict[Any, Values]:
        return {answer: tuple(question.values(answer, raw=self.raw)) for answer in answers}

    def read(
        self, answers: Mapping[str, Any], places: Mapping[str, int], z: Any
    ) -> dict[str, Answer]:
        """Write answers into a context and return them as plain Python; refuse what does not fit.

        What is refused may leave some of them in `z`. `places` says which question a name is;
        all names must be known.
        """
        checked: dict[str, Answer] = {}
        ways, questions, shift, floor = self.ways, self.questions, self.shift, math.floor
        for name, answer in answers.items():
            g = places[name]
            first, kinds, table, low, high, length, may_skip = ways[g]
            if type(answer) in kinds:
                if table is None:
                    if low <= answer <= high:
                        z[first] = floor(((answer - low) / length - shift) * GRID + 0.5) / GRID
                        if may_skip:  # the column of a skip
                            z[first + 1] = 0.0
                        checked[questions[g].name] = answer
                        continue
                elif (values := table.get(answer)) is not None:
                    for i, value in enumerate(values):
                        z[first + i] = value
                    checked[questions[g].name] = answer
                    continue
            question = questions[g]
            checked[question.name] = plain = question.check(answer)
            columns = question.values(plain, raw=self.raw)
            z[first : first + len(columns)] = columns
        return checked

"""From the columns of a data set to questions and what each person answers to them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np

from askless.core.arrays import Floats
from askless.survey import Choice, Question, Scale, Survey, YesNo
from askless.survey.question import Answer

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Coded", "Column", "Number", "choice", "surveyed", "yes_no"]


@dataclass(frozen=True)
class Column(ABC):
    """A column of a data set that is a question; a value it does not know is a skip.

    Who has a skip where `may_skip` is not set is refused, so that no value is lost unnoticed.
    """

    name: str
    text: str
    _: KW_ONLY
    help: str = ""
    may_skip: bool = False

    @abstractmethod
    def question(self, values: Floats) -> Question:
        """Return the question, given all values of the column."""

    @abstractmethod
    def answer(self, value: float) -> Answer:
        """Return what a value says as an answer; None is a skip."""


@dataclass(frozen=True)
class Number(Column):
    """A scale; its ends are those of the data where none are given.

    `cut` takes what is beyond an end for the end.
    """

    _: KW_ONLY
    low: float | None = None
    high: float | None = None
    cut: bool = False

    def question(self, values: Floats) -> Scale:
        """Return the scale."""
        low = float(np.nanmin(values)) if self.low is None else self.low
        high = float(np.nanmax(values)) if self.high is None else self.high
        return Scale(
            self.name, text=self.text, help=self.help, may_skip=self.may_skip, low=low, high=high
        )

    def answer(self, value: float) -> Answer:
        """Return the number."""
        if math.isnan(value):
            return None
        if self.cut and self.low is not None and self.high is not None:
            return min(max(value, self.low), self.high)
        return value


@dataclass(frozen=True)
class Coded(Column):
    """A yes/no or a choice, by what each value stands for."""

    _: KW_ONLY
    codes: Mapping[float, bool | str]

    def question(self, values: Floats) -> Question:  # noqa: ARG002 (the codes say it all)
        """Return the yes/no, or the choice with its options in the order of the codes."""
        options = tuple(meant for meant in self.codes.values() if isinstance(meant, str))
        if options:
            return Choice(
                self.name, options, text=self.text, help=self.help, may_skip=self.may_skip
            )
        return YesNo(self.name, text=self.text, help=self.help, may_skip=self.may_skip)

    def answer(self, value: float) -> Answer:
        """Return what the value stands for."""
        return self.codes.get(value)


def yes_no(name: str, text: str, *, may_skip: bool = False, help: str = "") -> Coded:  # noqa: A002
    """Return a column of 1 for yes and 0 for no."""
    return Coded(name, text, help=help, may_skip=may_skip, codes={1: True, 0: False})


def choice(
    name: str, text: str, options: Sequence[str], *, first: int = 1, may_skip: bool = False
) -> Coded:
    """Return a column whose values count options from `first` on."""
    return Coded(name, text, may_skip=may_skip, codes=dict(enumerate(options, first)))


def surveyed(columns: Sequence[Column], frame: pd.DataFrame) -> tuple[Survey, Floats]:
    """Return the survey of some columns, and everyone's contexts."""
    questions, parts = [], [np.ones((len(frame), 1))]
    for column in columns:
        values = frame[column.name].to_numpy(dtype=np.float64)
        question = column.question(values)
        # Each value is encoded once: there are fewer of them than people.
        distinct, which = np.unique(values, return_inverse=True)
        encoded = [question.encode(column.answer(float(value))) for value in distinct]
        questions.append(question)
        parts.append(np.array(encoded)[which])
    return Survey(questions), np.hstack(parts)

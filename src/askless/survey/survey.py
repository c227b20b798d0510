"""A survey: ordered questions and the columns that their answers fill."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import compress
from typing import Any, Literal

import numpy as np

from askless import core
from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import COMPLETE, NO_CONSTANT, ONE_HOT, Columns
from askless.errors import AnswerError, SettingError, meant, shown
from askless.survey.encoding import Encoding
from askless.survey.kinds import Scale, question_from_dict
from askless.survey.names import check_names
from askless.survey.question import Answer, Question
from askless.whole import check_whole

__all__ = ["Coding", "Survey"]

Coding = Literal["centred", "raw"]

MOST_DIRECTIONS = 20_000_000  # numbers; a survey of people's size has some thousands


class Survey:
    """An ordered list of questions, encoded to the columns of a context.

    Parameters
    ----------
    questions : iterable of Question
        `Scale`, `YesNo`, `Choice` and `Multi`, in the order in which they are asked.
    coding : {"centred", "raw"}
        "raw" is the paper's: scales on [0, 1] that may not be skipped, rewards as they are.

    Attributes
    ----------
    asked_of_everyone : array of bool (questions)
        Which questions are marked `always_ask`.
    owner : array (p - 1)
        The question that owns each column after the constant.

    Examples
    --------
    >>> from askless import Scale, Survey, YesNo
    >>> survey = Survey([Scale("age", low=18, high=90), YesNo("donor")])
    >>> survey.encode({"age": 90, "donor": False})
    array([ 1. ,  0.5, -0.5])
    >>> survey.decode(survey.encode({"age": 90}))
    {'age': 90.0}
    """

    def __init__(self, questions: Iterable[Question], *, coding: Coding = "centred") -> None:
        if not isinstance(questions, Iterable):
            raise SettingError(f"questions is {shown(questions)}; give a list of questions")
        self.questions: tuple[Question, ...] = tuple(questions)
        self.coding: Coding = coding
        if not self.questions:
            raise SettingError("the survey has no questions; give at least one")
        for question in self.questions:
            if not isinstance(question, Question):
                raise SettingError(
                    f"{shown(question)} is not a question; use Scale, YesNo, Choice or Multi"
                )
        self.names: tuple[str, ...] = tuple(question.name for question in self.questions)
        check_names(list(self.names), "question")
        if coding not in ("centred", "raw"):
            raise SettingError(f"coding is {shown(coding)}; choose 'centred' or 'raw'")
        if coding == "raw":
            for question in self.questions:
                if not isinstance(question, Scale) or question.may_skip:
                    raise SettingError(
                        f"question {question.name!r}: raw coding takes scales that may not be"
                        " skipped; use coding='centred'"
                    )
        self._index = {name: i for i, name in enumerate(self.names)}
        self._columns = self._lay_out()
        self.core = core.Survey.of(*self._columns)
        first = self._columns.first.tolist()
        self._encoding = Encoding(self.questions, first, raw=coding == "raw")
        self._nothing_known = np.full(self.column_count, np.nan)
        self._nothing_known[0] = 1.0
        self.asked_of_everyone: Flags = np.array([q.always_ask for q in self.questions])
        self.asks_everyone = bool(self.asked_of_everyone.any())
        self.owner: Ints = np.repeat(np.arange(len(self.questions)), self._columns.width)

    @classmethod
    def unit(cls, d: int, *, coding: Coding = "centred") -> Survey:
        """Return the paper's survey: d scales x1, …, xd on [0, 1].

        Examples
        --------
        >>> Survey.unit(3).names
        ('x1', 'x2', 'x3')
        """
        count = check_whole(d, "d", 1, meaning="a whole number of questions")
        return cls([Scale(f"x{i + 1}", low=0, high=1) for i in range(count)], coding=coding)

    def _lay_out(self) -> Columns:
        width = np.array([question.width for question in self.questions])
        first = 1 + np.concatenate([[0], np.cumsum(width)[:-1]])
        low, high = np.zeros(1 + width.sum()), np.ones(1 + width.sum())
        directions, count = [], 0
        for question in self.questions:
            directions.append(question.directions())
            count += len(directions[-1])
            if count * width.max() > MOST_DIRECTIONS:
                raise SettingError("the survey is too large; take fewer questions or options")
        start = np.concatenate([[0], np.cumsum([len(block) for block in directions])])
        padded = np.zeros((start[-1], width.max()))
        for i, question in enumerate(self.questions):
            own = slice(first[i], first[i] + question.own_width)
            extremes = question.extremes(raw=self.coding == "raw")
            low[own], high[own] = extremes.min(axis=0), extremes.max(axis=0)
            padded[start[i] : start[i + 1], : width[i]] = directions[i]
        return Columns(
            kind=np.array([question.columns_kind for question in self.questions]),
            first=first,
            width=width,
            skip=np.array([int(question.may_skip) for question in self.questions]),
            start=start,
            low=low,
            high=high,
            directions=padded,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Survey:
        return self  # nothing of it ever changes: copies of a policy share it

    # -- looking at it ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    def __getitem__(self, name: str) -> Question:
        return self.questions[self.index(name)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Survey):
            return NotImplemented
        return self is other or (self.questions == other.questions and self.coding == other.coding)

    def __hash__(self) -> int:
        return hash((self.questions, self.coding))

    def same_columns(self, other: Survey) -> bool:
        """Whether answers are encoded alike: texts, help and costs may differ."""
        return self is other or (
            self.coding == other.coding
            and [question.meaning() for question in self] == [q.meaning() for q in other]
        )

    def __repr__(self) -> str:
        return f"Survey({list(self.names)}, coding={self.coding!r})"

    def index(self, name: Any) -> int:
        """Return a question's place in the survey; refuse an unknown name."""
        place = self._index.get(name) if isinstance(name, str) else None
        if place is None:
            raise AnswerError(
                f"there is no question {shown(name)}{meant(name, self.names, 'the survey has')}"
            )
        return place

    def names_of(self, questions: Flags) -> tuple[str, ...]:
        """Return the names of the questions that are marked, in survey order."""
        return tuple(compress(self.names, questions.tolist()))

    def open_questions(self, z: Floats) -> Flags:
        """Return which questions have no answer in a context."""
        return np.isnan(z[self._columns.first])

    def __getstate__(self) -> dict[str, Any]:
        # Not the core's: that is of one build, and whoever reads it may have another processor.
        return {name: value for name, value in vars(self).items() if name != "core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.core = core.Survey.of(*self._columns)

    @property
    def columns(self) -> Columns:
        """The columns as the core sees them."""
        return self._columns

    @property
    def column_count(self) -> int:
        """Length p of a context: the constant and every question's columns."""
        return len(self._columns.low)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Name of every column of a context, the constant first."""
        return ("constant", *(name for question in self for name in question.column_names()))

    @property
    def plain(self) -> bool:
        """Whether no question is a choice or may be skipped (maths 1.2)."""
        return all(q.columns_kind != ONE_HOT and not q.may_skip for q in self)

    def columns_of(self, name: str) -> slice:
        """Return the columns that a question owns."""
        i = self.index(name)
        first = int(self._columns.first[i])
        return slice(first, first + self.questions[i].width)

    # -- answers and contexts --------------------------------------------------------------------

    def check(self, answers: Mapping[str, Any]) -> dict[str, Answer]:
        """Return answers as plain Python, or refuse the first that does not fit."""
        return self.put(answers, self.nothing_known())

    def encode(self, answers: Mapping[str, Any]) -> Floats:
        """Turn answers into a context; questions left out give NaN columns (maths 1.1, 1.3)."""
        z = self.nothing_known()
        self.put(answers, z)
        return z

    def nothing_known(self) -> Floats:
        """Return the context of someone who has answered nothing."""
        return self._nothing_known.copy()

    def put(self, answers: Mapping[str, Any], z: Floats) -> dict[str, Answer]:
        """Check answers and write them into a context; return them as plain Python.

        The first that does not fit is refused; `z` may then hold some of the others.
        """
        if type(answers) is not dict and not isinstance(answers, Mapping):
            raise AnswerError(f"answers are {shown(answers)}; give a dict of question and answer")
        places = self._index
        for name in answers:
            if not isinstance(name, str) or name not in places:
                self.index(name)  # refuses it
        return self._encoding.read(answers, places, z)

    def decode(self, z: Any) -> dict[str, Answer]:
        """Turn a context back into answers; a scale's to within the grid."""
        row = self.check_row(z)
        return {
            question.name: question.decode(values, raw=self.coding == "raw")
            for question in self
            if not np.isnan((values := row[self.columns_of(question.name)])[0])
        }

    def check_row(self, z: Any) -> Floats:
        """Return a context on the grid, or refuse it."""
        row = np.empty(self.column_count)
        self.read_row(z, row)
        return row

    def read_row(self, z: Any, out: Floats) -> bool:
        """Put a context into `out`, on the grid; return whether it has every column."""
        try:
            given = np.asarray(z)
        except ValueError:  # rows of different lengths
            given = np.asarray(None)
        if given.dtype.kind not in "fiu":
            raise AnswerError(f"the context {shown(z)} is not a row of numbers")
        row = np.ascontiguousarray(given, dtype=np.float64)
        if row.shape != self._columns.low.shape:
            raise AnswerError(
                f"the context has shape {row.shape}; this survey's has ({self.column_count},),"
                " the constant 1 first"
            )
        wrong = self.core.read_row(row, out)
        if wrong == NO_CONSTANT:
            raise AnswerError(f"the context starts with {float(row[0])!r}; its first column is 1")
        if wrong >= 0:
            question = self.questions[wrong]
            values = row[self.columns_of(question.name)].tolist()
            raise AnswerError(
                f"question {question.name!r}: no answer is encoded as {values};"
                " use encode() to make contexts"
            )
        return bool(wrong == COMPLETE)

    # -- as data ---------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the survey as plain data."""
        return {
            "coding": self.coding,
            "questions": [question.to_dict() for question in self.questions],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Survey:
        """Build a survey from what `to_dict` returned."""
        return cls([question_from_dict(q) for q in data["questions"]], coding=data["coding"])

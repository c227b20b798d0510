"""Respondents who are the people of a pilot survey, drawn again with replacement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from askless.core.arrays import Floats
from askless.environments.pilot_reading import read_answers
from askless.errors import AnswerError, SettingError, shown, together
from askless.survey import Survey

__all__ = ["PilotAnswers"]


class PilotAnswers:
    """People who answered a pilot survey, drawn again with replacement.

    Whole persons are drawn, so that answers and skips are as frequent, and as related to each
    other, as they were in the pilot.

    Parameters
    ----------
    survey : Survey
        The questions.
    answers : list of mappings
        A person each: an answer to every question by its name, None for a skip.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor", may_skip=True)])
    >>> pilot = al.PilotAnswers(survey, [{"age": 90, "donor": True}, {"age": 54, "donor": None}])
    >>> len(pilot)
    2
    >>> drawn = pilot.contexts(np.random.default_rng(0), 1_000)
    >>> np.unique(drawn, axis=0)
    array([[1. , 0. , 0. , 1. ],
           [1. , 0.5, 0.5, 0. ]])
    """

    def __init__(self, survey: Survey, answers: Iterable[Mapping[str, Any]]) -> None:
        if isinstance(answers, str | Mapping) or not isinstance(answers, Iterable):
            raise SettingError(f"answers is {shown(answers)}; give a list of dicts, one a person")
        people = list(answers)
        if not people:
            raise SettingError("answers has no persons; give at least one")
        self.survey = survey
        self._table = np.empty((len(people), survey.column_count))
        problems: list[str] = []
        for i, person in enumerate(people):
            try:
                self._table[i] = survey.encode(person)
            except AnswerError as error:
                problems.append(f"answers[{i}]: {error}")
                continue
            problems += (
                f"answers[{i}]: there is no answer to {name!r}; give one to every question,"
                " None for a skip"
                for name in survey.names
                if name not in person
            )
        if problems:
            raise SettingError(together(problems))

    @classmethod
    def read(
        cls, path: str | Path, survey: Survey, *, leave_out: Collection[str] = ()
    ) -> PilotAnswers:
        r"""Read a pilot's answers from a CSV file in UTF-8, with a row a person.

        The header has the names of the questions, in any order. A scale is answered by a number,
        a yes/no by yes, no, true, false, 1 or 0, a choice by its option, a multi by its options
        with ; between them, or by none or []. An empty cell or NA is a skip.

        Parameters
        ----------
        path : str or Path
            The file.
        survey : Survey
            The questions.
        leave_out : collection of str
            Columns that hold no answers, such as a number of the person.

        Examples
        --------
        >>> import tempfile
        >>> import askless as al
        >>> survey = al.Survey([al.YesNo("donor", may_skip=True), al.Multi("media", ["tv", "web"])])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "pilot.csv")
        ...     _ = path.write_text("media,donor\ntv;web,yes\nnone,\n")
        ...     pilot = al.PilotAnswers.read(path, survey)
        >>> len(pilot)
        2
        """
        if isinstance(leave_out, str):
            raise SettingError(f"leave_out is {leave_out!r}; give a list of names of columns")
        return cls(survey, read_answers(path, survey, leave_out))

    def __len__(self) -> int:
        return len(self._table)

    @property
    def table(self) -> Floats:
        """The people's contexts, one a row, on the grid."""
        return self._table.copy()

    def contexts(self, rng: np.random.Generator, count: int) -> Floats:
        """Draw so many contexts, on the grid."""
        drawn: Floats = self._table[rng.integers(len(self), size=count)]
        return drawn

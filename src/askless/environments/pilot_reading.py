"""A pilot's CSV file to answers; what is wrong with it is said with line, column and remedy."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from askless.errors import (
    MOST_PROBLEMS,
    AnswerError,
    SettingError,
    meant,
    near,
    shown,
    together,
)
from askless.survey import Choice, Multi, Question, Scale, Survey, YesNo
from askless.survey.question import Answer

BETWEEN = ";"  # the options of a multi
MISSING = ("", "NA")
BRACKETS = "[({"  # what begins a list that another program wrote
NONE = "none"
EMPTY_LIST = re.compile(r"\[\s*\]")  # how pandas writes a list of nothing: none was chosen
YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
# Not all that float() takes: 1_000, nan and infinity are no answers.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
MOST_LISTED = 20  # names in a message
MOST_SHOWN = 100  # characters of a cell in a message


Cells = tuple[list[str], list[tuple[str, list[str]]]]  # a header, and rows with where they are


class BadCell(str):
    """What is wrong with a cell, as a line of a message; it knows its column, to be counted by."""

    where: str
    column: str
    said: str

    def __new__(cls, where: str, column: str, said: str) -> BadCell:
        """Make the line out of its parts."""
        line = super().__new__(cls, f"{where}, column {column!r}: {said}")
        line.where, line.column, line.said = where, column, said
        return line


def summed_up(problems: Sequence[str]) -> list[str]:
    """Return a line a column in place of its bad cells, where all problems would be too many."""
    if len(problems) <= MOST_PROBLEMS:
        return list(problems)
    counts = Counter(problem.column for problem in problems if isinstance(problem, BadCell))
    lines = []
    for problem in problems:
        if not isinstance(problem, BadCell):
            lines.append(problem)
        elif count := counts.pop(problem.column, 0):
            first = f" (the first of {count:,} cells that do not fit)" if count > 1 else ""
            lines.append(f"{problem.where}, column {problem.column!r}{first}: {problem.said}")
    return lines


def read_cells(path: str | Path) -> Cells:
    """Return a CSV file's header and its rows, each with the line on which it begins."""
    problems: list[str] = []
    rows = list(_rows(_text(path), str(path), problems))
    if problems:
        raise SettingError(together(problems))
    if len(rows) < 2:
        raise SettingError(f"{path}: the file needs a header and a row for each person")
    header = [name.strip() for name in rows[0][1]]
    placed = [
        (f"{path}, line {line}", [cell.strip() for cell in cells]) for line, cells in rows[1:]
    ]
    return header, placed


def read_answers(
    path: str | Path, survey: Survey, leave_out: Collection[str] = ()
) -> list[dict[str, Answer]]:
    """Return every row's answers to the survey; its problems in one message, many by column.

    Columns to `leave_out` are not looked at.
    """
    _check_options(survey)
    problems: list[str] = []
    rows = _rows(_text(path), str(path), problems)
    line, header = next(rows, (1, []))
    if not header and not problems:
        raise SettingError(f"{path}: the file is empty; {_header_of(survey)}")
    names = [name.strip() for name in header]
    if header:
        found = [*_left_out_problems(names, survey, leave_out)]
        found = found or [*_header_problems([n for n in names if n not in leave_out], survey)]
        problems += [f"{path}, line {line}: {problem}" for problem in found]
    if problems:  # the rows below such a header would only repeat them
        raise SettingError(together(problems))
    people = [
        read_person(cells, names, survey, f"{path}, line {line}", problems, leave_out)
        for line, cells in rows
    ]
    if problems:
        raise SettingError(together(summed_up(problems)))
    if not people:
        raise SettingError(f"{path}: the file has a header and no rows; add a row for each person")
    return people


def _check_options(survey: Survey) -> None:
    for question in survey:
        for option in question.options if isinstance(question, Multi) else ():
            if BETWEEN in option:
                raise SettingError(
                    f"question {question.name!r}: the option {option!r} has a {BETWEEN!r}, which"
                    " separates options in a file; rename it, or give PilotAnswers a list"
                )


def _text(path: str | Path) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SettingError(
            f"{path}: cannot read the file: {error.strerror}; give the path of a CSV file"
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\n|\r", data[: error.start])) + 1
        raise SettingError(
            f"{path}, line {line}: the file is not UTF-8 text; save it as CSV in UTF-8"
        ) from None


def _rows(text: str, source: str, problems: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Go through the rows, blank lines left out, each with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1  # a row ends lines later if a cell in quotes has breaks
    except csv.Error as error:
        problems.append(
            f"{source}, line {line}: from here on this is not CSV: {error}; close every quote at"
            " the end of its cell, and write a quote within such a cell twice"
        )


def _header_problems(names: list[str], survey: Survey) -> Iterator[str]:
    alone = len(names) == 1 and names[0] not in survey.names
    if alone and re.search(r"[;\t]", names[0]):
        yield f"the header is the one cell {_cell(names[0])}; put commas between the cells"
        return
    for at, name in enumerate(names):
        if not name:
            yield f"column {at + 1} has no name; {_header_of(survey)}"
        elif name not in survey.names:
            left_out = (
                f"; if it holds no answers, leave it out: --leave-out {shlex.quote(name)}"
                f" (in Python leave_out=[{shown(name)}])"
            )
            yield (
                f"column {_cell(name)}: there is no such question"
                f"{near(name, survey.names) or left_out}"
            )
        elif names.index(name) == at and names.count(name) > 1:
            yield f"column {name!r} is there {names.count(name)} times; keep one of them"
    for name in survey.names:
        if name not in names:
            skip = ", with empty cells for skips" if survey[name].may_skip else ""
            yield f"column {name!r} is missing; add it{skip}"


def _left_out_problems(
    names: list[str], survey: Survey, leave_out: Collection[str]
) -> Iterator[str]:
    for name in leave_out:
        if name in survey.names:
            yield f"column {name!r} is a question of the study, which cannot be left out"
        elif name not in names:
            yield f"there is no column {name!r} to leave out{meant(name, names, 'there are')}"


def read_person(
    cells: list[str],
    names: list[str],
    survey: Survey,
    where: str,
    problems: list[str],
    leave_out: Collection[str] = (),
) -> dict[str, Answer]:
    """Return a row's answers; what does not fit is added to the problems."""
    if len(cells) != len(names):
        many = len(cells) > len(names)
        problems.append(
            f"{where}: the row has {len(cells)} cell{'s' * (len(cells) > 1)}, the header"
            f" {len(names)}; "
            + ("put a cell that has a comma in quotes" if many else "write a comma for every cell")
        )
        return {}
    person: dict[str, Answer] = {}
    for name, cell in zip(names, cells, strict=True):
        if name in leave_out:
            continue
        try:
            person[name] = _answer(survey[name], cell.strip())
        except AnswerError as error:
            problems.append(BadCell(where, name, str(error)))
    return person


# -- a cell to an answer -------------------------------------------------------------------------


def _answer(question: Question, cell: str) -> Answer:
    if cell not in MISSING or cell in getattr(question, "options", ()):
        return READERS[question.kind](question, cell)
    if question.may_skip:
        return None
    none = f", or write {NONE} for none of them" if question.kind == "multi" else ""
    raise AnswerError(
        "the answer is missing and the question may not be skipped; fill it in, leave the row out"
        f" or set may_skip{none}"
    )


def _number(question: Scale, cell: str) -> Answer:
    if not NUMBER.fullmatch(cell):
        comma = ", with a point and without commas" if "," in cell else ""
        raise AnswerError(f"{_cell(cell)} is not a number; write one such as 12 or 1.5{comma}")
    number = float(cell)
    if not question.low <= number <= question.high:
        raise AnswerError(
            f"{_cell(cell)} is not from {question.low:g} to {question.high:g}; correct the cell,"
            " or give the question other ends"
        )
    return number


def _yes_or_no(question: YesNo, cell: str) -> Answer:  # noqa: ARG001
    if cell.lower() not in YES_NO:
        raise AnswerError(f"{_cell(cell)} is not yes or no; write one of {', '.join(YES_NO)}")
    return YES_NO[cell.lower()]


def _option(question: Choice | Multi, cell: str) -> str:
    if cell not in question.options:
        raise AnswerError(
            f"{_cell(cell)} is no option; choose from {_listed([*map(repr, question.options)])}"
            f"{near(cell, question.options)}"
        )
    return cell


def _options(question: Multi, cell: str) -> Answer:
    called_none = any(option.lower() == NONE for option in question.options)
    if cell not in question.options and (
        (cell.lower() == NONE and not called_none) or EMPTY_LIST.fullmatch(cell)
    ):
        return []
    parts = [part.strip() for part in cell.split(BETWEEN)]
    if not called_none and any(part.lower() == NONE for part in parts):
        raise AnswerError(
            f"{_cell(cell)} has {NONE} beside an option; write {NONE} by itself, or the options"
            " without it"
        )
    named = [option for option in question.options if option in cell]
    if parts[0] not in question.options and (cell[0] in BRACKETS or len(named) > len(parts)):
        named = named or list(question.options[:2])
        raise AnswerError(
            f"{_cell(cell)} is not as several choices are written; join them with {BETWEEN}, as in"
            f" {BETWEEN.join(named)}"
        )
    chosen = [_option(question, part) for part in parts]
    for option in chosen:
        if chosen.count(option) > 1:
            raise AnswerError(f"the option {option!r} is there twice; name each at most once")
    return list(chosen)


READERS: dict[str, Callable[[Any, str], Answer]] = {
    "scale": _number,
    "yes_no": _yes_or_no,
    "choice": _option,
    "multi": _options,
}


# -- words of the messages -----------------------------------------------------------------------


def _header_of(survey: Survey) -> str:
    return f"the header has the names of the questions: {_listed(survey.names)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")


def _cell(text: str) -> str:
    return shown(text, MOST_SHOWN)

"""The visits file: a row a visit in the order of decisions, enough to rebuild a study by replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askless.environments.cell_writing import writing_rows
from askless.environments.cells import read_rows, rows_of
from askless.environments.pilot_reading import BETWEEN, NUMBER, read_person, summed_up
from askless.errors import AsklessError, SettingError, StateError, meant, shown, together
from askless.policies import VisitRecord
from askless.policies.visit_record import VERSION
from askless.survey import Multi, Study, Survey
from askless.survey.question import Answer

__all__ = ["LoggedVisit", "check_names", "columns_of", "read_visits", "row_of", "write_visits"]

WHOLE = ("number", "version", "block", "learned", "learned_after")
LISTS = ("eligible", "form", "asked", "known", "answered", "skipped")
CHECK = ("full", "short", "expected", "bet", "saving")
BEFORE = ("number", "kind", *LISTS)
AFTER = ("arm", "version", "reward", "block", "learned", "learned_after")
ANSWER, CHANCE, CHECKED = "answer.", "propensity.", "check."


@dataclass(frozen=True)
class LoggedVisit:
    """A visit of a study, and when it was learned.

    Attributes
    ----------
    record : VisitRecord
        What it has done; `outlook` and `ruled_out` are not kept in files.
    learned : int or None
        Its place in the order of learning, from 0; None if it has not been learned.
    learned_after : int or None
        How many visits had been decided by then.

    Examples
    --------
    >>> import askless as al
    >>> done = al.record_visits("uniform", al.paper_environment(arms=3, features=2), horizon=3)
    >>> [(visit.record.number, visit.learned, visit.learned_after) for visit in done.visits]
    [(0, 0, 1), (1, 1, 2), (2, 2, 3)]
    """

    record: VisitRecord
    learned: int | None = None
    learned_after: int | None = None


def columns_of(study: Study) -> dict[str, type]:
    """Return the columns of a study's visits file, in their order, and what is in their cells."""
    names = [
        *BEFORE,
        *(ANSWER + name for name in study.survey.names),
        *AFTER,
        *(CHANCE + arm.name for arm in study.arms),
        *(CHECKED + name for name in CHECK),
    ]
    return {name: _kind_of(name) for name in names}


def _kind_of(name: str) -> type:
    if name in WHOLE:
        return int
    number = name == "reward" or name.startswith(CHANCE) or name in {CHECKED + n for n in CHECK[2:]}
    return float if number else str


def check_names(study: Study) -> None:
    """Refuse a study with a name that a visits file would take for several."""
    for name in [*study.survey.names, *(arm.name for arm in study.arms), *_options(study.survey)]:
        if BETWEEN in name:
            raise SettingError(
                f"{name!r} has a {BETWEEN!r}, which separates names in a visits file; rename it"
            )


def write_visits(path: str | Path, visits: Iterable[LoggedVisit], study: Study) -> None:
    """Write visits as CSV or, by its ending, as Parquet.

    Parameters
    ----------
    path : str or Path
        The file; Parquet (the extra `data`) if it ends in `.parquet` or `.pq`.
    visits : iterable of LoggedVisit
        In the order of their decisions.
    study : Study
        Its questions and arms are the columns.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> study = al.Study.parse('''
    ... schema: 1
    ... questions: [{kind: yes_no, name: donor}]
    ... arms: [{name: mail}, {name: call}]
    ... reward: {low: 0, high: 10}
    ... policy: {beta_min: 1}
    ... ''')
    >>> policy = al.policy_for(study)
    >>> visit = policy.visit()
    >>> visit.answer({"donor": True})
    >>> policy.learn(visit, reward=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     al.write_visits(f"{folder}/visits.csv", [al.LoggedVisit(visit.record(), 0, 1)], study)
    ...     (read,) = al.read_visits(f"{folder}/visits.csv", study)
    >>> read.record.answers, read.record.reward
    ({'donor': True}, 4.0)
    """
    check_names(study)
    columns = columns_of(study)
    rows = [row_of(visit, columns) for visit in visits]  # first: what is refused leaves no file
    with writing_rows(Path(path), columns) as write:
        write(rows)


def read_visits(path: str | Path, study: Study) -> list[LoggedVisit]:
    """Read what `write_visits` wrote; what is wrong is said in one message.

    Columns may stand in any order; others are left alone.

    Parameters
    ----------
    path : str or Path
        The file.
    study : Study
        The one that it is of.
    """
    wanted = list(columns_of(study))
    problems: list[str] = []
    found = []
    for where, row in rows_of(read_rows(Path(path)), wanted, str(path), problems):
        try:
            found.append(_visit(row, study, where, problems))
        except (AsklessError, ValueError) as error:
            problems.append(f"{where}: {error}")
    if problems:
        raise SettingError(together(summed_up(problems)))
    return found


# -- a visit to cells ----------------------------------------------------------------------------


def _options(survey: Survey) -> Iterator[str]:
    """Go through the options of questions of which several can be chosen."""
    for question in survey:
        if isinstance(question, Multi):
            yield from question.options


def row_of(visit: LoggedVisit, columns: Iterable[str]) -> list[str]:
    """Return a visit's cells in a visits file."""
    if not isinstance(visit, LoggedVisit):
        raise SettingError(f"a visit is {shown(visit)}; give LoggedVisits, as record_visits does")
    record = visit.record
    cells: dict[str, str] = {
        "number": str(record.number),
        "kind": record.kind or "",
        "eligible": BETWEEN.join(record.eligible),
        "form": BETWEEN.join(record.promised),
        "asked": BETWEEN.join(record.asked),
        "known": BETWEEN.join(record.known),
        "answered": BETWEEN.join(q for q, answer in record.answers.items() if answer is not None),
        "skipped": BETWEEN.join(record.skipped),
        "arm": record.arm or "",
        "version": _cell(record.decided_at),
        "reward": "" if record.reward is None else repr(float(record.reward)),
        "block": _cell(record.learned_in),
        "learned": _cell(visit.learned),
        "learned_after": _cell(visit.learned_after),
    }
    cells |= {ANSWER + name: _cell(answer) for name, answer in record.answers.items()}
    cells |= {CHANCE + arm: _cell(p) for arm, p in (record.propensities or {}).items()}
    if record.check is not None:
        cells |= {CHECKED + name: _cell(record.check[name]) for name in CHECK}
    stray = sorted(cells.keys() - set(columns))
    if stray:
        raise SettingError(
            f"visit {record.number} has {stray[0]!r}, which the study does not; add it to the study"
        )
    return [cells.get(name, "") for name in columns]


def _cell(value: Answer | None) -> str:
    """Return a value as a cell; numbers so that they are read as the same again."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return BETWEEN.join(value)  # empty: none of them, since it is among those answered
    return repr(value) if isinstance(value, float) else str(value)


# -- cells to a visit ----------------------------------------------------------------------------


def _visit(row: dict[str, str], study: Study, where: str, problems: list[str]) -> LoggedVisit:
    """Return a row's visit, checked as a saved one is."""
    lists = {name: row[name].split(BETWEEN) if row[name] else [] for name in LISTS}
    arms = [arm.name for arm in study.arms]
    for name in [*lists["eligible"], *([row["arm"]] if row["arm"] else [])]:
        if name not in arms:
            column = "arm" if name == row["arm"] else "eligible"
            raise StateError(
                f"column {column!r}: {shown(name)} is no arm of the study"
                f"{meant(name, arms, 'the arms are')}"
            )
    survey = study.survey
    for name in survey.names:
        if row[ANSWER + name] and name not in lists["answered"]:
            raise StateError(f"it has an answer to {name!r}, which is not among those answered")
    answers: dict[str, Answer] = {}
    for name in [*lists["answered"], *lists["skipped"]]:
        cell = row.get(ANSWER + name)
        if cell is None or name in answers:
            raise StateError(f"{shown(name)} is no question of the study, or is there twice")
        if name in lists["skipped"]:
            answers[name] = None
        elif not cell and isinstance(survey[name], Multi):
            answers[name] = []
        else:
            answers |= read_person([cell], [name], survey, where, problems)
    answers = survey.check(answers)
    whole = {name: _whole(name, row[name]) for name in WHOLE}
    check: dict[str, Any] | None = None
    if row[CHECKED + "full"]:
        check = {name: row[CHECKED + name] for name in ("full", "short")}
        check |= {name: _number(CHECKED + name, row[CHECKED + name]) for name in CHECK[2:]}
        check["tossed"] = row["kind"] == "check"
    record = {
        "format": "askless.visit",
        "version": VERSION,
        "number": whole["number"],
        "kind": row["kind"] or None,
        "eligible": lists["eligible"],
        "promised": lists["form"],
        "asked": lists["asked"],
        "known": lists["known"],
        "answers": answers,
        "arm": row["arm"] or None,
        "decided_at": whole["version"],
        "propensities": _chances(row, lists["eligible"]),
        "outlook": {},
        "ruled_out": [],
        "reward": _number("reward", row["reward"]) if row["reward"] else None,
        "learned_in": whole["block"],
        "check": check,
    }
    return LoggedVisit(VisitRecord.read(record), whole["learned"], whole["learned_after"])


def _whole(name: str, cell: str) -> int | None:
    whole = cell.removesuffix(".0")  # as pandas writes columns that have empty cells
    if cell and not (whole.isascii() and whole.isdigit()):
        raise StateError(f"column {name!r}: {shown(cell)} is no whole number")
    return int(whole) if cell else None


def _number(name: str, cell: str) -> float:
    if not NUMBER.fullmatch(cell):
        raise StateError(f"column {name!r}: {shown(cell)} is no number")
    return float(cell)


def _chances(row: dict[str, str], arms: Sequence[str]) -> dict[str, float] | None:
    """Return with which probability each arm was to be played; None where nothing says so."""
    given = {arm: row[CHANCE + arm] for arm in arms if row.get(CHANCE + arm)}
    return {arm: _number(CHANCE + arm, cell) for arm, cell in given.items()} or None

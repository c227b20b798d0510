"""People of a CSV or Parquet file, with a study that says what their columns mean."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askless.environments.pilot_reading import BETWEEN, NONE, NUMBER, Cells, read_cells, read_person
from askless.environments.table import TableEnvironment
from askless.environments.tables.outcomes import ALIKE, DrawnTable, potential_outcomes
from askless.errors import SettingError, extra, meant, shown, together
from askless.kernels.bundles import Floats, Ints
from askless.survey import Study

__all__ = ["read_table"]

ARM, REWARD = "arm", "reward"  # the columns of what people got, and of what came of it
PARQUET = (".parquet", ".pq")
MISSING = ("NAType", "NaTType")  # of pandas, which need not be there


def read_table(path: str | Path, study: Study) -> TableEnvironment:
    r"""Return the people of a CSV or Parquet file as a world, to simulate a study on.

    The file has a row a person and a column for every question, by its name, with answers as
    `PilotAnswers.read` takes them; an empty cell is a skip, where the question allows it. What arms
    bring is in one of three forms:

    - a column for every arm, by its name: the reward that it would bring this person;
    - `arm` and `reward`: what the person got, and what came of it, as an experiment leaves it. What
      the other arms would have brought is modelled as in the treatment tables of `askless.table`
      (the extra `data`), and so needs 50 people an arm;
    - `arm` alone: the arm that is right for this person, which brings the largest reward, and any
      other the smallest.

    Other columns are left alone.

    Parameters
    ----------
    path : str or Path
        The file; Parquet needs the extra `data`.
    study : Study
        Its questions, arms and reward.

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
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("id,donor,mail,call\n1,yes,8,2\n2,no,3,5\n")
    ...     world = al.read_table(path, study)
    >>> len(world), next(world.respondents(0, 0)).rewards.max()
    (2, np.float64(8.0))
    """
    file = Path(path)
    names, rows = read_parquet(file) if file.suffix.lower() in PARQUET else read_cells(file)
    survey, arms = study.survey, [arm.name for arm in study.arms]
    form = _form(names, study, str(path))
    wanted = [*survey.names, *form.columns]
    problems = _header(names, wanted, str(path))
    if problems:
        raise SettingError(together(problems))
    places = {name: names.index(name) for name in wanted}
    contexts = np.empty((len(rows), survey.column_count))
    outcomes = np.full((len(rows), len(form.columns)), np.nan)
    for i, (where, cells) in enumerate(rows):
        if len(cells) != len(names):
            problems.append(f"{where}: the row has {len(cells)} cells, the header {len(names)}")
            continue
        answers = [cells[places[name]] for name in survey.names]
        person = read_person(answers, list(survey.names), survey, where, problems)
        if len(person) == len(survey):
            contexts[i] = survey.encode(person)
        for j, name in enumerate(form.columns):
            outcomes[i, j] = _outcome(name, cells[places[name]], study, where, problems)
    if problems:
        raise SettingError(together(problems))
    _warn_of_constants(contexts, study, str(path))
    return form.world(contexts, outcomes, arms, str(path))


class _Form(NamedTuple):
    """How a file says what arms bring."""

    columns: list[str]
    study: Study

    def world(
        self, contexts: Floats, outcomes: Floats, arms: list[str], source: str
    ) -> TableEnvironment:
        study = self.study
        if self.columns == arms:
            rewards = outcomes
        elif self.columns == [ARM]:
            right = np.eye(len(arms))[outcomes[:, 0].astype(np.int64)]
            rewards = study.reward.low + study.reward.span * right
        else:
            return self._experiment(
                contexts, outcomes[:, 0].astype(np.int64), outcomes[:, 1], source
            )
        return TableEnvironment(
            study.survey, arms=study.arms, answers=contexts, rewards=rewards, reward=study.reward
        )

    def _experiment(
        self, contexts: Floats, arm_of: Ints, rewards: Floats, source: str
    ) -> TableEnvironment:
        study = self.study
        for k, arm in enumerate(study.arms):
            count = int((arm_of == k).sum())
            if count < ALIKE:
                raise SettingError(
                    f"{source}: {count} people got the arm {arm.name!r}; to model what it would"
                    f" have brought the others takes {ALIKE}; leave the arm out of the study, or"
                    " give a column for every arm"
                )
        ends = study.reward.low, study.reward.high
        yes_or_no = np.isin(rewards, ends).all()
        # Where only the ends are brought, a chance is modelled; it is one of 0 and 1.
        seen = (rewards - ends[0]) / study.reward.span if yes_or_no else rewards
        found = potential_outcomes(contexts, arm_of, seen, study.reward)
        outcomes = _Ends(found, ends) if yes_or_no else found
        names = [arm.name for arm in study.arms]
        return DrawnTable(
            study.survey, arms=names, contexts=contexts, outcomes=outcomes, reward=study.reward
        )


class _Ends:
    """Outcomes of 0 and 1 at the ends of a range."""

    def __init__(self, outcomes: Any, ends: tuple[float, float]) -> None:
        self.outcomes, self.low, self.span = outcomes, ends[0], ends[1] - ends[0]

    @property
    def expected(self) -> Floats:
        """The expected reward of each arm for everyone."""
        return np.asarray(self.low + self.span * self.outcomes.expected)

    def drawn(self, people: Ints, luck: Floats) -> Floats:
        """Draw what each arm brings these people."""
        return np.asarray(self.low + self.span * self.outcomes.drawn(people, luck))


def _form(names: list[str], study: Study, source: str) -> _Form:
    arms = [arm.name for arm in study.arms]
    for name in (ARM, REWARD, *arms):
        if name in study.survey.names:
            raise SettingError(
                f"{source}: {name!r} is a question of the study, and a column of what arms bring;"
                " call the question otherwise"
            )
    if ARM in names and all(arm in names for arm in arms):
        raise SettingError(
            f"{source}: there is a column for every arm and a column {ARM!r}; leave out {ARM!r} if"
            " people are to bring what the arms' columns say, else these"
        )
    if ARM in names:
        return _Form([ARM, REWARD] if REWARD in names else [ARM], study)
    if any(arm in names for arm in arms):
        return _Form(arms, study)
    if len(names) == 1 and ";" in names[0]:
        raise SettingError(f"{source}: the file has one column; separate columns by commas")
    raise SettingError(
        f"{source}: no column says what arms bring; give a column for every arm"
        f" ({', '.join(arms)}), or {ARM!r} and {REWARD!r}, or {ARM!r} alone"
    )


def _header(names: list[str], wanted: list[str], source: str) -> list[str]:
    problems = [
        f"{source}: column {name!r} of the study is missing{meant(name, names, 'there are')}"
        for name in wanted
        if name not in names
    ]
    return problems + [
        f"{source}: column {name!r} is there {names.count(name)} times; keep one of them"
        for name in wanted
        if names.count(name) > 1
    ]


def _outcome(name: str, cell: str, study: Study, where: str, problems: list[str]) -> float:
    """Return an arm's number, or a reward; what is wrong is added to the problems."""
    arms = [arm.name for arm in study.arms]
    if name == ARM:
        if cell in arms:
            return float(arms.index(cell))
        problems.append(
            f"{where}, column {name!r}: {shown(cell)} is no arm of the study"
            f"{meant(cell, arms, 'the arms are')}"
        )
        return np.nan
    low, high = study.reward.low, study.reward.high
    if NUMBER.fullmatch(cell) and low <= float(cell) <= high:
        return float(cell)
    if not cell:
        remedy = "the reward is missing; fill it in, or leave the row out"
    else:
        remedy = f"{shown(cell)} is no reward from {low:g} to {high:g}, the study's range"
    problems.append(f"{where}, column {name!r}: {remedy}")
    return np.nan


def _warn_of_constants(contexts: Floats, study: Study, source: str) -> None:
    """Say which questions everybody answers alike: nothing can be learned from them."""
    columns = np.ptp(contexts[:, 1:], axis=0) == 0
    owner = study.survey.owner
    alike = [name for g, name in enumerate(study.survey.names) if columns[owner == g].all()]
    if alike:
        warnings.warn(
            f"{source}: everybody answers {', '.join(alike)} alike; nothing can be learned there",
            stacklevel=3,
        )


def read_parquet(path: Path) -> Cells:
    """Read a Parquet file as cells, as a CSV file would have them."""
    with extra("data"):
        from pyarrow import parquet  # noqa: PLC0415 (an extra)
        from pyarrow.lib import ArrowException  # noqa: PLC0415
    try:
        table = parquet.read_table(path)
    except (OSError, ArrowException) as error:
        first = str(error).splitlines()[0]
        raise SettingError(f"{path}: cannot read the file as Parquet: {first}") from None
    if not table.num_rows:
        raise SettingError(f"{path}: there are no people in the file")
    columns = [column.to_pylist() for column in table.columns]
    return list(table.column_names), cells_of(f"{path}, row", columns)


def cells_of(where: str, columns: list[list[Any]]) -> list[tuple[str, list[str]]]:
    """Return the rows of some columns of values, as a CSV file would have them."""
    texts = [[_cell(value) for value in column] for column in columns]
    return [(f"{where} {i}", list(row)) for i, row in enumerate(zip(*texts, strict=True), start=1)]


def _cell(value: Any) -> str:
    """Return a value as a CSV file would have it."""
    if value is None or type(value).__name__ in MISSING:
        return ""
    if isinstance(value, float) and np.isnan(value):
        return ""
    if isinstance(value, list):
        return BETWEEN.join(map(str, value)) or NONE
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)

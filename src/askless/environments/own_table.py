"""People of a CSV or Parquet file, with a study that says what their columns mean."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.environments.cells import read_arm, read_reward, read_rows, rows_of
from askless.environments.pilot_reading import read_person, summed_up
from askless.environments.table import TableEnvironment
from askless.environments.tables.outcomes import ALIKE, DrawnTable, potential_outcomes
from askless.errors import SettingError, together
from askless.survey import Study

__all__ = ["read_table"]

ARM, REWARD = "arm", "reward"  # the columns of what people got, and of what came of it


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
    cells = read_rows(Path(path))
    names, survey, arms = cells[0], study.survey, [arm.name for arm in study.arms]
    form = _form(names, study, str(path))
    problems: list[str] = []
    contexts, outcomes = [], []
    for where, row in rows_of(cells, [*survey.names, *form.columns], str(path), problems):
        answers = [row[name] for name in survey.names]
        person = read_person(answers, list(survey.names), survey, where, problems)
        contexts.append(survey.encode(person))
        outcomes.append(
            [_outcome(name, row[name], study, where, problems) for name in form.columns]
        )
    if problems:
        raise SettingError(together(summed_up(problems)))
    table = np.array(contexts)
    _warn_of_constants(table, study, str(path))
    return form.world(table, np.array(outcomes), arms, str(path))


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


def _outcome(name: str, cell: str, study: Study, where: str, problems: list[str]) -> float:
    """Return an arm's number, or a reward; what is wrong is added to the problems."""
    column = f"{where}, column {name!r}"
    if name == ARM:
        return float(read_arm(cell, [arm.name for arm in study.arms], column, problems))
    return read_reward(cell, study.reward, column, problems)


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

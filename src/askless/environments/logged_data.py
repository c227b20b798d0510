"""Logged decisions of any study or system: who was asked what, what they got, what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.environments.cells import cells_of, read_arm, read_reward, read_rows, rows_of
from askless.environments.own_table import ARM, REWARD
from askless.environments.pilot_reading import BETWEEN, NUMBER, Cells, read_person, summed_up
from askless.errors import SettingError, meant, shown, together
from askless.policies import VisitRecord
from askless.survey import Multi, Study
from askless.survey.question import Answer

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LoggedData"]

ASKED, CHANCE, ELIGIBLE = "asked", "propensity", "eligible"
ANSWER, KNOWN, LEARNED = "answer.", "known", "learned_after"  # of a visits file
ANSWERED, SKIPPED = "answered", "skipped"
VISITS = {"number", "kind", "form", KNOWN, ANSWERED, SKIPPED, LEARNED}
RESERVED = {ARM, REWARD, ASKED, ELIGIBLE, CHANCE}
SLACK = 1e-6  # by which propensities may miss a sum of 1


@dataclass(frozen=True, eq=False)
class LoggedData:
    """Decisions that were made, by whatever policy, in numbers.

    Attributes
    ----------
    study : Study
        Its questions, arms and reward.
    contexts : array (n × p)
        What is known of each person, as `survey.encode` makes it; NaN where nothing was observed.
    arms : array (n)
        The arm that each got, counted from 0.
    rewards : array (n)
        What came of it, in reward units.
    propensities : array (n × K)
        With which probability each arm was to be played; NaN where the log does not say.
    eligible : array of bool (n × K)
        Which arms each could get.

    Examples
    --------
    >>> import pandas as pd, askless as al
    >>> study = al.Study.parse('''
    ... schema: 1
    ... questions: [{kind: yes_no, name: donor}]
    ... arms: [{name: mail}, {name: call}]
    ... reward: {low: 0, high: 10}
    ... policy: {beta_min: 1}
    ... ''')
    >>> frame = pd.DataFrame({"donor": [True, False], "arm": ["mail", "call"], "reward": [4, 0],
    ...                       "propensity": [0.5, 0.5]})
    >>> log = al.LoggedData.from_frame(frame, study)
    >>> len(log), log.observed.all()
    (2, np.True_)
    """

    study: Study
    contexts: Floats
    arms: Ints
    rewards: Floats
    propensities: Floats
    eligible: Flags

    def __len__(self) -> int:
        return len(self.arms)

    @property
    def observed(self) -> Flags:
        """Which questions' answers are known (n × questions); a skip is known."""
        return np.asarray(~np.isnan(self.contexts[:, self.study.survey.columns.first]))

    @property
    def chances(self) -> Floats:
        """With which probability everyone's own arm was to be played (n); NaN if unknown."""
        return np.asarray(self.propensities[np.arange(len(self)), self.arms])

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, study: Study) -> LoggedData:
        """Take a pandas frame: the columns are those that `read` takes."""
        names = [str(name) for name in frame.columns]
        columns = [frame.iloc[:, i].tolist() for i in range(len(names))]
        return cls._of((names, cells_of("row", columns)), study, "the frame")

    @classmethod
    def read(cls, path: str | Path, study: Study) -> LoggedData:
        """Read a CSV or Parquet file, a row a decision.

        Columns are one for every question by its name, `arm`, `reward`, and `propensity` (of the
        arm that was played) or `propensity.ARM` for every arm. `asked` names the questions whose
        answers were observed, separated by ";"; without it all were, and an empty cell is a skip.
        `eligible` names the arms that a person could get; all without it. Others are left alone.
        A visits file is one, too: of its visits those count that have been learned.
        """
        return cls._of(read_rows(Path(path)), study, str(path))

    @classmethod
    def of_visits(cls, records: Iterable[VisitRecord], study: Study) -> LoggedData:
        """Take the visits of a study that have been decided and rewarded."""
        listed = list(records)
        for record in listed:
            if not isinstance(record, VisitRecord):
                raise SettingError(f"a record is {shown(record)}; give what visit.record() returns")
        known = [r for r in listed if r.arm is not None and r.reward is not None]
        if not known:
            raise SettingError("no visit has an arm and a reward; there is nothing to go by")
        place = {arm.name: k for k, arm in enumerate(study.arms)}
        for record in known:
            if not place.keys() >= set(record.eligible):
                raise SettingError(
                    f"visit {record.number} could get {', '.join(record.eligible)}, of which the"
                    " study lacks some; give the study that it is of"
                )
            study.reward.check(record.reward)
        shape = len(known), len(place)
        contexts = np.array([study.survey.encode(r.answers) for r in known])
        propensities, eligible = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        for i, record in enumerate(known):
            eligible[i, [place[arm] for arm in record.eligible]] = True
            for arm, chance in (record.propensities or {}).items():
                propensities[i, place[arm]] = chance
        propensities[~eligible & ~np.isnan(propensities).all(axis=1)[:, None]] = 0.0
        arms = np.array([place[str(r.arm)] for r in known], dtype=np.int64)
        rewards = np.array([r.reward for r in known], dtype=np.float64)
        return cls(study, contexts, arms, rewards, propensities, eligible)

    @classmethod
    def _of(cls, cells: Cells, study: Study, source: str) -> LoggedData:
        return _Reader(cells, study, source).data()


class _Reader:
    """Cells to numbers; what is wrong is gathered, and said in one message."""

    def __init__(self, cells: Cells, study: Study, source: str) -> None:
        self.names, self.rows = cells
        self.study, self.source = study, source
        # A visits file has answers under names of their own, and visits without a reward.
        self.prefix = ANSWER if set(self.names) >= VISITS else ""
        if self.prefix:
            at = self.names.index(LEARNED)
            self.rows = [row for row in self.rows if len(row[1]) <= at or row[1][at]]
        self.arms = [arm.name for arm in study.arms]
        self.problems: list[str] = []

    def data(self) -> LoggedData:
        """Return the log."""
        if not self.rows:
            raise SettingError(f"{self.source}: the log is empty; give a row for every decision")
        count, survey = len(self.rows), self.study.survey
        contexts = np.full((count, survey.column_count), np.nan)
        shape = count, len(self.arms)
        propensities, eligible = np.full(shape, np.nan), np.ones(shape, dtype=bool)
        arms, rewards = np.zeros(count, dtype=np.int64), np.zeros(count)
        for i, (where, row) in enumerate(self._named_rows()):
            contexts[i] = self._context(row, where)
            eligible[i] = self._eligible(row, where)
            arms[i] = self._arm(row, eligible[i], where)
            column = f"{where}, column {REWARD!r}"
            rewards[i] = read_reward(row[REWARD], self.study.reward, column, self.problems)
            propensities[i] = self._propensities(row, int(arms[i]), eligible[i], where)
        if self.problems:
            raise SettingError(together(summed_up(self.problems)))
        return LoggedData(self.study, contexts, arms, rewards, propensities, eligible)

    def _named_rows(self) -> Iterator[tuple[str, dict[str, str]]]:
        survey = self.study.survey
        for name in survey.names if not self.prefix else ():
            if name in RESERVED or name.startswith(f"{CHANCE}."):
                raise SettingError(
                    f"{self.source}: {name!r} is a question of the study, and a column of what was"
                    " decided; call the question otherwise"
                )
        wanted = [*(self.prefix + name for name in survey.names), ARM, REWARD]
        others = [ASKED, ELIGIBLE, CHANCE, *(f"{CHANCE}.{arm}" for arm in self.arms)]
        return rows_of((self.names, self.rows), wanted, self.source, self.problems, others)

    def _listed(
        self, row: dict[str, str], column: str, known: Sequence[str], where: str
    ) -> set[str]:
        """Return the names in a cell."""
        named = {part.strip() for part in row[column].split(BETWEEN) if part.strip()}
        for name in sorted(named - set(known)):
            self.problems.append(
                f"{where}, column {column!r}: {shown(name)} is none of the study's"
                f"{meant(name, known, 'there are')}"
            )
        return named & set(known)

    def _context(self, row: dict[str, str], where: str) -> Floats:
        """Return what is known of a person; an empty cell is a skip if it was asked."""
        survey = self.study.survey
        cells = {name: row[self.prefix + name] for name in survey.names}
        held, skipped = set(survey.names), set[str]()
        if self.prefix:
            held = self._listed(row, ANSWERED, survey.names, where)
            skipped = self._listed(row, SKIPPED, survey.names, where)
        elif ASKED in row:
            held = self._listed(row, ASKED, survey.names, where)
        for name in survey.names:
            if cells[name] and name not in held:
                self.problems.append(
                    f"{where}, column {self.prefix + name!r}: there is an answer, and it was not"
                    " asked; add the question to those asked, or leave the cell empty"
                )
        person: dict[str, Answer] = dict.fromkeys(skipped)
        for name in held:
            if self.prefix and not cells[name] and isinstance(survey[name], Multi):
                person[name] = []
            else:
                person |= read_person([cells[name]], [name], survey, where, self.problems)
        return survey.encode(person)

    def _eligible(self, row: dict[str, str], where: str) -> Flags:
        if not row.get(ELIGIBLE):
            return np.ones(len(self.arms), dtype=bool)
        named = self._listed(row, ELIGIBLE, self.arms, where)
        return np.array([arm in named for arm in self.arms])

    def _arm(self, row: dict[str, str], eligible: Flags, where: str) -> int:
        known = len(self.problems)
        arm = read_arm(row[ARM], self.arms, f"{where}, column {ARM!r}", self.problems)
        if len(self.problems) == known and not eligible[arm]:
            self.problems.append(
                f"{where}: it got the arm {row[ARM]!r}, which is not among those eligible"
            )
        return arm

    def _propensities(self, row: dict[str, str], arm: int, eligible: Flags, where: str) -> Floats:
        """Return what the log says of each arm; that of the arm played must be above 0."""
        found = np.full(len(self.arms), np.nan)
        each = [f"{CHANCE}.{name}" for name in self.arms]
        for k, name in enumerate(each):
            if row.get(name):
                found[k] = self._chance(row[name], name, where)
        if not np.isnan(found).all():
            found = np.where(np.isnan(found), 0.0, found)
            if abs(found.sum() - 1.0) > SLACK or found[~eligible].any():
                self.problems.append(
                    f"{where}: the propensities of the arms that it could get do not sum to 1"
                )
            own = self._chance(row[CHANCE], CHANCE, where) if row.get(CHANCE) else found[arm]
            if abs(own - found[arm]) > SLACK:
                self.problems.append(
                    f"{where}: {CHANCE!r} is not that of the arm played in the arms' own columns"
                )
        elif row.get(CHANCE):
            found[arm] = self._chance(row[CHANCE], CHANCE, where)
        if not np.isnan(found[arm]) and found[arm] <= 0.0:
            self.problems.append(f"{where}: the arm that was played has the propensity 0")
        return found

    def _chance(self, cell: str, column: str, where: str) -> float:
        if NUMBER.fullmatch(cell) and 0.0 <= float(cell) <= 1.0:
            return float(cell)
        self.problems.append(f"{where}, column {column!r}: {shown(cell)} is no probability")
        return np.nan

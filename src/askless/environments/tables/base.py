"""Two kinds of tables: classes as arms, and the arms of a real experiment."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from askless.core.arrays import Floats, Ints
from askless.environments.table import TableEnvironment
from askless.environments.tables.columns import Column, surveyed
from askless.environments.tables.outcomes import DrawnTable, equal_means, potential_outcomes
from askless.errors import extra
from askless.survey import RewardRange

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ClassTable", "Table", "TreatmentTable", "data_of", "terciles"]


def data_of(module: str) -> pd.DataFrame:
    """Return the data that comes with a package, of statsmodels or causaldata."""
    with extra("data"):
        found: Any = importlib.import_module(module)
    data: pd.DataFrame = found.load_pandas().data
    return data


def terciles(values: Floats) -> Ints:
    """Return 0, 1 or 2: below the first tercile, below the second, or not."""
    return np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values, side="right")


@dataclass(frozen=True)
class Table(ABC):
    """A bandit out of a data set that a package brings; `askless.table` builds it.

    Attributes
    ----------
    name, title : str
        How it is called, and what it is about.
    people : int
        How many there are.
    columns : tuple of Column
        The columns that are questions.
    arms : tuple of str
        The decisions.
    reward : (float, float)
        The smallest and the largest reward.
    load : callable
        Reads the data, with the columns of the questions and what the kind of table needs.
    note : str
        What was done to the data.
    source : str
        Where they come from, and on what terms.
    kind, how : str
        `class` or `treatment`, and how rewards come about then.

    Examples
    --------
    >>> import askless as al
    >>> wine = al.TABLES["wine"]
    >>> wine.people, wine.questions, wine.arms, wine.reward
    (178, 13, ('first', 'second', 'third'), (0, 1))
    >>> wine.kind, wine.how
    ('class', '1 for the right class, else 0')
    """

    name: str
    title: str
    _: KW_ONLY
    people: int
    columns: tuple[Column, ...] = field(repr=False)
    arms: tuple[str, ...]
    reward: tuple[float, float] = (0, 1)
    load: Callable[[], pd.DataFrame] = field(repr=False)
    note: str = field(repr=False)
    source: str = field(repr=False)

    kind: ClassVar[str]
    how: ClassVar[str]

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return len(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return what a table is, without its people."""
        return {
            "name": self.name,
            "title": self.title,
            "people": self.people,
            "questions": [column.name for column in self.columns],
            "arms": list(self.arms),
            "reward": list(self.reward),
            "kind": self.kind,
            "how": self.how,
            "note": self.note,
            "source": self.source,
        }

    @cached_property
    def environment(self) -> TableEnvironment:
        """The environment, built when it is first asked for."""
        return self.build()

    @abstractmethod
    def build(self) -> TableEnvironment:
        """Build the environment anew."""


@dataclass(frozen=True)
class ClassTable(Table):
    """People of known classes, the classes as arms; `load` adds a column `class`, from 0 on.

    What is expected is left out: only who knows the class beforehand would have no regret.
    """

    kind: ClassVar[str] = "class"
    how: ClassVar[str] = "1 for the right class, else 0"

    def build(self) -> TableEnvironment:
        """Build the environment anew."""
        frame = self.load()
        survey, contexts = surveyed(self.columns, frame)
        rewards = np.eye(len(self.arms))[frame["class"].to_numpy(dtype=np.int64)]
        return TableEnvironment(
            survey, arms=self.arms, answers=contexts, rewards=rewards, reward=self.reward
        )


@dataclass(frozen=True)
class TreatmentTable(Table):
    """People of an experiment; `load` adds `arm`, from 0 on, and `outcome`.

    With `level` each arm's outcomes are moved by a constant to the same mean.
    """

    _: KW_ONLY
    level: bool = False

    kind: ClassVar[str] = "treatment"
    how: ClassVar[str] = "drawn from a model of the arm's real outcomes"

    def build(self) -> TableEnvironment:
        """Build the environment anew."""
        frame, reward = self.load(), RewardRange.of(self.reward)
        survey, contexts = surveyed(self.columns, frame)
        arm_of = frame["arm"].to_numpy(dtype=np.int64)
        outcome = frame["outcome"].to_numpy(dtype=np.float64)
        outcomes = potential_outcomes(contexts, arm_of, outcome, reward)
        if self.level:
            outcomes = equal_means(outcomes)
        return DrawnTable(
            survey, arms=self.arms, contexts=contexts, outcomes=outcomes, reward=reward
        )

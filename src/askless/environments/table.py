"""Respondents who are the rows of a table: people, and what each arm would bring each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from askless.checks.blocks import Border, described
from askless.core.arrays import Flags, Floats
from askless.environments.linear import BLOCK, PEOPLE, check_world_number, stream
from askless.environments.pilot import PilotAnswers
from askless.errors import SettingError, shown
from askless.policies.player import Block
from askless.survey import Arm, RewardRange, Survey
from askless.survey.arms import arms_from

__all__ = ["TableEnvironment"]


class TableEnvironment:
    """People of a table, drawn again with replacement, with what each arm would bring them.

    All randomness of a run depends on (seed, run) and the world's `number` alone, so that all
    policies face the same people.

    Parameters
    ----------
    survey : Survey
        The questions.
    arms : iterable of str or Arm
        The decisions.
    answers : list of mappings, or array (n × p)
        A person each: an answer to every question by its name, None for a skip; or contexts, as
        `survey.encode` makes them.
    rewards : array (n × K)
        What each arm would bring each of them, in reward units.
    reward : (float, float)
        The smallest and the largest reward there can be.
    expected : array (n × K), optional
        The expected reward of each arm for each of them, by which regret is measured; `rewards`
        again where they are not random. Left out, nobody knows, and regret is NaN.
    allowed : array of bool (n × K), optional
        Which arms each of them may get; all of them if left out.
    number : int
        Which world it is; worlds of different numbers draw different people for the same seed and
        run.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> people = [{"age": 30, "donor": True}, {"age": 71, "donor": False}]
    >>> world = al.TableEnvironment(survey, arms=["mail", "call"], answers=people,
    ...                             rewards=[[0, 1], [1, 0]], reward=(0, 1))
    >>> policy = al.SurveyBandit(survey, arms=world.arms, reward=world.reward, beta_min=0.2)
    >>> runs = al.simulate(policy, world, horizon=2_000)
    >>> runs.reward_per_visit > 0.9
    True
    """

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        answers: Any,
        rewards: Any,
        reward: tuple[float, float] | RewardRange,
        expected: Any = None,
        allowed: Flags | None = None,
        number: int = 0,
    ) -> None:
        if not isinstance(survey, Survey):
            raise SettingError(f"survey is {shown(survey)}; give an askless.Survey")
        self.survey = survey
        self.arms = arms_from(arms)
        self.reward = RewardRange.of(reward)
        self.number = check_world_number(number)
        contexts = _contexts(survey, answers)
        shape = len(contexts), len(self.arms)
        table = _table("rewards", rewards, shape)
        means = None if expected is None else _table("expected", expected, shape)
        border = Border(described(self), begun=0, noun="person")
        self._people = border.checked(Block(contexts, table, means, allowed))

    def __len__(self) -> int:
        return len(self._people)

    @property
    def people(self) -> Block:
        """Everyone in the table, in its order."""
        return self._people

    def respondents(self, seed: int, run: int) -> Iterator[Block]:
        """Draw the respondents of a run, block after block, for ever."""
        rng, people = stream((seed, run), self.number, PEOPLE), self._people
        while True:
            chosen = rng.integers(len(people), size=BLOCK)
            expected = None if people.expected is None else people.expected[chosen]
            allowed = None if people.allowed is None else people.allowed[chosen]
            yield Block(people.contexts[chosen], people.rewards[chosen], expected, allowed)


def _contexts(survey: Survey, answers: Any) -> Floats:
    """Return what everyone answers, as columns; an array is taken as it is."""
    if isinstance(answers, np.ndarray):
        return answers
    return PilotAnswers(survey, answers).table


def _table(name: str, given: Any, shape: tuple[int, int]) -> Floats:
    try:
        table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.shape != shape:
        found = table.shape if table.size else shown(given, 60)
        raise SettingError(
            f"{name} is {found}; give numbers of shape {shape}: a person a row, an arm a column"
        )
    return table

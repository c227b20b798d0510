"""The array door of every policy: contexts and rows of numbers, for whoever has them as such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.errors import AnswerError, AsklessError, shown
from askless.policies.hooks import Hooks
from askless.policies.one_thread import OneThread, alone
from askless.policies.passage import begin, first_known, given, step
from askless.survey import RewardRange

__all__ = ["ArrayDoor"]


class ArrayDoor(OneThread, Hooks):
    """Contexts in, arms out, rows learned; every number is checked as answers are."""

    kind_of_rows: ClassVar[str | None] = None  # the kind of visits of rows; None: as they come
    reward: RewardRange
    _version: int
    _next_number: int

    @property
    @alone
    def support(self) -> Flags:
        """Which questions must be known of a visit that each arm learns (K × questions)."""
        return np.array([self._needs(k) for k in range(len(self.roster))])

    def encode(self, answers: Mapping[str, Any]) -> Floats:
        """Turn answers into a context z; questions left out give NaN columns."""
        return self.survey.encode(answers)

    @alone
    def play(self, z: Any) -> int:
        """Return the index of the arm to play in a context; ties go to the lowest index.

        Among the arms whose rules hold, where arms have rules.
        """
        row = np.empty(self.survey.column_count)
        eligible, rules = self.roster.live, self.roster.rules
        if not self.survey.read_row(z, row):
            self._check_missing(self._may_ask(given(self, eligible)), row)
        if rules is not None:
            self._check_missing(rules.questions, row, "a rule of an arm")
            eligible = eligible & rules.allowed(row[None, :])[0]
        start = begin(self, self._next_number, eligible, self.kind_of_rows)
        known = first_known(self, row)
        while (now := step(self, start, known)).decision is None:
            asked = now.asks[self.survey.owner]
            # What is missing here is asked of everyone, and no model uses it.
            known[1:][asked] = np.nan_to_num(row[1:][asked])
        check = now.decision.check  # of which the reward would not be learned; a row's is
        return now.decision.arm if check is None else check.full

    @alone
    def learn_row(self, arm_index: int, z: Any, reward: float) -> None:
        """Learn one row for an arm: a context and the reward it brought."""
        self._learn_checked(*self._checked_rows([arm_index], [z], [reward]))
        self._next_number += 1

    @alone
    def learn_rows(self, arm_indices: Any, contexts: Any, rewards: Any) -> None:
        """Learn many rows in their order, exactly as one by one; all, or none if one is refused."""
        parts = {"arms": arm_indices, "contexts": contexts, "rewards": rewards}
        for name, part in parts.items():
            if not hasattr(part, "__len__") or isinstance(part, str):
                raise AnswerError(f"{name} is {shown(part)}; give a list or an array")
        # By position, whatever labels a data frame gives its rows.
        arm_indices, rewards = list(arm_indices), list(rewards)
        if not isinstance(contexts, list | tuple):
            contexts = np.asarray(contexts)
        if not len(arm_indices) == len(contexts) == len(rewards):
            raise AnswerError(
                f"{len(arm_indices)} arms, {len(contexts)} contexts and {len(rewards)} rewards:"
                " give as many of each"
            )
        self._learn_checked(*self._checked_rows(arm_indices, contexts, rewards))
        self._next_number += len(rewards)

    def _checked_rows(self, arms: Any, contexts: Any, rewards: Any) -> tuple[Ints, Floats, Floats]:
        played = np.empty(len(arms), dtype=np.int64)
        rows = np.empty((len(arms), self.survey.column_count))
        ys = np.empty(len(arms))
        for i in range(len(arms)):
            try:
                played[i] = self.roster.check_number(arms[i])
                if not self.survey.read_row(contexts[i], rows[i]):
                    self._check_known(self, int(played[i]), rows[i])
                ys[i] = self._checked_reward(rewards[i])
            except AsklessError as error:
                if len(arms) == 1:
                    raise
                raise type(error)(f"row {i}: {error}") from None
        return played, rows, ys

    def _learn_checked(self, played: Ints, rows: Floats, ys: Floats) -> None:
        self._learn(played, rows, ys)
        self._version += len(played)

    def _checked_reward(self, reward: Any) -> float:
        """Return a reward in units of the range, on the grid, or refuse it."""
        return self.reward.in_units(self.reward.check(reward), raw=self.survey.coding == "raw")

    def _check_known(self, hooks: Hooks, arm: int, row: Floats) -> None:
        """Refuse a row without an answer that an arm needs, as visits of a kind need it."""
        self._check_missing(hooks._needs(arm), row)

    def _check_missing(self, used: Flags, row: Floats, by: str = "an arm's model") -> None:
        """Refuse a row without an answer that a model uses."""
        lacking = used & self.survey.open_questions(row)
        if lacking.any():
            raise self._lacking(int(lacking.argmax()), by)

    def _lacking(self, g: int, by: str = "an arm's model") -> AnswerError:
        return AnswerError(f"question {self.survey.names[g]!r} is not answered, and {by} uses it")

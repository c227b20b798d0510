"""WTSRC (Bouneffouf et al. 2017): TSRC that counts the last visits only, for worlds that change."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from askless.core.arrays import Flags
from askless.errors import StateError
from askless.policies.arm_data import is_count, is_number
from askless.policies.player import Player
from askless.policies.rivals.lin_ts import Width
from askless.policies.rivals.tsrc import TSRC, QuestionCount, Subsets
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Seed, Whole

__all__ = ["WTSRC"]


class WTSRC(TSRC):
    """TSRC whose questions are judged by the last `window` visits (maths 6).

    Parameters
    ----------
    survey, arms, reward, questions, v, seed
        As for `TSRC`.
    window : int
        How many of the last learned visits count.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.WTSRC(al.Survey.unit(6), arms=["a", "b"], reward=(0, 1), questions=2, window=50)
    >>> len(policy.visit().asks)
    2
    """

    name: ClassVar[str] = "wtsrc"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        questions: QuestionCount = None,
        window: Annotated[
            int, Whole("How many of the last learned visits count.", least=1, most=10**6)
        ] = 1_000,
        v: Width = None,
        seed: Seed = 0,
    ) -> None:
        super().__init__(survey, arms=arms, reward=reward, questions=questions, v=v, seed=seed)
        self.window = window
        self._check_settings()
        self._last: deque[tuple[Flags, float]] = deque()  # what was asked, and what it brought

    def _count(self, asked: Flags, share: float) -> None:
        self._last.append((asked, share))
        super()._count(asked, share)
        if len(self._last) > self.window:
            old, gone = self._last.popleft()
            self._asked -= old
            # Sums of what is left, and not less than nothing: differences are rounded.
            self._earned = np.clip(self._earned - gone * old, 0.0, self._asked)

    def _player(self) -> Player:
        return Subsets(self)

    def _state(self) -> dict[str, Any]:
        self._sum_up()
        last = [[np.flatnonzero(asked).tolist(), share] for asked, share in self._last]
        return {**super()._state(), "last": last}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        if len(state["last"]) > min(self.window, self._sums.total):
            raise StateError("it remembers more visits than its window has")
        self._last.clear()
        before = self._asked, self._earned
        for numbers, share in state["last"]:
            asked = np.zeros(len(self.survey), dtype=bool)
            if not all(map(is_count, numbers)) or sorted(set(numbers)) != numbers:
                raise StateError("it remembers visits that asked no questions")
            if not is_number(share) or not 0 <= share <= 1:
                raise StateError("it remembers visits that brought what no reward is")
            asked[numbers] = True
            self._last.append((asked, float(share)))
        self._sum_up()
        if not all(map(np.array_equal, before, (self._asked, self._earned))):
            raise StateError("its counts of questions are not those of the visits it remembers")

    def _sum_up(self) -> None:
        """Make the counts anew out of the visits in the window."""
        self._asked, self._earned = np.zeros((2, len(self.survey)))
        for asked, share in self._last:
            self._asked += asked
            self._earned += share * asked

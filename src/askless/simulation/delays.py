"""Rewards that come late, or never: when they arrive, and in which order they are learned."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from askless.environments.linear import DELAYS, stream
from askless.errors import SettingError, meant, shown
from askless.policies.in_order import Line
from askless.survey import RewardRange
from askless.survey.names import check_number
from askless.whole import check_whole

__all__ = ["Delay"]

SHAPES = ("fixed", "random", "heavy_tailed", "by_reward")
ORDERS = ("decision", "arrival")
MOST_VISITS = 1e12
BATCH = 1024  # delays drawn at once


@dataclass(frozen=True)
class Delay:
    """How late simulated rewards come, counted in visits, and in which order they are learned.

    Parameters
    ----------
    visits : float
        How long a reward takes; 0: it is there before the next visit.
    shape : {"fixed", "random", "heavy_tailed", "by_reward"}
        `fixed`: always that long. `random`: that long on average (a geometric distribution).
        `heavy_tailed`: half of the rewards come within that time, one in a hundred takes 50 times
        as long (a Pareto distribution without a mean). `by_reward`: the best reward comes at once,
        the worst after twice that time, evenly in between; so the delay gives the reward away.
    lost : float
        Share of rewards that never come, whatever they are.
    deadline : int, optional
        After so many visits a reward that has not come is given up; the rule does not look at it.
    silence : float, optional
        What a reward that is given up is taken to be, such as 0 where only sales are reported;
        if left out, its visit is not learned. It is right only where silence means that: rewards
        that are lost for other reasons make effects look smaller.
    order : {"decision", "arrival"}
        `decision`: a visit is learned once all earlier visits of its arm (with short forms: all
        earlier full visits) have been learned or given up, as the guarantees need it (maths 2.5).
        `arrival`: when its reward comes; where delays depend on rewards that breaks the guarantees.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=5)
    >>> policy = al.RidgeSurveyUCB(world.survey, arms=world.arms, reward=(0, 2), beta_min=0.5)
    >>> delay = al.Delay(20, "random", lost=0.1, deadline=100)
    >>> runs = al.simulate(policy, world, horizon=500, delay=delay)
    >>> int(runs.runs[0].plays.sum())
    500
    """

    visits: float = 0.0
    shape: str = "fixed"
    lost: float = 0.0
    deadline: int | None = None
    silence: float | None = None
    order: str = "decision"

    def __post_init__(self) -> None:
        for name, known in (("shape", SHAPES), ("order", ORDERS)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise SettingError(f"{name} is {shown(value)}{meant(value, known, 'choose')}")
        numbers = {"visits": self.visits, "lost": self.lost, "silence": self.silence}
        for name, number in numbers.items():
            if number is not None:
                what = "visits of a delay" if name == "visits" else name
                object.__setattr__(self, name, check_number(number, what))
        if not 0 <= self.visits <= MOST_VISITS:
            raise SettingError(
                f"visits of a delay is {self.visits:g}; give a number from 0 to {MOST_VISITS:g}"
            )
        if not 0 <= self.lost <= 1:
            raise SettingError(f"lost is {self.lost:g}; give a share, from 0 to 1")
        if self.deadline is not None:
            meaning = "a whole number of visits"
            checked = check_whole(self.deadline, "deadline", 0, meaning=meaning)
            object.__setattr__(self, "deadline", checked)
        elif self.silence is not None:
            raise SettingError("silence is what a reward is taken to be at a deadline; give one")
        elif self.lost > 0 and self.order == "decision":
            raise SettingError(
                "some rewards are lost and there is no deadline; what comes after one would wait"
                " for ever: give a deadline"
            )

    def drawn(self, luck: float, share: float) -> float:
        """Return how long a reward takes, given a uniform number and its place in the range."""
        if self.shape == "random":
            stays = self.visits / (1.0 + self.visits)
            return math.floor(math.log1p(-luck) / math.log(stays)) if stays > 0 else 0
        if self.shape == "heavy_tailed":
            return math.floor(self.visits * 0.5 / (1.0 - luck))
        if self.shape == "by_reward":
            return round(2.0 * self.visits * (1.0 - share))
        return round(self.visits)


class Late:
    """Simulated rewards on their way. Time is counted in visits, as `InOrder` can count it."""

    def __init__(
        self, delay: Delay, reward: RewardRange, key: tuple[int, int], number: int = 0
    ) -> None:
        self.delay, self.reward = delay, reward
        if delay.silence is not None:
            reward.check(delay.silence)
        self._luck = stream(key, number, DELAYS)
        self._draws: Iterator[tuple[float, float]] = iter(())
        self._now = -1
        self._window = math.inf if delay.deadline is None else delay.deadline
        self._line = Line(self._window)
        self._coming: list[tuple[float, int, float]] = []  # when, of which visit, what
        self._as_it_comes: dict[int, tuple[int, Any]] = {}  # with the order of arrival

    def add(self, arm: int, line: int, note: Any, reward: float) -> None:
        """Add the next visit, which has just been decided, and waits in this line."""
        self._now += 1
        draw = next(self._draws, None)
        if draw is None:
            self._draws = iter(self._luck.random((BATCH, 2)).tolist())
            draw = next(self._draws)
        share = (reward - self.reward.low) / self.reward.span
        late = math.inf if draw[0] < self.delay.lost else self.delay.drawn(draw[1], share)
        learned: float | None = reward
        if self.delay.order == "decision":
            self._line.add(self._now, line, (arm, note), self._now)
            learned = reward if late <= self._window else None  # the line gives it up by itself
        elif late > self._window:
            late, learned = self._window, self.delay.silence
        if learned is not None and late < math.inf:
            heapq.heappush(self._coming, (self._now + late, self._now, learned))
            if self.delay.order == "arrival":
                self._as_it_comes[self._now] = arm, note

    def due(self) -> Iterator[tuple[int, Any, float]]:
        """Hand out what is to be learned now: arm, note and reward."""
        while self._coming and self._coming[0][0] <= self._now:
            _, number, reward = heapq.heappop(self._coming)
            if self.delay.order == "decision":
                self._line.visits[number].reward = reward
            else:
                yield (*self._as_it_comes.pop(number), reward)
        for visit in self._line.due(self._now):
            learned = self.delay.silence if visit.reward is None else visit.reward
            if learned is not None:
                yield (*visit.note, learned)

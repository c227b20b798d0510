"""A world as a Gymnasium environment, for agents that come from there; the extra `gym`."""

from __future__ import annotations

from typing import Any

import numpy as np

from askless.checks.blocks import described
from askless.core.arrays import Flags, Floats
from askless.environments.base import Environment, first_respondents
from askless.errors import SettingError, extra
from askless.policies.player import Block
from askless.survey.names import check_number
from askless.whole import check_whole

with extra("gym"):
    import gymnasium
    from gymnasium import spaces

__all__ = ["SurveyEnv"]

Observation = dict[str, Any]


class SurveyEnv(gymnasium.Env[Observation, np.int64]):
    """Respondents of a world, one after the other; an episode is a study.

    Without a `price` everyone has answered everything, and an action is an arm's index: a
    contextual bandit. With one, an action below the number of questions asks that question, at its
    price, and the next ones play an arm, which brings its reward and the next person. Asking again
    costs again and says nothing new; an arm that the person may not get brings the smallest reward.
    `info["action_mask"]` says which actions make sense; arms only once everyone's questions
    (`always_ask`) have been asked.

    Observations are a dict: `context`, the columns of `survey.encode`, 0 where nothing is known;
    and `asked`, which questions have been answered.

    Parameters
    ----------
    world : Environment
        The respondents.
    people : int
        How many an episode has.
    price : float, optional
        What asking one question costs, in reward units, times the question's own cost.

    Examples
    --------
    >>> import askless as al
    >>> from askless.environments.gym import SurveyEnv
    >>> env = SurveyEnv(al.paper_environment(arms=3, features=2), people=100, price=0.01)
    >>> seen, info = env.reset(seed=7)
    >>> env.action_space.n, seen["asked"].tolist()
    (np.int64(5), [0, 0])
    >>> seen, reward, *_ = env.step(0)  # asks the first question
    >>> reward, seen["asked"].tolist()
    (-0.01, [1, 0])
    >>> seen, reward, *_ = env.step(2)  # plays the first arm
    >>> 0 <= reward <= 2, seen["asked"].tolist()
    (True, [0, 0])
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own)

    def __init__(
        self, world: Environment, *, people: int = 1_000, price: float | None = None
    ) -> None:
        _, self.survey, arms, self.reward, _ = described(world)
        self.world, self.people = world, check_whole(people, "people", 1, 10**9)
        self.price = None if price is None else check_number(price, "price")
        if self.price is not None and self.price < 0:
            raise SettingError(f"price is {self.price:g}; give 0 or more")
        self.arm_count = len(arms)
        self._served = self.people  # until it is reset
        self._questions = 0 if self.price is None else len(self.survey)
        self._costs = np.array([question.cost for question in self.survey])
        self.action_space: spaces.Discrete[np.int64] = spaces.Discrete(
            self._questions + self.arm_count
        )
        low, high = (0.0, 1.0) if self.survey.coding == "raw" else (-0.5, 1.0)
        context = spaces.Box(low, high, (self.survey.column_count,), dtype=np.float64)
        asked = spaces.MultiBinary(len(self.survey))
        self.observation_space = spaces.Dict({"context": context, "asked": asked})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a study: with a seed, always the same people; without one, others."""
        if seed is not None:
            check_whole(seed, "seed", 0, 2**63 - 1)
        super().reset(seed=seed, options=options)
        drawn = int(self.np_random.integers(2**63)) if seed is None else seed
        self._blocks = first_respondents(self.world, drawn, 0, self.people)
        self._served = -1
        self._block: Block = next(self._blocks)
        self._at = -1
        self._next_person()
        return self._observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Ask a question, or play an arm."""
        if not self.action_space.contains(action):
            raise SettingError(
                f"action is {action!r}; give a whole number from 0 to {self.action_space.n - 1}"
            )
        if self._served == self.people:
            raise SettingError("no study is under way; reset() begins one")
        if action < self._questions:
            paid = float(self.price or 0.0) * float(self._costs[action])
            self._known[action] = True
            return self._observation(), -paid, False, False, self._info()
        arm = int(action) - self._questions
        allowed = bool(self._allowed()[arm])
        reward = float(self._block.rewards[self._at, arm]) if allowed else self.reward.low
        if self._served + 1 < self.people:
            self._next_person()
            return self._observation(), reward, False, False, self._info()
        last = self._observation(), reward, False, True, self._info()
        self._served = self.people
        return last

    def _next_person(self) -> None:
        self._served += 1
        self._at += 1
        if self._at == len(self._block):
            self._block, self._at = next(self._blocks), 0
        self._known: Flags = np.full(len(self.survey), self.price is None)

    def _allowed(self) -> Flags:
        allowed = self._block.allowed
        everyone = np.ones(self.arm_count, dtype=bool)
        return everyone if allowed is None else np.asarray(allowed[self._at])

    def _observation(self) -> Observation:
        context: Floats = self._block.contexts[self._at].copy()
        context[1:][~self._known[self.survey.owner]] = 0.0
        return {"context": context, "asked": self._known.astype(np.int8)}

    def _info(self) -> dict[str, Any]:
        unasked = ~self._known[: self._questions]
        arms = self._allowed() & self._known[self.survey.asked_of_everyone].all()
        mask = np.concatenate([unasked, arms]).astype(np.int8)
        return {"person": self._served, "action_mask": mask}

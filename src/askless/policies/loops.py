"""The compiled players of the UCB policies: visits from context to learned row in one loop."""

from __future__ import annotations

import numpy as np

from askless import core
from askless.core.arrays import Flags, Floats, Ints
from askless.policies.epoch_survey_ucb import EpochSurveyUCB
from askless.policies.linear_ucb import LinearUCB
from askless.policies.player import Block, LinearBlock, Played
from askless.policies.short_state import ShortState

__all__ = ["Fused", "Interactive", "WithShortForms"]


def _flags(block: Block, arm_count: int) -> Flags:
    """Return which arms each visit may get, without a row if all may get every arm."""
    return np.ones((0, arm_count), dtype=bool) if block.allowed is None else block.allowed


def _rewards(block: Block, arms: Ints, earned: Floats) -> Floats:
    """Return the rewards of the played arms, as a visit would learn them."""
    if isinstance(block, LinearBlock):
        return block.law.in_reward_units(earned)
    return np.asarray(block.rewards[np.arange(len(arms)), arms])


def _source(
    block: Block, arm_count: int
) -> tuple[Floats, Ints, Floats, tuple[int, float, float], Floats, Floats]:
    """Return where a loop finds rewards: luck and a law, or tables; the rest is empty."""
    nothing = np.empty((0, arm_count))
    if isinstance(block, LinearBlock):
        law = block.law
        return block.luck, law.matter, law.slopes, law.noise, nothing, nothing
    expected = nothing if block.expected is None else block.expected
    none = np.zeros(1, dtype=np.int64), np.zeros((arm_count, 1))
    return np.empty(0), *none, (0, 0.0, 0.0), expected, block.rewards


class Course:
    """A block of visits as the core plays it, and the arrays for what comes of them."""

    def __init__(self, policy: LinearUCB, block: Block, begun: int, drops: Ints) -> None:
        count, arm_count = len(block), len(policy.arms)
        self.policy, self.block = policy, block
        self.played, self.asked, self.others = np.zeros((3, count), dtype=np.int64)
        self.radii, self.regret, self.earned, self.paid = np.zeros((4, count))
        number, draws = 0, np.empty((0, 4))
        if isinstance(policy, EpochSurveyUCB):
            number = policy._next_number
            draws = policy.draws(number, count)
        luck, matter, slopes, law, expected, drawn = _source(block, arm_count)
        self.core = core.Block(
            policy._model.arms,
            contexts=np.ascontiguousarray(block.contexts),
            luck=luck,
            matter=matter,
            slopes=slopes,
            law=law,
            expected=expected,
            drawn=drawn,
            number=number,
            draws=draws,
            allowed=_flags(block, arm_count),
            begun=begun,
            drops=drops,
            played=self.played,
            radii=self.radii,
            regret=self.regret,
            earned=self.earned,
            asked=self.asked,
            paid=self.paid,
            others=self.others,
        )

    def done(self) -> Played:
        """Return what came of the visits."""
        if isinstance(self.policy, EpochSurveyUCB):
            self.policy._next_number += len(self.block)
        rewards = _rewards(self.block, self.played, self.earned)
        return Played(
            *(self.played, self.radii, self.regret, rewards, self.asked, self.paid, self.others)
        )


class Fused:
    """Visits of a UCB policy inside one compiled loop; all its arms must be live."""

    def __init__(self, policy: LinearUCB) -> None:
        self.policy = policy
        self.loop = core.FusedLoop(policy._model.arms)

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        with self.policy.lock:  # a loop lets other threads go on
            course = Course(self.policy, block, begun, drops)
            self.loop.play(course.core)
            return course.done()


class Interactive:
    """Visits of an interactive UCB policy inside one compiled loop, beside the full survey."""

    def __init__(self, policy: LinearUCB) -> None:
        self.policy = policy

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        with self.policy.lock:
            course = Course(self.policy, block, begun, drops)
            core.play_interactive(self.policy._model.arms, course.core)
            return course.done()


class WithShortForms:
    """Visits of a policy with short forms: a compiled loop up to the next choice of a form."""

    def __init__(self, policy: EpochSurveyUCB, state: ShortState) -> None:
        self.policy, self.model, self.state = policy, policy._model, state

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        with self.policy.lock:
            course, next_one, shorts = (
                Course(self.policy, block, begun, drops),
                0,
                self.state.shorts,
            )
            while next_one < len(block):
                next_one = core.play_short(self.model.arms, shorts, next_one, course.core)
                self.state.choose_if_due(self.model)
            return course.done()

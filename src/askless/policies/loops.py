"""The compiled players of the UCB policies: visits from context to learned row in one loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from askless.kernels import ahead, short_loop
from askless.kernels.bundles import Flags, Floats, Ints
from askless.kernels.simulation import play_interactive_visits, play_visits
from askless.policies.epoch_survey_ucb import EpochSurveyUCB
from askless.policies.linear_ucb import LinearUCB
from askless.policies.player import Block, LinearBlock, Played
from askless.policies.short_state import ShortState

__all__ = ["Fused", "Interactive", "WithShortForms"]


class Source(NamedTuple):
    """Where a loop finds the rewards of a block: a law and luck, or tables; the rest is empty."""

    luck: Floats
    matter: Ints
    slopes: Floats
    noise: tuple[int, float, float]
    expected: Floats
    drawn: Floats

    @classmethod
    def of(cls, block: Block, arm_count: int, *, whole: bool = False) -> Source:
        """Return the rewards of a block; `whole`: with the coefficients of every column."""
        nothing = np.empty((0, arm_count))
        if isinstance(block, LinearBlock):
            law = block.law
            slopes = law.table if whole else law.slopes
            return cls(block.luck, law.matter, slopes, law.noise, nothing, nothing)
        expected = nothing if block.expected is None else block.expected
        none = np.zeros(1, dtype=np.int64), np.zeros((arm_count, 1))
        return cls(np.empty(0), *none, (0, 0.0, 0.0), expected, block.rewards)


def _flags(block: Block, arm_count: int) -> Flags:
    """Return which arms each visit may get, without a row if all may get every arm."""
    return np.ones((0, arm_count), dtype=bool) if block.allowed is None else block.allowed


def _rewards(block: Block, arms: Ints, earned: Floats) -> Floats:
    """Return the rewards of the played arms, as a visit would learn them."""
    if isinstance(block, LinearBlock):
        return block.law.in_reward_units(earned)
    return np.asarray(block.rewards[np.arange(len(arms)), arms])


@contextmanager
def _prepared(policy: LinearUCB, count: int) -> Iterator[tuple[int, Floats]]:
    """Make room for the next visits; yields the first one's number, and what arms are drawn by."""
    if not isinstance(policy, EpochSurveyUCB):
        yield 0, np.empty((0, 4))
        return
    with policy._model.counting(count):
        yield policy._next_number, policy.draws(policy._next_number, count)
    policy._next_number += count


class Fused:
    """Visits of a UCB policy inside one compiled loop; all its arms must be live."""

    def __init__(self, policy: LinearUCB) -> None:
        self.policy, self.model = policy, policy._model
        self.ahead = ahead.empty(len(policy.arms), policy.survey.column_count)
        self.always = np.array([int(q.always_ask) for q in policy.survey])
        self.cost = np.array([q.cost for q in policy.survey])

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        count, arm_count = len(block), len(self.policy.arms)
        played, asked = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        radii, regret, earned, paid = np.empty((4, count))
        with _prepared(self.policy, count) as (number, draws):
            play_visits(
                self.model.address,
                self.ahead,
                block.contexts,
                *Source.of(block, arm_count),
                self.always,
                self.cost,
                number,
                draws,
                _flags(block, arm_count),
                begun,
                drops,
                played,
                radii,
                regret,
                earned,
                asked,
                paid,
            )
        rewards, others = _rewards(block, played, earned), np.zeros(count, dtype=np.int64)
        return Played(played, radii, regret, rewards, asked, paid, others)


class Interactive:
    """Visits of an interactive UCB policy inside one compiled loop, beside the full survey."""

    def __init__(self, policy: LinearUCB) -> None:
        self.policy, self.model = policy, policy._model

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        count, arm_count = len(block), len(self.policy.arms)
        played, asked, others = np.empty((3, count), dtype=np.int64)
        radii, regret, earned, paid = np.empty((4, count))
        luck, _, coefficients, noise, expected, drawn = Source.of(block, arm_count, whole=True)
        with _prepared(self.policy, count) as (number, draws):
            play_interactive_visits(
                self.model.address,
                block.contexts,
                luck,
                coefficients,
                noise,
                expected,
                drawn,
                number,
                draws,
                _flags(block, arm_count),
                begun,
                drops,
                played,
                radii,
                regret,
                earned,
                asked,
                paid,
                others,
            )
        return Played(played, radii, regret, _rewards(block, played, earned), asked, paid, others)


class WithShortForms:
    """Visits of a policy with short forms: a compiled loop up to the next choice of a form."""

    def __init__(self, policy: EpochSurveyUCB, state: ShortState) -> None:
        self.policy, self.model, self.state = policy, policy._model, state

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits."""
        count, arm_count = len(block), len(self.policy.arms)
        played, asked = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        radii, regret, earned, paid = np.empty((4, count))
        number, draws = self.policy._next_number, self.policy.draws(self.policy._next_number, count)
        source, allowed, done = Source.of(block, arm_count), _flags(block, arm_count), 0
        self.model.make_room(count)
        while done < count:
            done = short_loop.play_visits(
                self.model.address,
                self.state.shorts,
                done,
                block.contexts,
                *source,
                number,
                draws,
                allowed,
                begun,
                drops,
                played,
                radii,
                regret,
                earned,
                asked,
                paid,
            )
            self.state.choose_if_due(self.model)
        self.policy._next_number += count
        rewards, others = _rewards(block, played, earned), np.zeros(count, dtype=np.int64)
        return Played(played, radii, regret, rewards, asked, paid, others)

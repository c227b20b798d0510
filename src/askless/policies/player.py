"""What a simulated run is played with: blocks of respondents in numbers, and who plays them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from askless.core import outcomes
from askless.core.arrays import Flags, Floats, Ints
from askless.survey import RewardRange

__all__ = ["Block", "LinearBlock", "LinearLaw", "Played", "Player", "regret_of"]


class Block:
    """The next respondents of a run, in numbers.

    Nothing is checked here; the simulator checks every block before it plays it.

    Parameters
    ----------
    contexts : array (n × p)
        What each of them would answer, as `Survey.encode` turns it into columns; to everything.
    rewards : array (n × K)
        What each arm would bring, in reward units; the policy sees that of the arm it plays.
    expected : array (n × K), optional
        The expected reward of each arm, by which regret is measured; left out, nobody knows.
    allowed : array of bool (n × K), optional
        Which arms each may get; left out, everyone may get every arm.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.YesNo("donor")])
    >>> people = [survey.encode({"donor": True}), survey.encode({"donor": False})]
    >>> block = al.Block(np.array(people), rewards=np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> len(block)
    2
    """

    def __init__(
        self,
        contexts: Floats,
        rewards: Floats,
        expected: Floats | None = None,
        allowed: Flags | None = None,
    ) -> None:
        self.contexts, self.allowed = contexts, allowed
        self._rewards, self._expected = rewards, expected

    @property
    def rewards(self) -> Floats:
        """What each arm would bring (n × K), in reward units."""
        return self._rewards

    @property
    def expected(self) -> Floats | None:
        """The expected reward of each arm (n × K); None where nobody knows it."""
        return self._expected

    def __len__(self) -> int:
        return len(self.contexts)

    def first(self, count: int) -> Block:
        """Return the first so many of them."""
        if count >= len(self):
            return self
        return Block(
            self.contexts[:count],
            self.rewards[:count],
            None if self.expected is None else self.expected[:count],
            None if self.allowed is None else self.allowed[:count],
        )

    def allowing(self, allowed: Flags) -> Block:
        """Return the same people, who may get these arms (n × K)."""
        return Block(self.contexts, self.rewards, self.expected, allowed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} respondents)"


@dataclass(frozen=True, eq=False)
class LinearLaw:
    """How rewards come about where they are linear in the columns: expected reward and noise.

    `coefficients` (K × p) are measured from the middle of the range, in raw coding from 0; `form`
    and `spread` are those of the noise (src/core/people.hpp).
    """

    coefficients: Floats
    form: int
    spread: float
    reward: RewardRange
    raw: bool

    @property
    def noise(self) -> tuple[int, float, float]:
        """Form and spread of the noise, and the smallest reward in units of the range."""
        low = self.reward.low / self.reward.span if self.raw else -0.5
        return self.form, self.spread, low

    @cached_property
    def matter(self) -> Ints:
        """The columns on which some reward depends, and one more at the end."""
        return np.append(np.flatnonzero(self.coefficients.any(axis=0)), np.int64(0))

    @cached_property
    def slopes(self) -> Floats:
        """The coefficients of the columns that matter, and zeros at the end (K × columns)."""
        count = len(self.coefficients)
        # In one order of memory: the core's.
        return np.ascontiguousarray(np.c_[self.coefficients[:, self.matter[:-1]], np.zeros(count)])

    @cached_property
    def table(self) -> Floats:
        """The coefficients of all columns (K × p), in the same order of memory."""
        return np.ascontiguousarray(self.coefficients)

    def expected(self, contexts: Floats) -> Floats:
        """Return the expected rewards (n × K), in reward units."""
        shift = 0.0 if self.raw else self.reward.middle
        return np.asarray(contexts @ self.coefficients.T + shift)

    def units(self, contexts: Floats, luck: Floats) -> Floats:
        """Return what each arm would bring (n × K), in units of the range, on the grid."""
        means = np.ascontiguousarray(contexts @ self.coefficients.T)
        drawn = np.empty_like(means)
        form, spread, low = self.noise
        outcomes(form, spread, low, self.reward.span, means, luck, drawn)
        return drawn

    def in_reward_units(self, units: Floats) -> Floats:
        """Return rewards in units of the range as `RewardRange.from_units` does, many at once."""
        rewards = units * self.reward.span + (0.0 if self.raw else self.reward.middle)
        return np.clip(rewards, self.reward.low, self.reward.high)


class LinearBlock(Block):
    """Respondents whose rewards follow a linear law, and a uniform number each for the noise.

    A compiled loop needs no more; rewards and expectations are computed once somebody reads them.
    """

    def __init__(
        self, contexts: Floats, luck: Floats, law: LinearLaw, allowed: Flags | None = None
    ) -> None:
        self.contexts, self.allowed = contexts, allowed
        self.luck, self.law = luck, law

    @cached_property
    def rewards(self) -> Floats:
        """What each arm would bring (n × K), in reward units."""
        return self.law.in_reward_units(self.law.units(self.contexts, self.luck))

    @cached_property
    def expected(self) -> Floats:
        """The expected reward of each arm (n × K)."""
        return self.law.expected(self.contexts)

    def first(self, count: int) -> LinearBlock:
        """Return the first so many of them."""
        if count >= len(self):
            return self
        allowed = None if self.allowed is None else self.allowed[:count]
        return LinearBlock(self.contexts[:count], self.luck[:count], self.law, allowed)

    def allowing(self, allowed: Flags) -> LinearBlock:
        """Return the same people, who may get these arms (n × K)."""
        return LinearBlock(self.contexts, self.luck, self.law, allowed)


class Played(NamedTuple):
    """What became of a block of visits."""

    arms: Ints
    radii: Floats  # of the played arms' confidence sets; 0 where the policy has none
    regret: Floats  # expected; NaN where nobody knows it
    rewards: Floats  # of the played arms, in reward units
    asked: Ints
    paid: Floats  # the cost of what was asked
    others: Ints  # 1 where the full survey would have given another arm

    @classmethod
    def of(cls, block: Block, live: Flags, arms: Ints, asked: Ints, paid: Floats) -> Played:
        """Return what became of a block, of a policy that has no confidence sets."""
        count = len(arms)
        return cls(
            arms=arms,
            radii=np.zeros(count),
            regret=regret_of(block, live, arms),
            rewards=block.rewards[np.arange(count), arms],
            asked=asked,
            paid=paid,
            others=np.zeros(count, dtype=np.int64),
        )


class Player(Protocol):
    """Plays blocks of visits, one after the other, and lets its policy learn from them."""

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits, of which so many were `begun` before.

        `drops` (K × questions) gets the visit at which an arm dropped a question.
        """


def regret_of(block: Block, live: Flags, arms: Ints) -> Floats:
    """Return by how much the best arm that each visit may get is expected to bring more."""
    if block.expected is None:
        return np.full(len(arms), np.nan)
    barred = ~live if block.allowed is None else ~(live & block.allowed)
    best = np.where(barred, -np.inf, block.expected).max(axis=1)
    return np.asarray(best - block.expected[np.arange(len(arms)), arms])

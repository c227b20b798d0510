"""Simulated visits of any policy, one after the other; rewards may come late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import DECLINED
from askless.policies.base import Policy
from askless.policies.decision import Check, Lesson
from askless.policies.epoch_survey_ucb import EpochSurveyUCB
from askless.policies.hooks import Hooks
from askless.policies.linear_ucb import LinearUCB
from askless.policies.loops import Fused
from askless.policies.passage import Start, Step, answering, begin, first_known, given, step
from askless.policies.player import Block, Played, regret_of

__all__ = ["OneByOne"]


Note = tuple[Floats, str, Flags, Check | None]  # of a visit: answers, kind, eligible, check


class Rewards(Protocol):
    """When the rewards of decided visits are learned."""

    def add(self, arm: int, line: int, note: Any, reward: float) -> None:
        """Take a visit that has just been decided, with what it takes to learn it.

        It waits in the line of that number.
        """

    def due(self) -> Iterator[tuple[int, Any, float]]:
        """Hand out what is to be learned now: arm, note and reward."""


class AtOnce:
    """Rewards that are there before the next visit."""

    def __init__(self) -> None:
        self._visits: list[tuple[int, Any, float]] = []

    def add(self, arm: int, line: int, note: Any, reward: float) -> None:  # noqa: ARG002
        """Take a visit."""
        self._visits.append((arm, note, reward))

    def due(self) -> Iterator[tuple[int, Any, float]]:
        """Hand it out again."""
        while self._visits:
            yield self._visits.pop()


class OneByOne:
    """Plays each visit through the same steps as a `Visit`, on numbers instead of answers.

    Where nothing is lost by it, because all is asked of all and no arm is drawn, as rows of
    numbers, which is ten times faster. A policy that fills in nothing of what is asked asks
    everything at once and needs it for ever: it is only asked to decide.
    """

    def __init__(self, policy: Policy, rewards: Rewards | None = None) -> None:
        self.policy = policy
        self.rewards = AtOnce() if rewards is None else rewards
        self.cost = [question.cost for question in policy.survey]
        self.kept = policy.support
        self.as_rows = isinstance(policy.player(), Fused)
        self.asks_all = _asks_all(policy)
        self.everything = np.ones(len(self.cost), dtype=bool), sum(self.cost, start=0.0)
        # What is asked of those who may get the same arms, by the arm that they get.
        self.asks: dict[tuple[bytes, int | None, bool], tuple[int, float]] = {}

    def play(self, block: Block, begun: int, drops: Ints) -> Played:
        """Play a block of visits; each is followed by the rewards that have come by then."""
        policy, live, count = self.policy, self.policy.roster.live, len(block)
        arms, asked, others = np.zeros((3, count), dtype=np.int64)
        radii, paid = np.zeros((2, count))
        rewards = block.rewards
        for t, z in enumerate(block.contexts):
            eligible = live if block.allowed is None else live & block.allowed[t]
            arm, note, others[t] = self._visit(z, eligible, asked[t : t + 1], paid[t : t + 1])
            arms[t] = arm
            if isinstance(policy, LinearUCB):
                radii[t] = policy.radius[arm]
            line = policy.line_of(note[1], arm)
            self.rewards.add(arm, line, note, float(rewards[t, arm]))
            for row in self.rewards.due():
                self._learn(*row, begun + t + 1, drops)
        each = np.arange(count)
        return Played(
            arms=arms,
            radii=radii,
            regret=regret_of(block, live, arms),
            rewards=rewards[each, arms],
            asked=asked,
            paid=paid,
            others=others,
        )

    def _visit(
        self, z: Floats, eligible: Flags, asked: Ints, paid: Floats
    ) -> tuple[int, Note, bool]:
        """Ask and decide a visit: the arm, what is then known, whether all answers say another."""
        policy, survey = self.policy, self.policy.survey
        if self.as_rows:
            arm, (asked[0], paid[0]) = self._row(z, eligible)
            return arm, (z, "full", eligible, None), False
        number = policy._next_number
        policy._next_number += 1
        if self.asks_all:  # and has been told all of it
            promised, paid[0] = self.everything
            start, known, asked[0] = (
                Start(number, "full", eligible, promised),
                z.copy(),
                len(promised),
            )
        else:
            start, known = begin(policy, number, eligible), first_known(policy, z)
            if policy.roster.rules is not None:
                self._pay(policy.roster.rules.questions, asked, paid)
        now: Step
        while (now := step(policy, start, known)).decision is None:
            self._pay(now.asks, asked, paid)
            columns = now.asks[survey.owner]
            known[1:][columns] = z[1:][columns]
        other = False
        if (now.possible != eligible).any():
            hooks = answering(policy, start.kind, start.promised)
            full = hooks._decide(given(hooks, z), given(hooks, eligible), start.number)
            other = full.arm != now.winner
        check = now.decision.check
        assert start.kind is not None  # it began with one
        kind = "check" if check is not None and check.tossed else start.kind
        return now.decision.arm, (known, kind, eligible, check), other

    def _pay(self, asks: Flags, asked: Ints, paid: Floats) -> None:
        """Count questions that are put to a visit, and their cost."""
        costs = [cost for cost, put in zip(self.cost, asks.tolist(), strict=True) if put]
        asked[0] += len(costs)
        paid[0] = sum(costs, start=paid[0])  # in this order: sums are rounded

    def _row(self, z: Floats, eligible: Flags) -> tuple[int, tuple[int, float]]:
        """Decide a visit whose answers are all there: its arm, what it is asked and the cost."""
        policy = self.policy
        if not isinstance(policy, EpochSurveyUCB):
            arm = policy.play(z) if eligible.all() else policy._decide(z, eligible, 0).arm
            return arm, self._asked_of(eligible, None, started=False)
        number = policy._next_number
        policy._next_number += 1
        arm = policy._play_fast(z, eligible, number)
        started = policy._starter(eligible, number) is not None
        return arm, self._asked_of(eligible, arm, started=started)

    def _asked_of(self, eligible: Flags, arm: int | None, *, started: bool) -> tuple[int, float]:
        """Return how many questions a visit is asked that may get these arms, and their cost.

        With epochs that depends on the arm: what scores need comes first, then what it learns.
        """
        key = eligible.tobytes(), arm, started
        if key not in self.asks:
            policy = self.policy
            if arm is None or not isinstance(policy, EpochSurveyUCB):
                first, then = policy._may_ask(eligible), np.zeros(len(self.cost), dtype=bool)
            else:
                then = policy._needs(arm)
                compared = policy._compared(eligible)
                first = then if started else np.asarray(policy.active[compared].any(axis=0))
            first = first | policy.survey.asked_of_everyone
            costs = [self.cost[g] for put in (first, then & ~first) for g in np.flatnonzero(put)]
            self.asks[key] = len(costs), sum(costs)
        return self.asks[key]

    def _learn_numbered(self, policy: EpochSurveyUCB, arm: int, z: Floats, reward: float) -> None:
        """Learn a row of a visit that has its number; a block's end changes what is asked."""
        blocks = policy._model.epochs.ended[arm]
        if policy._model.arms.learn_row(arm, z, reward) > DECLINED:
            policy._version += 1
        else:
            policy._learn_checked(*policy._checked_rows([arm], [z], [reward]))
        if policy._model.epochs.ended[arm] != blocks:
            self.asks.clear()

    def _learn(self, arm: int, note: Note, reward: float, visit: int, drops: Ints) -> None:
        policy, (known, kind, eligible, check) = self.policy, note
        if self.as_rows and isinstance(policy, EpochSurveyUCB):
            self._learn_numbered(policy, arm, known, reward)
        elif self.as_rows:
            policy.learn_row(arm, known, reward)
        else:
            if policy._of_kind(kind) is policy:
                policy._check_missing(self.kept[arm], known)
            y = policy._checked_reward(reward)
            policy._learn_visit(Lesson(kind, arm, known, y, eligible, check))
        if self.asks_all:
            return
        needs = policy.support  # of all arms: a row may end what they have in common
        gone = self.kept & ~needs
        if gone.any():
            drops[gone] = visit
            self.kept = needs
            self.asks.clear()


def _asks_all(policy: Policy) -> bool:
    """Whether a policy leaves to the base what is asked, by whom and what is needed: everything."""
    own = type(policy)
    return own.support is Policy.support and all(
        getattr(own, name) is getattr(Hooks, name) and name not in vars(policy)
        for name in ("_ask", "_may_ask", "_needs", "_kind", "_of_kind")
    )

"""What a study was like from its first visit to its last, seen while it is rebuilt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.policies import EpochSurveyUCB, Policy, SurveyBandit, Visit, VisitRecord
from askless.policies.epoch_state import EpochState
from askless.policies.linear_ucb import LinearUCB

__all__ = ["Block", "Drop", "FullVisit", "History"]


@dataclass
class Block:
    """A block of rows of one arm, and the model from before it; in units of the range (maths 5)."""

    columns: Ints  # of a context, that the arm still used
    estimate: Floats
    inverse: Floats  # of the decision ridge's D
    warm: bool  # whether it was warm-up
    noise: float  # variance of the rewards' noise, as it was known then
    before: int  # rows of the arm before it
    contexts: list[Floats] = field(default_factory=list)  # on those columns
    rewards: list[float] = field(default_factory=list)  # from the middle of the range

    def predictions(self) -> Floats:
        """Return what the model says of each row once it knows those before it (maths 5.2)."""
        estimate, inverse = self.estimate.copy(), self.inverse.copy()
        guesses = np.empty(len(self.rewards))
        for i, (z, y) in enumerate(zip(self.contexts, self.rewards, strict=True)):
            guess, gain = float(z @ estimate), inverse @ z
            guesses[i] = guess
            scale = 1.0 + z @ gain
            estimate += gain * ((y - guess) / scale)
            inverse -= np.outer(gain, gain) / scale
        return np.clip(guesses, -0.5, 0.5)


class FullVisit(NamedTuple):
    """A person of whom everything was asked that was still in use."""

    record: VisitRecord
    context: Floats  # NaN where nothing was asked
    chance: float  # with which probability the visit was full
    used: Flags  # (m) which questions some arm still used
    expected: Floats  # (K) what models from before it make of what was asked, in reward units


class Drop(NamedTuple):
    """A question that an arm needed no more."""

    arm: str
    question: str
    visit: int  # after how many visits


class History:
    """Blocks of rows, full visits, drops and short forms of a study, in their order."""

    def __init__(self, policy: Policy) -> None:
        self.blocks: list[list[Block]] = [[] for _ in policy.arms]
        self.full: list[FullVisit] = []
        self.rewards: dict[int, float] = {}  # of the visits that have been learned, by number
        self.drops: list[Drop] = []
        self.forms: list[tuple[int, tuple[str, ...] | None]] = [(0, None)]
        self._visits = 0
        self._support: Flags = policy.support
        self._ended = np.zeros(len(policy.arms), dtype=np.int64)

    def decided(self, policy: Policy, record: VisitRecord) -> None:
        """Note a full visit, and the form that stood."""
        self._visits += 1
        form = None
        if isinstance(policy, SurveyBandit) and policy._short is not None:
            stands = policy._short.form
            form = None if stands is None else policy.survey.names_of(stands)
        if form != self.forms[-1][1]:
            self.forms.append((self._visits - 1, form))
        if record.kind == "short":
            return
        context = policy.survey.nothing_known()
        policy.survey.put(record.answers, context)
        self.full.append(
            FullVisit(
                record,
                context,
                _full_share(policy, record),
                np.asarray(policy.support[policy.roster.live].any(axis=0)),
                _expected_of(policy, context),
            )
        )

    def learning(self, policy: Policy, visit: Visit, reward: float) -> None:
        """Note a reward, and the row of an arm that learns in blocks."""
        self.rewards[visit.number] = reward
        if visit.kind == "full":
            self.row(policy, visit.arm_index, visit.context(), reward)

    def row(self, policy: Policy, k: int, context: Floats, reward: float) -> None:
        """Note a row that arm k is about to learn, if it learns in blocks."""
        model = getattr(policy, "_model", None)
        if not isinstance(model, EpochState):
            return
        if not self.blocks[k] or model.epochs.ended[k] != self._ended[k]:
            self._ended[k] = model.epochs.ended[k]
            self.blocks[k].append(_begun(model, k))
        block = self.blocks[k][-1]
        block.contexts.append(context[block.columns])
        block.rewards.append((reward - policy.reward.middle) / policy.reward.span)

    def learned(self, policy: Policy, visit: Visit) -> None:  # noqa: ARG002
        """Note what was dropped."""
        now = policy.support
        for k, g in np.argwhere(self._support & ~now):
            self.drops.append(Drop(policy.arms[k], policy.survey.names[g], self._visits))
        self._support = now


def _begun(model: EpochState, k: int) -> Block:
    """Return an empty block with the model that it begins with."""
    arms, epochs = model.arms, model.epochs
    size = int(arms.size[k])
    root, weights = epochs.model_root[k, :size, :size], epochs.model_weights[k, :size]
    return Block(
        columns=arms.columns[k, :size].copy(),
        estimate=epochs.model_estimate[k, :size].copy(),
        inverse=np.asarray((root.T * weights) @ root),
        warm=bool(epochs.warm[k]),
        noise=float(arms.noise[k]),
        before=int(arms.n[k]),
    )


def _full_share(policy: Policy, record: VisitRecord) -> float:
    """Return with which probability a visit was full, by the state in which it was decided."""
    if not isinstance(policy, SurveyBandit) or policy._short is None:
        return 1.0
    mask = policy.roster.flags(record.eligible) & policy.roster.live
    return policy._short.full_share(policy._model, mask, record.number)


def _expected_of(policy: Policy, context: Floats) -> Floats:
    """Return what is to be expected of each arm by what was known before one was drawn.

    What is asked for the sake of the arm that was drawn must not count; without short forms that
    cannot be told apart, and the model's constant stands for everybody.
    """
    reward = policy.reward
    if not isinstance(policy, LinearUCB):
        return np.full(len(policy.arms), reward.middle)
    known = np.nan_to_num(context)
    if isinstance(policy, EpochSurveyUCB) and not _has_short(policy):
        known[1:] = 0.0
    means = policy.estimate @ known + policy._shift
    return np.clip(means, reward.low, reward.high)


def _has_short(policy: Policy) -> bool:
    return isinstance(policy, SurveyBandit) and policy._short is not None

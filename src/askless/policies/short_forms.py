"""Short visits, which ask a short form and no more, and what can be said about it (maths 9)."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats, Ints
from askless.core.words import NOBODY, SIZE
from askless.policies.decision import Asked, Decision
from askless.policies.epoch_state import EpochState
from askless.policies.hooks import VisitKind
from askless.policies.short_state import ShortState

if TYPE_CHECKING:
    from askless.policies.survey_bandit import SurveyBandit

__all__ = ["OF_EVERYONE", "ShortForm", "ShortStep", "ShortVisits"]

OF_EVERYONE = "(everyone's)"  # questions, in the place of a name
# Of many guesses the best is mostly a lucky one, so that what the models expect is no forecast.
HOPEFUL = (
    "Rewards are what the models expect, too hopeful while there are few people:",
    "compare lines with each other, not with what decisions have brought.",
)


class ShortVisits(VisitKind):
    """Who asks and decides short visits: the form that stands when they start, and its models."""

    policy: SurveyBandit

    def __init__(self, policy: SurveyBandit, state: ShortState, model: EpochState) -> None:
        super().__init__(policy)
        self.state, self.model, self.trusted = state, model, policy.trusted

    @property
    def form(self) -> Flags:
        """What the visit asks: what it promised, or, while it starts, the form that stands."""
        form = self.state.form if self.promised is None else self.promised
        return np.ones(len(self.survey), dtype=bool) if form is None else form

    def _may_ask(self, mask: Flags) -> Flags:  # noqa: ARG002
        return self.form

    def _needs(self, arm: int) -> Flags:  # noqa: ARG002
        return self.form

    def _ask(self, z: Floats, mask: Flags, number: int) -> Asked:  # noqa: ARG002
        return Asked(self.form & self.survey.open_questions(z), np.array(mask))

    def _decide(self, z: Floats, mask: Flags, number: int) -> Decision:  # noqa: ARG002
        arm, scores = self._standing().short_arm(self.model, mask, z)
        if arm == NOBODY:  # no arm that it may get is past its start any more
            arm = int(np.flatnonzero(mask)[0])
        return Decision(arm, np.where(np.isfinite(scores), self._in_rewards(scores), -np.inf))

    def _outlook(self, z: Floats) -> tuple[Floats, Floats] | None:
        state = self._standing()
        every = np.ones(len(self.roster), dtype=bool)
        _, scores = state.short_arm(self.model, every, z)
        shorts, size = state.shorts, state.shorts.counts[SIZE]
        means = shorts.estimate[:, :size] @ z[shorts.columns[:size]]
        compared = np.isfinite(scores)
        means, scores = np.where(compared, means, np.nan), np.where(compared, scores, np.nan)
        return self._in_rewards(means), self._in_rewards(scores)

    def _standing(self) -> ShortState:
        """Return the state whose form is the visit's own: the policy's, or one derived for it."""
        form = self.state.form
        if form is not None and (form == self.form).all():
            return self.state
        return self.state.of_form(self.model, self.form)

    def _in_rewards(self, units: Floats) -> Floats:
        """Return units of the range, from its middle, in rewards as the arms' models have them."""
        reward = self.policy.reward
        return np.asarray(units * reward.span + (reward.middle - self.policy._shift))

    def _learn(self, played: Ints, rows: Floats, ys: Floats) -> None:
        for arm, row, y in zip(played, rows, ys, strict=True):
            self.state.learn_short(self.model, int(arm), row, float(y))


class ShortStep(NamedTuple):
    """A form on the path, from what everyone is asked to everything."""

    question: str  # the one that it has beyond the form before it; "" at the start
    questions: int  # how many it has
    cost: float  # their weight
    reward: float  # what the models expect of asking these and no more: too much with few people
    net: float  # that less the price of asking them
    asked: bool  # whether the question is in the form that stands


@dataclass(frozen=True)
class ShortForm:
    """What short visits ask, why, and what that has been measured to cost. Printing it shows it.

    Attributes
    ----------
    questions : tuple of str or None
        The form that stands; None while every visit is full.
    of : int
        How many questions a full visit asks.
    price : float
        What asking one question may cost, in reward units.
    full_share : float
        The share of full visits from here on.
    cost : float
        What a visit costs on average from here on, in weights of questions.
    budget : float or None
        What it may cost at most, where the study has said so (`questions=`).
    everyone : tuple of str
        What everyone is asked, short visits too: `always_ask`, and what rules of arms need.
    saving : float
        What a short visit saves beside a full one, in reward units.
    start : ShortStep
        The form with nothing but what everyone is asked, from which the path goes on.
    path : tuple of ShortStep
        Forms of growing length, each with the question that is worth most next, when it was chosen
        last: the curve of what can be had for how many questions. Rewards are what the models
        expect, and they expect too much while there are few people, as the best of many guesses is
        mostly a lucky one: compare steps with each other, not with what decisions have brought.
    loss : tuple of float or None
        What short forms have been measured to cost a full visit on average, in reward units, and
        the ends of an interval that holds that at all times with probability 0.95; None before
        anything was measured.
    withdrawn : int
        How many forms were withdrawn because they cost more than they saved.
    visits, full : int
        How many visits have been learned, and how many of them were full, checks among them.
    """

    questions: tuple[str, ...] | None
    of: int
    price: float
    full_share: float
    cost: float
    budget: float | None
    everyone: tuple[str, ...]
    saving: float
    start: ShortStep
    path: tuple[ShortStep, ...]
    loss: tuple[float, float, float] | None
    withdrawn: int
    visits: int
    full: int

    @classmethod
    def of_state(cls, policy: SurveyBandit, state: ShortState, model: EpochState) -> ShortForm:
        """Put together what a policy knows about its short form."""
        survey, form, span = policy.survey, state.form, policy.reward.span
        loss, full = state.loss(), state.full_share(model, policy.roster.live, policy._next_number)
        (whole, short), steps = state.weights(model), _steps(policy, state)
        return cls(
            questions=None if form is None else survey.names_of(form),
            of=int(state.candidates(model).sum()),
            price=policy.price,
            full_share=full,
            cost=full * whole + (1.0 - full) * short,
            budget=state.terms.budget,
            everyone=survey.names_of(survey.asked_of_everyone),
            saving=policy.price * (whole - short),
            start=steps[0],
            path=tuple(steps[1:]),
            loss=None if loss is None else (loss[0] * span, loss[1] * span, loss[2] * span),
            withdrawn=state.withdrawn,
            visits=state.visits[0],
            full=state.visits[1],
        )

    def __str__(self) -> str:
        return "\n".join([*self._head(), *self._table()])

    def _head(self) -> list[str]:
        if self.questions is None:
            said = f"No short form stands: every visit is full, {self.of} questions."
        elif not self.of:
            said = "No question is needed any more: visits ask none."
        elif len(self.questions) >= self.of:
            said = f"Every question is worth its price: all visits ask all {self.of}."
        else:
            said = (
                f"Short visits ask {len(self.questions)} of {self.of} questions:"
                f" {', '.join(self.questions) or 'none'}. Now {self.full_share:.1%} of visits are"
                " full."
            )
        lines = [said]
        if self.loss is not None:
            middle, low, high = self.loss
            lines.append(
                f"Measured: short forms have cost {middle:.4g} a visit (95% at all times:"
                f" {low:.4g} to {high:.4g})."
            )
        if self.budget is not None and self.questions is not None and self.cost > self.budget:
            lines.append(
                f"A visit costs {self.cost:.3g} on average from here on, and may cost"
                f" {self.budget:g}: the budget is not kept."
            )
        if self.withdrawn:
            lines.append(f"Withdrawn so far because they cost too much: {self.withdrawn}.")
        return lines

    def _table(self) -> list[str]:
        if not self.path:
            return []
        names = [OF_EVERYONE] * bool(self.everyone) + [step.question for step in self.path]
        steps = [self.start] * bool(self.everyone) + [*self.path]
        wide = max(len("question"), *map(len, names))
        lines = [f"  {'question':<{wide}}  {'questions':>9}  {'reward':>10}  {'net':>10}"]
        for name, step in zip(names, steps, strict=True):
            mark = "  asked" if step.asked else ""
            lines.append(
                f"  {name:<{wide}}  {step.questions:>9}  {step.reward:>10.4g}"
                f"  {step.net:>10.4g}{mark}"
            )
        if self.everyone:
            lines += wrap(f"{OF_EVERYONE}: {', '.join(self.everyone)}.", 80)
        return [*lines, *HOPEFUL]


def _steps(policy: SurveyBandit, state: ShortState) -> list[ShortStep]:
    """Return the path in reward units, from the form with nothing but what everyone is asked on."""
    survey, reward, form = policy.survey, policy.reward, state.form
    price, cost, choice = state.price, state.shorts.cost, state.choice
    forced = survey.asked_of_everyone
    count, paid, steps = int(forced.sum()), float(cost[forced].sum()), []
    for g, value in ((None, choice.start), *choice.path):
        if g is not None:
            count, paid = count + 1, paid + float(cost[g])
        # Values are net of the price with caution.
        gross = reward.middle + reward.span * (value + price * choice.caution * paid)
        steps.append(
            ShortStep(
                question="" if g is None else survey.names[g],
                questions=count,
                cost=paid,
                reward=gross,
                net=gross - reward.span * price * paid,
                asked=form is not None and (g is None or bool(form[g])),
            )
        )
    return steps

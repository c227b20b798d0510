"""One respondent's passage: asks, answers, arm, later a reward. A pure state machine, no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from askless.errors import AnswerError, AsklessError, StateError, VisitError, shown
from askless.kernels.bundles import Flags, Floats
from askless.policies.explanation import Explanation
from askless.survey import Survey
from askless.survey.question import Answer

if TYPE_CHECKING:
    from askless.policies.base import Policy

__all__ = ["Visit"]

FORMAT = "askless.visit"
VERSION = 1


class Visit:
    """What has been asked of one person, what was answered, and what was decided.

    Made by `Policy.visit`. What is asked next and which arm is played depend only on the policy's
    state and the answers so far, so a visit can be put away with `to_dict` and resumed by any
    process that holds the policy. It sees the newest state at every step and never asks more than
    it promised at its start, because supports only shrink.

    Attributes
    ----------
    number : int
        The visit's number in its policy, from 0.
    reward : float or None
        The reward it was learned with.
    learned_in : int or None
        The arm's epoch in which it was learned, from 0, if the policy has epochs.
    """

    def __init__(
        self, policy: Policy, *, number: int, known: Mapping[str, Any], arms: Iterable[str] | None
    ) -> None:
        self._policy = policy
        self.number = number
        self._eligible: tuple[str, ...] = policy.roster.eligible(arms)
        promised = policy.needed(self._mask())
        checked = policy.survey.check(known)
        self._promised: frozenset[str] = frozenset(promised)
        # Held answers that no arm needs are let go: what is never asked is never stored.
        self._answers: dict[str, Answer] = {q: a for q, a in checked.items() if q in promised}
        self._known: tuple[str, ...] = tuple(self._answers)
        self._shown: dict[str, None] = {}
        self._arm: str | None = None
        self._version: int | None = None
        self._propensity: float | None = None
        self._outlook: dict[str, tuple[float, float]] = {}
        self._ruled_out: tuple[str, ...] = ()
        self.reward: float | int | None = None
        self.learned_in: int | None = None
        self._advance()

    # -- the passage -----------------------------------------------------------------------------

    @property
    def asks(self) -> tuple[str, ...]:
        """The questions to put now, in survey order; empty once the arm is decided."""
        asks = self._advance()
        self._shown.update(dict.fromkeys(asks))
        return asks

    def answer(self, answers: Mapping[str, Any]) -> None:
        """Take any non-empty part of what is asked; all of it, or nothing if one does not fit."""
        survey = self._policy.survey
        if not isinstance(answers, Mapping) or not answers:
            raise AnswerError(f"answers are {shown(answers)}; give a dict of question and answer")
        asks = self._advance()
        for name in answers:
            question = survey.questions[survey.index(name)].name
            if question in self._answers:
                raise AnswerError(f"question {question!r} has been answered in this visit already")
            if question not in self._shown and question not in asks:
                now = f"it asks {', '.join(asks)} now" if asks else "it asks nothing any more"
                raise AnswerError(f"question {question!r} has not been asked in this visit; {now}")
        checked = survey.check(answers)
        self._shown.update(dict.fromkeys(checked))  # what is answered has been put
        self._answers.update(checked)
        self._advance()

    @property
    def decided(self) -> bool:
        """Whether the arm has been decided."""
        self._advance()
        return self._arm is not None

    @property
    def arm(self) -> str:
        """The arm to play; an error while questions are open."""
        asks = self._advance()
        if self._arm is None:
            raise VisitError(f"the arm is not decided yet; first answer {', '.join(asks)}")
        return self._arm

    @property
    def survey(self) -> Survey:
        """The survey of its policy."""
        return self._policy.survey

    @property
    def arm_index(self) -> int:
        """The arm's index in the policy's arrays."""
        return self._policy.arm_index(self.arm)

    @property
    def version(self) -> int | None:
        """The version of the policy's state that decided, `None` before."""
        return self._version

    @property
    def propensity(self) -> float | None:
        """With which probability this arm was to be played, `None` before it is decided.

        1 unless the policy draws arms at random.
        """
        return self._propensity

    @property
    def asked(self) -> tuple[str, ...]:
        """The questions put to the person so far; known answers are not among them."""
        return tuple(self._shown)

    @property
    def answers(self) -> dict[str, Answer]:
        """Every answer held, as given; `None` is a skip."""
        return {q: list(a) if isinstance(a, list) else a for q, a in self._answers.items()}

    def context(self) -> Floats:
        """Return the answers as a context; NaN where nothing was asked."""
        return self._policy.encode(self._answers)

    def _mask(self) -> Flags:
        """Return the arms it may play: those there were at its start, less the retired ones."""
        mask = self._policy.roster.mask(self._eligible)
        if not mask.any():
            raise VisitError(
                "every arm that this visit could play has been retired; start a new visit"
            )
        return mask

    def _advance(self) -> tuple[str, ...]:
        """Return the open questions; where there are none, decide the arm, once."""
        if self._arm is not None:
            return ()
        mask = self._mask()
        asks, possible = self._policy.ask(self._answers, mask, self.number)
        stray = [question for question in asks if question not in self._promised]
        if stray:
            raise VisitError(
                f"this policy's state still uses {', '.join(stray)}, which the visit's own"
                " no longer did; load the newest state"
            )
        if not asks:
            z = self.context()
            decision = self._policy.decide(z, mask, possible, self.number)
            self._arm, self._propensity = self._policy.arms[decision.arm], decision.propensity
            self._version = self._policy.version
            self._outlook = self._policy.outlook(z, possible)
            self._ruled_out = self._policy.names_of(mask & ~possible)
        return asks

    # -- looking at it and putting it away -------------------------------------------------------

    def explain(self) -> Explanation:
        """Say what is asked and why, or how the arm was decided."""
        asks = self._advance()
        policy = self._policy
        if self._arm is not None:
            return Explanation(
                arm=self._arm,
                answers=self.answers,
                known=self._known,
                outlook=dict(self._outlook),
                version=self._version,
                propensity=self._propensity,
                possible=tuple(self._outlook) or (self._arm,),
                ruled_out=self._ruled_out,
            )
        mask = self._mask()
        asked_for = possible = policy.ask(self._answers, mask, self.number).possible
        reach = policy.reach(self._answers, mask)
        bounds: dict[str, tuple[float, float]] = {}
        if reach is not None:
            # Asking stops at the first arm that can still win; here every arm is looked at.
            ends = np.abs([reach.low[mask], reach.high[mask]])
            tied = 2e-9 * (policy.reward.span + ends.max())  # more than a tie ever is (maths 2)
            possible = mask & (reach.high >= reach.low[mask].max() - tied)
            for k in np.flatnonzero(mask):
                bounds[policy.arms[k]] = float(reach.low[k]), float(reach.high[k])
        wanted: dict[str, tuple[str, ...]] = {}
        moves: dict[str, dict[str, float]] = {}
        for name in asks:
            g = policy.survey.index(name)
            users = policy.support[:, g]
            wanted[name] = policy.names_of(possible & users) or policy.names_of(asked_for & users)
            if reach is not None:
                moves[name] = {
                    arm: float(reach.moves[policy.arm_index(arm), g]) for arm in wanted[name]
                }
        return Explanation(
            arm=None,
            answers=self.answers,
            known=self._known,
            asks=wanted,
            possible=policy.names_of(possible),
            ruled_out=policy.names_of(mask & ~possible),
            bounds=bounds,
            moves=moves,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the visit as plain data for JSON; `policy.visit(saved)` goes on from it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "number": self.number,
            "arms": list(self._eligible),
            "promised": [name for name in self._policy.survey.names if name in self._promised],
            "asked": list(self._shown),
            "known": list(self._known),
            "answers": self.answers,
            "arm": self._arm,
            "decided_at": self._version,
            "propensity": self._propensity,
            "outlook": {arm: list(pair) for arm, pair in self._outlook.items()},
            "ruled_out": list(self._ruled_out),
            "reward": self.reward,
            "learned_in": self.learned_in,
        }

    @classmethod
    def resume(cls, policy: Policy, saved: Mapping[str, Any]) -> Visit:
        """Go on with what `to_dict` returned; use `policy.visit(saved)`."""
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise StateError(
                "this is not a saved visit; give what visit.to_dict() returned (answers: known=)"
            )
        if saved.get("version") != VERSION:
            raise StateError(
                f"the visit is of version {shown(saved.get('version'))}, this askless reads"
                f" {VERSION}; was it saved by a newer askless?"
            )
        visit = cls.__new__(cls)
        try:
            visit._restore(policy, saved)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise StateError(f"the saved visit is damaged or of another study: {what}") from None
        visit._advance()
        return visit

    def _restore(self, policy: Policy, saved: Mapping[str, Any]) -> None:
        survey = policy.survey
        self._policy = policy
        number = saved["number"]
        if type(number) is not int or not 0 <= number < 2**64:
            raise AsklessError(f"its number is {shown(number)}")
        self.number = number
        self._eligible = tuple(policy.arms[policy.arm_index(arm)] for arm in saved["arms"])
        self._promised = frozenset(survey.names[survey.index(q)] for q in saved["promised"])
        self._shown = {survey.names[survey.index(q)]: None for q in saved["asked"]}
        self._answers = survey.check(saved["answers"])
        self._known = tuple(survey.names[survey.index(q)] for q in list(saved["known"]))
        stray = set(self._answers) - set(self._shown) - set(self._known)
        if stray or not set(self._known) <= set(self._answers):
            raise AsklessError(f"it answers {sorted(stray)}, which it never asked")
        if not set(self._shown) | set(self._known) <= self._promised:
            raise AsklessError("it asked more than it promised at its start")
        self._arm = saved["arm"]
        if self._arm is not None and self._arm not in self._eligible:
            raise AsklessError(f"its arm {shown(self._arm)} is none that it could play")
        if self._arm is None and saved["reward"] is not None:
            raise AsklessError("it has a reward and no arm")
        self._version = saved["decided_at"]
        self._outlook = {
            arm: (float(mean), float(upper)) for arm, (mean, upper) in saved["outlook"].items()
        }
        self._ruled_out = tuple(policy.arms[policy.arm_index(arm)] for arm in saved["ruled_out"])
        if not set(self._ruled_out) <= set(self._eligible) - {self._arm}:
            raise AsklessError("it rules out an arm that it plays or could not play")
        self.reward = saved["reward"]
        if self.reward is not None:
            policy.reward.check(self.reward)
        self._propensity = saved["propensity"]
        chance = type(self._propensity) in (float, int) and 0 < self._propensity <= 1
        if chance != (self._arm is not None) or not (chance or self._propensity is None):
            raise AsklessError(f"its propensity is {shown(self._propensity)}")
        self.learned_in = saved["learned_in"]
        if self.learned_in is not None and (
            type(self.learned_in) is not int or self.learned_in < 0
        ):
            raise AsklessError(f"it was learned in epoch {shown(self.learned_in)}")

    def __repr__(self) -> str:
        state = f"arm={self._arm!r}" if self._arm is not None else "open"
        return f"Visit(number={self.number}, {len(self._answers)} answers, {state})"

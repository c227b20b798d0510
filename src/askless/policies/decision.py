"""What a policy answers when it is asked: what to put now, which arm, how high arms can get."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askless.core.arrays import Flags, Floats

__all__ = ["Asked", "Check", "Decision", "Lesson", "Reach"]


class Check(NamedTuple):
    """What a full visit's arm is compared with, and the terms of its own decision (maths 9.4)."""

    full: int  # the arm that all answers give
    short: int  # the arm that the short form gives
    tossed: bool  # whether the visit is a check, its arm tossed between the two
    expected: float  # reward of the two, from the lower end of the range, in its units
    bet: float
    saving: float  # what a short visit saves, in units of the range


class Decision(NamedTuple):
    """The arm to play, every arm's score, and with which probability each was to be played.

    Attributes
    ----------
    arm : int
        The arm's index.
    scores : array (K)
        -inf for an arm that may not be played.
    propensities : array (K), optional
        Left out by a policy that does not draw: this arm was certain.
    check : Check, optional
        What it is compared with, for a policy that has short forms.

    Examples
    --------
    >>> import askless as al
    >>> al.Decision(1, np.zeros(2), np.array([0.25, 0.75])).propensity
    0.75
    """

    arm: int
    scores: Floats
    propensities: Floats | None = None
    check: Check | None = None

    @property
    def propensity(self) -> float:
        """The probability with which this arm was to be played."""
        return 1.0 if self.propensities is None else float(self.propensities[self.arm])

    def chances(self) -> Floats:
        """Return the propensities of all arms, also where one was certain."""
        if self.propensities is not None:
            return self.propensities
        certain = np.zeros(len(self.scores))
        certain[self.arm] = 1.0
        return certain


class Asked(NamedTuple):
    """What a visit asks next, and the arms that can still win.

    Attributes
    ----------
    questions : array of bool (questions)
        What to put now; nothing once the arm can be decided.
    possible : array of bool (K)
        The arms of the visit that can still win. Once nothing is asked, `_decide` chooses among
        them.
    decided : (Decision, Decision), optional
        What `_decide` and `_drawn` say then, where it had to be known to ask; of our own policies.
    """

    questions: Flags
    possible: Flags
    decided: tuple[Decision, Decision] | None = None


class Reach(NamedTuple):
    """Between which values each arm's score must lie, and how far each answer moves it."""

    low: Floats  # (K,)
    high: Floats  # (K,)
    moves: Floats  # (K × questions)


class Lesson(NamedTuple):
    """A decided visit and its reward, as numbers: what a policy learns from it."""

    kind: str
    arm: int
    row: Floats  # its context, NaN for what was not asked
    y: float  # the reward in units of the range, on the grid
    eligible: Flags  # the arms that it could get
    check: Check | None = None
    learned_in: int | None = None  # where it was learned before it was unlearned

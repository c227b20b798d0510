"""What a policy answers when it is asked: what to put now, which arm, how high arms can get."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askless.kernels.bundles import Flags, Floats

__all__ = ["Asked", "Decision", "Reach"]


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

    Examples
    --------
    >>> import askless as al
    >>> al.Decision(1, np.zeros(2), np.array([0.25, 0.75])).propensity
    0.75
    """

    arm: int
    scores: Floats
    propensities: Floats | None = None

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
    """

    questions: Flags
    possible: Flags


class Reach(NamedTuple):
    """Between which values each arm's score must lie, and how far each answer moves it."""

    low: Floats  # (K,)
    high: Floats  # (K,)
    moves: Floats  # (K × questions)

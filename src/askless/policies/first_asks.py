"""What an interactive survey asks while every arm uses every question: no arm need be weighed."""

from __future__ import annotations

import numpy as np

from askless.core import Arms
from askless.core.arrays import Flags, Floats
from askless.policies.decision import Asked
from askless.survey import Survey

__all__ = ["first_asks"]


def first_asks(
    survey: Survey, arms: Arms, grain: str | None, z: Floats, mask: Flags
) -> Asked | None:
    """Return what the core would say (`protocol`), where that is certain; else nothing.

    While every arm in `mask` uses every question and one is open, no arm is known in full, so that
    none is ruled out, and whichever is asked for first needs all that is open (maths 4). One
    question at a time, those come first that everyone is asked; among the others no answer tells
    apart arms that have learned nothing and have the same part of delta, and the first one is
    asked.
    """
    asks = survey.open_questions(z)
    if not asks.any() or not arms.support[mask].all():
        return None
    if grain == "question":
        always = asks & survey.asked_of_everyone
        if not always.any() and (arms.n[mask].any() or np.ptp(arms.share[mask]) > 0):
            return None
        first = np.argmax(always if always.any() else asks)
        asks = np.arange(len(survey)) == first
    return Asked(asks, np.array(mask))

"""What an interactive survey asks while every arm uses every question: no arm need be weighed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from askless.kernels.bundles import Arms, Flags
from askless.policies.base import Asked
from askless.survey import Survey
from askless.survey.question import Answer

__all__ = ["first_asks"]


def first_asks(
    survey: Survey, arms: Arms, grain: str | None, answers: Mapping[str, Answer], mask: Flags
) -> Asked | None:
    """Return what the kernels would say (`protocol`), where that is certain; else nothing.

    While every arm in `mask` uses every question and one is open, no arm is known in full, so that
    none is ruled out, and whichever is asked for first needs all that is open (maths 4). One
    question at a time, those come first that everyone is asked; among the others no answer tells
    apart arms that have learned nothing and have the same part of delta, and the first one is
    asked.
    """
    asks = [question for question in survey if question.name not in answers]
    if not asks or not arms.support[mask].all():
        return None
    if grain == "question":
        always = [question for question in asks if question.always_ask]
        if not always and (arms.n[mask].any() or np.ptp(arms.share[mask]) > 0):
            return None
        asks = (always or asks)[:1]
    return Asked(tuple(question.name for question in asks), np.array(mask))

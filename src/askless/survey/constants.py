"""The constants of the guarantees, derived from what a person knows (maths 1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askless.survey.survey import Survey

__all__ = ["Constants"]


@dataclass(frozen=True)
class Constants:
    """Bounds that hold for every mean reward that stays in its range.

    Attributes
    ----------
    sigma : float
        Sub-Gaussian constant of the noise.
    b1, b2 : float
        Bounds on the 1-norm and the 2-norm of an arm's parameters.
    l2, l_inf : float
        Largest 2-norm and largest entry of an encoded context.
    """

    sigma: float
    b1: float
    b2: float
    l2: float
    l_inf: float

    @classmethod
    def derive(cls, survey: Survey, span: float) -> Constants:
        """Derive the constants for a survey and a reward range of length `span`."""
        raw = survey.coding == "raw"
        longest = [(question.points(raw=raw) ** 2).sum(axis=1).max() for question in survey]
        l2 = math.sqrt(1.0 + sum(longest))
        if raw:
            d = len(survey.questions)
            return cls(sigma=1.0, b1=float(d), b2=math.sqrt(d), l2=l2, l_inf=1.0)
        b1 = b2 = span
        if not survey.plain:
            squared, plain = zip(*(q.norm_factors() for q in survey.questions), strict=True)
            b2 = span * math.sqrt(0.25 + max(squared))
            b1 = span * (0.5 + max(plain))
        return cls(sigma=span / 2, b1=b1, b2=b2, l2=l2, l_inf=1.0)

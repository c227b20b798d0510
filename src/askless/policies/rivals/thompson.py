"""Thompson sampling by scores: what normal draws of models come to, and how likely each arm is."""

from __future__ import annotations

from functools import cache

import numpy as np

from askless.core.arrays import Flags, Floats
from askless.core.special import ndtr, ndtri
from askless.policies.decision import Decision

__all__ = ["draw_largest"]

LEAST = 1e-12  # the smallest probability that is stated


def draw_largest(
    means: Floats, spreads: Floats, mask: Flags, luck: Floats, *, stated: bool
) -> Decision:
    """Play the arm with the largest normal score; arms are independent of each other.

    A model drawn from N(μ, s²B⁻¹) scores z'μ + s√(z'B⁻¹z) × a normal number, so the score is drawn
    and not the model: the same law with one number an arm. `stated`: with propensities.
    """
    scores = np.where(mask, means + spreads * luck, -np.inf)
    chances = _chances(means[mask], spreads[mask]) if stated else None
    if chances is None:
        return Decision(int(np.argmax(scores)), scores)
    of_all = np.zeros(len(mask))
    of_all[mask] = chances
    return Decision(int(np.argmax(scores)), scores, of_all)


@cache
def _quantiles() -> Floats:
    return ndtri((np.arange(256) + 0.5) / 256)


def _chances(means: Floats, spreads: Floats) -> Floats:
    """Return the probability that each of some independent normals is the largest.

    The mean of Π Φ((x − m_j)/s_j) over 256 quantiles x of each, which is right within 1/256.
    """
    widths = np.maximum(spreads, 1e-300)
    at = means[:, None] + spreads[:, None] * _quantiles()  # arm × quantile
    below = ndtr((at[:, None, :] - means[:, None]) / widths[:, None])  # arm × rival × quantile
    each = np.arange(len(means))
    below[each, each] = 1.0
    chances = np.maximum(below.prod(axis=1).mean(axis=1), LEAST)
    return np.asarray(chances / chances.sum())

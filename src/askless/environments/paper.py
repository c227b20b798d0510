"""The example of Krishnamurthy & Athey's simulation (maths 7)."""

from __future__ import annotations

import numpy as np

from askless.environments.linear import LinearEnvironment
from askless.survey import Survey
from askless.survey.survey import Coding
from askless.whole import check_whole

__all__ = ["paper_environment"]


MOST = 10_000  # arms, or questions


def paper_environment(
    arms: int = 5, features: int = 50, *, coding: Coding = "centred"
) -> LinearEnvironment:
    """Return the paper's respondents: answers uniform on [0, 1], means x1, x2, 1 - x1, 0, 0, ….

    The noise is uniform on [0, 1], so rewards lie in [0, 2]; its mean of ½ is in every arm.

    Parameters
    ----------
    arms : int
        How many; the first three are worth playing for someone.
    features : int
        How many questions; two matter.
    coding : {"centred", "raw"}
        Ours, or the paper's.

    Examples
    --------
    >>> import askless as al
    >>> world = al.paper_environment(arms=3, features=4)
    >>> world.coefficients
    array([[ 0.,  1.,  0.,  0.,  0.],
           [ 0.,  0.,  1.,  0.,  0.],
           [ 0., -1.,  0.,  0.,  0.]])
    """
    arms = check_whole(arms, "arms", 1, MOST)
    features = check_whole(features, "features", 2, MOST)
    survey = Survey.unit(features, coding=coding)
    raw = coding == "raw"
    # Expected reward: x1 + ½, x2 + ½, 1½ - x1, and ½ for the rest; around the middle 1 if centred.
    constants = [0.5, 0.5, 1.5] if raw else [0.0, 0.0, 0.0]
    slopes = [(1, 1.0), (2, 1.0), (1, -1.0)]
    table = np.zeros((arms, survey.column_count))
    table[:, 0] = 0.5 if raw else -0.5
    for k, (constant, (column, slope)) in enumerate(zip(constants, slopes, strict=True)):
        if k < arms:
            table[k, 0], table[k, column] = constant, slope
    names = [f"arm{k + 1}" for k in range(arms)]
    return LinearEnvironment(
        survey, arms=names, coefficients=table, reward=(0, 2), noise="uniform", spread=0.5
    )

"""OFUL (Abbasi-Yadkori et al. 2011): optimism on an ellipsoid that holds, full support."""

from typing import ClassVar

from askless.policies.linear_ucb import LinearUCB

__all__ = ["OFUL"]


class OFUL(LinearUCB):
    """The `valid` radius of Ridge SurveyUCB without its union over supports (maths 6).

    Takes the keywords of `RidgeSurveyUCB`, so that the same settings can be given to every
    policy. It never drops a question, whatever `beta_min` is.

    Parameters
    ----------
    survey, arms, reward, beta_min, delta, alpha, sigma, b1, b2, radius, interactive, grain
        As for `RidgeSurveyUCB`.

    Examples
    --------
    >>> import askless as al
    >>> settings = dict(arms=["a", "b"], reward=(0, 1), beta_min=0.3)
    >>> narrow = al.OFUL(al.Survey.unit(20), **settings)
    >>> wide = al.RidgeSurveyUCB(al.Survey.unit(20), **settings)
    >>> bool((narrow.radius < wide.radius).all())
    True
    """

    name: ClassVar[str] = "oful"

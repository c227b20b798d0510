"""LinUCB (Li et al. 2010), disjoint: the bandit that everybody knows. It asks everything."""

from typing import ClassVar

from askless.policies.linear_ucb import LinearUCB

__all__ = ["LinUCB"]


class LinUCB(LinearUCB):
    """Ridge models with penalty 1 and the width R (1 + sqrt(ln(2/delta)/2)) (maths 6).

    Takes the keywords of `RidgeSurveyUCB`, so that the same settings can be given to every
    policy. It never drops a question, whatever `beta_min` is, and its width needs only `delta`.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.LinUCB(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1), delta=0.05)
    >>> policy.radius.round(3)
    array([2.358, 2.358])
    """

    name: ClassVar[str] = "linucb"
    radii: ClassVar[tuple[str, ...]] = ("li2010",)

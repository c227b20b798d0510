"""LinUCB (Li et al. 2010), disjoint: the bandit that everybody knows. It asks everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from askless.policies import shared_settings as shared
from askless.policies.linear_ucb import LinearUCB
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Words

__all__ = ["LinUCB"]


class LinUCB(LinearUCB):
    """One ridge model an arm, on all questions; plays the largest mean plus width (maths 6, 8.8).

    Takes the keywords of `RidgeSurveyUCB`, so that the same settings can be given to every
    policy. It never drops a question, whatever `beta_min` is.

    Parameters
    ----------
    survey, arms, reward, beta_min, delta, alpha, sigma, b1, b2, interactive, grain
        As for `RidgeSurveyUCB`.
    width : {"li2010", "noise"}
        `li2010`: the penalty is 1 and the width R (1 + sqrt(ln(2/delta)/2)).
        `noise`: both follow from the noise that the rows show (maths 8.8), and from no other
        setting. It explores far less and earns more: the honest rival of a policy that asks less.

    Examples
    --------
    >>> import askless as al
    >>> policy = al.LinUCB(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1), delta=0.05)
    >>> policy.width.round(3)
    array([2.358, 2.358])
    >>> al.LinUCB(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1), width="noise").width
    array([0.25, 0.25])
    """

    name: ClassVar[str] = "linucb"
    radius_setting: ClassVar[str] = "width"
    score_name = "score"  # a rule of thumb, no bound

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: shared.UnusedBetaMin = 0.0,
        delta: shared.Delta = None,
        alpha: shared.Alpha = None,
        sigma: shared.Sigma = None,
        b1: shared.B1 = None,
        b2: shared.B2 = None,
        width: Annotated[
            str | None,
            Words(
                "How wide scores are: as in the paper of 2010, or by the measured noise.",
                words=("li2010", "noise"),
                otherwise="`li2010`",
            ),
        ] = None,
        interactive: shared.Interactive = False,
        grain: shared.Grain = None,
    ) -> None:
        self._begin(locals())

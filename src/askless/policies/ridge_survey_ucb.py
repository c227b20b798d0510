"""Ridge SurveyUCB: an ellipsoid for each arm; a question leaves when its effect is too small."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from askless.policies import shared_settings as shared
from askless.policies.linear_ucb import LinearUCB
from askless.survey import Arm, RewardRange, Survey
from askless.survey.setting import Words

__all__ = ["RidgeSurveyUCB"]


class RidgeSurveyUCB(LinearUCB):
    """The paper's first algorithm, with confidence sets that hold (maths 2).

    Each arm has a ridge model on the questions of its support, and plays by its upper confidence
    bound. When an arm is played, every question whose effect in it is certainly at most
    `beta_min` leaves its model for good. A question that no arm uses is asked no more.

    Parameters
    ----------
    survey : Survey
        The questions.
    arms : iterable of str or Arm
        The decisions.
    reward : (float, float)
        The smallest and the largest reward there can be.
    beta_min : float
        The smallest change of expected reward for which a question is worth asking; 0: never drop.
    delta : float, optional
        How often the guarantees may fail; 0.05 (raw coding: 0.1) unless given.
    alpha : float, optional
        The ridge penalty; 5 with the `valid` radius, 1 with the others and in raw coding.
    sigma : float, optional
        Sub-Gaussian constant of the noise; half the reward range unless given (raw coding: 1).
    b1, b2 : float, optional
        Bounds on the 1-norm and on the 2-norm of an arm's parameters; derived from the reward range
        unless given (maths 1.2).
    radius : {"valid", "published", "published_sqrt"}
        How wide the confidence sets are (maths 2.1).
        `valid`: all of them hold at all times with probability 1 - delta, whatever has been
        dropped, so that a question whose effect exceeds `beta_min` is never lost.
        `published`: the paper's; it rests on an argument for a support fixed in advance, and is
        so wide that it hardly ever drops anything.
        `published_sqrt`: the square root of that, with which the paper's figures were probably
        made. It is **not** a confidence set: for reproduction only.
    interactive : bool or {"certified", "paper_heuristic"}
        Ask a person only what can still change the decision: the arm is the one that the full
        survey would give (maths 4). `True` is "certified"; "paper_heuristic" is the paper's rule,
        for comparison only: it can play another arm.
    grain : {"arm", "question"}, optional
        Interactive: ask all open questions of an arm at once ("arm", the default), or one question
        at a time, that which settles most for its cost.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> policy = al.RidgeSurveyUCB(survey, arms=["red_cross", "wwf"], reward=(0, 100), beta_min=5)
    >>> visit = policy.visit()
    >>> visit.asks
    ('age', 'donor')
    >>> visit.answer({"age": 44, "donor": True})
    >>> visit.arm
    'red_cross'
    >>> policy.learn(visit, reward=25)
    >>> policy.rows
    array([1, 0])
    """

    name: ClassVar[str] = "ridge"
    drops: ClassVar[bool] = True

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: shared.BetaMin,
        delta: shared.Delta = None,
        alpha: shared.Alpha = None,
        sigma: shared.Sigma = None,
        b1: shared.B1 = None,
        b2: shared.B2 = None,
        radius: Annotated[
            str | None,
            Words(
                shared.RADIUS, words=("valid", "published", "published_sqrt"), otherwise="`valid`"
            ),
        ] = None,
        interactive: shared.Interactive = False,
        grain: shared.Grain = None,
    ) -> None:
        self._begin(locals())

"""SurveyBandit, the recommended policy: Epoch SurveyUCB that asks only what can still matter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from askless.policies.epoch_survey_ucb import EpochSurveyUCB
from askless.survey import Arm, RewardRange, Survey

__all__ = ["SurveyBandit"]


class SurveyBandit(EpochSurveyUCB):
    """Epoch SurveyUCB, interactive and certified; everything else is derived (maths 4, 5).

    Questions leave for everybody once they are shown not to matter, and a person is asked only
    what can still change the decision: the arm is the one that the full survey would give. With
    probability 1 - delta no question whose effect exceeds `beta_min` is ever dropped
    (docs/guarantee.md).

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
    alpha, sigma, b1, b2, growth, radius : optional
        Constants of the models and their confidence sets, as for `EpochSurveyUCB`.
    explore : float
        Share of visits whose arm is drawn at random.
    seed : int
        Seed of those draws.
    judge_skips : bool
        Whether a question that may be skipped is dropped only once a skip is known to mean no
        more than an answer.
    interactive : bool or {"certified", "paper_heuristic"}
        "certified" unless given; `False` asks everything that some arm uses.
    grain : {"arm", "question"}, optional
        Ask all open questions of an arm at once ("arm", the default), or one question at a time,
        that which settles most for its cost.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> policy = al.SurveyBandit(survey, arms=["red_cross", "wwf"], reward=(0, 100), beta_min=5)
    >>> policy.name, policy.interactive
    ('survey-bandit', 'certified')
    """

    name: ClassVar[str] = "survey-bandit"

    def __init__(
        self,
        survey: Survey,
        *,
        arms: Iterable[str | Arm],
        reward: tuple[float, float] | RewardRange,
        beta_min: float,
        delta: float | None = None,
        alpha: float | None = None,
        sigma: float | None = None,
        b1: float | None = None,
        b2: float | None = None,
        growth: float | None = None,
        explore: float = 0.0,
        seed: int = 0,
        judge_skips: bool = True,
        radius: str | None = None,
        interactive: bool | str = "certified",
        grain: str | None = None,
    ) -> None:
        super().__init__(
            survey,
            arms=arms,
            reward=reward,
            beta_min=beta_min,
            delta=delta,
            alpha=alpha,
            sigma=sigma,
            b1=b1,
            b2=b2,
            growth=growth,
            explore=explore,
            seed=seed,
            judge_skips=judge_skips,
            radius=radius,
            interactive=interactive,
            grain=grain,
        )

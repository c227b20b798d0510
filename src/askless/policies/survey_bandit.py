"""SurveyBandit, the recommended policy: Epoch SurveyUCB that asks only what can still matter."""

from __future__ import annotations

from typing import ClassVar

from askless.policies.epoch_survey_ucb import EpochSurveyUCB

__all__ = ["SurveyBandit"]


class SurveyBandit(EpochSurveyUCB):
    """Epoch SurveyUCB, interactive and certified; everything else is derived (maths 4, 5, 8).

    Questions leave for everybody once they are shown not to matter, and a person is asked only
    what can still change the decision: the winner is that of the full survey. With
    probability 1 - delta no question whose effect exceeds `beta_min` is ever dropped
    (docs/guarantee.md).

    Parameters are those of `EpochSurveyUCB`; `interactive` is "certified" unless given.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])
    >>> policy = al.SurveyBandit(survey, arms=["red_cross", "wwf"], reward=(0, 100), beta_min=5)
    >>> policy.name, policy.interactive
    ('survey-bandit', 'certified')
    """

    name: ClassVar[str] = "survey-bandit"
    asks_interactively: ClassVar[bool | str] = "certified"

"""Every policy keeps the contract."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest

import askless as al
from askless.errors import ContractError, SettingError
from askless.policies import policy_of
from askless.policies.building import settings_of
from sizes import LONG
from worlds import survey_of

MIXED = survey_of(
    [("scale", 1, True), ("choice", 3, True), ("multi", 2, False), ("yes_no", 1, False)]
)
RAW = al.Survey.unit(3, coding="raw")
ALWAYS = al.Survey([al.Scale("a", low=0, high=1, always_ask=True), al.YesNo("b")])


def catalogue():
    """Every policy of the catalogue, with what it must be given and all else at its default."""
    for survey in (MIXED, RAW, ALWAYS) if LONG else (MIXED,):
        truth = np.random.default_rng(survey.column_count).normal(size=(3, survey.column_count))
        truth[:, 1] = 0
        world = SimpleNamespace(
            survey=survey, arms=["red", "blue", "green"], reward=(-2, 3), coefficients=truth
        )
        for name, kind in al.POLICIES.items():
            taken = settings_of(kind).items()
            needed = {key: it.setting.example for key, it in taken if it.needed}
            yield policy_of({"name": name, **needed}, world)


def variants():
    """Settings with which a policy does something else."""
    for survey in (MIXED, RAW, ALWAYS):
        arms = ["red", "blue", "green"]
        yield al.EpochSurveyUCB(survey, arms=arms, reward=(0, 1), beta_min=0.2, judge_skips=False)
        yield al.EpochSurveyUCB(
            survey, arms=arms, reward=(0, 1), beta_min=0.8, interactive=True, explore=0.3
        )
        yield al.SurveyBandit(survey, arms=arms, reward=(-2, 3), beta_min=4)
        # Sets this tight drop within a few visits.
        yield al.RidgeSurveyUCB(survey, arms=arms, reward=(-2, 3), beta_min=4, sigma=0.1, b2=0.1)
        for radius in ("published", "published_sqrt"):
            yield al.RidgeSurveyUCB(survey, arms=arms, reward=(0, 1), beta_min=0.9, radius=radius)
        for radius in ("valid", "ridge", "published_scaled_sqrt"):
            yield al.ElasticNetSurveyUCB(
                survey, arms=arms, reward=(-2, 3), beta_min=4, radius=radius, sigma=0.05, b1=0.1
            )
        yield al.LinUCB(survey, arms=arms, reward=(0, 1))
        yield al.OFUL(survey, arms=["only"], reward=(0, 1))
        # In the pilot to the end, and hardly in it.
        for planned in (100_000, 20):
            yield al.PilotThenScreen(survey, arms=arms, reward=(-2, 3), planned=planned)
    yield al.WTSRC(MIXED, arms=arms, reward=(-2, 3), window=20, v=0.5)
    yield al.SparseUCB(MIXED, arms=arms, reward=(-2, 3), size=1)


def some_policies():
    """All of them with the first survey, in `make long` with every one; else a third with each."""
    every = list(variants())
    count = len(every) // 3
    some = [own for i, own in enumerate(every) if i < count or i % 3 == 0 or LONG]
    return [*catalogue(), *some]


@pytest.mark.slow
@pytest.mark.parametrize("policy", some_policies(), ids=str)
def test_our_policies_keep_the_contract(policy):
    before = policy.to_dict()
    al.check_policy(policy)
    assert policy.to_dict() == before


def test_the_contract_is_checked_where_questions_are_dropped():
    policy = al.RidgeSurveyUCB(
        MIXED, arms=["a", "b"], reward=(-2, 3), beta_min=4, sigma=0.1, b2=0.1
    )
    played = copy.deepcopy(policy)
    for _ in range(60):
        visit = played.visit(known={"scale0": 0.5, "choice1": "o1", "multi2": [], "yes_no3": True})
        played.learn(visit, 0.5)
    assert not played.support.all()


def test_settings_may_be_handed_on():
    class HandsOn(al.LinUCB):
        name = "hands-on"

        def __init__(self, survey, **settings):
            super().__init__(survey, **settings)

    al.check_policy(HandsOn(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1)))


@pytest.mark.parametrize("visits", [0, 9, True, 20.0])
def test_too_few_visits_show_nothing(visits):
    policy = al.Uniform(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    with pytest.raises(SettingError, match="visits is"):
        al.check_policy(policy, visits=visits)


def test_a_class_is_not_a_policy():
    with pytest.raises(ContractError, match="instance"):
        al.check_policy(al.Uniform)

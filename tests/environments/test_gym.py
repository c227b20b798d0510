"""Worlds as Gymnasium environments: its own checker, and the same rewards as in ours."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import askless as al
from askless.environments.gym import SurveyEnv
from askless.errors import SettingError


def world():
    survey = al.Survey([al.Scale("age", low=0, high=1, cost=2), al.YesNo("donor", may_skip=True)])
    return al.LinearEnvironment(
        survey,
        arms=["a", "b", "c"],
        coefficients={"a": {"age": 0.6}, "b": {"donor": -0.3}},
        reward=(0, 1),
        spread=0.1,
        eligible={"c": 0.5},
    )


@pytest.mark.parametrize("price", [None, 0.05])
def test_gymnasium_s_own_checker_is_content(price):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not having a spec.*")  # it was not registered
        check_env(SurveyEnv(world(), people=50, price=price))


def test_an_episode_is_our_respondents_in_their_order():
    env, block = SurveyEnv(world(), people=40), next(world().respondents(5, 0))
    seen, info = env.reset(seed=5)
    for t in range(40):
        np.testing.assert_array_equal(seen["context"], block.contexts[t])
        np.testing.assert_array_equal(info["action_mask"], block.allowed[t])
        arm = t % 3
        seen, reward, ended, over, info = env.step(arm)
        assert reward == (block.rewards[t, arm] if block.allowed[t, arm] else 0)
        assert (ended, over) == (False, t == 39)


def test_asking_costs_its_price_and_shows_the_answer_alone():
    env, block = SurveyEnv(world(), people=10, price=0.05), next(world().respondents(7, 0))
    seen, info = env.reset(seed=7)
    assert seen["context"].tolist() == [1, 0, 0, 0]
    assert info["action_mask"][:2].tolist() == [1, 1]
    seen, reward, *_, info = env.step(0)
    assert reward == pytest.approx(-0.05 * 2)
    np.testing.assert_array_equal(seen["context"], [1, block.contexts[0, 1], 0, 0])
    assert info["action_mask"][:2].tolist() == [0, 1]
    again = env.step(0)
    assert again[1] == pytest.approx(-0.1)
    seen, reward, *_, info = env.step(2)
    assert reward == block.rewards[0, 0]
    assert seen["asked"].tolist() == [0, 0]
    assert info["person"] == 1


def test_a_study_that_is_over_must_be_begun_again():
    env = SurveyEnv(world(), people=2)
    over = r"no study is under way; reset\(\) begins one"
    with pytest.raises(SettingError, match=over):
        env.step(0)
    env.reset(seed=1)
    assert [env.step(0)[3] for _ in range(2)] == [False, True]
    with pytest.raises(SettingError, match=over):
        env.step(0)
    with pytest.raises(SettingError, match="seed is"):
        env.reset(seed=2**70)
    env.reset(seed=1)
    assert env.step(0)[3] is False


def test_arms_make_sense_once_what_everyone_is_asked_has_been_asked():
    survey = al.Survey([al.YesNo("consent", always_ask=True), al.YesNo("donor")])
    asking = al.LinearEnvironment(
        survey, arms=["a", "b"], coefficients={}, reward=(0, 1), spread=0.1
    )
    env = SurveyEnv(asking, people=2, price=0.01)
    assert env.reset(seed=1)[1]["action_mask"].tolist() == [1, 1, 0, 0]
    assert env.step(0)[4]["action_mask"].tolist() == [0, 1, 1, 1]


def test_other_seeds_are_other_people_and_bad_settings_are_refused():
    env = SurveyEnv(world(), people=3)
    first, _ = env.reset(seed=1)
    second, _ = env.reset()
    assert (first["context"] != second["context"]).any()
    with pytest.raises(SettingError, match="action is 3; give a whole number from 0 to 2"):
        env.step(3)
    for given in ({"people": 0}, {"price": -1}, {"price": "x"}):
        with pytest.raises(SettingError, match=next(iter(given))):
            SurveyEnv(world(), **given)

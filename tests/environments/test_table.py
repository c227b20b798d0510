"""Tables of people: drawn again by seed and run alone, with their own rewards; bad ones refused."""

import itertools

import numpy as np
import pytest

import askless as al
from askless.environments.linear import stream
from askless.errors import SettingError
from wine import BOTTLES, RIGHT, SURVEY, wine_world

PEOPLE = [{"age": 30, "donor": True}, {"age": 71, "donor": None}, {"age": 54, "donor": False}]
REWARDS = [[1, 0], [0.25, 0.5], [0, 1]]


def table(**settings):
    survey = al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor", may_skip=True)])
    given = {"arms": ["a", "b"], "answers": PEOPLE, "rewards": REWARDS, "reward": (0, 1)}
    return al.TableEnvironment(survey, **given | settings)


def test_rows_are_drawn_whole_by_the_stream_of_the_run():
    """An oracle draws the same rows by itself; fails if answers and rewards come apart."""
    world = table(expected=np.array(REWARDS) / 2, number=4)
    rows = np.array([world.survey.encode(person) for person in PEOPLE])
    rng = stream((7, 2), 4, 0)
    for block in itertools.islice(world.respondents(7, 2), 3):
        at = rng.integers(3, size=len(block))
        np.testing.assert_array_equal(block.contexts, rows[at])
        np.testing.assert_array_equal(block.rewards, np.array(REWARDS)[at])
        np.testing.assert_array_equal(block.expected, np.array(REWARDS)[at] / 2)
        assert block.allowed is None
    assert len(world) == 3


def test_answers_may_be_contexts():
    contexts = np.array([SURVEY.encode(bottle) for bottle in BOTTLES])
    one, other = (next(wine_world(answers=a).respondents(0, 0)) for a in (contexts, BOTTLES))
    np.testing.assert_array_equal(one.contexts, other.contexts)
    assert len(wine_world()) == len(RIGHT) == 178


@pytest.mark.parametrize("kind", ["right", "unknown"])
def test_a_table_keeps_the_contract(kind):
    al.check_environment(wine_world(kind))


def test_the_table_is_not_the_users_array():
    rewards = np.array(REWARDS, dtype=float)
    world = table(rewards=rewards)
    rewards[:] = 0
    assert next(world.respondents(0, 0)).rewards.any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"answers": []}, "no persons"),
        ({"answers": [{"age": 30}]}, r"answers\[0\]: there is no answer to 'donor'"),
        ({"answers": [{"age": 99, "donor": None}]}, r"answers\[0\]: .*age"),
        ({"answers": np.zeros((3, 2))}, r"contexts has shape \(3, 2\)"),
        ({"answers": np.zeros((3, 4))}, "person 0: the context starts with 0.0"),
        ({"rewards": REWARDS[:2]}, r"rewards is \(2, 2\); give numbers of shape \(3, 2\)"),
        ({"rewards": [[1], [0], [0]]}, r"shape \(3, 2\)"),
        ({"rewards": "many"}, "rewards is 'many'"),
        ({"rewards": [[1, 0], [0.25, 1.5], [0, 1]]}, "person 1, arm 'b': the reward is 1.5"),
        ({"rewards": [[1, 0], [0.25, np.nan], [0, 1]]}, "person 1, arm 'b': the reward is nan"),
        ({"expected": [[1, 0], [0.25, 1.5], [0, 1]]}, "person 1, arm 'b': the expected reward"),
        ({"expected": [[1]]}, "expected is"),
        ({"number": -1}, "number is -1"),
        ({"reward": (1, 0)}, "reward: the low end"),
        ({"arms": []}, "no arms"),
    ],
)
def test_bad_tables_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        table(**settings)


def test_no_survey_no_table():
    with pytest.raises(SettingError, match="survey is 'x'"):
        al.TableEnvironment("x", arms=["a"], answers=PEOPLE, rewards=REWARDS, reward=(0, 1))

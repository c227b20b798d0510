"""The fast doors for rows: whatever happens between play and learn, rows are learned as slowly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
from askless.core import inside
from askless.errors import AsklessError
from worlds import random_answers, survey_of

QUESTIONS = [("scale", 1, True), ("choice", 3, False), ("multi", 2, False), ("scale", 1, False)]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(-0.1, 1.1), st.booleans())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_the_core_turns_rewards_into_units_as_the_range_does(low, length, share, raw):
    survey = al.Survey.unit(1, coding="raw" if raw else "centred")
    policy = al.LinUCB(survey, arms=["a"], reward=(low, low + length))
    reward = low + share * length
    units = inside.units(policy._model.arms, reward)
    if policy.reward.low <= reward <= policy.reward.high:
        assert units == policy.reward.in_units(reward, raw=raw)
    else:
        assert np.isnan(units)


OPERATIONS = st.sampled_from(["play", "learn", "learn other", "learn many", "ucb", "refresh"])


@given(st.lists(st.tuples(OPERATIONS, st.integers(0, 4), st.integers(0, 1)), max_size=60))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_rows_learned_fast_are_rows_learned(operations):
    survey = survey_of(QUESTIONS)
    rng = np.random.default_rng(3)
    contexts = np.array([survey.encode(random_answers(survey, rng)) for _ in range(5)])
    fast, slow = (
        al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.2, sigma=0.05)
        for _ in range(2)
    )
    for operation, i, arm in operations:
        z = contexts[i]
        if operation == "play":
            assert fast.play(z) == al.Policy.play(slow, z)
        elif operation == "refresh":
            fast.to_dict()
        elif operation == "ucb":
            fast.ucb(contexts[(i + 1) % 5])
        elif operation == "learn many":
            for policy in (fast, slow):
                policy.learn_rows([arm, arm], contexts[:2], [0.1, 0.9])
        else:
            row = z if operation == "learn" else contexts[(i + 2) % 5]
            fast.learn_row(arm, row, 0.25 * i)
            slow.learn_rows([arm], [row], [0.25 * i])
        np.testing.assert_array_equal(fast.rows, slow.rows)
        np.testing.assert_array_equal(fast.support, slow.support)
        np.testing.assert_allclose(fast.ucb(z), slow.ucb(z), rtol=1e-9)


@pytest.mark.parametrize(
    ("arm", "z", "reward"),
    [
        (2, [1.0, 0.2], 0.5),
        (-1, [1.0, 0.2], 0.5),
        (0, [1.0, 0.6], 0.5),
        (0, [0.5, 0.2], 0.5),
        (0, [1.0, float("nan")], 0.5),
        (0, [1.0, 0.2, 0.3], 0.5),
        (0, [1.0, 0.2], 1.5),
        (0, [1.0, 0.2], float("nan")),
        (True, [1.0, 0.2], 0.5),
    ],
)
def test_what_the_fast_door_declines_is_refused_and_nothing_changes(arm, z, reward):
    policy = al.LinUCB(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    good = np.array([1.0, 0.2])
    policy.play(good)
    before = policy.to_dict()
    with pytest.raises(AsklessError):
        policy.learn_row(arm, np.array(z), reward)
    assert policy.to_dict() == before
    policy.learn_row(0, good, 0.5)
    assert policy.rows.tolist() == [1, 0]


def test_rows_that_cannot_be_written_to_take_the_fast_door_too(monkeypatch):
    # Rows of a data frame are read-only; they once took seconds of compiling.
    table = np.array([[1.0, 0.25, -0.5], [1.0, 0.5, 0.0]])
    table.flags.writeable = False
    policy = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    other = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    monkeypatch.setattr(al.Policy, "play", None)  # the slow door
    monkeypatch.setattr(al.Policy, "learn_row", None)
    for z in table:
        assert policy.play(z) == other.play(z.copy())
        policy.learn_row(0, z, 0.75)
        other.learn_row(0, z.copy(), 0.75)
    assert policy.to_dict() == other.to_dict()

"""What several tests of policies begin with: arms that have learned nothing, and a saved state."""

import pytest

import askless as al
from random_states import random_policy
from visited_survey import SURVEY


@pytest.fixture
def policy():
    return al.RidgeSurveyUCB(SURVEY, arms=["red", "blue", "green"], reward=(0, 100), beta_min=5)


@pytest.fixture
def saved(tmp_path):
    policy, _ = random_policy(1, 60)
    path = tmp_path / "state.json"
    policy.save(path)
    return path

"""Settings: each refused value is named, with the way out."""

import math

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.policies.settings import log_supports


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("delta", 0, "delta is 0"),
        ("delta", 1, "delta is 1"),
        ("delta", 1.5, "delta is 1.5"),
        ("delta", -0.1, "delta is -0.1"),
        ("delta", float("nan"), "delta is nan"),
        ("delta", "0.1", "delta is '0.1'"),
        ("delta", True, "delta is True"),
        ("beta_min", -1, "beta_min is -1"),
        ("beta_min", float("inf"), "beta_min is inf"),
        ("beta_min", 10, "drop every question"),
        ("beta_min", 11, "length of the reward range, 10"),
        ("beta_min", None, "beta_min is None"),
        ("alpha", 0, "alpha is 0"),
        ("alpha", -1, "alpha is -1"),
        ("alpha", 1e-13, "alpha is .*1e-12"),
        ("delta", 5e-324, "delta is .*1e-100"),
        ("sigma", 1e200, "sigma is 1e[+]200"),
        ("sigma", 0, "sigma is 0"),
        ("sigma", float("nan"), "sigma is nan"),
        ("b1", -1, "b1 is -1"),
        ("b2", 0, "b2 is 0"),
        ("b2", [1], "b2"),
        ("radius", "wide", "radius is 'wide'.*'published_sqrt'"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(setting, value, message):
    settings = {"arms": ["a"], "reward": (0, 10), "beta_min": 1} | {setting: value}
    with pytest.raises(SettingError, match=message):
        al.RidgeSurveyUCB(al.Survey.unit(2), **settings)


def test_numpy_numbers_are_numbers():
    policy = al.RidgeSurveyUCB(
        al.Survey.unit(2), arms=["a"], reward=(0, 10), beta_min=np.int64(1), delta=np.float32(0.5)
    )
    assert (policy.beta_min, policy.delta) == (1, 0.5)


def test_every_ucb_policy_takes_the_same_keywords():
    settings = {"beta_min": 0.3, "delta": 0.2, "alpha": 2, "sigma": 0.4, "b1": 1, "b2": 1}
    for kind in (al.RidgeSurveyUCB, al.EpochSurveyUCB, al.LinUCB, al.OFUL):
        policy = kind(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1), **settings)
        assert (policy.delta, policy.alpha, policy.constants.sigma) == (0.2, 2, 0.4)


def test_a_penalty_beside_the_width_of_the_noise_is_refused():
    """Fails if a setting is taken that has nothing to say: the penalty follows from the noise."""
    given = {"arms": ["a", "b"], "reward": (0, 1), "width": "noise"}
    with pytest.raises(SettingError, match="leave alpha out"):
        al.LinUCB(al.Survey.unit(2), alpha=2, **given)
    with pytest.raises(SettingError, match="width is 'wide'; choose 'li2010' or 'noise'"):
        al.LinUCB(al.Survey.unit(2), **(given | {"width": "wide"}))


@pytest.mark.parametrize("m", [1, 2, 7, 60])
def test_the_price_of_a_support_counts_subsets(m):
    expected = [math.log((m + 1) * math.comb(m, h)) for h in range(m + 1)]
    np.testing.assert_allclose(log_supports(m), expected, rtol=1e-12, atol=1e-12)

"""The paper's environment: the same people and rewards in both codings."""

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError


@pytest.mark.parametrize("coding", ["centred", "raw"])
def test_expected_rewards_are_the_paper_s(coding):
    world = al.paper_environment(arms=6, features=4, coding=coding)
    block = next(world.respondents(0, 0))
    x = block.contexts[:, 1:] + (0.5 if coding == "centred" else 0.0)
    zero = np.zeros(len(x))
    # The paper's means, plus the noise's mean of a half.
    expected = np.stack([x[:, 0], x[:, 1], 1 - x[:, 0], zero, zero, zero], axis=1) + 0.5
    found = block.contexts @ world.coefficients.T + (1.0 if coding == "centred" else 0.0)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert world.useful.sum() == 3
    assert (world.reward.low, world.reward.high) == (0, 2)


def test_both_codings_have_the_same_respondents():
    centred, raw = (al.paper_environment(coding=coding) for coding in ("centred", "raw"))
    one, other = next(centred.respondents(3, 1)), next(raw.respondents(3, 1))
    np.testing.assert_array_equal(one.contexts[:, 1:] + 0.5, other.contexts[:, 1:])
    np.testing.assert_array_equal(one.luck, other.luck)


@pytest.mark.parametrize("settings", [{"arms": 0}, {"features": 1}, {"arms": 2.5}, {"arms": True}])
def test_sizes_are_whole_numbers(settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        al.paper_environment(**settings)

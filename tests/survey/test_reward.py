"""The reward range, and rewards on its grid."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from askless.errors import RewardError, SettingError
from askless.survey import RewardRange
from survey_strategies import refused

GRID = 16384


@st.composite
def ranges_and_rewards(draw):
    low = draw(st.floats(-1e6, 1e6))
    high = low + draw(st.floats(1e-3, 1e6))
    return RewardRange(low, high), draw(st.floats(low, high))


@given(ranges_and_rewards())
@settings(derandomize=True, deadline=None, max_examples=300)
def test_rewards_land_on_the_nearest_point_of_the_grid(pair):
    rewards, reward = pair
    low, high = Fraction(rewards.low), Fraction(rewards.high)
    for raw in (False, True):
        exact = (Fraction(reward) - (0 if raw else (low + high) / 2)) / (high - low)
        unit = rewards.in_units(reward, raw=raw)
        assert (unit * GRID).is_integer()
        # Half a step, and the rounding of numbers up to 1e9 spans away from zero.
        assert abs(Fraction(unit) - exact) <= Fraction(1, 2 * GRID) + Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("reward", "centred", "raw"),
    [(0, -0.5, 0.0), (100, 0.5, 1.0), (50, 0.0, 0.5), (25, -0.25, 0.25), (62.5, 0.125, 0.625)],
)
def test_units_are_measured_from_the_middle_or_from_zero(reward, centred, raw):
    rewards = RewardRange(0, 100)
    assert rewards.in_units(reward) == centred
    assert rewards.in_units(reward, raw=True) == raw


def test_raw_units_are_measured_from_zero_not_from_the_low_end():
    assert RewardRange(10, 20).in_units(15, raw=True) == 1.5
    assert RewardRange(-2, 2).in_units(-1, raw=True) == -0.25


def test_the_grid_has_16384_steps():
    rewards = RewardRange(0, GRID)
    assert rewards.in_units(3, raw=True) == 3 / GRID
    assert rewards.in_units(3.4, raw=True) == 3 / GRID
    assert rewards.in_units(2.6, raw=True) == 3 / GRID
    assert rewards.in_units(GRID / 2 - 3.4) == -3 / GRID


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
@example(1e16, 1e16 + 2)  # the middle of neighbours is no float
@example(0.0, 5e-324)  # half of the smallest float is none
@settings(derandomize=True, deadline=None)
def test_the_ends_of_every_range_are_minus_and_plus_a_half(one, other):
    assume(one != other)
    try:
        rewards = RewardRange(min(one, other), max(one, other))
    except SettingError as error:
        assert str(error).endswith(("too short", "too long"))  # refused rather than wrong
        return
    assert rewards.in_units(rewards.low) == -0.5
    assert rewards.in_units(rewards.high) == 0.5


def test_span_and_middle_belong_to_the_ends():
    rewards = RewardRange(-10, 30)
    assert (rewards.span, rewards.middle) == (40.0, 10.0)
    assert (type(rewards.low), type(rewards.high)) == (float, float)


@pytest.mark.parametrize("given_as", [(0, 5), [0, 5], np.array([0, 5]), RewardRange(0, 5)])
def test_a_range_is_given_as_a_pair_or_as_itself(given_as):
    assert RewardRange.of(given_as) == RewardRange(0, 5)


@pytest.mark.parametrize("reward", [5, None, (), (1,), (0, 1, 2), "range", "0 100"])
def test_a_range_that_is_no_pair_is_refused(reward):
    with refused(SettingError, "reward", repr(reward), "(low, high)"):
        RewardRange.of(reward)


@pytest.mark.parametrize("ends", [(1, 1), (2, 1), (0.0, -0.0)])
def test_a_low_end_not_below_the_high_end_is_refused(ends):
    with refused(SettingError, "reward", "below"):
        RewardRange.of(ends)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400, "1", None, True, [1]])
def test_ends_that_are_no_finite_numbers_are_refused(bad):
    with refused(SettingError, "reward", "low end"):
        RewardRange(bad, 2)
    with refused(SettingError, "reward", "high end"):
        RewardRange(-2, bad)


def test_a_range_too_long_for_a_float_is_refused():
    with refused(SettingError, "reward", "too long"):
        RewardRange(-1.7e308, 1.7e308)


@pytest.mark.parametrize("reward", [0, 100, 33.3, -0.0])
def test_a_reward_in_the_range_is_kept_as_given(reward):
    kept = RewardRange(0, 100).check(reward)
    assert kept == reward
    assert type(kept) is type(reward)


@pytest.mark.parametrize(
    ("reward", "plain"), [(np.float64(2.5), float), (np.int64(2), int), (np.float32(0.5), float)]
)
def test_a_numpy_reward_is_kept_as_plain_python(reward, plain):
    kept = RewardRange(0, 100).check(reward)
    assert kept == reward
    assert type(kept) is plain


@pytest.mark.parametrize("reward", [True, np.True_, False, np.False_])
def test_true_and_false_are_the_rewards_one_and_zero(reward):
    rewards = RewardRange(0, 1)
    assert rewards.check(reward) == int(reward)
    assert rewards.in_units(rewards.check(reward)) == int(reward) - 0.5


@pytest.mark.parametrize("reward", [-0.001, 100.001, 10**400, -(10**400), math.inf, -math.inf])
def test_a_reward_outside_the_range_is_refused_not_clipped(reward):
    with refused(RewardError, "reward", "outside", "0", "100"):
        RewardRange(0, 100).check(reward)


def test_a_reward_that_is_not_a_number_at_all_is_refused():
    for nan in (math.nan, np.float64("nan"), np.float32("nan")):
        with refused(RewardError, "reward", "nan"):
            RewardRange(0, 100).check(nan)


@pytest.mark.parametrize("reward", ["5", np.str_("5"), None, [5], 5j, Decimal(5), np.array(5.0)])
def test_a_reward_of_another_type_is_refused(reward):
    with refused(RewardError, "reward", "not a number"):
        RewardRange(0, 100).check(reward)


def test_a_reward_too_long_to_print_is_refused_as_a_reward():
    with refused(RewardError, "reward"):
        RewardRange(0, 100).check(10**5000)


@pytest.mark.parametrize(("low", "high"), [(0, 1e151), (-1e150, 1e150), (0, 1e-151)])
def test_a_range_whose_square_leaves_the_floats_is_refused(low, high):
    with pytest.raises(SettingError, match=r"too (long|short)"):
        RewardRange(low, high)

"""Linear environments: rewards on the grid, and respondents that depend on (seed, run) alone."""

import itertools

import numpy as np
import pytest
from scipy.stats import kstest, norm, truncnorm

import askless as al
from askless.errors import SettingError
from askless.kernels.outcome import noise, normal_quantile, outcome

SURVEY = al.Survey([al.Scale("age", low=0, high=1), al.Choice("cause", ["x", "y"], may_skip=True)])
TABLE = {"a": {"age": 0.4, "constant": 0.1}, "b": {"cause = x": 0.2, "cause (skipped)": -0.1}}


def world(**settings):
    given = {"coefficients": TABLE, "reward": (0, 1), "spread": 0.1} | settings
    return al.LinearEnvironment(SURVEY, arms=["a", "b"], **given)


def take(environment, seed, run, blocks=3):
    drawn = list(itertools.islice(environment.respondents(seed, run), blocks))
    return np.vstack([b.contexts for b in drawn]), np.concatenate([b.luck for b in drawn])


def test_a_table_by_name_is_the_table_by_column():
    np.testing.assert_array_equal(world().coefficients, [[0.1, 0.4, 0, 0, 0], [0, 0, 0.2, 0, -0.1]])
    assert world().useful.tolist() == [[True, False], [False, True]]
    same = world(coefficients=[[0.1, 0.4, 0, 0, 0], [0, 0, 0.2, 0, -0.1]])
    np.testing.assert_array_equal(same.coefficients, world().coefficients)


def test_respondents_depend_on_seed_and_run_alone():
    contexts, luck = take(world(), 5, 2)
    again = take(world(spread=0.0, coefficients={}), 5, 2)  # other rewards, the same people
    np.testing.assert_array_equal(contexts, again[0])
    np.testing.assert_array_equal(luck, again[1])
    for seed, run in ((5, 3), (6, 2), (2, 5)):
        other = take(world(), seed, run)
        assert (contexts != other[0]).any()
        assert (luck != other[1]).all()


@pytest.mark.parametrize("form", ["uniform", "two_point", "truncated_normal"])
def test_noise_has_mean_zero_its_spread_and_its_shape(form):
    environment = world(noise=form, spread=0.2)
    luck = np.random.default_rng(1).random(20_000)
    values = np.array([noise(environment.noise_form, 0.2, u) for u in luck])
    assert np.abs(values).max() <= 0.2
    assert abs(values.mean()) < 6 * 0.2 / np.sqrt(len(values))
    if form == "uniform":
        assert kstest(values / 0.4 + 0.5, "uniform").pvalue > 1e-6
    elif form == "two_point":
        assert set(values) == {-0.2, 0.2}
    else:
        assert kstest(values, truncnorm(-2, 2, scale=0.1).cdf).pvalue > 1e-6


def test_the_normal_quantile_is_scipy_s():
    u = np.linspace(0.02, 0.98, 97)
    np.testing.assert_allclose([normal_quantile(x) for x in u], norm.ppf(u), atol=1e-12)


def test_two_points_without_a_spread_are_the_ends_of_the_range_with_the_right_mean():
    environment = world(noise="two_point", spread=None)
    luck = (np.arange(10_000) + 0.5) / 10_000
    values = [outcome(environment.noise_form, 0.0, -0.5, 1.0, 0.25, u) for u in luck]
    assert set(values) == {-0.5, 0.5}
    assert np.mean(values) == pytest.approx(0.25, abs=1e-4)


def test_outcomes_lie_on_the_grid_of_rewards():
    for u in np.random.default_rng(0).random(200):
        value = outcome(0, 0.3, -0.5, 2.0, 0.123, u)
        assert value * 16384 == round(value * 16384)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"coefficients": {"c": {}}}, "no arm 'c'"),
        ({"coefficients": {"a": {"colour": 1}}}, "no column 'colour'.*age"),
        ({"coefficients": [[1, 2]]}, r"shape \(2, 5\)"),
        ({"coefficients": {"a": {"age": 1.1}}}, "arm 'a'.*leave the range"),
        ({"spread": 0.45}, "leave the range"),
        ({"spread": -1}, "spread is -1"),
        ({"spread": None}, "needs a spread"),
        ({"noise": "pink"}, "noise is 'pink'"),
        ({"coefficients": {"b": {"cause (skipped)": 0.6}}}, "arm 'b'"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        world(**settings)

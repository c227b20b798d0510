"""Linear environments: rewards on the grid, and respondents that depend on (seed, run) alone."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import kstest, norm, truncnorm

import askless as al
from askless import core
from askless.core.words import TRUNCATED_NORMAL, UNIFORM_NOISE
from askless.errors import SettingError
from outcomes import outcome

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


def test_worlds_of_different_numbers_draw_different_people_and_the_first_is_the_old_one():
    """Fails if two numbers share respondents, luck or eligibility, or if number 0 has changed."""
    eligible = {"a": 0.5}
    people = {}
    for number in (0, 1, 2, 2**32):
        other = world(number=number, eligible=eligible)
        people[number] = next(other.respondents(5, 2))
    for one, other in itertools.combinations(people.values(), 2):
        assert (one.contexts != other.contexts).any()
        assert (one.luck != other.luck).all()
        assert (one.allowed != other.allowed).any()
    # As in 0.1.0: two Philox streams of their own, keyed by (seed, run).
    luck = np.random.Philox(key=np.array([5, 2], dtype=np.uint64), counter=[0, 0, 0, 1])
    np.testing.assert_array_equal(np.random.Generator(luck).random(1024), people[0].luck)
    latent = np.random.Philox(key=np.array([5, 2], dtype=np.uint64), counter=[0, 0, 0, 0])
    model = world().answer_model
    contexts = model.contexts(np.random.Generator(latent), 1024)
    np.testing.assert_array_equal(contexts, people[0].contexts)


def test_limits_do_not_change_the_people():
    """Fails if eligibility is drawn from the stream of contexts or noise, or if None is not kept.

    A larger share opens the arm to more people, and changes nothing for the others.
    """
    free, few, many = (
        list(itertools.islice(world(eligible=given).respondents(3, 1), 2))
        for given in (None, {"a": 0.3}, {"a": 0.6})
    )
    assert [block.allowed for block in free] == [None, None]
    for one, other, third in zip(free, few, many, strict=True):
        np.testing.assert_array_equal(one.contexts, other.contexts)
        np.testing.assert_array_equal(one.luck, other.luck)
        assert (third.allowed | ~other.allowed).all()
        assert other.allowed[:, 1].all()
    assert world(eligible={"a": 1}).eligible.tolist() == [1, 1]
    assert next(world(eligible={"a": 1, "b": 1.0}).respondents(0, 0)).allowed is None


def test_shares_are_met_and_arms_answers_and_luck_are_independent_of_each_other():
    """Fails if a share is another one, or if one arm's eligibility tells anything.

    Each mean of n flags is off by more than sqrt(ln(2e9) / 2n) with probability 1e-9 at most
    (Hoeffding), n = 32 · 1024: by 0.018.
    """
    shares = {"a": 0.25, "b": 0.6, "c": 0.9}
    survey = al.Survey([al.YesNo("member")])
    environment = al.LinearEnvironment(
        survey, arms=[*shares, "d"], reward=(0, 1), spread=0.1, coefficients={}, eligible=shares
    )
    blocks = list(itertools.islice(environment.respondents(8, 0), 32))
    allowed = np.vstack([block.allowed for block in blocks])
    flags = [
        (environment.eligible[k], column.astype(bool)) for k, column in enumerate(allowed.T[:3])
    ]
    flags.append((0.5, np.concatenate([block.contexts[:, 1] > 0 for block in blocks])))
    flags.append((0.5, np.concatenate([block.luck < 0.5 for block in blocks])))
    slack = math.sqrt(math.log(2e9) / (2 * len(allowed)))
    assert allowed[:, 3].all()
    for share, flag in flags:
        assert abs(flag.mean() - share) <= slack
    for (one, mine), (other, theirs) in itertools.combinations(flags, 2):
        assert abs((mine & theirs).mean() - one * other) <= slack
    # Nor does a visit tell anything of the next one.
    for share, flag in flags[:3]:
        assert abs((flag[1:] & flag[:-1])[::2].mean() - share**2) <= math.sqrt(2) * slack


@pytest.mark.parametrize("form", ["uniform", "two_point", "truncated_normal"])
def test_noise_has_mean_zero_its_spread_and_its_shape(form):
    environment = world(noise=form, spread=0.2)
    luck = np.random.default_rng(1).random(20_000)
    values = np.array([core.noise(environment.noise_form, 0.2, u) for u in luck])
    assert np.abs(values).max() <= 0.2
    assert abs(values.mean()) < 6 * 0.2 / np.sqrt(len(values))
    if form == "uniform":
        assert kstest(values / 0.4 + 0.5, "uniform").pvalue > 1e-6
    elif form == "two_point":
        assert set(values) == {-0.2, 0.2}
    else:
        assert kstest(values, truncnorm(-2, 2, scale=0.1).cdf).pvalue > 1e-6


def test_the_normal_quantile_is_scipy_s():
    u, tail = np.linspace(0.02, 0.98, 97), norm.cdf(-2)
    luck = (u - tail) / (1 - 2 * tail)  # noise cuts off what is beyond two deviations
    found = [core.noise(TRUNCATED_NORMAL, 2.0, x) for x in luck]
    np.testing.assert_allclose(found, norm.ppf(u), atol=1e-12)


def test_two_points_without_a_spread_are_the_ends_of_the_range_with_the_right_mean():
    environment = world(noise="two_point", spread=None)
    luck = (np.arange(10_000) + 0.5) / 10_000
    values = [outcome((environment.noise_form, 0.0, -0.5), 1.0, 0.25, u) for u in luck]
    assert set(values) == {-0.5, 0.5}
    assert np.mean(values) == pytest.approx(0.25, abs=1e-4)


def test_outcomes_lie_on_the_grid_of_rewards():
    for u in np.random.default_rng(0).random(200):
        value = outcome((UNIFORM_NOISE, 0.3, -0.5), 2.0, 0.123, u)
        assert value * 16384 == round(value * 16384)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"coefficients": {"a": {"colour": 1}}}, "no column 'colour'.*age"),
        ({"coefficients": [[1, 2]]}, r"shape \(2, 5\)"),
        ({"coefficients": {"a": {"age": 1.1}}}, "arm 'a'.*leave the range"),
        ({"spread": 0.45}, "leave the range"),
        ({"spread": -1}, "spread is -1"),
        ({"spread": None}, "needs a spread"),
        ({"noise": "pink"}, "noise is 'pink'"),
        ({"coefficients": {"c": {}}}, "coefficients: there is no arm 'c'; the arms are a, b"),
        ({"coefficients": {"a": {"agee": 1}}}, "no column 'agee'; did you mean 'age'"),
        ({"eligible": {"c": 0.5}}, "eligible: there is no arm 'c'; the arms are a, b"),
        ({"eligible": {"a": 0}}, "share of arm 'a' is 0; give one above 0, at most 1"),
        ({"eligible": {"a": 1.5}}, "share of arm 'a' is 1.5"),
        ({"eligible": {"a": -0.1}}, "share of arm 'a' is -0.1"),
        ({"eligible": {"a": float("nan")}}, "share of arm 'a' is nan; give a finite number"),
        ({"eligible": {"a": True}}, "share of arm 'a' is True; give a number"),
        ({"eligible": {"a": 0.5, "b": 0.999}}, "no arm is open to everyone"),
        ({"eligible": ["a"]}, "give a dict of arm and share"),
        ({"number": -1}, "number is -1; give a whole number from 0 to 4294967296"),
        ({"number": 2**32 + 1}, "number is 4294967297"),
        ({"number": 1.0}, "number is 1.0"),
        ({"number": True}, "number is True"),
        ({"coefficients": {"b": {"cause (skipped)": 0.6}}}, "arm 'b'"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        world(**settings)

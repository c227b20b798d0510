"""The paper's bound is its formula, lies above regret where sets hold, and slopes are exact."""

import math

import numpy as np
import pytest

import askless as al
from askless.experiments.bound import regret_bound, slope


def naive_bound(plays, widest, p, length, alpha):
    """Add up the lemma arm by arm, from its logarithm of two determinants."""
    total = 0.0
    for n, theta in zip(plays, widest, strict=True):
        ratio = (p * alpha + n * length * length) / (p * alpha)
        total += theta * math.sqrt(8 * n * p * math.log(ratio))
    return total


def test_the_bound_is_the_lemma_s_sum_over_arms():
    rng = np.random.default_rng(1)
    plays, widest = rng.integers(0, 1_000, (4, 3)), rng.uniform(0.1, 9, (4, 3))
    found = regret_bound(plays, widest, columns=7, longest=2.5, alpha=0.3)
    expected = [naive_bound(plays[i], widest[i], 7, 2.5, 0.3) for i in range(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("kind", [al.RidgeSurveyUCB, al.ElasticNetSurveyUCB])
def test_regret_stays_below_the_bound_where_the_sets_hold(kind):
    world = al.paper_environment(arms=3, features=3)
    policy = kind(world.survey, arms=world.arms, reward=world.reward, beta_min=0.9, alpha=0.1)
    runs = al.simulate(policy, world, 3_000, runs=3, seed=5).runs
    for run in runs:
        bound = regret_bound(
            run.plays_at, run.widest_at, columns=4, longest=policy.constants.l2, alpha=0.1
        )
        assert (bound >= run.regret_at).all()
        assert (np.diff(bound) > 0).all()  # plays and the largest radius only grow
    assert policy.constants.l2 == pytest.approx(math.sqrt(1 + 3 / 4))


@pytest.mark.parametrize("power", [0.5, 0.75, 1.0])
def test_the_slope_of_a_power_is_its_exponent(power):
    visits = np.arange(500, 100_001, 500)
    assert slope(visits, 3.0 * visits**power) == pytest.approx(power, abs=1e-12)


def test_the_slope_looks_at_the_last_decade_alone():
    visits = np.arange(10, 10_001, 10)
    early = np.where(visits < 1_000, 1e6, visits**0.25)
    assert slope(visits, early) == pytest.approx(0.25, abs=1e-12)
    assert slope(visits, np.where(visits <= 1_000, 1e6, visits**0.25)) < 0.2  # 1,000 belongs to it


def test_there_is_no_slope_of_nothing():
    assert slope(np.array([100]), np.array([3.0])) is None
    assert slope(np.array([50, 100]), np.array([0.0, 3.0])) is None

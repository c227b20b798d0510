"""Predictive intervals hold the next value as often as they say, also with ties; chances too."""

import math

import numpy as np
import pytest
from scipy.stats import beta, binom

from askless.evaluation.intervals import chance, predictive


@pytest.mark.parametrize("count", [20, 60, 200])
def test_the_next_of_many_alike_is_inside_as_often_as_promised(count):
    # By symmetry the coverage is exactly 1 - out/(count + 1): which of count + 1 numbers is the
    # last one is a matter of chance. A quantile that interpolates would miss it at 20.
    rng = np.random.default_rng(count)
    trials = 4_000
    inside = 0
    for _ in range(trials):
        values = rng.gamma(2.0, size=count + 1)
        inside += values[-1] in predictive(values[:-1])
    promised = 1 - round(0.1 * (count + 1)) / (count + 1)
    low, high = binom.ppf([1e-6, 1 - 1e-6], trials, promised)
    assert low <= inside <= high


@pytest.mark.parametrize("end", [math.inf, -1.0])
@pytest.mark.parametrize("share", [0.03, 0.2, 0.6])
def test_what_many_share_is_left_out_at_the_other_end(end, share):
    # Without it, values of which 20% are "never" would be covered in 95% instead of 90%.
    rng = np.random.default_rng(7)
    trials, count = 4_000, 199
    inside = 0
    for _ in range(trials):
        values = rng.random(count + 1)
        values[rng.random(count + 1) < share] = end
        inside += values[-1] in predictive(values[:-1])
    slack = 5 * math.sqrt(0.9 * 0.1 / trials)
    # Where the tie is about as large as the tail, either way of leaving out may be taken.
    assert 0.9 - slack <= inside / trials <= (0.9 if share > 0.1 else 0.93) + slack


def test_what_all_share_is_all_there_is():
    assert predictive(np.full(50, 8.0)) == (8.0, 8.0, 8.0)
    assert all(math.isnan(end) for end in predictive(np.array([])))
    never = predictive(np.full(50, math.inf))
    assert math.inf in never
    assert 7.0 not in never


def test_the_median_lies_between_the_two_in_the_middle():
    assert predictive(np.array([1.0, 2.0, 4.0, 9.0])).middle == 3.0
    assert predictive(np.array([1.0, 2.0, 9.0])).middle == 2.0
    assert predictive(np.array([1.0, math.inf, math.inf])).middle == math.inf


@pytest.mark.parametrize(("count", "of"), [(0, 200), (3, 200), (100, 200), (200, 200)])
def test_a_chance_has_the_interval_of_clopper_and_pearson(count, of):
    found = chance(count, of)
    assert found.middle == count / of
    # Oracle: at either end, what was seen is as unlikely as it may be.
    if count:
        assert binom.sf(count - 1, of, found.low) == pytest.approx(0.05)
        assert found.low == pytest.approx(beta.ppf(0.05, count, of - count + 1))
    else:
        assert found.low == 0
    if count < of:
        assert binom.cdf(count, of, found.high) == pytest.approx(0.05)
    else:
        assert found.high == 1

"""Simulated answers: on the grid, of the stated distributions, correlated as stated."""

import numpy as np
import pytest
from scipy.stats import binom, kstest

import askless as al
from askless.environments import AnswerModel
from askless.errors import AsklessError

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["x", "y", "z"]),
        al.Multi("media", ["tv", "web"], may_skip=True),
        al.Scale("income", low=0, high=1),
    ]
)
COUNT = 20_000


def draw(**settings):
    return AnswerModel(SURVEY, **settings).contexts(np.random.default_rng(3), COUNT)


def within(count, probability):
    """Whether a count of COUNT is one that a true probability gives but once in a million."""
    low, high = binom.ppf([5e-7, 1 - 5e-7], COUNT, probability)
    return low <= count <= high


def test_every_context_is_one_that_the_survey_accepts_as_it_is():
    for row in draw(correlation=0.4)[:500]:
        np.testing.assert_array_equal(SURVEY.check_row(row), row)
        assert set(SURVEY.decode(row)) == set(SURVEY.names)


def test_defaults_are_uniform():
    z = draw()
    assert (
        kstest(
            z[:, 1] + 0.5 + np.random.default_rng(0).uniform(-1, 1, COUNT) / 2048, "uniform"
        ).pvalue
        > 1e-6
    )
    skipped = z[:, SURVEY.columns_of("donor")][:, -1]
    assert within(skipped.sum(), 0.1)
    assert within((z[:, 2] == 0.5).sum(), 0.9 * 0.5)
    for column in z[:, SURVEY.columns_of("cause")].T:
        assert within(column.sum(), 1 / 3)


def test_stated_distributions_are_drawn():
    z = draw(
        answers={"age": (2, 5), "donor": 0.9, "cause": [0.7, 0.3, 0], "media": [0.2, 0.6]},
        skips={"donor": 0.5, "media": 0},
    )
    age = z[:, 1] + 0.5 + np.random.default_rng(0).uniform(-1, 1, COUNT) / 2048
    assert kstest(age, "beta", args=(2, 5)).pvalue > 1e-6
    assert within((z[:, 2] == 0.5).sum(), 0.5 * 0.9)
    assert [within(c.sum(), p) for c, p in zip(z[:, 4:7].T, [0.7, 0.3, 0], strict=True)] == [
        True
    ] * 3
    assert within((z[:, 7] == 0.5).sum(), 0.2)
    assert within((z[:, 8] == 0.5).sum(), 0.6)
    assert (z[:, 9] == 0).all()


def test_answers_are_correlated_as_stated():
    matrix = np.eye(5)
    matrix[0, 4] = matrix[4, 0] = 0.8
    z = draw(correlation=matrix)
    # Uniform marginals under a Gaussian copula of correlation r correlate with 6/π·asin(r/2).
    found, expected = np.corrcoef(z[:, 1], z[:, 10])[0, 1], 6 / np.pi * np.arcsin(0.4)
    assert abs(found - expected) < 6 / np.sqrt(COUNT)
    assert abs(np.corrcoef(z[:, 1], z[:, 4])[0, 1]) < 6 / np.sqrt(COUNT)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"answers": {"colour": 1}}, "'colour'"),
        ({"answers": {"age": 1}}, "'age'.*Beta"),
        ({"answers": {"age": (0, 1)}}, "'age'.*above 0"),
        ({"answers": {"donor": 1.5}}, "'donor'.*a probability"),
        ({"answers": {"cause": [0.5, 0.5]}}, "'cause'.*3 probabilities"),
        ({"answers": {"cause": [0.5, 0.4, 0]}}, "'cause'.*sum to 0.9"),
        ({"skips": 2}, "skips of 'donor'.*2"),
        ({"skips": {"colour": 0.1}}, "'colour'"),
        ({"correlation": [[1, 0.5], [0.5, 1]]}, "5 × 5"),
        ({"correlation": -0.9}, "positive definite"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(AsklessError, match=message):
        AnswerModel(SURVEY, **settings)

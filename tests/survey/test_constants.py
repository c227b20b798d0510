"""The derived constants, against every mean that stays in the reward range (maths 1.2)."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag, null_space
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection

from askless.survey import Choice, Constants, Multi, RewardRange, Scale, Survey, YesNo
from survey_strategies import OPTIONS, answers_to, extreme_contexts, extreme_values, surveys


def scale(name, **settings):
    return Scale(name, low=0, high=10, **settings)


PLAIN = {
    "one scale": [scale("a")],
    "scales and yes/no": [scale("a"), scale("b"), YesNo("c")],
    "a multi": [Multi("a", OPTIONS[:3]), scale("b")],
}
MIXED = {
    "a choice of 2": [Choice("a", OPTIONS[:2]), scale("b")],
    "a choice of 3": [Choice("a", OPTIONS[:3]), YesNo("b")],
    "a choice of 4": [Choice("a", OPTIONS[:4])],
    "a choice of 6": [Choice("a", OPTIONS[:6])],
    "two choices": [Choice("a", OPTIONS[:3]), Choice("b", OPTIONS[:3])],
    "a scale with skip": [scale("a", may_skip=True), YesNo("b")],
    "a multi with skip": [Multi("a", OPTIONS[:3], may_skip=True)],
    "a choice with skip": [Choice("a", OPTIONS[:3], may_skip=True), scale("b")],
    "skips and a choice": [YesNo("a", may_skip=True), Choice("b", OPTIONS[:4], may_skip=True)],
}


def sum_to_zero(survey):
    """Rows whose products with a parameter are the sums of each choice's options."""
    rows = []
    for question in survey:
        if isinstance(question, Choice):
            row = np.zeros(survey.column_count)
            first = survey.columns_of(question.name).start
            row[first : first + len(question.options)] = 1.0
            rows.append(row)
    return np.array(rows).reshape(-1, survey.column_count)


# -- sigma and the closed forms ------------------------------------------------------------------


@pytest.mark.parametrize("questions", PLAIN.values(), ids=PLAIN)
def test_a_plain_survey_has_the_length_of_the_range_for_both_norms(questions):
    constants = Constants.derive(Survey(questions), 100.0)
    assert (constants.sigma, constants.b1, constants.b2) == (50.0, 100.0, 100.0)


@pytest.mark.parametrize(
    ("questions", "squared", "absolute"),
    [
        # c² and c' of the question with the largest factors, by the table of maths 1.2.
        ([scale("a"), Choice("b", OPTIONS[:2])], 1, 1),
        ([scale("a"), Choice("b", OPTIONS[:3])], 1, 1.5),
        ([Choice("b", OPTIONS[:6]), scale("a", may_skip=True)], 1.5, 3),
        ([scale("a", may_skip=True), YesNo("b")], 1.25, 1.5),
        ([Multi("a", OPTIONS, may_skip=True)], 1.25, 1.5),
        ([Choice("b", OPTIONS[:6], may_skip=True), scale("a")], 2.5, 4),
    ],
)
def test_other_surveys_add_the_constant_to_the_largest_factors(questions, squared, absolute):
    constants = Constants.derive(Survey(questions), 10.0)
    assert constants.sigma == 5.0
    assert constants.b2 == pytest.approx(10 * math.sqrt(0.25 + squared), rel=1e-15)
    assert constants.b1 == pytest.approx(10 * (0.5 + absolute), rel=1e-15)


@pytest.mark.parametrize("d", [1, 4, 50])
def test_raw_coding_has_the_papers_constants(d):
    constants = Constants.derive(Survey.unit(d, coding="raw"), 2.0)
    assert (constants.sigma, constants.l_inf) == (1.0, 1.0)
    assert constants.b1 == d
    assert constants.b2 == pytest.approx(math.sqrt(d), rel=1e-15)
    assert constants.l2 == pytest.approx(math.sqrt(1 + d), rel=1e-15)


def test_the_deviation_of_any_reward_in_the_range_is_at_most_sigma():
    # A fair coin between the ends has the largest variance, and attains it.
    rewards = RewardRange(-3, 5)
    sigma = Constants.derive(Survey.unit(1), rewards.span).sigma
    assert np.std([rewards.low, rewards.high]) == sigma


# -- the norms of contexts -----------------------------------------------------------------------


@given(surveys(most=3, most_options=5), st.data())
@settings(derandomize=True, deadline=None)
def test_no_context_is_longer_than_the_derived_norms_and_one_is_as_long(survey, data):
    constants = Constants.derive(survey, 1.0)
    extreme = extreme_contexts(survey)
    longest = np.linalg.norm(extreme, axis=1).max()
    assert constants.l2 == pytest.approx(longest, rel=1e-14)
    assert constants.l_inf == np.abs(extreme).max()
    z = survey.encode({question.name: data.draw(answers_to(question)) for question in survey})
    assert np.linalg.norm(z) <= constants.l2 * (1 + 1e-14)
    assert np.abs(z).max() <= constants.l_inf


@pytest.mark.parametrize(
    ("questions", "squared"),
    [
        ([scale("a")], 1.25),
        ([scale("a", may_skip=True)], 2),  # the skip is longer than the answers
        ([Choice("a", OPTIONS[:3]), YesNo("b")], 2.25),
        ([Multi("a", OPTIONS[:8])], 3),
        ([Multi("a", OPTIONS[:8], may_skip=True)], 3),  # the answers are longer than the skip
        ([Multi("a", OPTIONS[:2], may_skip=True)], 2),
    ],
)
def test_the_longest_context_of_a_few_surveys_by_hand(questions, squared):
    l2 = Constants.derive(Survey(questions), 1.0).l2
    assert l2 == pytest.approx(math.sqrt(squared), rel=1e-15)


# -- the norms of parameters ---------------------------------------------------------------------


@pytest.mark.slow
@given(
    surveys(most=4, most_options=6),
    st.integers(0, 2**32 - 1),
    st.floats(1e-3, 1e3),
    st.sampled_from([0.0, 0.5, 0.9]),
)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_random_means_that_fill_the_range_keep_the_bounds(survey, seed, span, sparse):
    rng = np.random.default_rng(seed)
    p = survey.column_count
    b = rng.standard_cauchy(p) * (rng.random(p) >= sparse)
    b[rng.integers(1, p)] = 1.0  # one coefficient that is surely not zero
    contexts = extreme_contexts(survey)
    means = contexts @ b
    for question in survey:
        if isinstance(question, Choice):
            own = survey.columns_of(question.name)
            options = slice(own.start, own.start + len(question.options))
            t = b[options].mean()
            b[options] -= t
            b[0] += t
            if question.may_skip:
                b[own.stop - 1] -= t
    # Moving a choice's mean about has not changed any mean reward.
    assert contexts @ b == pytest.approx(means, rel=1e-9, abs=1e-9 * np.abs(means).max())
    b[0] -= (means.max() + means.min()) / 2
    b *= span / np.ptp(means)
    assert np.abs(contexts @ b).max() == pytest.approx(span / 2, rel=1e-6)
    constants = Constants.derive(survey, span)
    assert np.linalg.norm(b) <= constants.b2 * (1 + 1e-9)
    assert np.abs(b).sum() <= constants.b1 * (1 + 1e-9)


def corners(survey, span):
    """Every corner of the set of parameters whose means stay in the range."""
    sums = sum_to_zero(survey)
    basis = null_space(sums) if len(sums) else np.eye(survey.column_count)
    means = extreme_contexts(survey) @ basis
    sides = np.vstack([means, -means])
    halfspaces = np.hstack([sides, np.full((len(sides), 1), -span / 2)])
    found = HalfspaceIntersection(halfspaces, np.zeros(basis.shape[1])).intersections
    return found[np.isfinite(found).all(axis=1)] @ basis.T


@pytest.mark.parametrize("questions", MIXED.values(), ids=MIXED)
def test_no_corner_of_the_parameter_set_passes_the_bounds(questions):
    survey = Survey(questions)
    constants = Constants.derive(survey, 8.0)
    found = corners(survey, 8.0)
    longest = np.linalg.norm(found, axis=1).max()
    largest = np.abs(found).sum(axis=1).max()
    assert longest <= constants.b2 * (1 + 1e-9)
    assert largest <= constants.b1 * (1 + 1e-9)
    # Not far above either: half of either bound would be wrong on every one of these surveys.
    assert longest > 0.5 * constants.b2
    assert largest > 0.5 * constants.b1


@pytest.mark.parametrize("questions", PLAIN.values(), ids=PLAIN)
def test_the_corners_of_a_plain_survey_attain_the_bounds(questions):
    survey = Survey(questions)
    constants = Constants.derive(survey, 8.0)
    found = corners(survey, 8.0)
    assert np.linalg.norm(found, axis=1).max() == pytest.approx(constants.b2, rel=1e-9)
    assert np.abs(found).sum(axis=1).max() == pytest.approx(constants.b1, rel=1e-9)


def worst_in_direction(survey, direction, span):
    """Maximise direction'b over the parameters whose means stay in the range.

    Questions are answered freely, so the largest mean is the constant and each question's
    largest part; with a variable for each such part and each smallest one, this is linear.
    """
    m, p = len(survey), survey.column_count
    values = [extreme_values(question) for question in survey]
    owner = np.repeat(np.eye(m), [len(v) for v in values], axis=0)
    parts = np.hstack([np.zeros((len(owner), 1)), block_diag(*values)])
    none = np.zeros_like(owner)
    constant = np.eye(p)[:1]
    rows = np.vstack(
        [
            np.hstack([parts, -owner, none]),
            np.hstack([-parts, none, owner]),
            np.hstack([constant, np.ones((1, m)), np.zeros((1, m))]),
            np.hstack([-constant, np.zeros((1, m)), -np.ones((1, m))]),
        ]
    )
    limits = np.concatenate([np.zeros(2 * len(owner)), [span / 2, span / 2]])
    sums = sum_to_zero(survey)
    equal = np.hstack([sums, np.zeros((len(sums), 2 * m))]) if len(sums) else None
    found = linprog(
        np.concatenate([-direction, np.zeros(2 * m)]),
        A_ub=rows,
        b_ub=limits,
        A_eq=equal,
        b_eq=None if equal is None else np.zeros(len(sums)),
        bounds=(None, None),
    )
    assert found.status == 0
    return found.x[:p]


@pytest.mark.slow
@given(surveys(most=8, most_options=6), st.integers(0, 2**32 - 1))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_linear_programming_finds_no_parameter_beyond_the_bounds(survey, seed):
    rng = np.random.default_rng(seed)
    constants = Constants.derive(survey, 1.0)
    for _ in range(4):
        signs = rng.choice([-1.0, 1.0], survey.column_count)
        # Where the linear function is steep on one question only, corners are longest.
        chosen = survey.columns_of(survey.names[rng.integers(len(survey))])
        steep = np.where(np.isin(np.arange(survey.column_count), np.r_[chosen]), 1.0, 0.01)
        for direction in (signs, signs * steep):
            b = worst_in_direction(survey, direction, 1.0)
            assert np.linalg.norm(b) <= constants.b2 * (1 + 1e-7)
            assert np.abs(b).sum() <= constants.b1 * (1 + 1e-7)


def test_linear_programming_attains_the_bounds_of_a_plain_survey():
    survey = Survey([scale(f"q{i}") for i in range(12)])
    b = worst_in_direction(survey, np.linspace(0.1, 1, 13), 3.0)
    constants = Constants.derive(survey, 3.0)
    assert np.linalg.norm(b) == pytest.approx(constants.b2, rel=1e-9)
    assert np.abs(b).sum() == pytest.approx(constants.b1, rel=1e-9)

"""Effects of the four kinds: directions, extremes, points and norms (maths 1)."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.spatial import HalfspaceIntersection

from askless.survey import Choice, Multi, Scale, YesNo
from four_questions import AGE, CAUSE, DONOR, MEDIA
from survey_strategies import (
    OPTIONS,
    encoded,
    extreme_answers,
    extreme_values,
    questions,
)


@given(questions(), st.data())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_the_effect_is_the_largest_change_between_any_two_answers(question, data):
    # Eighths, so that both sides are exact.
    eighths = st.lists(st.integers(-40, 40), min_size=question.width, max_size=question.width)
    b = np.array(data.draw(eighths)) / 8
    values = extreme_values(question)
    changes = [abs((u - v) @ b) for u, v in itertools.combinations(values, 2)]
    assert question.effect(b) == max(changes)
    assert np.abs(question.directions() @ b).max() == max(changes)


@given(questions())
@settings(derandomize=True, deadline=None)
def test_every_direction_is_a_difference_of_answers_and_none_is_there_twice(question):
    values = extreme_values(question)
    differences = {tuple(u - v) for u, v in itertools.product(values, repeat=2)}
    directions = [tuple(w) for w in question.directions()]
    assert set(directions) <= differences
    both_ways = {*directions, *(tuple(-x for x in w) for w in directions)}
    assert len(both_ways) == 2 * len(directions)


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(
    ("make", "between", "extremes"),
    [
        (lambda skip: Scale("q", low=0, high=1, may_skip=skip), 1, 2),
        (lambda skip: YesNo("q", may_skip=skip), 1, 2),
        *(
            (lambda skip, r=r: Choice("q", OPTIONS[:r], may_skip=skip), r * (r - 1) // 2, r)
            for r in (2, 3, 6, 10)
        ),
        *(
            (lambda skip, r=r: Multi("q", OPTIONS[:r], may_skip=skip), 2 ** (r - 1), 2**r)
            for r in (1, 2, 3, 6, 10)
        ),
    ],
)
def test_directions_are_counted_by_pairs_patterns_and_skips(make, skip, between, extremes):
    question = make(skip)
    assert question.directions().shape == (between + skip * extremes, question.width)
    assert len(question.extremes()) == extremes


@given(questions())
@settings(derandomize=True, deadline=None)
def test_extremes_are_the_answers_without_the_skip(question):
    given_answers = [a for a in extreme_answers(question) if a is not None]
    own = {tuple(encoded(question, a)[: question.own_width]) for a in given_answers}
    assert {tuple(point) for point in question.extremes()} == own
    assert len(question.extremes()) == len(own)


@given(questions())
@settings(derandomize=True, deadline=None)
def test_points_are_every_extreme_answer_with_the_skip_last(question):
    points = [tuple(point) for point in question.points()]
    assert sorted(points) == sorted(map(tuple, extreme_values(question)))
    assert len(question.point_names()) == len(points)
    if question.may_skip:
        assert points[-1] == tuple(encoded(question, None))


@pytest.mark.parametrize(
    ("question", "named"),
    [
        (Scale("q", low=1, high=2.5, may_skip=True), {"1": 1, "2.5": 2.5, "a skip": None}),
        (YesNo("q"), {"no": False, "yes": True}),
        (CAUSE, {option: option for option in CAUSE.options}),
        (
            Multi("q", ["a", "b"]),
            {"none of them": [], "a": ["a"], "b": ["b"], "a, b": ["a", "b"]},
        ),
    ],
)
def test_every_point_is_named_after_its_answer(question, named):
    points = dict(zip(question.point_names(), question.points().tolist(), strict=True))
    assert points == {name: encoded(question, a).tolist() for name, a in named.items()}


def test_a_raw_scale_has_its_extremes_at_zero_and_one():
    assert sorted(AGE.extremes(raw=True).ravel()) == [0.0, 1.0]
    assert AGE.points(raw=True).tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize(
    ("question", "squared", "plain"),
    [
        (AGE, 1, 1),
        (DONOR, 1, 1),
        (MEDIA, 1, 1),
        (Scale("q", low=0, high=1, may_skip=True), 1.25, 1.5),
        (YesNo("q", may_skip=True), 1.25, 1.5),
        (Multi("q", OPTIONS[:3], may_skip=True), 1.25, 1.5),
        (Choice("q", OPTIONS[:2]), 0.5, 1),
        (CAUSE, 0.75, 1.5),
        (Choice("q", OPTIONS[:8]), 2, 4),
        (Choice("q", OPTIONS[:2], may_skip=True), 1.5, 2),
        (Choice("q", OPTIONS[:8], may_skip=True), 3, 5),
    ],
)
def test_norm_factors_are_those_of_the_table(question, squared, plain):
    assert question.norm_factors() == (squared, plain)


def parameters_of_effect_one(question):
    """Corners of the set of coefficients of effect at most 1, a choice's summing to zero."""
    values = extreme_values(question)
    differences = np.array([u - v for u, v in itertools.permutations(values, 2)])
    basis = np.eye(question.width)
    if isinstance(question, Choice):
        basis = null_space(np.array([[1.0] * question.own_width + [0.0] * question.may_skip]))
    reduced = differences @ basis
    if basis.shape[1] == 1:  # an interval, for which there is no hull to compute
        return np.array([[-1.0], [1.0]]) / np.abs(reduced).max() @ basis.T
    halfspaces = np.hstack([reduced, -np.ones((len(reduced), 1))])
    corners = HalfspaceIntersection(halfspaces, np.zeros(basis.shape[1])).intersections
    return corners[np.isfinite(corners).all(axis=1)] @ basis.T


@pytest.mark.parametrize(
    ("question", "attained"),
    [
        (AGE, True),
        (Multi("q", OPTIONS[:3]), True),
        (YesNo("q", may_skip=True), True),
        (Multi("q", OPTIONS[:3], may_skip=True), True),
        (Choice("q", OPTIONS[:2]), True),
        (Choice("q", OPTIONS[:3]), False),
        (Choice("q", OPTIONS[:4]), True),
        (Choice("q", OPTIONS[:5]), False),
        (Choice("q", OPTIONS[:6]), True),
        (Choice("q", OPTIONS[:2], may_skip=True), False),
        (Choice("q", OPTIONS[:5], may_skip=True), False),
    ],
)
def test_norm_factors_bound_every_corner_and_are_attained_where_claimed(question, attained):
    corners = parameters_of_effect_one(question)
    squared = (corners**2).sum(axis=1).max()
    plain = np.abs(corners).sum(axis=1).max()
    assert squared <= question.norm_factors()[0] + 1e-9
    assert plain <= question.norm_factors()[1] + 1e-9
    if attained:
        assert (squared, plain) == pytest.approx(question.norm_factors(), rel=1e-9)


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(
    "question",
    [
        AGE,
        DONOR,
        CAUSE,
        MEDIA,
        Multi("has", [*"abcdefgh"]),
        Multi("said", ["yes", "no", "yes, no"]),  # an option that reads like two of them
    ],
    ids=lambda question: question.name,
)
def test_every_direction_has_a_name_of_its_own_that_says_which_answers_it_is_of(question, skip):
    """Fails if a name is empty, there twice, or that of two other answers."""
    question = dataclasses.replace(question, may_skip=skip)
    names = question.direction_names()
    assert len(set(names)) == len(names) == len(question.directions())
    points = dict(zip(question.point_names(), question.points(), strict=True))
    assert len(points) == len(question.points())
    for name, direction in zip(names, question.directions(), strict=True):
        first, second = name.split(" - ")
        np.testing.assert_array_equal(points[first] - points[second], direction)

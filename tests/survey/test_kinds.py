"""The four kinds: their descriptions, their answers, their columns and their effects."""

import dataclasses
import enum
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.spatial import HalfspaceIntersection
from survey_strategies import (
    OPTIONS,
    STEP,
    answers_to,
    encoded,
    extreme_answers,
    extreme_values,
    questions,
    refused,
    scales,
)

from askless.errors import AnswerError, SettingError
from askless.survey import Choice, Multi, Scale, YesNo
from askless.survey.kinds import KINDS

AGE = Scale("age", low=18, high=90)
DONOR = YesNo("donor")
CAUSE = Choice("cause", ["children", "animals", "climate"])
MEDIA = Multi("media", ["tv", "radio", "web"])


class Cause(str, enum.Enum):  # noqa: UP042 (its str() is not its text)
    """An enumeration of texts, as applications keep their options."""

    CHILDREN = "children"
    ANIMALS = "animals"
    CLIMATE = "climate"


# -- descriptions --------------------------------------------------------------------------------


def test_the_kinds_are_known_by_the_words_of_study_files():
    kinds = {"scale": Scale, "yes_no": YesNo, "choice": Choice, "multi": Multi}
    assert kinds == KINDS


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (0.0, -0.0)])
def test_a_scale_whose_low_end_is_not_below_its_high_end_is_refused(low, high):
    with refused(SettingError, "question 'age'", "low", "below"):
        Scale("age", low=low, high=high)


@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400])
def test_a_scale_with_an_end_that_is_not_finite_is_refused(end, bad):
    with refused(SettingError, "question 'age'", end, "finite"):
        Scale("age", **{"low": 0, "high": 1, end: bad})


@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("bad", ["1", None, True, [1]])
def test_a_scale_with_an_end_that_is_no_number_is_refused(end, bad):
    with refused(SettingError, "question 'age'", end, repr(bad)):
        Scale("age", **{"low": 0, "high": 1, end: bad})


def test_a_scale_too_long_for_a_float_is_refused():
    with refused(SettingError, "question 'age'", "too long"):
        Scale("age", low=-1e308, high=1e308)


def test_the_ends_of_a_scale_are_kept_as_floats():
    scale = Scale("age", low=np.int64(1), high=3)
    assert (scale.low, scale.high) == (1.0, 3.0)
    assert (type(scale.low), type(scale.high)) == (float, float)


@pytest.mark.parametrize("count", [0, 1])
def test_a_choice_with_fewer_than_two_options_is_refused(count):
    with refused(SettingError, "question 'cause'", "options", f"has {count}"):
        Choice("cause", OPTIONS[:count])


def test_a_choice_takes_two_to_a_hundred_options():
    assert len(Choice("cause", ["a", "b"]).options) == 2
    assert len(Choice("cause", [str(i) for i in range(100)]).options) == 100
    with refused(SettingError, "question 'cause'", "options", "has 101"):
        Choice("cause", [str(i) for i in range(101)])


def test_a_multi_takes_one_to_ten_options():
    assert Multi("media", OPTIONS[:1]).options == ("tv",)
    assert len(Multi("media", OPTIONS).options) == 10
    with refused(SettingError, "question 'media'", "options", "has 0"):
        Multi("media", [])
    with refused(SettingError, "question 'media'", "options", "has 11"):
        Multi("media", [*OPTIONS, "eleven"])


optioned = pytest.mark.parametrize("kind", [Choice, Multi])


@optioned
def test_an_option_given_twice_is_refused(kind):
    with refused(SettingError, "question 'q'", "'b'", "twice"):
        kind("q", ["a", "b", "c", "b"])


@optioned
@pytest.mark.parametrize("options", ["abc", None, 3])
def test_options_that_are_no_list_are_refused(kind, options):
    with refused(SettingError, "question 'q'", "options", "list"):
        kind("q", options)


@optioned
def test_an_option_without_a_name_is_refused(kind):
    with refused(SettingError, "question 'q'", "option", "empty"):
        kind("q", ["a", " "])


@optioned
@pytest.mark.parametrize("option", [False, 3, None, ["a"]])
def test_an_option_that_is_no_text_is_refused(kind, option):
    with refused(SettingError, "question 'q'", "option", repr(option)):
        kind("q", ["a", option])


@optioned
def test_options_are_kept_in_order_as_plain_texts(kind):
    question = kind("q", np.array(["web", "tv", "a"]))
    assert question.options == ("web", "tv", "a")
    assert {type(option) for option in question.options} == {str}


@optioned
def test_options_from_an_enumeration_are_its_texts(kind):
    assert kind("q", list(Cause)).options == ("children", "animals", "climate")


# -- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [17.999, 90.001, -1, 91, 10**400, -(10**400)])
def test_a_number_outside_its_scale_is_refused_not_clipped(answer):
    with refused(AnswerError, "question 'age'", repr(answer), "18", "90"):
        AGE.check(answer)


@pytest.mark.parametrize("answer", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_a_number_that_is_not_finite_is_refused(answer):
    with refused(AnswerError, "question 'age'", repr(float(answer))):
        AGE.check(answer)


@pytest.mark.parametrize("answer", [True, np.True_, "30", "", [30], 30j, {}, np.array([30.0])])
def test_an_answer_to_a_scale_that_is_no_number_is_refused(answer):
    with refused(AnswerError, "question 'age'", "a number from 18 to 90"):
        AGE.check(answer)


def test_a_bool_is_no_number_even_where_zero_and_one_would_fit():
    with refused(AnswerError, "question 'q'", "True"):
        Scale("q", low=0, high=1).check(True)


def test_a_number_too_long_to_print_is_refused_as_an_answer():
    with refused(AnswerError, "question 'age'"):
        AGE.check(10**5000)


@pytest.mark.parametrize("answer", [0, 1, np.int64(1), "yes", "", 0.5, []])
def test_an_answer_to_yes_or_no_that_is_neither_is_refused(answer):
    with refused(AnswerError, "question 'donor'", "True or False"):
        DONOR.check(answer)


@pytest.mark.parametrize(
    "answer", ["Animals", "", "animals ", 1, True, ["animals"], np.array("animals")]
)
def test_an_answer_that_is_no_option_is_refused(answer):
    with refused(AnswerError, "question 'cause'", repr(answer), "'climate'"):
        CAUSE.check(answer)


@pytest.mark.parametrize("answer", ["tv", "", 3, True, {"tv": True}, np.str_("tv"), np.array("tv")])
def test_an_answer_to_a_multi_that_is_no_list_is_refused(answer):
    with refused(AnswerError, "question 'media'", "a list of some of"):
        MEDIA.check(answer)


@pytest.mark.parametrize("answer", [["tv", "film"], ["TV"], [True], [["tv"]], [None], [1.0]])
def test_an_unknown_option_in_a_multi_is_refused(answer):
    with refused(AnswerError, "question 'media'", repr(answer), "'radio'"):
        MEDIA.check(answer)


@pytest.mark.parametrize("answer", [["tv", "web", "tv"], ("tv", "tv"), np.array(["tv", "tv"])])
def test_a_doubled_option_in_a_multi_is_refused(answer):
    with refused(AnswerError, "question 'media'", "at most once"):
        MEDIA.check(answer)


@pytest.mark.parametrize(
    ("question", "answer", "plain"),
    [
        (AGE, np.float64(30.5), 30.5),
        (AGE, np.float32(30.5), 30.5),
        (AGE, np.int64(30), 30),
        (AGE, np.uint8(30), 30),
        (DONOR, np.True_, True),
        (DONOR, np.False_, False),
        (CAUSE, np.str_("climate"), "climate"),
        (MEDIA, np.array(["web", "tv"]), ["tv", "web"]),
        (MEDIA, [np.str_("radio")], ["radio"]),
        (MEDIA, np.array([], dtype=str), []),
    ],
)
def test_numpy_answers_are_kept_as_plain_python(question, answer, plain):
    kept = question.check(answer)
    assert json.loads(json.dumps(kept)) == plain
    assert type(kept) is type(plain)
    assert not isinstance(plain, list) or {type(option) for option in kept} <= {str}


@pytest.mark.parametrize(
    "answer", [["web", "tv"], ("web", "tv"), {"web", "tv"}, frozenset(["web", "tv"])]
)
def test_the_answer_to_a_multi_is_kept_in_the_order_of_its_options(answer):
    assert MEDIA.check(answer) == ["tv", "web"]


@pytest.mark.parametrize("answer", [18, 90, 18.0, 33.3])
def test_a_number_on_its_scale_is_kept_as_given(answer):
    assert AGE.check(answer) == answer
    assert type(AGE.check(answer)) is type(answer)


def test_an_answer_from_an_enumeration_of_texts_is_its_text():
    assert CAUSE.check(Cause.ANIMALS) == "animals"
    assert CAUSE.encode(Cause.ANIMALS).tolist() == [0.0, 1.0, 0.0]
    assert Multi("q", ["children", "animals"]).encode([Cause.ANIMALS]).tolist() == [-0.5, 0.5]


# -- encoding ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "centred", "raw"),
    [
        (18, -0.5, 0.0),
        (27, -0.375, 0.125),
        (54, 0.0, 0.5),
        (90, 0.5, 1.0),
        (18.1, -511 / 1024, STEP),
    ],
)
def test_a_scale_is_its_share_of_the_way_on_the_grid(answer, centred, raw):
    # 18.1 is 0.1/72 = 1.42 steps of 1/1024 above the low end.
    assert AGE.encode(answer).tolist() == [centred]
    assert AGE.encode(answer, raw=True).tolist() == [raw]


@pytest.mark.parametrize(("answer", "steps"), [(0.3, 307), (0.7, 717), (0.9999, 1024), (4e-4, 0)])
def test_a_scale_takes_the_nearest_step(answer, steps):
    # 307.2, 716.8, 1023.9 and 0.41 steps.
    unit = Scale("q", low=0, high=1)
    assert unit.encode(answer, raw=True).tolist() == [steps * STEP]
    assert unit.encode(answer).tolist() == [steps * STEP - 0.5]


@given(questions())
@settings(derandomize=True, deadline=None)
def test_extreme_answers_are_encoded_as_the_table_says(question):
    for answer in extreme_answers(question):
        assert question.encode(answer).tolist() == encoded(question, answer).tolist()


@given(questions(), st.data())
@settings(derandomize=True, deadline=None, max_examples=300)
def test_an_answer_comes_back_from_its_columns(question, data):
    answer = data.draw(answers_to(question))
    values = question.encode(answer)
    assert np.all(values * 1024 == np.round(values * 1024))
    back = question.decode(values)
    if isinstance(question, Scale) and answer is not None:
        half_a_step = STEP / 2 * (question.high - question.low)
        rounding = 1e-12 * max(abs(question.low), abs(question.high))
        assert question.low <= back <= question.high
        assert abs(back - answer) <= half_a_step + rounding
    else:
        assert back == answer
        assert type(back) is type(answer)
    assert question.encode(back).tobytes() == values.tobytes()


@given(scales(may_skip=False), st.integers(0, 1024))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_every_point_of_a_scales_grid_survives_decoding_bit_for_bit(scale, step):
    raw, centred = np.array([step * STEP]), np.array([step * STEP - 0.5])
    assert scale.encode(scale.decode(centred)).tobytes() == centred.tobytes()
    assert scale.encode(scale.decode(raw, raw=True), raw=True).tobytes() == raw.tobytes()


@pytest.mark.parametrize(("low", "high"), [(0.3, 0.9), (0.2, 0.9)])
def test_the_ends_of_a_scale_come_back_exactly(low, high):
    # Here low + (high - low) is not high in floating point: once above it, once below.
    scale = Scale("q", low=low, high=high)
    assert low + (high - low) != high
    assert [scale.decode(scale.encode(end)) for end in (low, high)] == [low, high]
    assert [scale.decode(np.array([end]), raw=True) for end in (0.0, 1.0)] == [low, high]


# -- effects -------------------------------------------------------------------------------------


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


# -- the norm of parameters with a given effect (maths 1.2) --------------------------------------


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

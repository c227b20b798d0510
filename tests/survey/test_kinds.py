"""The four kinds: their descriptions, their answers, their columns and their effects."""

import enum
import json
import math

import numpy as np
import pytest

from askless.errors import AnswerError, SettingError
from askless.survey import Choice, Multi, Scale, YesNo
from askless.survey.kinds import KINDS
from four_questions import AGE, CAUSE, DONOR, MEDIA
from survey_strategies import OPTIONS, refused


class Cause(str, enum.Enum):  # noqa: UP042 (its str() is not its text)
    """An enumeration of texts, as applications keep their options."""

    CHILDREN = "children"
    ANIMALS = "animals"
    CLIMATE = "climate"


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

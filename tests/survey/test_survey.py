"""Surveys: the order of questions, and contexts made, read and refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askless.core.words import NUMBER, ONE_HOT, SIGNS
from askless.errors import AnswerError, SettingError
from askless.survey import Choice, Multi, Scale, Survey, YesNo
from survey_strategies import answers_to, extreme_values, refused, surveys
from surveyed import AGE, ANSWERS, CAUSE, CONTEXT, DONOR, MEDIA, SURVEY


def test_a_survey_without_questions_is_refused():
    with refused(SettingError, "no questions"):
        Survey([])


@pytest.mark.parametrize("other", ["age", None, {"name": "age"}, YesNo, 3])
def test_what_is_no_question_is_refused(other):
    with refused(SettingError, repr(other), "not a question"):
        Survey([AGE, other])


@pytest.mark.parametrize("one", [AGE, None, 3], ids=["a question", "None", "a number"])
def test_questions_that_are_no_list_are_refused(one):
    with refused(SettingError, "list"):
        Survey(one)


def test_two_questions_with_one_name_are_refused():
    with refused(SettingError, "question", "'age'"):
        Survey([AGE, DONOR, YesNo("age")])


@pytest.mark.parametrize("coding", ["center", "Raw", None, 1, ["raw"]])
def test_an_unknown_coding_is_refused(coding):
    with refused(SettingError, "coding", repr(coding), "'centred'", "'raw'"):
        Survey([AGE], coding=coding)


@pytest.mark.parametrize("d", [0, -1, True, 2.0, "3", None])
def test_the_papers_survey_needs_a_whole_number_of_questions(d):
    with refused(SettingError, "d is", repr(d)):
        Survey.unit(d)


def test_the_papers_survey_has_d_scales_from_zero_to_one():
    survey = Survey.unit(np.int64(3), coding="raw")
    assert list(survey) == [Scale(name, low=0, high=1) for name in ("x1", "x2", "x3")]
    assert survey.coding == "raw"
    assert Survey.unit(50).column_count == 51


@pytest.mark.parametrize(
    "question",
    [
        YesNo("q"),
        Choice("q", ["a", "b"]),
        Multi("q", ["a"]),
        Scale("q", low=0, high=1, may_skip=True),
    ],
    ids=["yes_no", "choice", "multi", "may_skip"],
)
def test_raw_coding_refuses_all_but_scales_that_must_be_answered(question):
    with refused(SettingError, "question 'q'", "raw"):
        Survey([AGE, question], coding="raw")


def test_the_columns_follow_the_order_of_the_questions():
    assert SURVEY.column_names == (
        "constant",
        "age",
        "donor",
        "donor (skipped)",
        "cause = children",
        "cause = animals",
        "cause = climate",
        "media = tv",
        "media = web",
        "media (skipped)",
    )
    assert SURVEY.column_count == 10
    assert [SURVEY.columns_of(name) for name in SURVEY.names] == [
        slice(1, 2),
        slice(2, 4),
        slice(4, 7),
        slice(7, 10),
    ]


def test_questions_are_found_by_name():
    assert len(SURVEY) == 4
    assert list(SURVEY) == [AGE, DONOR, CAUSE, MEDIA]
    assert SURVEY["cause"] is CAUSE
    assert SURVEY.index("media") == 3


@pytest.mark.parametrize("name", ["", 0, None])
def test_a_question_that_is_not_in_the_survey_is_refused_by_name(name):
    for look in (SURVEY.index, SURVEY.columns_of, SURVEY.__getitem__):
        with refused(AnswerError, repr(name), "age, donor, cause, media"):
            look(name)


def test_a_question_that_is_nearly_in_the_survey_comes_with_the_one_that_may_be_meant():
    with refused(AnswerError, "'Age'", "did you mean 'age'?"):
        SURVEY.index("Age")


def test_the_names_of_a_long_survey_are_not_all_listed():
    with refused(AnswerError, "'y'", "x20, …"):
        Survey.unit(21).index("y")
    with pytest.raises(AnswerError, match=r"x20$"):
        Survey.unit(20).index("y")


@pytest.mark.parametrize(
    ("survey", "plain"),
    [
        (Survey([AGE, YesNo("b"), Multi("c", ["a", "b"])]), True),
        (Survey([AGE, CAUSE]), False),
        (Survey([DONOR]), False),
    ],
    ids=["plain", "choice", "skip"],
)
def test_a_survey_is_plain_without_choices_and_skips(survey, plain):
    assert survey.plain is plain


def test_the_core_s_columns_say_where_each_question_stands():
    columns = SURVEY.columns
    assert columns.kind.tolist() == [NUMBER, SIGNS, ONE_HOT, SIGNS]
    assert columns.first.tolist() == [1, 2, 4, 7]
    assert columns.width.tolist() == [1, 2, 3, 3]
    assert columns.skip.tolist() == [0, 1, 0, 1]


@given(surveys())
@settings(derandomize=True, deadline=None)
def test_the_core_s_columns_hold_each_questions_values_and_directions(survey):
    columns = survey.columns
    assert len(columns.low) == len(columns.high) == survey.column_count
    assert columns.start[0] == 0
    assert columns.start[-1] == len(columns.directions)
    for i, question in enumerate(survey):
        where = survey.columns_of(question.name)
        values = extreme_values(question)
        assert columns.low[where].tolist() == values.min(axis=0).tolist()
        assert columns.high[where].tolist() == values.max(axis=0).tolist()
        block = columns.directions[columns.start[i] : columns.start[i + 1]]
        assert np.array_equal(block[:, : question.width], question.directions())
        assert not block[:, question.width :].any()


def test_raw_columns_run_from_zero_to_one():
    columns = Survey([AGE], coding="raw").columns
    assert (columns.low[1], columns.high[1]) == (0.0, 1.0)


@given(surveys())
@settings(derandomize=True, deadline=None)
def test_a_survey_survives_the_way_through_json(survey):
    back = Survey.from_dict(json.loads(json.dumps(survey.to_dict())))
    assert back == survey
    assert hash(back) == hash(survey)
    assert back.names == survey.names


def test_surveys_differ_by_coding_by_order_and_from_other_things():
    assert Survey.unit(2) == Survey.unit(2)
    assert Survey.unit(2) != Survey.unit(2, coding="raw")
    assert Survey.from_dict(Survey.unit(2, coding="raw").to_dict()).coding == "raw"
    assert Survey([AGE, DONOR]) != Survey([DONOR, AGE])
    assert Survey([AGE]) != [AGE]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Scale("age", low=18, high=90, text="Age?", help="h", cost=3, always_ask=True), True),
        (Scale("years", low=18, high=90), False),
        (Scale("age", low=17, high=90), False),
        (Scale("age", low=18, high=91), False),
        (Scale("age", low=18, high=90, may_skip=True), False),
        (YesNo("age"), False),
    ],
)
def test_columns_are_the_same_whatever_the_words_and_the_cost(other, same):
    assert Survey([AGE, CAUSE]).same_columns(Survey([other, CAUSE])) is same
    assert Survey([other, CAUSE]).same_columns(Survey([AGE, CAUSE])) is same


def test_columns_differ_by_coding_order_and_options():
    survey = Survey([AGE, CAUSE])
    turned = Choice("cause", CAUSE.options[::-1])
    assert survey.same_columns(survey)
    assert not survey.same_columns(Survey([CAUSE, AGE]))
    assert not survey.same_columns(Survey([AGE]))
    assert not survey.same_columns(Survey([AGE, turned]))
    assert not Survey([AGE]).same_columns(Survey([AGE], coding="raw"))


def test_a_context_is_the_constant_and_the_columns_in_order():
    assert SURVEY.encode(ANSWERS).tolist() == CONTEXT
    assert SURVEY.decode(CONTEXT) == ANSWERS
    assert Survey([AGE], coding="raw").encode({"age": 36}).tolist() == [1.0, 0.25]
    assert Survey([AGE], coding="raw").decode([1.0, 0.25]) == {"age": 36.0}


def test_the_order_in_which_answers_are_given_does_not_matter():
    assert SURVEY.encode(dict(reversed(ANSWERS.items()))).tolist() == CONTEXT


def test_a_skip_and_an_answer_left_out_are_different():
    z = SURVEY.encode({"donor": None, "cause": "climate"})
    assert z[2:7].tolist() == [0.0, 1.0, 0.0, 0.0, 1.0]
    assert z[0] == 1.0
    assert np.isnan(z[[1, 7, 8, 9]]).all()
    assert SURVEY.decode(z) == {"donor": None, "cause": "climate"}


@given(surveys(), st.data())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_any_answers_to_some_questions_survive_the_round_trip(survey, data):
    answers = {
        question.name: data.draw(answers_to(question))
        for question in survey
        if data.draw(st.booleans())
    }
    z = survey.encode(answers)
    back = survey.decode(z)
    assert list(back) == list(answers)
    for question in survey:
        if question.name not in answers:
            assert np.isnan(z[survey.columns_of(question.name)]).all()
        elif not isinstance(question, Scale) or answers[question.name] is None:
            assert back[question.name] == answers[question.name]
    assert survey.encode(back).tobytes() == z.tobytes()
    assert survey.check_row(z).tobytes() == z.tobytes()


def test_checked_answers_are_plain_python_under_plain_names():
    given_answers = {
        np.str_("age"): np.float64(30),
        "donor": np.True_,
        "cause": np.str_("animals"),
        "media": np.array(["web"]),
    }
    checked = SURVEY.check(given_answers)
    expected = {"age": 30.0, "donor": True, "cause": "animals", "media": ["web"]}
    assert json.loads(json.dumps(checked)) == expected
    assert {type(name) for name in checked} == {str}


def test_an_answer_that_does_not_fit_is_refused_with_its_question():
    for door in (SURVEY.check, SURVEY.encode):
        with refused(AnswerError, "question 'age'", "91"):
            door({"donor": True, "age": 91})


@pytest.mark.parametrize("name", ["weight", 3, None])
def test_an_answer_to_an_unknown_question_is_refused(name):
    for door in (SURVEY.check, SURVEY.encode):
        with refused(AnswerError, repr(name), "age, donor"):
            door({"age": 30, name: 70})


@pytest.mark.parametrize("answers", [None, [("age", 30)], "age", 3])
def test_answers_that_are_no_dict_are_refused(answers):
    for door in (SURVEY.check, SURVEY.encode):
        with refused(AnswerError, "answers", repr(answers), "dict"):
            door(answers)

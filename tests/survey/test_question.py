"""What every kind of question has in common."""

import json
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings

from askless.errors import AnswerError, SettingError
from askless.survey import Choice, Multi, Scale, YesNo
from askless.survey.kinds import question_from_dict
from survey_strategies import extreme_answers, questions, refused

EVERY_KIND = [
    pytest.param(lambda name="q", **settings: Scale(name, low=0, high=1, **settings), id="scale"),
    pytest.param(lambda name="q", **settings: YesNo(name, **settings), id="yes_no"),
    pytest.param(lambda name="q", **settings: Choice(name, ["a", "b"], **settings), id="choice"),
    pytest.param(lambda name="q", **settings: Multi(name, ["a", "b"], **settings), id="multi"),
]
every_kind = pytest.mark.parametrize("make", EVERY_KIND)


# -- descriptions --------------------------------------------------------------------------------


@every_kind
def test_what_is_left_out_has_its_default(make):
    question = make()
    assert (question.text, question.help, question.cost) == ("q", "", 1.0)
    assert (question.always_ask, question.may_skip) == (False, False)


@every_kind
def test_what_is_given_is_kept(make):
    question = make("age", text="How old?", help="Years", cost=2, always_ask=True, may_skip=True)
    assert (question.name, question.text, question.help) == ("age", "How old?", "Years")
    assert (question.cost, type(question.cost)) == (2.0, float)
    assert (question.always_ask, question.may_skip) == (True, True)


@every_kind
@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_a_question_without_a_name_is_refused(make, name):
    with refused(SettingError, "question", "empty name"):
        make(name)


@every_kind
@pytest.mark.parametrize("name", [" age", "age ", "a\nge"])
def test_a_name_with_stray_spaces_or_line_breaks_is_refused(make, name):
    with refused(SettingError, "question", repr(name)):
        make(name)


@every_kind
@pytest.mark.parametrize("name", [None, 7, False, ["age"]])
def test_a_name_that_is_no_text_is_refused(make, name):
    with refused(SettingError, "question", repr(name)):
        make(name)


@every_kind
def test_a_numpy_name_is_kept_as_plain_text(make):
    assert type(make(np.str_("age")).name) is str


@every_kind
@pytest.mark.parametrize("text", [None, 0, 7, False, ["How old?"]])
def test_a_text_that_is_no_text_is_refused(make, text):
    with refused(SettingError, "question 'q'", "text", repr(text)):
        make(text=text)


@every_kind
@pytest.mark.parametrize("text", [None, 0, 7])
def test_a_help_that_is_no_text_is_refused(make, text):
    with refused(SettingError, "question 'q'", "help", repr(text)):
        make(help=text)


@every_kind
@pytest.mark.parametrize("cost", [0, -1, -0.0, -1e-9])
def test_a_cost_not_above_zero_is_refused(make, cost):
    with refused(SettingError, "question 'q'", "cost", "above 0"):
        make(cost=cost)


@every_kind
@pytest.mark.parametrize("cost", [math.nan, math.inf])
def test_a_cost_that_is_not_finite_is_refused(make, cost):
    with refused(SettingError, "question 'q'", "cost", "finite"):
        make(cost=cost)


@every_kind
@pytest.mark.parametrize("cost", ["1", None, True])
def test_a_cost_that_is_no_number_is_refused(make, cost):
    with refused(SettingError, "question 'q'", "cost", repr(cost)):
        make(cost=cost)


@every_kind
@pytest.mark.parametrize("setting", ["may_skip", "always_ask"])
@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_a_switch_that_is_not_true_or_false_is_refused(make, setting, value):
    with refused(SettingError, "question 'q'", setting, repr(value)):
        make(**{setting: value})


@every_kind
def test_a_question_cannot_be_changed_afterwards(make):
    # Its columns have been laid out: a change would pass by the survey.
    question = make()
    with pytest.raises(FrozenInstanceError):
        question.may_skip = True
    assert not question.may_skip


@given(questions())
@settings(derandomize=True, deadline=None)
def test_a_question_survives_the_way_through_json(question):
    data = json.loads(json.dumps(question.to_dict()))
    assert question_from_dict(data) == question
    assert data["kind"] == question.kind


def test_plain_data_names_the_settings_of_a_question():
    question = Choice("cause", ["a", "b"], text="Which?", help="One", cost=3, may_skip=True)
    assert question.to_dict() == {
        "kind": "choice",
        "name": "cause",
        "text": "Which?",
        "help": "One",
        "cost": 3.0,
        "always_ask": False,
        "may_skip": True,
        "options": ["a", "b"],
    }


# -- columns and skips ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (Scale("age", low=0, high=1), ["age"]),
        (YesNo("donor", may_skip=True), ["donor", "donor (skipped)"]),
        (Choice("cause", ["a", "b"]), ["cause = a", "cause = b"]),
        (Multi("media", ["tv"], may_skip=True), ["media = tv", "media (skipped)"]),
    ],
    ids=["scale", "yes_no", "choice", "multi"],
)
def test_columns_are_named_after_question_option_and_skip(question, names):
    assert question.column_names() == names
    assert question.width == len(names)
    assert question.own_width == len(names) - question.may_skip


@given(questions())
@settings(derandomize=True, deadline=None)
def test_a_question_has_as_many_columns_as_it_has_names_and_values(question):
    assert len(question.column_names()) == question.width
    for answer in extreme_answers(question):
        assert question.encode(answer).shape == (question.width,)


@every_kind
def test_a_skip_has_a_column_of_its_own_and_leaves_the_others_zero(make):
    question = make(may_skip=True)
    assert question.check(None) is None
    assert question.encode(None).tolist() == [0.0] * question.own_width + [1.0]
    assert question.decode(question.encode(None)) is None


@every_kind
def test_a_skip_is_refused_where_it_is_not_allowed(make):
    for door in (make().check, make().encode):
        with refused(AnswerError, "question 'q'", "may not be skipped"):
            door(None)

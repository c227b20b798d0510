"""Answers into columns in one pass: as each question by itself, whatever is given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
from askless.errors import AnswerError

QUESTIONS = [
    al.Scale("age", low=18, high=90),
    al.Scale("worry", low=-1.5, high=0.1, may_skip=True),
    al.YesNo("donor"),
    al.YesNo("ill", may_skip=True),
    al.Choice("cause", ["children", "animals", "climate"]),
    al.Choice("region", ["north", "1", "True"], may_skip=True),
    al.Multi("media", ["tv", "radio", "web"]),
]
SURVEY = al.Survey(QUESTIONS)
VALUES = st.one_of(
    st.floats(-2, 95),
    st.integers(-2, 95),
    st.sampled_from([True, False, None, "children", "north", "1", "True", "tv", "", 1, 0, 1.0]),
    st.sampled_from([np.float64(30), np.int64(20), np.bool_(True), np.str_("animals")]),
    st.sampled_from(
        [float("nan"), float("inf"), 10**400, [], ["tv"], ["web", "tv"], {"tv"}, b"tv"]
    ),
)


def one_by_one(answers):
    """Each question by itself: its own check and its own values, as kinds define them."""
    z = np.full(SURVEY.column_count, np.nan)
    z[0], checked = 1.0, {}
    for name, answer in answers.items():
        checked[name] = SURVEY[name].check(answer)
        z[SURVEY.columns_of(name)] = SURVEY[name].encode(answer)
    return z, checked


@given(st.dictionaries(st.sampled_from(SURVEY.names), VALUES))
@settings(derandomize=True, deadline=None, max_examples=1500)
def test_answers_become_the_columns_of_their_questions(answers):
    try:
        z, checked = one_by_one(answers)
    except AnswerError as error:
        with pytest.raises(AnswerError) as refused:
            SURVEY.encode(answers)
        assert str(refused.value) == str(error)
        return
    np.testing.assert_array_equal(SURVEY.encode(answers), z)
    found = SURVEY.check(answers)
    assert found == checked
    assert [type(answer) for answer in found.values()] == [type(a) for a in checked.values()]


def test_yes_and_one_are_different_answers():
    for wrong in (1, 0, 1.0, "yes"):
        with pytest.raises(AnswerError, match="donor"):
            SURVEY.encode({"donor": wrong})
    for wrong in (True, False):
        with pytest.raises(AnswerError, match="age"):
            al.Survey([al.Scale("age", low=0, high=1)]).encode({"age": wrong})


def test_raw_scales_are_not_shifted():
    survey = al.Survey([al.Scale("x", low=2, high=4)], coding="raw")
    for answer, share in ((2, 0), (3, 0.5), (4, 1), (2.5, 0.25)):
        assert survey.encode({"x": answer}).tolist() == [1, share]


def test_a_question_of_a_kind_of_ones_own_is_asked_itself():
    class Even(al.Scale):
        """A scale that takes even numbers only."""

        def _check(self, answer):
            if answer % 2:
                raise self.refusal(answer, "even")
            return super()._check(answer)

    survey = al.Survey([Even("x", low=0, high=8)])
    assert survey.encode({"x": 4}).tolist() == [1, 0]
    with pytest.raises(AnswerError, match="even"):
        survey.encode({"x": 5})

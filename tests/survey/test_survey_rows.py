"""Contexts from outside: rows are read, checked, and put on the grid of answers."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from askless.errors import AnswerError
from askless.survey import Scale, Survey
from survey_strategies import STEP, refused
from surveyed import CONTEXT, NAN, SURVEY


def changed(**columns):
    """Return CONTEXT with some columns changed: c2=0.5 sets column 2."""
    row = list(CONTEXT)
    for column, value in columns.items():
        row[int(column[1:])] = value
    return row


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (changed(c1=0.5 + 1e-9), "age"),
        (changed(c1=-0.6), "age"),
        (changed(c1=math.inf), "age"),
        (changed(c1=-math.inf), "age"),
        (changed(c2=0.0), "donor"),
        (changed(c2=-0.5 + 1e-12), "donor"),
        (changed(c2=1.0), "donor"),
        (changed(c2=math.inf), "donor"),
        (changed(c3=0.5), "donor"),
        (changed(c3=-1.0), "donor"),
        (changed(c3=2.0), "donor"),
        (changed(c3=1.0), "donor"),  # skipped, yet with a value
        (changed(c3=NAN), "donor"),
        (changed(c2=NAN), "donor"),
        (changed(c4=1.0), "cause"),  # two options
        (changed(c5=0.0), "cause"),  # none
        (changed(c5=0.5), "cause"),
        (changed(c4=0.5, c5=0.5), "cause"),
        (changed(c4=-1.0, c6=1.0), "cause"),
        (changed(c4=NAN), "cause"),
        (changed(c5=NAN), "cause"),
        (changed(c6=NAN), "cause"),
        (changed(c7=0.25), "media"),
        (changed(c8=0.0), "media"),
        (changed(c7=0.0, c8=0.0), "media"),  # neither answered nor skipped
        (changed(c9=1.0), "media"),
        (changed(c7=0.0, c9=1.0), "media"),  # one value left under the skip
        (changed(c7=NAN, c8=NAN), "media"),
        (changed(c9=NAN), "media"),
    ],
)
def test_columns_that_no_answer_gives_are_refused_by_their_question(row, name):
    for door in (SURVEY.check_row, SURVEY.decode):
        with refused(AnswerError, f"question '{name}'"):
            door(row)


def test_a_raw_context_runs_from_zero_to_one():
    survey = Survey.unit(2, coding="raw")
    assert survey.check_row([1, 0, 1]).tolist() == [1.0, 0.0, 1.0]
    for value in (-0.001, 1.001):
        with refused(AnswerError, "question 'x2'"):
            survey.check_row([1, 0.5, value])


@pytest.mark.parametrize("constant", [0.0, 2.0, -1.0, 1 + 1e-12, NAN, math.inf])
def test_a_context_whose_constant_is_not_one_is_refused(constant):
    with refused(AnswerError, repr(constant), "first column is 1"):
        SURVEY.check_row(changed(c0=constant))


@pytest.mark.parametrize(
    "row", [[], CONTEXT[:-1], [*CONTEXT, 0.0], [CONTEXT], 1.0, np.ones((10, 1)), CONTEXT[1:]]
)
def test_a_context_of_the_wrong_shape_is_refused(row):
    with refused(AnswerError, "shape", "(10,)"):
        SURVEY.check_row(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("1, 0", id="a text"),
        pytest.param(["one", "two"], id="words"),
        pytest.param(["1", "0.25"], id="numbers in quotes"),
        pytest.param(np.array(["1", "0.25"]), id="an array of texts"),
        pytest.param(np.array([1, "0.25"], dtype=object), id="a text among numbers"),
        pytest.param([1, [0.25]], id="ragged"),
        pytest.param([1, 10**400], id="too large for a float"),
        pytest.param(np.array([1, 0.25j]), id="complex"),
        pytest.param({"age": 30}, id="answers"),
    ],
)
def test_a_context_that_is_no_row_of_numbers_is_refused(row):
    with refused(AnswerError, "context", "not a row of numbers"):
        Survey.unit(1).check_row(row)


def test_questions_left_out_of_a_context_are_nan_in_all_their_columns():
    row = changed(c1=NAN, c7=NAN, c8=NAN, c9=NAN)
    assert np.array_equal(SURVEY.check_row(row), row, equal_nan=True)
    assert SURVEY.decode(row) == {"donor": False, "cause": "animals"}


def test_reading_a_row_tells_whether_it_is_complete():
    out = np.empty(10)
    assert SURVEY.read_row(CONTEXT, out) is True
    assert out.tolist() == CONTEXT
    # A NaN before and a NaN after complete questions.
    assert SURVEY.read_row(changed(c1=NAN), out) is False
    assert SURVEY.read_row(changed(c7=NAN, c8=NAN, c9=NAN), out) is False


def test_a_row_is_copied_not_shared():
    row = np.array(CONTEXT)
    SURVEY.check_row(row)[0] = 7.0
    assert row.tolist() == CONTEXT


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_strided_or_narrow_row_is_read_as_well(dtype):
    wide = np.repeat(np.array(CONTEXT, dtype=dtype), 2)
    assert SURVEY.check_row(wide[::2]).tolist() == CONTEXT


@given(st.floats(0, 1))
@example(1 / 2048)  # halfway between two steps: both doors must go the same way
@example(1023 / 2048)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_a_row_is_put_on_the_same_grid_as_an_answer(share):
    centred = Survey.unit(1).check_row([1.0, share - 0.5])[1]
    raw = Survey.unit(1, coding="raw").check_row([1.0, share])[1]
    for value, exact in ((centred, share - 0.5), (raw, share)):
        assert (value * 1024).is_integer()
        assert abs(value - exact) <= STEP / 2
    assert raw == Scale("x", low=0, high=1).encode(share, raw=True)[0]
    assert centred == Scale("x", low=0, high=1).encode(share)[0]


@pytest.mark.parametrize("steps", [-512, -511, -1, 0, 1, 255, 512])
def test_a_row_takes_the_nearest_step(steps):
    survey = Survey.unit(1)
    for off in (-0.4, 0.0, 0.4):
        value = min(0.5, max(-0.5, (steps + off) * STEP))
        assert survey.check_row([1.0, value])[1] == steps * STEP

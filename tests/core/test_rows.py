"""Rows from outside: NaN and infinity keep their meaning in compiled checks."""

import numpy as np
import pytest

import askless as al
from askless.core.words import COMPLETE, INCOMPLETE, NO_CONSTANT

SURVEY = al.Survey([al.Scale("s", low=0, high=1), al.Choice("c", ["x", "y"], may_skip=True)])


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ([1, 0.25, 1, 0, 0], COMPLETE),
        ([1, 0.25, 0, 0, 1], COMPLETE),
        ([1, np.nan, 1, 0, 0], INCOMPLETE),
        ([1, 0.25, np.nan, np.nan, np.nan], INCOMPLETE),
        ([np.nan, 0.25, 1, 0, 0], NO_CONSTANT),
        ([2, 0.25, 1, 0, 0], NO_CONSTANT),
        ([1, np.inf, 1, 0, 0], 0),
        ([1, -0.51, 1, 0, 0], 0),
        ([1, 0.25, 1, 1, 0], 1),
        ([1, 0.25, 0, 0, 0], 1),
        ([1, 0.25, 1, 0, 1], 1),
        ([1, 0.25, np.nan, 0, 0], 1),
        ([1, 0.25, 1, np.nan, 0], 1),
        ([1, 0.25, 1, 0, np.nan], 1),
        ([1, 0.25, 0.5, 0.5, 0], 1),
    ],
)
def test_says_which_question_does_not_fit(row, code):
    assert SURVEY.core.read_row(np.array(row, dtype=float), np.zeros(5)) == code


def test_puts_numbers_on_the_grid():
    out = np.zeros(5)
    SURVEY.core.read_row(np.array([1, 0.3, 1, 0, 0]), out)
    assert out.tolist() == [1, 307 / 1024, 1, 0, 0]  # 0.3 · 1024 = 307.2

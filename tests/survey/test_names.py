"""Names, texts and numbers: what every description shares."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from askless.errors import SettingError
from askless.survey.names import check_name, check_names, check_number, check_text
from survey_strategies import refused


@pytest.mark.parametrize("name", ["age", "how old", "größe", "q-1", "年齢", "2"])
def test_a_printable_name_is_kept_as_it_is(name):
    assert check_name(name, "an arm") == name


def test_a_numpy_name_becomes_a_plain_text():
    assert type(check_name(np.str_("age"), "an arm")) is str


@pytest.mark.parametrize("name", [None, 3, False, b"age", ["age"]])
def test_a_name_that_is_no_text_is_refused(name):
    with refused(SettingError, "an arm", repr(name), "quotes"):
        check_name(name, "an arm")


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000"])
def test_a_name_of_nothing_but_space_is_refused(name):
    with refused(SettingError, "an arm", "empty"):
        check_name(name, "an arm")


@pytest.mark.parametrize("name", [" age", "age ", "a\nge", "a\tge", "a\0ge", "age\u200b"])
def test_a_name_that_would_break_a_table_is_refused(name):
    with refused(SettingError, "an arm", repr(name)):
        check_name(name, "an arm")


def test_different_names_pass_and_the_name_given_twice_is_named():
    check_names(["a", "b", "A"], "arm")
    with refused(SettingError, "two arms", "'b'"):
        check_names(["a", "b", "c", "b"], "arm")


def test_a_text_may_be_empty_and_have_lines_but_must_be_a_text():
    assert check_text("", "text") == ""
    assert check_text("two\nlines", "text") == "two\nlines"
    with refused(SettingError, "arm 'a': text", "7"):
        check_text(7, "arm 'a': text")


@pytest.mark.parametrize(
    "value", [3, 3.0, np.float32(3), np.int8(3), np.uint64(3), Fraction(6, 2), Decimal(3)]
)
def test_every_sort_of_number_becomes_a_float(value):
    number = check_number(value, "cost")
    assert number == 3.0
    assert type(number) is float


@pytest.mark.parametrize("value", [True, np.True_, "3", np.str_("3"), b"3", None, 3j, [3], (3,)])
def test_what_is_no_number_is_refused(value):
    with refused(SettingError, "cost", "give a number"):
        check_number(value, "cost")


@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), np.array([3.0])])
def test_an_array_is_refused_where_one_number_is_wanted(value):
    with refused(SettingError, "cost", "give a number"):
        check_number(value, "cost")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan"), 10**400])
def test_a_number_that_is_not_finite_is_refused(value):
    with refused(SettingError, "cost", "finite"):
        check_number(value, "cost")


def test_a_number_too_long_to_print_is_refused_as_a_setting():
    with refused(SettingError, "cost", "finite"):
        check_number(10**5000, "cost")

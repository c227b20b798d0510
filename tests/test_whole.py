"""Whole numbers: what is one, and messages that say what, and how to fix it."""

import re
from pathlib import Path

import numpy as np
import pytest

from askless.errors import SettingError, VisitError
from askless.whole import check_whole, is_whole

SOURCES = Path(__file__).parents[1] / "src" / "askless"


@pytest.mark.parametrize("value", [0, -3, 2**70, np.int8(3), np.uint64(2**63)])
def test_python_s_and_numpy_s_integers_are_whole(value):
    assert is_whole(value)
    checked = check_whole(value, "n", -3)
    assert checked == value
    assert type(checked) is int


@pytest.mark.parametrize(
    "value", [True, np.True_, 3.0, np.float64(3), "3", None, [3], np.array([3])]
)
def test_what_is_none_is_refused(value):
    assert not is_whole(value)
    with pytest.raises(SettingError, match=re.escape(f"n is {value!r}; give a whole number")):
        check_whole(value, "n", 0, 10)


def test_the_ends_are_included_and_named():
    assert [check_whole(n, "n", 2, 4) for n in (2, 3, 4)] == [2, 3, 4]
    for n in (1, 5):
        with pytest.raises(SettingError, match=f"^n is {n}; give a whole number from 2 to 4$"):
            check_whole(n, "n", 2, 4)
    with pytest.raises(SettingError, match=r"^n is 1; give a whole number, 2 or more$"):
        check_whole(1, "n", 2)


def test_a_message_says_what_is_meant_and_is_the_error_that_was_asked_for():
    with pytest.raises(VisitError, match=r"^n is 0; give how many, a whole number from 1 to 2$"):
        check_whole(0, "n", 1, 2, meaning="how many, a whole number", error=VisitError)


def test_a_number_too_long_to_print_is_refused():
    with pytest.raises(SettingError, match="give a whole number from 0 to 9"):
        check_whole(10**5000, "n", 0, 9)


@pytest.mark.parametrize(
    ("written", "home"),
    [
        (r"\bGRID = 1024", "core/words.py"),  # columns are multiples of 1/1024
        (r"\bTIED = |\b2e-9\b", "core/words.py"),  # when scores are tied
        (r"int \| np\.integer", "whole.py"),  # what a whole number is
    ],
)
def test_one_thing_is_said_in_one_place(written, home):
    """Fails where someone writes it again instead of importing it."""
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(written, path.read_text(encoding="utf-8"))
    }
    assert found == {home}

"""The kinds of settings: what they take, what they refuse and how they say so."""

import math

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.survey.setting import SEED, Flag, Number, Table, Whole, Words

SHARE = Number("", least=0, most=1)
CHANCE = Number("", least=1e-100, below=1)
GROWTH = Number("", above=1, most=3)
OPEN = Number("", above=0, below=1)
MORE = Number("", least=0)
SIZE = Number("", least=1e-12, most=1e100)
OPTIMISM = Number("", least=0, most=100, words=("valid",))
COUNT = Whole("", least=1, most=10)
ASKING = Words("", words=("certified", "heuristic"), flags=True)
GRAIN = Words("", words=("arm", "question"))


@pytest.mark.parametrize(
    ("setting", "value", "kept"),
    [
        (SHARE, 0, 0.0),
        (SHARE, np.float32(0.5), 0.5),
        (SHARE, 1, 1.0),
        (CHANCE, 1e-100, 1e-100),
        (GROWTH, 3, 3.0),
        (GROWTH, math.nextafter(1, 2), math.nextafter(1, 2)),
        (OPEN, math.nextafter(1, 0), math.nextafter(1, 0)),
        (OPTIMISM, "valid", "valid"),
        (OPTIMISM, 100, 100.0),
        (COUNT, np.int64(10), 10),
        (SEED, 2**64 - 1, 2**64 - 1),
        (Flag(""), np.True_, True),
        (ASKING, False, False),
        (ASKING, "certified", "certified"),
        (GRAIN, np.str_("arm"), "arm"),
        (Table(""), [[1.0]], [[1.0]]),
    ],
)
def test_what_is_allowed_is_kept_as_plain_data(setting, value, kept):
    checked = setting.check(value, "it")
    assert checked == kept
    assert type(checked) is type(kept)


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        (SHARE, 1.5, "it is 1.5; give a number from 0 to 1"),
        (SHARE, math.nextafter(0, -1), "it is -4.94066e-324; give a number from 0 to 1"),
        (SHARE, "0.5", "it is '0.5'; give a number"),
        (SHARE, True, "it is True; give a number"),
        (SHARE, None, "it is None; give a number"),
        (SHARE, math.nan, "it is nan; give a finite number"),
        (CHANCE, 0, "it is 0; give a number between 0 and 1"),
        (CHANCE, 1, "it is 1; give a number between 0 and 1"),
        (CHANCE, 1e-101, "it is 1e-101; give one of at least 1e-100"),
        (GROWTH, 1, "it is 1; give a number above 1, up to 3"),
        (OPEN, 0, "it is 0; give a number between 0 and 1"),
        (MORE, -1, "it is -1; give a number, 0 or more"),
        (SIZE, 0, "it is 0; give a number above 0, up to 1e+100"),
        (SIZE, 1e-13, "it is 1e-13; give one of at least 1e-12"),
        (Number("", below=2), 2, "it is 2; give a number below 2"),
        (Number("", most=2), 3, "it is 3; give a number up to 2"),
        (Number("", least=1, below=2), 2, "it is 2; give a number from 1, below 2"),
        (Number("", above=0, give="a size"), 0, "it is 0; give a size"),
        (OPTIMISM, "wide", "it is 'wide'; give a number from 0 to 100, or 'valid'"),
        (OPTIMISM, 101, "it is 101; give a number from 0 to 100, or 'valid'"),
        (COUNT, 0, "it is 0; give a whole number from 1 to 10"),
        (COUNT, 1.0, "it is 1.0; give a whole number from 1 to 10"),
        (COUNT, True, "it is True; give a whole number from 1 to 10"),
        (SEED, 2**64, "it is 18446744073709551616; give a whole number from 0 to 2^64 - 1"),
        (Flag(""), 1, "it is 1; give True or False"),
        (ASKING, 1, "it is 1; choose True, False or 'certified' or 'heuristic'"),
        (ASKING, "sure", "it is 'sure'; choose True, False or 'certified' or 'heuristic'"),
        (GRAIN, True, "it is True; choose 'arm' or 'question'"),
        (GRAIN, ["arm"], "it is ['arm']; choose 'arm' or 'question'"),
    ],
)
def test_what_cannot_be_is_refused_by_name_with_what_to_give(setting, value, said):
    with pytest.raises(SettingError) as caught:
        setting.check(value, "it")
    assert str(caught.value) == said
    assert caught.value.setting == "it"


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        (SHARE, "1e-3", 0.001),
        (SHARE, "half", "half"),
        (COUNT, "7", 7),
        (COUNT, "7.0", "7.0"),
        (Flag(""), "True", True),
        (Flag(""), "false", False),
        (Flag(""), "1", "1"),
        (ASKING, "true", True),
        (ASKING, "certified", "certified"),
        (GRAIN, "true", "true"),
    ],
)
def test_a_text_of_the_command_line_is_read_by_its_kind(setting, text, value):
    read = setting.read(text)
    assert read == value
    assert type(read) is type(value)


def test_the_kinds_are_public():
    assert al.setting.Number is Number

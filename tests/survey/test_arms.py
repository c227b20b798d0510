"""Arms: the decisions of a study."""

import numpy as np
import pytest

from askless.errors import SettingError
from askless.survey import Arm
from askless.survey.arms import arms_from
from survey_strategies import refused


def test_an_arm_without_a_text_is_called_by_its_name():
    assert Arm("wwf").text == "wwf"
    assert Arm("wwf", text="Suggest the WWF").text == "Suggest the WWF"


def test_a_numpy_name_is_kept_as_plain_text():
    arm = Arm(np.str_("wwf"))
    assert type(arm.name) is str
    assert arm == Arm("wwf")


@pytest.mark.parametrize("name", [None, 4, True])
def test_an_arm_whose_name_is_no_text_is_refused(name):
    with refused(SettingError, "an arm", repr(name)):
        Arm(name)


@pytest.mark.parametrize("name", ["", "  "])
def test_an_arm_without_a_name_is_refused(name):
    with refused(SettingError, "an arm", "empty"):
        Arm(name)


@pytest.mark.parametrize("text", [None, 0, ["x"]])
def test_an_arm_whose_text_is_no_text_is_refused(text):
    with refused(SettingError, "arm 'wwf'", "text", repr(text)):
        Arm("wwf", text=text)


def test_names_and_arms_mix_and_keep_their_order():
    arms = arms_from(["b", Arm("a", text="The first letter"), "c"])
    assert arms == (Arm("b"), Arm("a", text="The first letter"), Arm("c"))


def test_arms_come_from_anything_that_can_be_gone_through():
    assert arms_from(name for name in ("a", "b")) == (Arm("a"), Arm("b"))
    assert arms_from(np.array(["a", "b"])) == (Arm("a"), Arm("b"))


def test_a_single_arm_is_enough_but_none_is_refused():
    assert arms_from(["a"]) == (Arm("a"),)
    with refused(SettingError, "no arms"):
        arms_from([])


def test_a_text_that_no_file_can_hold_is_refused():
    """Fails if half a character gets as far as the first caller, whose answer it would break."""
    with refused(SettingError, "arm 'a': text", "half a character"):
        Arm("a", text="so \ud83d")
    assert Arm("a", text="so \U0001f600").text == "so \U0001f600"


def test_arms_with_the_same_name_are_refused_even_if_their_texts_differ():
    with refused(SettingError, "arm", "'a'"):
        arms_from([Arm("a", text="one"), "b", Arm("a", text="two")])


def test_a_text_in_place_of_a_list_of_arms_is_refused():
    with refused(SettingError, "arms", "'abc'", "list"):
        arms_from("abc")


@pytest.mark.parametrize("arms", [None, 3])
def test_arms_that_are_no_list_are_refused(arms):
    with refused(SettingError, "arms", repr(arms)):
        arms_from(arms)

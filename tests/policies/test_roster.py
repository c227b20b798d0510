"""Which arms are live, and who is eligible: nothing of it can be set to what cannot be."""

import copy
import pickle

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.policies.roster import Roster


@pytest.mark.parametrize(
    "live",
    [
        np.ones(2, dtype=bool),
        np.ones(4, dtype=bool),
        np.ones((3, 1), dtype=bool),
        np.zeros(3, dtype=bool),
        np.ones(3),
        [True, True, True],
        None,
        "all",
    ],
)
def test_live_arms_are_flags_one_an_arm(live):
    # A mask of another size led compiled code out of its arrays.
    roster = Roster(["a", "b", "c"])
    with pytest.raises(SettingError, match="live is"):
        roster.live = live
    assert roster.live.tolist() == [True, True, True]


def test_live_arms_cannot_be_written_to_past_the_check():
    roster = Roster(["a", "b"])
    for same in (roster, copy.deepcopy(roster), pickle.loads(pickle.dumps(roster))):
        with pytest.raises(ValueError, match="read-only"):
            same.live[0] = False
        with pytest.raises(ValueError, match="read-only"):
            same.flags(("a", "b"))[0] = False
        assert same.live_names == ("a", "b")


def test_arms_come_and_go():
    roster = Roster(["a", "b"])
    before, live = roster.eligible(None)
    roster.retire("a")
    roster.add(al.Arm("c"))
    assert (roster.names, roster.live_names, roster.at_start) == (("a", "b", "c"), ("b", "c"), 2)
    assert (before, live.tolist()) == (("a", "b"), [True, True])  # what was handed out stays
    assert roster.playable(live).tolist() == [False, True, False]  # later arms: not its business
    assert roster.eligible(["c", "a"])[0] == ("c",)
    with pytest.raises(SettingError, match="no arm is eligible"):
        roster.eligible(["a"])


def test_a_policy_with_a_wrong_mask_refuses_and_goes_on():
    policy = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    with pytest.raises(SettingError):
        policy.roster.live = np.ones(7, dtype=bool)
    assert policy.play(np.array([1.0, 0.5, 0.5])) in (0, 1)

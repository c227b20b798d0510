"""Saved states changed at random: every one is refused, or as good as before.

`make soak` judges 12,000.
"""

import collections

import pytest

from mutated_states import MAKERS, OFTEN, judge
from sizes import whole

pytestmark = pytest.mark.slow

STATES, PARTS = whole(12_000, 480), 12


@pytest.mark.parametrize("part", range(PARTS))
def test_a_changed_state_is_refused_or_as_good_as_before(part, tmp_path):
    """Fails if one is loaded that breaks a promise of its policy, or raises anything else."""
    found = collections.Counter(
        judge(seed, tmp_path / "state.json") for seed in range(part, STATES, PARTS)
    )
    count = STATES // PARTS
    assert set(found) <= {"refused", "loaded", "not written"}
    # Most changes are damage, some are harmless: another text, a number that could as well be.
    assert found["refused"] > count / 2
    assert found["loaded"] > count / 50


def test_every_policy_is_tried():
    assert {OFTEN[seed % len(OFTEN)] for seed in range(STATES)} == set(MAKERS)

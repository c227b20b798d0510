"""Random sequences of operations: only askless errors, nothing changed by a refusal, sums exact.

`make soak` plays 20,000.
"""

import collections

import pytest

from operations import KINDS, play
from sizes import whole

pytestmark = pytest.mark.slow

SEQUENCES, PARTS = whole(2_000, 300), 20


@pytest.mark.parametrize("part", range(PARTS))
def test_random_operations_do_what_a_plain_model_says(part):
    done, learned, decided = collections.Counter(), 0, 0
    for seed in range(part, SEQUENCES, PARTS):
        played = play(seed)
        done.update(played.done)
        people = played.people.values()
        decided += sum(person.arm is not None for person in people)
        learned += sum(person.reward is not None for person in people)
    # Everything has been done, and most of it has come to something.
    assert set(done) >= {"start", "answer", "revise", "look", "resume", "reward", "arms", "reload"}
    assert decided > SEQUENCES / PARTS
    assert learned > SEQUENCES / PARTS / 4


def test_every_kind_of_policy_is_played_both_ways():
    queued = {(seed % len(KINDS), seed // len(KINDS) % 2) for seed in range(SEQUENCES)}
    assert len(queued) == 2 * len(KINDS)

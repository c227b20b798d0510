"""Late rewards in order, also where the queue was saved, resumed or stored elsewhere."""

import contextlib
import json

import numpy as np
import pytest

import askless as al
from askless.errors import RewardError, StateError
from noting_policy import Notes, decided, learned, notes


@pytest.mark.parametrize("seed", range(10))
def test_saved_and_resumed_at_any_time_it_is_the_same(seed):
    rng = np.random.default_rng(seed)
    policies = notes(2), notes(2)
    queues = [al.InOrder(policy, window="3 visits", silence=0) for policy in policies]
    open_rewards = []
    for i in range(40):
        visits = [policy.visit(known={"x1": (i % 16) / 16}) for policy in policies]
        for queue, visit in zip(queues, visits, strict=True):
            queue.add(visit)
        open_rewards.append(i)
        for number in list(open_rewards):
            if rng.random() < 0.4:
                open_rewards.remove(number)
                for queue in queues:
                    with contextlib.suppress(RewardError):  # it came too late
                        queue.reward(number, 1)
        if rng.random() < 0.5:
            saved = json.loads(json.dumps([policies[1].to_dict(), queues[1].to_dict()]))
            policies = policies[0], Notes.from_dict(saved[0])
            queues[1] = al.InOrder.resume(policies[1], saved[1])
        assert queues[0].to_dict() == queues[1].to_dict()
        assert policies[0].to_dict() == policies[1].to_dict()
    assert len(policies[0].notes) > 20


def test_what_is_due_at_once_is_learned_in_the_order_of_decisions_also_after_a_resume():
    """Fails if the order depends on which arm was the first ever: a resumed queue cannot know."""
    policy = notes(2)
    queue = al.InOrder(policy, window="2 days", silence=0)
    # Arm 0 is begun first; then the first that waits is of arm 1.
    for number, arm in enumerate(["a0", "a1", "a0", "a1"]):
        queue.add(policy.visit(known={"x1": number / 16}, arms=[arm]), at=0)
        if number == 0:
            queue.reward(0, 0.5, at=0)
    saved = json.loads(json.dumps([policy.to_dict(), queue.to_dict()]))
    other = Notes.from_dict(saved[0])
    resumed = al.InOrder.resume(other, saved[1])
    for each in (queue, resumed):
        assert [visit.number for visit in each.tick(at=3 * 86_400)] == [1, 2, 3]
    assert policy.to_dict() == other.to_dict()


def test_a_policy_that_was_saved_later_than_its_queue_learns_nothing_twice():
    policy = notes()
    queue = al.InOrder(policy)
    for visit in decided(policy, 3):
        queue.add(visit)
    queue.reward(1, 0.5)
    saved = queue.to_dict()
    queue.reward(0, 1)
    assert learned(policy) == [0, 1]
    resumed = al.InOrder.resume(policy, json.loads(json.dumps(saved)))
    assert resumed.waiting == (2,)
    assert resumed.tick() == ()
    assert learned(policy) == [0, 1]


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"},
        {"version": 2},
        {"version": True},
        {"window": "soon"},
        {"silence": 7},
        {"now": "x"},
        {"given_up": [[3, 1]]},
        {"waiting": [{"visit": {}, "since": 0, "reward": None}]},
        {"waiting": [{"since": 0}]},
        {"waiting": [{"visit": None, "since": 0, "reward": None}]},
        {"waiting": "twice"},
    ],
)
def test_a_damaged_one_is_refused(change):
    policy = notes()
    queue = al.InOrder(policy, window="3 visits", silence=0)
    queue.add(decided(policy, 1)[0])
    saved, before = queue.to_dict(), policy.to_dict()
    if change == {"waiting": "twice"}:
        change = {"waiting": 2 * saved["waiting"]}
    with pytest.raises(StateError):
        al.InOrder.resume(policy, saved | change)
    assert policy.to_dict() == before


def test_what_is_learned_is_handed_back_to_be_stored_and_corrected():
    policy = al.LinUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1))
    queue = al.InOrder(policy)
    first, second = decided(policy, 2)
    mine = policy.visit(second.to_dict())  # the application's own copy
    assert queue.add(first) == queue.add(second) == ()
    assert queue.reward(np.int64(1), 0.5) == ()
    learned = queue.reward(policy.visit(first.to_dict()), 1)
    assert [(visit.number, visit.reward) for visit in learned] == [(0, 1), (1, 0.5)]
    mine = policy.visit(learned[1].to_dict())
    policy.unlearn(mine)
    policy.learn(mine, 0.75)
    third = policy.visit(known={"x1": 0.5})
    queue.add(third)
    copied = policy.visit(third.to_dict())
    queue.reward(copied, 0.25)
    assert (copied.reward, third.reward) == (0.25, 0.25)
    policy.unlearn(copied)
    queue.add(copied)  # its old reward is of no account
    assert queue.reward(copied, 0.5) == (copied,)
    assert policy.rows.tolist() == [3]


def test_what_somebody_else_has_learned_meanwhile_is_let_go():
    policy = notes()
    queue = al.InOrder(policy)
    first, second = decided(policy, 2)
    for visit in (first, second):
        queue.add(visit)
    policy.learn(policy.visit(first.to_dict()), 1)
    queue.reward(1, 0.5)
    queue.reward(0, 0.25)
    assert queue.waiting == ()
    assert [y + 0.5 for _, _, y in policy.notes] == [1, 0.5]

"""Late rewards are learned in the order of the decisions, within a window that sees no reward."""

import contextlib
import copy
import json
import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import askless as al
from askless.errors import RewardError, SettingError, StateError, VisitError

DAY = 86_400.0


class Notes(al.Policy):
    """Writes down what it learns, in its order; arms take turns."""

    name = "notes"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.notes = []

    def _decide(self, z, mask, number):
        candidates = np.flatnonzero(mask)
        return al.Decision(int(candidates[number % len(candidates)]), np.zeros(len(mask)))

    def _learn(self, played, rows, ys):
        for arm, row, y in zip(played.tolist(), rows, ys.tolist(), strict=True):
            self.notes.append([arm, float(row[1]), y])

    def _state(self):
        return {"notes": copy.deepcopy(self.notes)}

    def _restore(self, state):
        self.notes = copy.deepcopy(state["notes"])


def notes(arms=1):
    return Notes(al.Survey.unit(1), arms=[f"a{k}" for k in range(arms)], reward=(0, 1))


def decided(policy, count):
    return [policy.visit(known={"x1": i / 16}) for i in range(count)]


def learned(policy):
    """The people whose visits were learned, in this order."""
    return [round((x + 0.5) * 16) for _, x, _ in policy.notes]


def oracle(arms, rewards, window, silence):
    """What is learned, by brute force over time: (person, reward) an arm.

    `rewards` are (time of arrival in visits after the decision, reward); a visit's row may be
    learned once all earlier ones of its arm are settled. Independent of the queue.
    """
    found = {}
    for person, (arm, (late, reward)) in enumerate(zip(arms, rewards, strict=True)):
        row = reward if late <= window else silence
        if row is not None and (late <= window or window < math.inf):
            found.setdefault(arm, []).append((person, row))
    return found


@pytest.mark.parametrize("silence", [None, 0.25])
@pytest.mark.parametrize("seed", range(20))
def test_rows_are_learned_in_decision_order_whatever_comes_first(seed, silence):
    rng = np.random.default_rng(seed)
    policy, count, window = notes(3), 16, 4
    queue = al.InOrder(policy, window=f"{window} visits", silence=silence)
    visits = decided(policy, count)
    rewards = [(int(rng.integers(0, 8)), float(rng.integers(16) / 16)) for _ in visits]
    refused = 0
    for now in range(count + window + 9):
        if now < count:
            queue.add(visits[now])
        else:  # time goes on with other people, who are not of interest
            extra = policy.visit(known={"x1": 1})
            queue.add(extra)
        for i in rng.permutation(min(now + 1, count)):
            if i + rewards[i][0] == now:
                try:
                    queue.reward(int(i), rewards[i][1])
                except RewardError as error:
                    refused += 1
                    assert "window" in str(error) or "learned already" in str(error)
                    assert rewards[i][0] > window
    arms = [visit.arm_index for visit in visits]
    wanted = oracle(arms, rewards, window, silence)
    for arm in range(3):
        own = [(p, r) for p, r in wanted.get(arm, [])]
        got = [(round((x + 0.5) * 16), y + 0.5) for k, x, y in policy.notes if k == arm and x < 0.5]
        assert got == own
    assert refused == sum(after > window for after, _ in rewards)


def test_nothing_is_learned_before_what_was_decided_earlier():
    policy = notes()
    queue = al.InOrder(policy)
    visits = decided(policy, 4)
    for visit in visits:
        queue.add(visit)
    for number in (3, 1, 2):
        queue.reward(number, 0.5)
        assert learned(policy) == []
    assert queue.waiting == (0, 1, 2, 3)
    assert len(queue) == 4
    queue.reward(visits[0], 1)
    assert learned(policy) == [0, 1, 2, 3]
    assert queue.waiting == ()
    assert [visit.reward for visit in visits] == [1, 0.5, 0.5, 0.5]


def test_other_arms_are_not_waited_for():
    policy = notes(2)
    queue = al.InOrder(policy)
    for visit in decided(policy, 4):
        queue.add(visit)
    queue.reward(1, 0.5)
    queue.reward(3, 0.5)
    assert learned(policy) == [1, 3]


@pytest.mark.parametrize("kind", ["seconds", "datetime"])
def test_a_window_in_days_looks_at_the_given_times_alone(kind):
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def at(days):
        moment = start + timedelta(days=days)
        return moment if kind == "datetime" else moment.timestamp()

    policy = notes()
    queue = al.InOrder(policy, window="14 days", silence=0)
    for day, visit in enumerate(decided(policy, 3)):
        queue.add(visit, at=at(day))
    queue.reward(1, 1, at=at(3))
    queue.tick(at=at(13.9))
    assert learned(policy) == []
    queue.reward(2, 0.5, at=at(13.95))
    queue.tick(at=at(14))  # at its last moment, a reward would still be in time
    assert learned(policy) == []
    queue.tick(at=at(14.01))
    assert [y + 0.5 for _, _, y in policy.notes] == [0, 1, 0.5]
    with pytest.raises(RewardError, match=r"visit 0: .* 14 days.*0 was learned"):
        queue.reward(0, 1, at=at(15))


def test_a_reward_is_late_wherever_in_the_line_its_visit_is():
    policy = notes()
    queue = al.InOrder(policy, window="10 days")
    first, second = decided(policy, 2)
    queue.add(first, at=10 * DAY)
    queue.add(second, at=0)  # a clock that was put back: time does not go back
    with pytest.raises(RewardError, match="after its window of 10 days"):
        queue.reward(1, 1, at=20.5 * DAY)
    queue.tick(at=20.5 * DAY)
    assert queue.waiting == ()
    for number in (0, 1):
        with pytest.raises(RewardError, match="after its window"):
            queue.reward(number, 1, at=21 * DAY)
    with pytest.raises(VisitError, match="given up"):
        queue.add(first, at=21 * DAY)
    assert learned(policy) == []


def test_without_times_a_window_of_time_takes_the_clock():
    policy = notes()
    queue = al.InOrder(policy, window="100 weeks")
    (visit,) = decided(policy, 1)
    queue.add(visit)
    queue.reward(visit, 1)
    assert learned(policy) == [0]
    assert queue.to_dict()["now"] > datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def test_what_is_refused_changes_nothing():
    policy = notes()
    queue = al.InOrder(policy, window="5 visits")
    open_visit, first, second = policy.visit(), *decided(policy, 2)
    queue.add(first)
    other = al.Uniform(al.Survey.unit(2), arms=["a0"], reward=(0, 1))
    stranger = other.visit(known={"x1": 0, "x2": 0}, number=first.number)
    before = policy.to_dict(), queue.to_dict()
    for call, kind, message in (
        (lambda: queue.add(open_visit), VisitError, "not decided"),
        (lambda: queue.add(first), VisitError, "waiting already"),
        (lambda: queue.add(other.visit(known={"x1": 0, "x2": 0})), VisitError, "another survey"),
        (lambda: queue.add(None), VisitError, "not a visit"),
        (lambda: queue.reward(first, 2), RewardError, "outside"),
        (lambda: queue.reward(first, math.nan), RewardError, "nan"),
        (lambda: queue.reward(second, 1), VisitError, "no visit 2 is waiting"),
        (lambda: queue.reward("1", 1), VisitError, "no visit '1'"),
        (lambda: queue.reward(stranger, 1), VisitError, "another survey"),
        (lambda: queue.reward(True, 1), VisitError, "no visit True"),
    ):
        with pytest.raises(kind, match=message):
            call()
        assert (policy.to_dict(), queue.to_dict()) == before


def test_the_same_reward_again_is_ignored_and_another_is_a_conflict():
    policy = notes()
    queue = al.InOrder(policy)
    for visit in decided(policy, 2):
        queue.add(visit)
    queue.reward(1, 0.5)
    queue.reward(1, 0.5)
    with pytest.raises(RewardError, match=r"has the reward 0\.5"):
        queue.reward(1, 0.25)
    queue.reward(0, 1)
    assert [y + 0.5 for _, _, y in policy.notes] == [1, 0.5]
    with pytest.raises(RewardError, match="visit 1 has been learned already"):
        queue.reward(1, 0.5)


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


def test_settings_are_checked():
    policy = notes()
    for settings, message in (
        ({"silence": 0}, "window"),
        ({"window": "soon"}, "window is 'soon'"),
        ({"window": "3 visits", "silence": 3}, "silence is 3"),
    ):
        with pytest.raises(SettingError, match=message):
            al.InOrder(policy, **settings)
    with pytest.raises(SettingError, match="policy is"):
        al.InOrder(None)
    with pytest.raises(SettingError, match="study is"):
        al.InOrder.of(None, policy)
    queue = al.InOrder(policy, window="3 days")
    (visit,) = decided(policy, 1)
    for at in (datetime.min, 1.7e12, math.inf, "now"):  # 1.7e12: milliseconds
        with pytest.raises(SettingError, match="at is"):
            queue.add(visit, at=at)
    assert queue.waiting == ()


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


def test_the_order_is_what_keeps_the_guarantee():
    # Sales are reported at once, silence takes its time: learned as it comes, an arm that sells to
    # everyone half of the time looks as if it always sold, for as long as the silence lasts.
    rng = np.random.default_rng(0)
    ordered, hasty = (al.LinUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1)) for _ in range(2))
    queue = al.InOrder(ordered, window="50 visits", silence=0)
    for _ in range(200):
        visit, copied = (policy.visit(known={"x1": 0.5}) for policy in (ordered, hasty))
        queue.add(visit)
        if rng.random() < 0.5:
            queue.reward(visit, 1)
            hasty.learn(copied, 1)
    z = ordered.encode({"x1": 0.5})
    means = [float(policy.estimate[0] @ z) + 0.5 for policy in (ordered, hasty)]
    # 150 rows with mean ½ lie within 0.2 of it but for exp(-2·150·0.2²) < 1e-5 (Hoeffding).
    assert abs(means[0] - 0.5) < 0.2
    assert means[1] > 0.9


def test_a_study_says_how_long_a_reward_may_take_and_what_silence_means():
    text = (
        "{schema: 1, questions: [{kind: scale, name: x1, low: 0, high: 1}], arms: [{name: a0}],"
        " reward: {low: 0, high: 1, window: 2 visits, silence: 0.25}, policy: {beta_min: 0.2}}"
    )
    study = al.Study.parse(text)
    policy = notes()
    queue = al.InOrder.of(study, policy)
    for visit in decided(policy, 4):
        queue.add(visit)
    assert [y + 0.5 for _, _, y in policy.notes] == [0.25]

"""Late rewards are learned in the order of the decisions, within a window that sees no reward."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import askless as al
from askless.errors import RewardError, SettingError, VisitError
from noting_policy import decided, learned, notes

DAY = 86_400.0


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

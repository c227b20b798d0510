"""The start, in which arms take turns, and warm-up: each is left once."""

import numpy as np
import pytest

import askless as al
from epoch_bytes import everything
from epoch_world import (
    EVERY,
    SCALES,
    World,
    through,
)
from worlds import random_answers


@pytest.mark.parametrize("interactive", [False, "arm", "question"])
def test_the_start_plays_arms_in_turn_and_asks_what_they_learn(interactive):
    """Fails if a visit's turn is not its number's, or anything but its arm's support is asked."""
    world = World(EVERY, 3)
    how = {"interactive": "certified", "grain": interactive} if interactive else {}
    policy = world.policy(beta_min=0.5, explore=0.0, **how)
    start = 3 * world.survey.column_count // 10
    assert start > 4
    # Rewards are late: nothing is learned until long after the arms have had their turns.
    visits = []
    for number in range(3 * start + 2):
        visit = policy.visit()
        assert set(visit.asks) == set(policy.needs(policy.arms[number % 3]))
        visits.append(through(visit, world.answers()))
        assert (visit.arm_index, visit.propensity) == (number % 3, 1.0)
        assert visit.explain().ruled_out == ()
    # Of those that a visit may get, and of those that still have few rows.
    for number, arms, turn in ((41, ["arm1", "arm2"], "arm2"), (42, ["arm2"], "arm2")):
        assert policy.visit(arms=arms, number=number).asks
        assert through(policy.visit(arms=arms, number=number), world.answers()).arm == turn
    for visit in visits[1 : 3 * start : 3]:
        policy.learn(visit, 11.0)
    assert (policy.rows.tolist(), policy.warm.all()) == ([0, start, 0], True)
    # The turn is that of all three; arm 1, whose start is over, is compared with none: it wins.
    for number, turn in ((60, 0), (61, 1), (62, 2), (63, 0), (64, 1)):
        assert through(policy.visit(number=number), world.answers()).arm_index == turn
    # An arm that has dropped a question is not asked it in the start either.
    policy._model.restrict(policy._model.arms.support * (np.arange(len(EVERY)) != 1))
    policy._model.refresh()
    visit = policy.visit(number=69)
    assert set(visit.asks) == set(world.survey.names) - {"yes_no1"}
    for k in (0, 2):
        for visit in visits[k : 3 * start : 3]:
            policy.learn(visit, 11.0)
    assert (policy._model.arms.n == start).all()
    # The start is over: what is asked first is what scores need.
    visit = policy.visit(number=80)
    if not interactive:
        assert set(visit.asks) == set(world.survey.names_of(policy.active.any(axis=0)))


def test_an_added_arm_gets_its_share_until_its_first_rewards_come():
    """Fails if everybody is sent to a new arm whose rewards are late: it then gets all 90."""
    world = World(SCALES, 2)
    policy = world.policy(beta_min=0.5, explore=0.0, payback=False)
    for _ in range(60):
        visit = through(policy.visit(), world.answers())
        policy.learn(visit, world.reward_of(visit.arm_index, visit.answers))
    policy.add_arm("new")
    arms = [through(policy.visit(), world.answers()).arm for _ in range(90)]
    assert arms.count("new") == 30


def test_unlearning_does_not_bring_back_the_start():
    """Fails if an arm without rows gets everybody for as long as its present block lasts."""
    world = World(SCALES[:2], 2, noise=0.5)
    policy = world.policy(beta_min=0.1, explore=0.0, payback=False)
    visits = []
    for _ in range(120):
        visits.append(through(policy.visit(), world.answers()))
        policy.learn(visits[-1], world.reward_of(visits[-1].arm_index, visits[-1].answers))
    for visit in visits:
        if visit.arm_index == 0:
            policy.unlearn(visit)
    assert policy.rows[0] == 0
    z = world.survey.encode(world.answers())
    everyone = np.ones(2, dtype=bool)
    for number in (1000, 1001):
        best = int(np.argmax(policy.ucb(z)))
        assert policy._decide(z, everyone, number).arm == best


def test_late_rewards_do_not_send_everybody_to_one_arm():
    """Fails if the turns of the start depend on what has been learned: 4 arms, 200 visits wait."""
    world = World(SCALES, 4)
    policy = world.policy(beta_min=0.5, explore=0.0)
    late = al.InOrder(policy)
    visits = []
    for _ in range(200):
        visits.append(through(policy.visit(), world.answers()))
        late.add(visits[-1])
    assert np.bincount([visit.arm_index for visit in visits]).tolist() == [50] * 4
    for visit in reversed(visits):
        late.reward(visit, world.reward_of(visit.arm_index, visit.answers))
    assert policy.rows.tolist() == [50] * 4


def test_warm_up_once_left_is_not_entered_again(tmp_path):
    """Fails if unlearning rows, or saving after it, sends an arm back to warm-up."""
    world = World(SCALES[:3], 1, noise=0.1)
    policy = world.policy(beta_min=0.5)
    visits = []
    while policy.warm[0] or policy.epochs[0] == 0:
        answers = world.answers()
        visits.append(policy.visit(known=answers))
        policy.learn(visits[-1], world.reward_of(0, answers))
    held = int(policy._model.epochs.held[0])
    for visit in visits[: len(visits) - held - 1]:
        policy.unlearn(visit)
    assert policy._model.arms.n.tolist() == [1]  # fewer than those of the start
    assert not policy.warm[0]
    policy.save(tmp_path / "state.json")
    loaded, ended = al.load(tmp_path / "state.json"), int(policy._model.epochs.ended[0])
    for one in (policy, loaded):
        rng = np.random.default_rng(0)
        for _ in range(60):
            z = world.survey.encode(random_answers(world.survey, rng))
            one.learn_row(0, z, float(rng.uniform(10, 12)))
        assert not one.warm[0]
        assert one._model.epochs.ended[0] > ended
        assert one.epochs[0] == 1 + one._model.epochs.ended[0] - ended
    assert everything(loaded) == everything(policy)

"""Epochs saved, copied and beside arms that come and go: nothing changes by a bit."""

import copy

import numpy as np
import pytest

import askless as al
from askless.errors import StateError
from askless.policies import files
from epoch_bytes import arm_models, arm_state, everything
from epoch_comparison import close
from epoch_world import (
    EVERY,
    RAW,
    SCALES,
    World,
    grid,
    learn,
)
from saved_states import opened
from worlds import random_answers


@pytest.mark.parametrize("questions", [SCALES, EVERY, RAW], ids=["scales", "every", "raw"])
@pytest.mark.parametrize("rows", [5, 777])
def test_saved_copied_and_left_alone_have_the_same_future(tmp_path, questions, rows):
    """Fails if a file or a copy loses a bit, or saving changes what is saved."""
    world = World(questions, 2, seed=3)
    policy = world.policy(beta_min=0.5 if questions is not RAW else 0.3, explore=0.1, seed=5)
    learn(world, policy, rows, np.random.default_rng(1))
    alone = copy.deepcopy(policy)
    policy.save(tmp_path / "state.json")
    loaded = al.load(tmp_path / "state.json")
    assert loaded.to_dict() == policy.to_dict()
    futures = [policy, loaded, alone, copy.deepcopy(policy), copy.deepcopy(loaded)]
    for count in (1, 50, 1000):
        for future in futures:
            learn(world, future, count, np.random.default_rng(count))
        z = world.survey.encode(random_answers(world.survey, np.random.default_rng(0)))
        assert len({future.ucb(z).tobytes() for future in futures}) == 1
        states = [everything(future) for future in futures]
        assert all(state == states[0] for state in states)
    assert not policy.support.all()


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.pop("logs"),
        lambda e: e.pop("need"),
        lambda e: e["rows"].pop(),
        lambda e: e["rows"][0].pop(),
        lambda e: e["rows"][0].__setitem__(1, "x"),
        lambda e: e["rewards"].pop(),
        lambda e: e["logs"].pop(),
        lambda e: e["logs"][0].__setitem__(0, None),
        lambda e: e["passed"][0].__setitem__(0, 2),
        lambda e: e["test"].__setitem__(0, 7),
        lambda e: e.__setitem__("held", e["need"]),
        lambda e: e.__setitem__("held", e["held"] + 1),
        lambda e: e.__setitem__("ended", -1),
        lambda e: e.__setitem__("ended", 1.5),
        lambda e: e.__setitem__("need", 0),
        lambda e: e.__setitem__("warm", 2),
        lambda e: e.__setitem__("warm", True),
        lambda e: e.__setitem__("tested", e["ended"] + 1),
        lambda e: e["pace"][0].__setitem__(0, -1.0),
        lambda e: e["pace"].pop(),
    ],
)
def test_a_damaged_epoch_is_refused(tmp_path, change):
    """Fails if a file whose epoch cannot be is loaded, or raises anything but a StateError."""
    world = World(SCALES, 2)
    policy = world.policy(beta_min=0.5)
    learn(world, policy, 150, np.random.default_rng(0))
    content = policy.to_dict()
    assert content["state"]["arms"][0]["epoch"]["held"] > 1
    files.write_state(tmp_path / "state.json", content)
    al.load(tmp_path / "state.json")
    content = opened(content)
    al.EpochSurveyUCB.from_dict(content)
    change(content["state"]["arms"][0]["epoch"])
    files.write_state(tmp_path / "state.json", content)
    with pytest.raises(StateError):
        al.load(tmp_path / "state.json")


def test_arms_that_come_and_go_leave_the_others_as_they_are():
    """Fails if a bit of another arm changes in mid-epoch, or the new arm's share is not halved."""
    world = World(EVERY, 2)
    policy = world.policy(beta_min=0.5, delta=0.2)
    learn(world, policy, 333, np.random.default_rng(0))
    assert (policy._model.epochs.held > 0).all()
    before, twin = everything(policy), copy.deepcopy(policy)
    policy.add_arm("third")
    policy.add_arm("fourth")
    assert everything(policy, 2) == before
    np.testing.assert_array_equal(policy._model.arms.share, [0.2 / 2, 0.2 / 2, 0.2 / 4, 0.2 / 8])
    assert policy.epochs.tolist()[2:] == policy.rows.tolist()[2:] == [0, 0]
    assert policy.warm[2:].all()
    assert policy._model.epochs.need[2] == 3 * world.survey.column_count // 10
    naive = world.pair(beta_min=0.5, delta=0.2)[1]
    naive.share = [0.2 / 4, 0.2 / 8]
    close(policy.radius[2:], [naive.model(k)[3] for k in range(2)])
    policy.retire_arm("arm1")
    assert everything(policy, 2) == before
    rng = np.random.default_rng(1)
    for _ in range(500):  # both go on alike, the retired arm too
        k, answers = int(rng.integers(2)), random_answers(world.survey, rng)
        z, reward = world.survey.encode(answers), float(rng.uniform(*world.reward))
        policy.learn_row(k, z, reward)
        twin.learn_row(k, z, reward)
    assert everything(policy, 2) == everything(twin)
    before = everything(policy, 2)
    for _ in range(500):
        z = world.survey.encode(random_answers(world.survey, rng))
        policy.learn_row(2, z, float(rng.uniform(*world.reward)))
    assert everything(policy, 2) == before
    assert policy.epochs[2] > 0


def test_a_policy_that_has_dropped_and_unlearned_can_be_loaded(tmp_path):
    """Fails if a drop after more rows than are left is taken for damage."""
    world = World(SCALES[:2], 1, noise=0.05)
    policy = world.policy(beta_min=1.2)
    learn(world, policy, 500, np.random.default_rng(0))
    assert not policy.support.any()
    rows, rewards = [], []
    for _ in range(100):
        rows.append(world.survey.encode(world.answers()))
        rewards.append(float(world.rng.uniform(*world.reward)))
        policy.learn_row(0, rows[-1], rewards[-1])
    for z, reward in zip(rows, rewards, strict=True):  # kept, let go, or finished: all of them
        policy.unlearn_row(0, z, reward)
    assert policy.rows.tolist() == [500]
    policy.save(tmp_path / "state.json")
    assert everything(al.load(tmp_path / "state.json")) == everything(policy)


@pytest.mark.parametrize("growth", [1.5, 3.0])
def test_many_rows_at_once_are_learned_as_one_by_one(growth):
    """Fails if room is too small, grows at the wrong moment, or a block is learned differently."""
    world = World(SCALES[:3], 2)
    made = {"beta_min": 0.04, "growth": growth}
    one, other = world.policy(**made), world.policy(**made)
    rng = np.random.default_rng(0)
    rows = np.c_[np.ones(38_000), grid(rng.uniform(-0.5, 0.5, (38_000, 3)))]
    arms, rewards = rng.integers(2, size=38_000).tolist(), rng.uniform(10, 12, 38_000).tolist()
    one.learn_rows(arms, rows, rewards)
    for arm, z, reward in zip(arms, rows, rewards, strict=True):
        other.learn_row(arm, z, reward)
    assert everything(one) == everything(other)
    assert one.rows.sum() == 38_000
    # Warm-up takes 0.4·ln(3/(0.9·0.025))/12·12/0.02² ≈ 4,900 rows, tests five times as many.
    assert (one.epochs > 0).all()
    assert (one._model.epochs.need > 2048).all()


def test_an_arm_that_is_not_refreshed_does_not_change_by_a_bit():
    """Fails if a row changes another arm, or its own arm's models in mid-block."""
    world = World(EVERY, 3, noise=0.2)
    policy = world.policy(beta_min=0.6)
    rng, mid, ends = np.random.default_rng(3), 0, 0
    for _ in range(700):
        answers = random_answers(world.survey, rng)
        arm = int(rng.integers(3))
        before = [arm_state(policy, k) for k in range(3)]
        models, ended = arm_models(policy, arm), int(policy._model.epochs.ended[arm])
        policy.learn_row(arm, world.survey.encode(answers), world.reward_of(arm, answers))
        for k in {0, 1, 2} - {arm}:
            assert arm_state(policy, k) == before[k]
        if policy._model.epochs.ended[arm] == ended:
            assert arm_models(policy, arm) == models
            mid += 1
        else:
            assert arm_models(policy, arm) != models
            ends += 1
    assert mid > 200
    assert ends > 60

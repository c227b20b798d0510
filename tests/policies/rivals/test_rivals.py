"""The baselines against their own definitions (maths 6)."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

import askless as al
from askless.errors import SettingError

SURVEY = al.Survey([al.Scale("age", low=0, high=1), al.Choice("cause", ["x", "y", "z"])])


def test_lin_ucb_is_li_s():
    rng = np.random.default_rng(0)
    policy = al.LinUCB(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1), delta=0.1)
    inverse, moment = [np.eye(4), np.eye(4)], [np.zeros(4), np.zeros(4)]
    width = 1 + math.sqrt(math.log(2 / 0.1) / 2)
    for _ in range(300):
        z = np.array([1, *np.round(rng.uniform(-0.5, 0.5, 3) * 1024) / 1024])
        expected = [
            z @ a @ b + width * math.sqrt(z @ a @ z) for a, b in zip(inverse, moment, strict=True)
        ]
        np.testing.assert_allclose(policy.ucb(z), expected, atol=1e-10)
        arm = policy.play(z)
        assert arm == int(np.argmax(expected))
        reward = float(rng.integers(2))
        policy.learn_row(arm, z, reward)
        inverse[arm] = np.linalg.inv(np.linalg.inv(inverse[arm]) + np.outer(z, z))
        moment[arm] = moment[arm] + z * (reward - 0.5)


def test_lin_ucb_decides_the_same_in_another_currency():
    rng = np.random.default_rng(1)
    euros = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 1))
    cents = al.LinUCB(al.Survey.unit(2), arms=["a", "b"], reward=(0, 128))
    for _ in range(200):
        z = [1, *rng.uniform(-0.5, 0.5, 2)]
        assert euros.play(z) == cents.play(z)
        reward = float(rng.random())
        euros.learn_row(euros.play(z), z, reward)
        cents.learn_row(cents.play(z), z, 128 * reward)


def test_oful_pays_for_arms_only():
    survey, settings = al.Survey.unit(6), {"arms": ["a", "b"], "reward": (0, 2), "delta": 0.1}
    oful = al.OFUL(survey, **settings)
    expected = 1 * math.sqrt(2 * math.log(2 / 0.1)) + math.sqrt(5) * 2
    np.testing.assert_allclose(oful.radius, expected, rtol=1e-13)


@pytest.mark.parametrize("kind", [al.LinUCB, al.OFUL])
def test_the_baselines_never_drop(kind):
    policy = kind(al.Survey.unit(2), arms=["a"], reward=(0, 1), beta_min=0.9, sigma=1e-9, b2=1e-9)
    rows = [[1, 0.25, -0.5]] * 50
    policy.learn_rows([0] * 50, rows, [0.5] * 50)
    assert policy.support.all()
    assert policy.beta_min == 0


def test_target_asks_what_matters_and_plays_the_best():
    truth = np.array([[0.1, 0.4, 0, 0, 0], [0, 0, 0.1, 0.1, 0.1], [-0.05, 0, 0, 0.3, 0]])
    policy = al.Target(SURVEY, arms=["a", "b", "c"], reward=(0, 1), coefficients=truth)
    # Equal coefficients of all options are no effect: they only move the mean.
    assert policy.support.tolist() == [[True, False], [False, False], [False, True]]
    rng = np.random.default_rng(2)
    for _ in range(50):
        answers = {"age": float(rng.random()), "cause": str(rng.choice(["x", "y", "z"]))}
        visit = policy.visit(known=answers)
        assert visit.arm_index == int(np.argmax(truth @ SURVEY.encode(answers)))
        policy.learn(visit, 0.5)
    policy.retire_arm("c")
    policy.retire_arm("a")
    assert policy.asked_now() == ()


def test_target_counts_a_choice_without_effect_that_it_does_not_ask():
    # Equal options move the mean by .1 whatever the answer is, so b is better and nothing is asked.
    policy = al.Target(
        SURVEY,
        arms=["a", "b"],
        reward=(0, 1),
        coefficients=[[0.05, 0, 0, 0, 0], [0, 0, 0.1, 0.1, 0.1]],
    )
    assert policy.asked_now() == ()
    assert policy.visit().arm == "b"
    assert policy.play(policy.encode({"age": 0.5, "cause": "y"})) == 1
    al.check_policy(policy)


def test_target_needs_its_parameters():
    settings = {"arms": ["a"], "reward": (0, 1)}
    for wrong in ([[0, 1]], np.full((1, 5), np.nan), [0, 0, 0, 0, 0], "x", [[0], [1, 2]]):
        with pytest.raises(SettingError, match="coefficients"):
            al.Target(SURVEY, coefficients=wrong, **settings)
    policy = al.Target(SURVEY, coefficients=np.zeros((1, 5)), **settings)
    with pytest.raises(SettingError, match="parameters"):
        policy.add_arm("b")
    assert policy.arms == ("a",)


def test_uniform_plays_every_live_arm_alike():
    policy = al.Uniform(SURVEY, arms=["a", "b", "c", "d"], reward=(0, 1), seed=11)
    policy.retire_arm("b")
    known = {"age": 0.5, "cause": "x"}
    counts = dict.fromkeys("acd", 0)
    for _ in range(3_000):
        counts[policy.visit(known=known).arm] += 1
    statistic = sum((count - 1_000) ** 2 / 1_000 for count in counts.values())
    assert statistic < chi2.isf(1e-6, df=2)  # a fair draw exceeds it once in a million seeds


def test_uniform_depends_on_seed_and_visit_alone():
    def arms(seed, learn):
        policy = al.Uniform(SURVEY, arms=["a", "b"], reward=(0, 1), seed=seed)
        played = []
        for _ in range(64):
            visit = policy.visit(known={"age": 0.5, "cause": "x"})
            played.append(visit.arm)
            if learn:
                policy.learn(visit, 0.25)
        return played

    assert arms(1, learn=True) == arms(1, learn=False)
    assert arms(1, learn=True) != arms(2, learn=True)


def test_uniform_draws_anew_for_each_row_of_the_array_door():
    policy = al.Uniform(SURVEY, arms=["a", "b"], reward=(0, 1))
    z = policy.encode({"age": 0.5, "cause": "x"})
    played = set()
    for _ in range(64):
        arm = policy.play(z)
        assert arm == policy.play(z)
        policy.learn_row(arm, z, 0.5)
        played.add(arm)
    assert played == {0, 1}


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "7", True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(SettingError, match="seed"):
        al.Uniform(SURVEY, arms=["a"], reward=(0, 1), seed=seed)

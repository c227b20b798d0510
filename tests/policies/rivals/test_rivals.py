"""The baselines against their own definitions (maths 6)."""

import copy
import math

import numpy as np
import pytest
from scipy.stats import chi2

import askless as al
from askless.errors import SettingError
from naive_noise import NaiveNoiseLinUCB

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


def noisy_pair(raw, arms=3):
    """LinUCB with the width of the noise on five scales, and the oracle (maths 8.8)."""
    names, reward = [f"arm{k}" for k in range(arms)], (0, 1) if raw else (10, 12)
    scales = [al.Scale(f"x{g}", low=0, high=1) for g in range(5)]
    survey = al.Survey(scales, coding="raw" if raw else "centred")
    policy = al.LinUCB(survey, arms=names, reward=reward, width="noise")
    return policy, NaiveNoiseLinUCB(6, arms, reward, raw=raw)


def noisy_row(rng, raw, arm):
    """A context on the grid and a noisy reward; the arms differ."""
    x = np.round(rng.random(5) * 1024) / 1024
    share = 0.5 + 0.4 * (x[arm] - 0.5) + 0.2 * rng.uniform(-1, 1)
    z = np.append(1.0, x if raw else x - 0.5)
    return z, float(share if raw else 10 + 2 * share)


def assert_same_noise(policy, naive):
    """What the noise is measured to be, and what follows from it."""
    state = policy._model.arms
    np.testing.assert_allclose(state.noise, naive.noise, rtol=1e-7)
    np.testing.assert_allclose(state.ridge, naive.penalty, rtol=1e-7)
    np.testing.assert_allclose(policy.width, naive.span * np.sqrt(naive.noise), rtol=1e-7)
    np.testing.assert_allclose(state.misfit, naive.rss, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(state.freedom, naive.df, rtol=1e-7, atol=1e-9)
    assert state.renewed.tolist() == naive.renewed


@pytest.mark.parametrize("raw", [False, True], ids=["centred", "raw"])
def test_lin_ucb_with_the_width_of_the_noise_is_the_oracle_s(raw, tmp_path):
    """Fails if noise, ridge or scores are not maths 8.8's at any of 3,000 rows.

    Or if a policy that was saved in the middle measures otherwise.
    """
    policy, naive = noisy_pair(raw)
    rng = np.random.default_rng(0)
    for t in range(3_000):
        z, _ = noisy_row(rng, raw, 0)
        if t < 300 or t % 10 == 0:
            np.testing.assert_allclose(policy.ucb(z), naive.scores(z), rtol=1e-7, atol=1e-9)
        arm = policy.play(z) if t % 2 else int(rng.integers(3))
        z, reward = noisy_row(rng, raw, arm)
        policy.learn_row(arm, z, reward)
        naive.learn(arm, z, reward)
        if t < 300 or t % 100 == 0:
            assert_same_noise(policy, naive)
        if t in (5, 777):
            policy.save(tmp_path / "state.json")
            policy = al.load(tmp_path / "state.json")
    assert_same_noise(policy, naive)
    assert (policy.width < 0.35 * policy.reward.span * 0.5).all()  # it began with half of R/2


def test_lin_ucb_saved_in_the_middle_has_the_same_future_bit_for_bit(tmp_path):
    """Fails if a file loses what the noise was when it was measured last."""
    for rows in (1, 30, 555):
        policy, _ = noisy_pair(raw=False)
        rng = np.random.default_rng(rows)
        for _ in range(rows):
            z, reward = noisy_row(rng, False, 1)
            policy.learn_row(policy.play(z), z, reward)
        policy.save(tmp_path / "state.json")
        futures = [policy, al.load(tmp_path / "state.json"), copy.deepcopy(policy)]
        for _ in range(400):
            z, reward = noisy_row(rng, False, 2)
            assert len({future.ucb(z).tobytes() for future in futures}) == 1
            arm = policy.play(z)
            for future in futures:
                future.learn_row(arm, z, reward)
        assert len({str(future.to_dict()["state"]) for future in futures}) == 1


def test_unlearning_leaves_ridge_and_noise_until_they_are_renewed():
    """Fails if a row taken out stays in the estimate, or changes what was measured with it."""
    policy, naive = noisy_pair(raw=False)
    rng = np.random.default_rng(4)
    rows = [(t % 3, *noisy_row(rng, False, t % 3)) for t in range(200)]
    for arm, z, reward in rows:
        policy.learn_row(arm, z, reward)
        naive.learn(arm, z, reward)
    for t in (0, 50, 199):
        arm, z, reward = rows[t]
        policy.unlearn_row(arm, z, reward)
        mine = [np.array_equal(z, other) for other, _ in naive.rows[arm]]
        del naive.rows[arm][mine.index(True)]
        naive.renewed[arm] = min(naive.renewed[arm], len(naive.rows[arm]))
        np.testing.assert_allclose(policy.ucb(z), naive.scores(z), rtol=1e-9)
        assert_same_noise(policy, naive)
    for t in range(300):  # and it goes on by the same rule
        z, reward = noisy_row(rng, False, t % 3)
        policy.learn_row(t % 3, z, reward)
        naive.learn(t % 3, z, reward)
        np.testing.assert_allclose(policy.ucb(z), naive.scores(z), rtol=1e-7)
    assert_same_noise(policy, naive)


def test_merged_policies_measure_the_noise_of_all_rows():
    """Fails if the sum depends on who is added to whom, or on how the rows were split.

    Or if its noise is not about that of one policy that has learned all rows, which measured it
    at other rows.
    """
    rng = np.random.default_rng(6)
    rows = [(int(rng.integers(3)), *noisy_row(rng, False, 1)) for _ in range(1_200)]
    whole = noisy_pair(raw=False)[0]
    for arm, z, reward in rows:
        whole.learn_row(arm, z, reward)
    sums = []
    for parts in (
        (slice(0, 400), slice(400, None)),
        (slice(400, None), slice(0, 400)),
        (slice(0, None, 2), slice(1, None, 2)),
    ):
        one, other = (noisy_pair(raw=False)[0] for _ in range(2))
        for policy, part in zip((one, other), parts, strict=True):
            for arm, z, reward in rows[part]:
                policy.learn_row(arm, z, reward)
        one.merge(other)
        sums.append(one)
    z = rows[0][1]
    assert len({one.ucb(z).tobytes() for one in sums}) == 1
    assert len({str(one.to_dict()["state"]) for one in sums}) == 1
    assert sums[0].rows.sum() == 1_200
    np.testing.assert_allclose(sums[0].width, whole.width, rtol=0.02)
    np.testing.assert_allclose(sums[0].ucb(z), whole.ucb(z), rtol=0.01)


@pytest.mark.parametrize("width", ["li2010", "noise"])
def test_the_width_is_a_setting_by_its_own_name(width, tmp_path):
    """Fails if the setting is lost in a file, or is known by another name."""
    policy = al.LinUCB(SURVEY, arms=["a"], reward=(0, 1), width=width)
    policy.save(tmp_path / "state.json")
    assert al.load(tmp_path / "state.json").to_dict()["settings"]["width"] == width
    with pytest.raises(TypeError, match="radius"):
        al.LinUCB(SURVEY, arms=["a"], reward=(0, 1), radius=width)
    with pytest.raises(SettingError, match="width"):
        al.LinUCB(SURVEY, arms=["a"], reward=(0, 1), width="valid")


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

"""LinTS, TSRC and WTSRC beside their published rules, written down naively."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import askless as al
from askless.policies.rivals.thompson import draw_largest
from worlds import survey_of

SURVEY = survey_of(
    [("scale", 1, False), ("choice", 3, False), ("yes_no", 1, True), ("scale", 1, False)]
)
ARMS = ["a", "b", "c"]
REWARD = (-2, 3)


def people(count, seed=0):
    """Answers, and what each arm would bring."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        answers = {
            "scale0": float(rng.integers(11)) / 10,
            "choice1": f"o{rng.integers(3)}",
            "yes_no2": [True, False, None][rng.integers(3)],
            "scale3": float(rng.integers(11)) / 10,
        }
        level = np.array([answers["scale0"], 0.5, answers["choice1"] == "o1"])
        drawn = np.clip(4 * level - 1 + rng.normal(size=3) / 2, *REWARD)
        yield answers, np.round((drawn + 2) * 64 / 5) * 5 / 64 - 2  # on the grid of what is learned


def dense(rows, rewards):
    """B, its inverse and μ of an arm: I + Σzz', from all its rows at once; and its noise."""
    z, y = np.array(rows).reshape(-1, SURVEY.column_count), np.array(rewards)
    inverse = np.linalg.inv(np.eye(z.shape[1]) + z.T @ z)
    mean = inverse @ z.T @ y
    # ‖y − zμ‖² + ‖μ‖² is what ridge regression leaves.
    left = ((y - z @ mean) ** 2).sum() + mean @ mean
    return inverse, mean, np.sqrt((0.25**2 + left) / (1 + len(y)))


def test_lints_draws_arms_as_often_as_drawn_models_do():
    """Fails if spreads are wrong, or if an arm's noise is another's.

    Each frequency of 4,000 draws is off by more than √(ln(2·3·2/1e-6)/(2·4,000)) = .045 with a
    probability of at most 1e-6, over arms and both ways of drawing (Hoeffding).
    """
    policy = al.LinTS(SURVEY, arms=ARMS, reward=REWARD, seed=3)
    own = {k: ([], []) for k in range(3)}
    for i, (answers, rewards) in enumerate(people(24)):
        z, k = policy.encode(answers), i % 3
        policy.learn_row(k, z, rewards[k])
        own[k][0].append(z)
        own[k][1].append((rewards[k] - 0.5) / 5)
    z = policy.encode({"scale0": 0.4, "choice1": "o1", "yes_no2": None, "scale3": 0.1})
    mask, count, rng = np.ones(3, dtype=bool), 4_000, np.random.default_rng(0)
    played = np.bincount([policy._decide(z, mask, n).arm for n in range(count)], minlength=3)
    scores = []
    for k in range(3):
        inverse, mean, noise = dense(*own[k])
        scores.append(rng.multivariate_normal(mean, noise**2 * inverse, size=count) @ z)
    naive = np.bincount(np.argmax(scores, axis=0), minlength=3)
    assert np.abs(played - naive).max() / count < 2 * 0.045
    said = policy._decide(z, mask, 0).propensities
    assert np.abs(played / count - said).max() < 0.045 + 1 / 256
    assert min(naive) > 0.03 * count  # else it would say little


def test_stated_propensities_are_the_integrals():
    means, spreads = np.array([0.0, 0.3, -0.2, 9.0]), np.array([1.0, 0.2, 0.5, 0.1])
    mask = np.array([True, True, True, False])
    found = draw_largest(means, spreads, mask, np.zeros(4), stated=True).propensities
    for k in range(3):
        others = [j for j in range(3) if j != k]
        exact, _ = quad(
            lambda x, k=k, others=others: (
                stats.norm.pdf(x, means[k], spreads[k])
                * np.prod([stats.norm.cdf(x, means[j], spreads[j]) for j in others])
            ),
            -9,
            9,
            points=[means[k]],
        )
        assert found[k] == pytest.approx(exact, abs=1 / 256)
    assert found[3] == 0
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("window", [None, 7])
def test_tsrc_asks_counts_and_plays_by_the_published_rule(window):
    """Visit by visit: questions asked, Beta counts, arms; fails if the window is off by one."""
    given = {"arms": ARMS, "reward": REWARD, "questions": 2, "seed": 5}
    if window is None:
        policy = al.TSRC(SURVEY, **given)
    else:
        policy = al.WTSRC(SURVEY, **given, window=window)
    history, own = [], {k: ([], []) for k in range(3)}
    for number, (answers, rewards) in enumerate(people(60)):
        last = history if window is None else history[-window:]
        n = np.array([sum(g in asked for asked, _ in last) for g in range(4)])
        r = np.array([sum(share for asked, share in last if g in asked) for g in range(4)])
        rng = policy.rng(number)
        luck = rng.standard_normal(3)
        worth = rng.beta(1 + policy._earned, 1 + policy._asked - policy._earned)
        assert policy._asked == pytest.approx(n)
        assert policy._earned == pytest.approx(r)
        asked = set(np.argsort(worth)[-2:].tolist())
        visit = policy.visit()
        assert {SURVEY.index(name) for name in visit.asks} == asked
        visit.answer({name: answers[name] for name in visit.asks})
        z = SURVEY.encode(answers)
        unasked = [j for j, g in enumerate(SURVEY.owner, start=1) if g not in asked]
        z[unasked] = 0
        scores = []
        for k in range(3):
            inverse, mean, noise = dense(*own[k])
            scores.append(z @ mean + noise * np.sqrt(z @ inverse @ z) * luck[k])
        assert visit.arm_index == int(np.argmax(scores))
        reward = rewards[visit.arm_index]
        policy.learn(visit, reward)
        history.append((asked, (reward + 2) / 5))
        own[visit.arm_index][0].append(z)
        own[visit.arm_index][1].append((reward - 0.5) / 5)


def test_tsrc_comes_to_ask_what_brings_more():
    """One question tells the arms apart, nine say nothing; asked by chance it would be in 1/5."""
    world = al.LinearEnvironment(
        al.Survey.unit(10),
        arms=["a", "b"],
        coefficients={"a": {"x3": 1.0}, "b": {"x3": -1.0}},
        reward=(0, 2),
        spread=0.1,
    )
    policy = al.TSRC(world.survey, arms=world.arms, reward=world.reward, questions=2)
    block = next(world.respondents(0, 0))
    put = []
    for z, rewards in zip(block.contexts[:1_500], block.rewards, strict=False):
        visit = policy.visit()
        put.append("x3" in visit.asks)
        visit.answer({name: float(z[policy.survey.index(name) + 1] + 0.5) for name in visit.asks})
        policy.learn(visit, rewards[visit.arm_index])
    assert np.mean(put[-500:]) > 0.6


@pytest.mark.parametrize(
    ("kind", "given", "complaint"),
    [
        (al.LinTS, {"v": -1}, "v is -1; give a number from 0"),
        (al.LinTS, {"seed": "x"}, "seed"),
        (al.TSRC, {"questions": 5}, "questions is 5; give a whole number from 1 to 4"),
        (al.TSRC, {"questions": 1.5}, "questions is 1.5"),
        (al.WTSRC, {"window": 0}, "window is 0"),
        (al.EpsilonGreedy, {"epsilon": 1.5}, "epsilon is 1.5; give a number from 0 to 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(kind, given, complaint):
    with pytest.raises(al.errors.SettingError, match=complaint):
        kind(SURVEY, arms=ARMS, reward=REWARD, **given)


def test_epsilon_greedy_is_greedy_by_ridge_means_and_draws_as_often_as_it_says():
    """Hoeffding: of 4,000 visits a frequency is off by more than .045 with chance 1e-6."""
    policy = al.EpsilonGreedy(SURVEY, arms=ARMS, reward=REWARD, epsilon=0.3, seed=2)
    own = {k: ([], []) for k in range(3)}
    for i, (answers, rewards) in enumerate(people(60, seed=4)):
        z, k = policy.encode(answers), i % 3
        policy.learn_row(k, z, rewards[k])
        own[k][0].append(z)
        own[k][1].append((rewards[k] - 0.5) / 5)
    mask = np.array([True, False, True])
    for answers, _ in people(20, seed=5):
        z = policy.encode(answers)
        means = [z @ dense(*own[k])[1] for k in range(3)]
        best = 0 if means[0] >= means[2] else 2
        decisions = [policy._decide(z, mask, n) for n in range(200)]
        expected = np.array([0.15, 0.0, 0.15])
        expected[best] += 0.7
        assert decisions[0].propensities == pytest.approx(expected)
    played = np.bincount([policy._decide(z, mask, n).arm for n in range(4_000)], minlength=3)
    assert np.abs(played / 4_000 - expected).max() < 0.045

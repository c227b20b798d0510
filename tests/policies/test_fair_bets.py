"""Bets against a question are at most fair where its effect is beta_min (maths 5.2, its proof)."""

import copy
import math

import numpy as np
import pytest

import askless as al
from boundary_worlds import CHANCE, SCALE, YES_NO
from sizes import whole
from worlds import survey_of

pytestmark = pytest.mark.slow

MOST = 8.0  # what exp(L) is cut at


def is_fair(logs):
    """Whether numbers exp(L) with a mean of at most 1 can be like these.

    Cut at MOST, their mean is still at most 1. Of all laws on [0, MOST] with that mean, the one on
    the two ends spreads most (Hoeffding 1963): a mean of x or more has a probability of at most
    exp(-n KL(x / MOST, 1 / MOST)).
    """
    p, most = np.minimum(np.exp(logs), MOST).mean() / MOST, 1 / MOST
    if p <= most:
        return True
    distance = p * math.log(p / most) + (1 - p) * math.log((1 - p) / (1 - most))
    return math.exp(-len(logs) * distance) > CHANCE


@pytest.mark.parametrize(("count", "mean"), [(800, 1.53), (2_000, 1.33), (3_000, 1.27)])
def test_a_mean_that_is_too_high_is_noticed(count, mean):
    """Fails if fewer replications than these would let a mean of exp(L) above 1 pass.

    By hand: n KL(mean/8, 1/8) is above ln 10^6 = 13.8 for it, and below for 0.06 less. The logs
    are those of the law that spreads most, so many at the upper end, the rest at none.
    """
    for shift, noticed in ((0.005, True), (-0.06, False), (1 - mean, False)):
        ends = round(count * (mean + shift) / MOST)
        logs = np.r_[np.full(ends, math.log(MOST)), np.full(count - ends, -math.inf)]
        assert is_fair(logs) != noticed


def fair_rows(rng, questions, beta, constant, count, noise):
    """Rows whose rewards have mean constant + z'beta; at the ends of the range, or two points."""
    survey = survey_of(questions)
    world = al.LinearEnvironment(
        survey, arms=["a"], reward=(0, 1), coefficients=np.zeros((1, len(beta))), spread=0.0
    )
    z = world.answer_model.contexts(rng, count)
    mean, luck = constant + z @ beta, rng.random(count)
    if noise is None:
        return z, (luck < mean).astype(float)
    chance, size = noise  # so much with that chance, else as much below as makes the mean 0
    return z, mean + np.where(luck < chance, size, -size * chance / (1 - chance))


ONE = [YES_NO]
FAIR = {
    # questions, parameters, constant, beta_min, noise, the direction at beta_min and its side, rows
    "rare rewards": (ONE, [0, 0.1], 0.05, 0.1, None, (0, 0), 140),
    "rare misses": (ONE, [0, -0.1], 0.95, 0.1, None, (0, 1), 140),
    "even odds": ([SCALE] * 3, [0, 0.3, 0, 0], 0.5, 0.3, None, (0, 0), 120),
    "little noise": ([SCALE] * 3, [0, 0.1, 0, 0], 0.5, 0.1, (0.5, 0.05), (0, 0), 60),
    "skewed up": (ONE, [0, 0.2], 0.3, 0.2, (0.05, 0.6), (0, 0), 40),
    "skewed down": (ONE, [0, -0.2], 0.7, 0.2, (0.05, -0.6), (0, 1), 40),
    "a choice": ([("choice", 5, False)], [0, 0.4, 0, 0, 0, 0], 0.3, 0.4, (0.5, 0.2), (0, 0), 80),
}


def arms_of(survey, beta_min, count=50, **settings):
    """A policy with so many arms, each of which is a replication."""
    arms = [f"a{k}" for k in range(count)]
    return al.EpochSurveyUCB(survey, arms=arms, reward=(0, 1), beta_min=beta_min, **settings)


@pytest.mark.parametrize("name", FAIR)
def test_no_bet_is_better_than_fair(name):
    """The mean of exp(L) is at most 1 where the effect is at beta_min: maths 5.2 and its proof.

    Fails if a bet is chosen by looking at what it is about, or if an epoch's estimate is biased.
    2,000 arms in `make long`, else 800, each a replication; in nearly all of them warm-up is over
    and something was bet.
    """
    questions, beta, constant, beta_min, noise, (direction, side), count = FAIR[name]
    survey, rng, logs = survey_of(questions), np.random.default_rng(8), []
    for _ in range(whole(40, 16)):
        policy = arms_of(survey, beta_min, growth=2.0)
        z, rewards = fair_rows(rng, questions, np.array(beta), constant, 50 * count, noise)
        policy.learn_rows(np.arange(50 * count) % 50, z, rewards)
        logs.append(policy._model.epochs.logs[:, direction, side].copy())
    assert (np.concatenate(logs) != 0).mean() > 0.9
    assert is_fair(np.concatenate(logs))


def test_a_prediction_does_not_know_the_reward_that_it_predicts():
    """The same, with many questions whose answers first vary in the epoch that is tested.

    Predictions of its rows hang on the rows just before. Fails if a prediction sees its own row:
    residuals, and so prices, then look small. 2,500 arms in `make long`, else 1,000.
    """
    m, beta_min, rng, logs = 30, 0.25, np.random.default_rng(2), []
    survey, each = survey_of([SCALE] * m), np.arange(50)
    centre = np.zeros((50, m + 1))
    centre[:, 0] = 1

    def rewards(z):
        return 0.5 + beta_min * z[:, 1] + 0.3 * rng.choice([-1.0, 1.0], size=len(z))

    for _ in range(whole(50, 20)):
        policy, row = arms_of(survey, beta_min), 0
        while policy.warm.any():
            policy.learn_rows(each, centre, rewards(centre))
        while (policy.epochs == 0).any():
            row += 1
            z = np.c_[np.ones(50), rng.choice([-0.5, 0.5], size=(50, m))]
            # Where an epoch is looked at, a context that is known well: it is not to end yet.
            z = centre if row == 32 else z
            policy.learn_rows(each, z, rewards(z))
        logs.append(policy._model.epochs.logs[:, 0, 0].copy())
    assert (np.concatenate(logs) != 0).mean() > 0.9
    assert is_fair(np.concatenate(logs))


UP, DOWN, CENTRE = np.array([1.0, 0.5]), np.array([1.0, -0.5]), np.array([1.0, 0.0])
SLOPE, SPREAD = 0.12, 0.4  # the effect of the only question in arm 0, and its noise
RIVAL = {0.5: 0.2, -0.5: 0.5 - 0.35 * SLOPE}  # what arm 1 brings, by the answer


def before_the_contest():
    """Two arms: nothing is known of arm 0's slope, all of arm 1. Both are at an epoch's begin."""
    policy = al.EpochSurveyUCB(
        survey_of([SCALE]),
        arms=["contender", "rival"],
        reward=(0, 1),
        beta_min=SLOPE,
        growth=3.0,
        optimism=0.0,
        payback=False,
        explore=0.0,
    )
    for z in [UP, DOWN] * 60:
        policy.learn_row(1, z, RIVAL[z[1]])
    for turn in range(162):
        policy.learn_row(0, CENTRE, 0.5 + SPREAD * (-1) ** turn)
    assert policy._model.epochs.held[0] == 0
    assert not policy.warm.any()
    return policy


def test_no_bet_is_better_than_fair_where_arms_compete():
    """The same, where a model that learns within the epoch would choose its rows by their luck.

    32 people at the upper end come first, and arm 0 gets them all. Those at the lower end, who
    come next, it gets only if it beats arm 1 there. A model that has seen the first 32 lets it
    have them where their luck was bad, and then the effect looks small; where it was good, there
    is no bet. Fails if the model by which arms are chosen changes inside an epoch: exp(L) is then
    1.3 on average. 6,000 replications in `make long`, else 3,000: from a mean of 1.27 on they fail.
    """
    rng, ready, logs = np.random.default_rng(4), before_the_contest(), []
    for _ in range(whole(6_000, 3_000)):
        policy = copy.deepcopy(ready)
        luck = SPREAD * rng.choice([-1.0, 1.0], size=96)
        assert policy.play(UP) == 0
        policy.learn_rows(np.zeros(32, int), np.tile(UP, (32, 1)), 0.5 + SLOPE / 2 + luck[:32])
        for turn in range(32, 96):  # at most: then it is over, because contexts have moved
            if policy.play(DOWN) == 1:
                break
            policy.learn_row(0, DOWN, 0.5 - SLOPE / 2 + float(luck[turn]))
        logs.append(policy._model.epochs.logs[0, 0, 0])
    assert is_fair(np.array(logs))
    assert (np.array(logs) != 0).all()  # a bet in every one of them

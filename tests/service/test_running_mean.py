"""Intervals of mean rewards out of sums: beside the bets themselves, and beside known truth."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from askless.service.dashboard.running_mean import BETS, CENTRES, running_mean


def fortune(rewards, mean, low, high):
    """The largest logarithm that any bet against `mean` has come to, in a plain loop."""
    best = -math.inf
    for bet in BETS:
        for centre in CENTRES:
            for sign in (1, -1):
                grown = 0.0
                for reward in rewards:
                    x, m = (reward - low) / (high - low), (mean - low) / (high - low)
                    grown += sign * bet * (x - m)
                    grown -= (-math.log(1 - bet) - bet) * (x - centre) ** 2
                best = max(best, grown)
    return best


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-20, 80)])
def test_the_ends_are_where_a_bet_has_won_enough(low, high):
    """Fails if sums lead to other ends than the bets of maths 5.2, made one after the other."""
    rng = np.random.default_rng(3)
    rewards = low + (high - low) * rng.beta(2, 3, size=400)
    found = running_mean(400, rewards.sum(), (rewards**2).sum(), low, high)
    line = math.log(2 * len(BETS) * len(CENTRES) / 0.05)
    assert found.middle == pytest.approx(rewards.mean())
    assert low < found.low < found.high < high
    for end in (found.low, found.high):
        assert fortune(rewards, end, low, high) == pytest.approx(line, abs=1e-6)


def test_whoever_looks_after_every_reward_is_seldom_misled():
    """Fails if in more studies than 5% leave room for the truth is ever outside.

    Each of 300 studies of 2,000 yes-or-no rewards is looked at at 40 times; it misses with a
    probability of at most 0.05, so that more misses than the bound below have one of at most 1e-6.
    """
    rng = np.random.default_rng(5)
    looks = np.unique(np.geomspace(1, 2_000, 40).astype(int))
    missed = 0
    for study in range(300):
        chance = (0.02, 0.3, 0.5)[study % 3]
        total = np.cumsum(rng.random(2_000) < chance)
        for n in looks:
            found = running_mean(int(n), float(total[n - 1]), float(total[n - 1]), 0, 1)
            if not found.low <= chance <= found.high:
                missed += 1
                break
    assert missed <= binom.isf(1e-6, 300, 0.05)


def test_it_is_narrow_where_rewards_vary_little_and_none_at_first():
    """Fails if the interval ignores how much rewards vary, or says something of nothing."""
    assert running_mean(0, 0.0, 0.0, 0, 1) is None
    same = running_mean(10_000, 3_000.0, 900.0, 0, 1)
    coins = running_mean(10_000, 3_000.0, 3_000.0, 0, 1)
    assert same.high - same.low < (coins.high - coins.low) / 5
    one = running_mean(1, 1.0, 1.0, 0, 1)
    assert one.low == 0.0
    assert one.high == 1.0

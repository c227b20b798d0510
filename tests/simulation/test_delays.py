"""Late rewards: when they come, in which order they are learned, and what that does."""

import math

import numpy as np
import pytest
from scipy.stats import binom

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from askless.policies.one_by_one import OneByOne
from askless.simulation.delays import Late
from visiting import Visiting
from worlds import mixed_world

RANGE = al.RewardRange(0, 1)


def learned(delay, arms, rewards):
    """What is learned after each visit: (arm, visit, reward)."""
    waiting = Late(delay, RANGE, (3, 4))
    out = []
    for visit, (arm, reward) in enumerate(zip(arms, rewards, strict=True)):
        waiting.add(arm, arm, visit, reward)
        out.append(list(waiting.due()))
    return out


def by_hand(delay, arms, rewards):
    """The same from its definition, looking at everything at every visit; delays by reward."""
    done, out = set(), []
    for now in range(len(arms)):
        step = []
        known = {}
        for visit in range(now + 1):
            late = round(2 * delay.visits * (1 - rewards[visit]))
            given_up = delay.deadline is not None and late > delay.deadline
            came = visit + (delay.deadline if given_up else late)
            if came <= now:
                known[visit] = (came, delay.silence if given_up else rewards[visit])
        if delay.order == "arrival":
            fresh = sorted(v for v in known if v not in done)
            fresh.sort(key=lambda visit: known[visit][0])
        else:
            fresh = []
            for arm in dict.fromkeys(arms):
                own = [v for v in range(now + 1) if arms[v] == arm]
                for visit in own:
                    if visit not in known:
                        break
                    if visit not in done:
                        fresh.append(visit)
            fresh.sort()  # what comes due at once, in the order of decisions over all arms
        for visit in fresh:
            done.add(visit)
            if known[visit][1] is not None:
                step.append((arms[visit], visit, known[visit][1]))
        out.append(step)
    return out


@pytest.mark.parametrize("order", ["decision", "arrival"])
@pytest.mark.parametrize("end", [{}, {"deadline": 7}, {"deadline": 7, "silence": 0.25}])
def test_rewards_are_learned_in_the_order_that_was_asked_for(order, end):
    """Fails if a visit is learned early, late, twice, out of order, or not at all."""
    rng = np.random.default_rng(1)
    arms, rewards = rng.integers(3, size=300).tolist(), rng.uniform(size=300).tolist()
    delay = al.Delay(6, "by_reward", order=order, **end)
    found = learned(delay, arms, rewards)
    assert found == by_hand(delay, arms, rewards)
    lost = sum(round(12 * (1 - y)) > 7 for y in rewards) if end and "silence" not in end else 0
    assert 0 < sum(map(len, found)) <= 300 - lost


def test_a_fixed_delay_is_that_long_and_no_delay_is_none():
    """Fails if a reward is there a visit too early or too late."""
    arms, rewards = [0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5]
    assert learned(al.Delay(), arms, rewards) == [
        [(arm, visit, rewards[visit])] for visit, arm in enumerate(arms)
    ]
    assert learned(al.Delay(2), arms, rewards) == [
        [],
        [],
        [(0, 0, 0.1)],
        [(1, 1, 0.2)],
        [(0, 2, 0.3)],
    ]


def test_random_delays_have_the_mean_and_heavy_tails_the_quantiles_that_they_promise():
    """Fails if the distributions are others; six standard errors."""
    count, luck = 20_000, np.random.default_rng(2).random(20_000)
    random = np.array([al.Delay(40, "random").drawn(u, 0.5) for u in luck])
    assert abs(random.mean() - 40) <= 6 * math.sqrt(40 * 41 / count)  # geometric
    heavy = np.array([al.Delay(40, "heavy_tailed").drawn(u, 0.5) for u in luck])
    for most, share in ((40, 21 / 41), (50 * 40, 0.99)):  # Pareto: 1 - 20 / x, rounded down
        within = (heavy <= most).mean()
        assert abs(within - share) <= 6 * math.sqrt(share * (1 - share) / count) + 0.01 * (
            1 - share
        )


def test_a_share_is_lost_whatever_the_rewards_are():
    """Fails if another share is lost, or good rewards are lost more often than bad ones."""
    rewards = np.tile([0.0, 1.0], 5_000)
    steps = learned(al.Delay(1, lost=0.2, deadline=3), [0] * 10_000, rewards.tolist())
    kept = [reward for step in steps for _, _, reward in step]
    for value in (0.0, 1.0):
        assert abs(kept.count(value) - 4_000) <= 6 * math.sqrt(5_000 * 0.2 * 0.8) + 5


@pytest.mark.parametrize("kind", ["epoch", "ridge", "elastic-net", "linucb", "uniform", "target"])
def test_every_policy_learns_late_rewards_and_none_is_the_same_as_no_delay(kind):
    """Fails if a policy cannot be simulated with delays, or a delay of 0 changes a decision."""
    world = mixed_world(3)
    settings = {"uniform": {}, "linucb": {}, "target": {"coefficients": world.coefficients}}
    made = settings.get(kind, {"beta_min": 0.3})
    policy = al.POLICIES[kind](world.survey, arms=world.arms, reward=world.reward, **made)
    now, zero, late = (
        al.simulate(policy, world, 300, seed=2, delay=delay).runs[0]
        for delay in (None, al.Delay(), al.Delay(30, "random", lost=0.1, deadline=60))
    )
    np.testing.assert_array_equal(now.plays, zero.plays)
    np.testing.assert_allclose(now.regret_at, zero.regret_at, atol=1e-9)
    np.testing.assert_array_equal(now.asked_at, zero.asked_at)
    assert late.plays.sum() == 300


@pytest.mark.parametrize("order", ["decision", "arrival"])
def test_rows_and_visits_are_the_same_run(order):
    """Fails if the short cut for policies that ask everything decides or learns otherwise."""
    world = mixed_world(3)
    delay = al.Delay(20, "by_reward", order=order)
    players = []
    for kind in (OneByOne, Visiting):
        policy = al.EpochSurveyUCB(world.survey, arms=world.arms, reward=world.reward, beta_min=0.4)
        players.append(kind(policy, Late(delay, world.reward, (1, 2))))
    drops = [np.zeros((3, len(world.survey)), dtype=int) for _ in players]
    begun = 0
    for block in first_respondents(world, 3, 0, 3_000):
        one, other = (
            player.play(block, begun, gone) for player, gone in zip(players, drops, strict=True)
        )
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        begun += len(block)
    np.testing.assert_array_equal(*drops)
    assert drops[0].any()


@pytest.mark.slow
def test_the_order_of_arrival_can_lose_what_the_order_of_decisions_keeps():
    """Sales at once, silence late. Fails if the default order loses the useful question too often.

    Or if the other does not, for then there would be nothing to warn of.
    """
    survey = al.Survey([al.YesNo("member"), al.YesNo("rainy")])
    world = al.LinearEnvironment(
        survey,
        arms=["offer"],
        reward=(0, 1),
        coefficients={"offer": {"member": 0.4}},
        noise="two_point",
    )
    policy = al.EpochSurveyUCB(survey, arms=world.arms, reward=world.reward, beta_min=0.4)
    wrong = {}
    for order in ("decision", "arrival"):
        delay = al.Delay(200, "by_reward", order=order)
        done = al.simulate(policy, world, 1_500, 40, seed=1, delay=delay)
        wrong[order] = sum(run.useful_dropped for run in done.runs)
    most = binom.ppf(1 - 1e-6, 40, policy.delta)
    assert wrong["decision"] <= most < wrong["arrival"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"visits": -1}, "visits of a delay is -1"),
        ({"visits": math.nan}, "visits of a delay"),
        ({"shape": "snail"}, "shape is 'snail'; choose fixed"),
        ({"order": "luck"}, "order is 'luck'; choose decision, arrival"),
        ({"lost": 1.5, "deadline": 3}, "lost is 1.5"),
        ({"lost": 0.5}, "give a deadline"),
        ({"deadline": -1}, "deadline is -1"),
        ({"deadline": 2.5}, "deadline is 2.5"),
        ({"deadline": True}, "deadline is True"),
        ({"silence": 0.5}, "silence"),
    ],
)
def test_a_delay_that_cannot_be_is_refused(bad, message):
    with pytest.raises(SettingError, match=message):
        al.Delay(**bad)


def test_a_delay_that_is_none_or_a_silence_out_of_range_is_refused():
    world = al.paper_environment(arms=2, features=2)
    policy = al.LinUCB(world.survey, arms=world.arms, reward=world.reward)
    with pytest.raises(SettingError, match=r"give an askless\.Delay"):
        al.simulate(policy, world, 10, delay=5)
    with pytest.raises(al.errors.RewardError, match="outside its range"):
        al.simulate(policy, world, 10, delay=al.Delay(5, deadline=2, silence=7.0))

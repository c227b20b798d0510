"""Worlds that are tables: the compiled loops play them as one visit after the other does."""

import copy

import numpy as np
import pytest

import askless as al
from askless.environments.base import first_respondents
from askless.policies.loops import Fused, Interactive
from visiting import Visiting
from wine import BOTTLES, RIGHT, SURVEY, Limited, wine_world

HORIZON, SEED = 1_200, 5
# beta_min in units of the reward range; small sigmas let questions go early.
POLICIES = {
    "linucb": (al.LinUCB, None, {}),
    "linucb, noise": (al.LinUCB, None, {"width": "noise"}),
    "ridge": (al.RidgeSurveyUCB, 0.6, {"sigma": 0.05, "alpha": 1.0}),
    "elastic-net": (al.ElasticNetSurveyUCB, 0.8, {"sigma": 0.01, "b1": 0.5}),
    "epoch": (al.EpochSurveyUCB, 0.8, {}),
    "epoch, drawn": (al.EpochSurveyUCB, 0.8, {"explore_floor": 0.2}),
    "epoch, interactive": (al.EpochSurveyUCB, 0.8, {"interactive": True}),
    "epoch, interactive, drawn": (
        al.EpochSurveyUCB,
        0.8,
        {"interactive": True, "explore_floor": 0.1},
    ),
}


def policy_in(world, name):
    kind, beta_min, settings = POLICIES[name]
    least = {} if beta_min is None else {"beta_min": beta_min * world.reward.span}
    return kind(world.survey, arms=world.arms, reward=world.reward, **least, **settings)


CASES = [(name, kind, False) for name in POLICIES for kind in ("right", "noisy")]
CASES += [(name, "unknown", True) for name in POLICIES]  # some may get some arms


@pytest.mark.parametrize(("name", "kind", "limited"), CASES)
def test_the_compiled_loops_and_visits_play_a_table_alike(name, kind, limited):
    """Fails if a loop reads another row or arm of the tables, or rounds a reward differently."""
    world = Limited(wine_world(kind)) if limited else wine_world(kind)
    policy = policy_in(world, name)
    compiled, visiting = copy.deepcopy(policy), copy.deepcopy(policy)
    fast = (Interactive if policy.interactive else Fused)(compiled)
    slow = Visiting(visiting)
    drops = [np.zeros(policy.support.shape, dtype=np.int64) for _ in range(2)]
    begun = 0
    for block in first_respondents(world, SEED, 0, HORIZON):
        one, other = fast.play(block, begun, drops[0]), slow.play(block, begun, drops[1])
        for part in ("arms", "rewards", "asked", "paid", "others", "regret"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part), err_msg=part)
        np.testing.assert_allclose(one.radii, other.radii, rtol=1e-10)
        begun += len(block)
    assert begun == HORIZON
    np.testing.assert_array_equal(*drops)
    for mine, theirs in zip(
        *(p.to_dict()["state"]["arms"] for p in (compiled, visiting)), strict=True
    ):
        for sums in ("n", "gram", "moment", "squares"):
            assert mine[sums] == theirs[sums]
    if kind == "noisy":
        assert drops[0].any() == policy.drops  # what can drop has dropped
    assert np.isnan(one.regret).all() == (kind == "unknown")


@pytest.mark.parametrize("name", ["linucb", "epoch, interactive"])
def test_a_run_is_what_visits_by_hand_find_in_the_table(name):
    """The oracle knows the bottles alone: who a context is, and what each arm is worth to it."""
    world = wine_world()
    bottles = {SURVEY.encode(bottle).tobytes(): i for i, bottle in enumerate(BOTTLES)}
    assert len(bottles) == len(RIGHT)
    policy = policy_in(world, name)
    run = al.simulate(policy, world, 1_500, seed=SEED, checkpoints=3).runs[0]
    regret = reward = asked = 0
    plays = np.zeros(3, dtype=int)
    policy._stream = (SEED * 0x9E3779B97F4A7C15 + 1) % 2**64
    for block in first_respondents(world, SEED, 0, 1_500):
        for z in block.contexts:
            worth = RIGHT[bottles[z.tobytes()]]
            visit, answers = policy.visit(), SURVEY.decode(z)
            while visit.asks:
                visit.answer({question: answers[question] for question in visit.asks})
            policy.learn(visit, float(worth[visit.arm_index]))
            reward += worth[visit.arm_index]
            regret += 1 - worth[visit.arm_index]
            asked += len(visit.asked)
            plays[visit.arm_index] += 1
    assert (run.regret, run.reward, run.asked) == (regret, reward, asked)
    assert run.plays.tolist() == plays.tolist()
    assert reward > 1_000  # and something was learned


def test_unknown_expectations_change_no_decision_and_only_regret():
    """Fails if a policy could see what only the simulator knows."""
    known, unknown = (
        al.simulate(policy_in(world, "epoch"), world, HORIZON, seed=SEED).runs[0]
        for world in (wine_world("noisy"), wine_world("unknown"))
    )
    for part in ("reward_at", "asked_at", "plays_at", "widest_at", "support"):
        np.testing.assert_array_equal(getattr(known, part), getattr(unknown, part))
    assert known.drops == unknown.drops
    assert np.isfinite(known.regret_at).all()
    assert np.isnan(unknown.regret_at).all()


@pytest.mark.parametrize("interactive", [False, True])
def test_a_linear_world_played_from_its_tables_decides_as_by_its_law(interactive):
    """Fails if rewards, ranges or regret mean something else in a table than in a law."""
    law = al.paper_environment(arms=3, features=6)

    class AsTable:
        survey, arms, reward = law.survey, law.arms, law.reward

        def respondents(self, seed, run):
            for block in law.respondents(seed, run):
                yield al.Block(block.contexts, block.rewards, block.expected)

    policy = al.EpochSurveyUCB(
        law.survey, arms=law.arms, reward=law.reward, beta_min=0.6, interactive=interactive
    )
    one, other = (al.simulate(policy, world, 3_000).runs[0] for world in (law, AsTable()))
    for part in ("plays_at", "asked_at", "reward_at", "support"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    np.testing.assert_allclose(one.regret_at, other.regret_at, rtol=1e-12)
    assert one.drops
    assert [drop.visit for drop in one.drops] == [drop.visit for drop in other.drops]
    assert {drop.useful for drop in other.drops} == {None}
    assert (one.useful_dropped, other.useful_dropped) == (0, None)


@pytest.mark.parametrize("delay", [al.Delay(20), al.Delay(5, "by_reward", order="arrival")])
def test_late_rewards_of_a_table(delay):
    world = wine_world("noisy")
    policy = policy_in(world, "ridge")
    run = al.simulate(policy, world, 500, seed=SEED, delay=delay).runs[0]
    at_once = al.simulate(policy, world, 500, seed=SEED).runs[0]
    assert run.plays.sum() == 500
    assert run.reward != at_once.reward

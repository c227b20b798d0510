"""Arms that are not for everybody, and what questions cost: every player against a naive loop."""

import copy
import itertools
from dataclasses import replace

import numpy as np
import pytest

import askless as al
from askless.environments.base import first_respondents
from askless.errors import SettingError
from askless.policies.loops import Fused
from askless.policies.one_by_one import OneByOne
from askless.simulation.delays import Late
from askless.simulation.simulate import MIX
from outcomes import outcome
from visiting import Visiting
from worlds import random_arm, survey_of

KINDS = ("scale", "yes_no", "choice", "multi")
HORIZON = 1_100  # into the second block of respondents
POLICIES = {
    "epoch": {"beta_min": 0.3},
    "epoch, drawn": {"beta_min": 0.3, "explore": 0.4},
    "epoch, interactive, drawn": {"beta_min": 0.3, "explore": 0.4, "interactive": "certified"},
    "ridge": {"beta_min": 0.3, "sigma": 0.05, "alpha": 1.0},
    "ridge, interactive": {
        "beta_min": 0.3,
        "sigma": 0.05,
        "alpha": 1.0,
        "interactive": "certified",
        "grain": "question",
    },
    "ridge, heuristic": {
        "beta_min": 0.3,
        "sigma": 0.01,
        "alpha": 0.1,
        "interactive": "paper_heuristic",
    },
    "elastic-net": {"beta_min": 0.5, "sigma": 0.01, "b1": 0.5},
    "elastic-net, interactive": {
        "beta_min": 0.5,
        "sigma": 0.01,
        "b1": 0.5,
        "interactive": "certified",
    },
    "linucb": {},
}


def limited_world(seed, **settings):
    """Questions of any kind and cost, some asked of everyone; only the last arm is open to all."""
    rng = np.random.default_rng([seed, 5])
    kinds = [
        (KINDS[rng.integers(4)], int(rng.integers(2, 4)), bool(rng.random() < 0.25))
        for _ in range(rng.integers(3, 8))
    ]
    plain = survey_of(kinds)
    survey = al.Survey(
        replace(q, cost=float(rng.uniform(0.1, 3)), always_ask=bool(rng.random() < 0.1))
        for q in plain
    )
    arms = int(rng.integers(2, 6))
    effects = np.where(rng.random((arms, len(kinds))) < 0.3, 0.8 / len(kinds), 0.0)
    return al.LinearEnvironment(
        survey,
        arms=[f"arm{k}" for k in range(arms)],
        coefficients=0.8 * np.array([random_arm(survey, rng, row) for row in effects]),
        reward=(0, 1),
        spread=0.1,
        **{"eligible": {f"arm{k}": float(rng.uniform(0.2, 0.9)) for k in range(arms - 1)}}
        | settings,
    )


def made(name, world, **settings):
    kind = al.POLICIES[name.split(",")[0]]
    given = POLICIES.get(name, {}) | settings
    return kind(world.survey, arms=world.arms, reward=world.reward, **given)


def people(world, seed, run, count):
    """So many respondents: context, luck and the names of the arms that each may get."""
    for block in world.respondents(seed, run):
        for t in range(len(block)):
            if count == 0:
                return
            count -= 1
            flags = np.ones(len(world.arms)) if block.allowed is None else block.allowed[t]
            names = [arm.name for arm, may in zip(world.arms, flags, strict=True) if may]
            yield block.contexts[t], float(block.luck[t]), names


def replay(policy, world, count, seed, run):
    """Play visits in plain Python. Returns arms, questions asked, costs, regrets, row by row."""
    rows = []
    for z, luck, names in people(world, seed, run, count):
        answers, visit = world.survey.decode(z), policy.visit(arms=names)
        put = []
        while asks := visit.asks:
            put += asks
            visit.answer({question: answers[question] for question in asks})
        means = {
            arm.name: sum(float(c) * float(x) for c, x in zip(row, z, strict=True))
            for arm, row in zip(world.arms, world.coefficients, strict=True)
        }
        units = outcome(world.law.noise, world.reward.span, means[visit.arm], luck)
        policy.learn(visit, world.reward.from_units(units, raw=False))
        cost = sum(question.cost for question in world.survey if question.name in put)
        best = max(means[name] for name in names)
        assert visit.arm in names
        assert len(set(put)) == len(put)
        rows.append((visit.arm_index, len(put), cost, best - means[visit.arm]))
    return map(np.array, zip(*rows, strict=True))


@pytest.mark.parametrize("name", POLICIES)
def test_the_compiled_loop_plays_asks_pays_and_regrets_what_a_loop_over_visits_does(name):
    """Fails if a barred arm is played, drawn, asked for or regretted, or a cost is not counted."""
    barred, dropped = 0, 0
    for seed in range(3):
        world = limited_world(seed)
        policy = made(name, world)
        run = al.simulate(policy, world, HORIZON, seed=seed, checkpoints=HORIZON).runs[0]
        naive = copy.deepcopy(policy)
        naive._stream = (seed * MIX + 1) % 2**64
        arms, asked, cost, regret = replay(naive, world, HORIZON, seed, 0)
        played = np.diff(run.plays_at, axis=0, prepend=0)
        np.testing.assert_array_equal(played, np.eye(len(world.arms))[arms])
        np.testing.assert_array_equal(run.asked_at, np.cumsum(asked))
        np.testing.assert_allclose(run.cost_at, np.cumsum(cost), rtol=1e-12)
        np.testing.assert_allclose(run.regret_at, np.cumsum(regret), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(run.support, naive.support)
        assert run.cost_per_visit == run.cost / HORIZON
        # Without the limits other arms would have been played.
        free = al.simulate(policy, limited_world(seed, eligible=None), HORIZON, seed=seed)
        barred += (free.runs[0].plays != run.plays).any()
        dropped += len(run.drops)
    assert barred == 3
    assert (dropped > 0) == (name != "linucb")


@pytest.mark.parametrize("name", ["epoch", "epoch, drawn", "ridge", "elastic-net", "linucb"])
def test_fused_and_one_by_one_are_the_same_run_bit_for_bit_where_sums_are_exact(name):
    """Fails if the two differ in a decision, a count, a cost, or in what was learned."""
    for seed in range(2):
        world = limited_world(seed)
        fused, visiting = made(name, world), made(name, world)
        players = Fused(fused), Visiting(visiting)
        drops = [np.zeros(fused.support.shape, dtype=np.int64) for _ in players]
        begun = 0
        for block in first_respondents(world, seed, 3, HORIZON):
            one, other = (p.play(block, begun, d) for p, d in zip(players, drops, strict=True))
            for field in ("arms", "asked", "paid", "others"):
                np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
            np.testing.assert_allclose(one.regret, other.regret, atol=1e-14)
            np.testing.assert_allclose(one.radii, other.radii, rtol=1e-10)
            assert block.allowed[np.arange(len(one.arms)), one.arms].all()
            begun += len(block)
        np.testing.assert_array_equal(*drops)
        np.testing.assert_array_equal(fused.rows, visiting.rows)
        states = (p.to_dict()["state"]["arms"] for p in (fused, visiting))
        for mine, theirs in zip(*states, strict=True):
            for part in ("n", "gram", "moment", "squares"):
                assert mine[part] == theirs[part]
            assert mine["dropped"].keys() == theirs["dropped"].keys()


@pytest.mark.parametrize("name", ["epoch", "ridge", "elastic-net"])
@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_survey_plays_the_arms_of_the_full_one_and_pays_less(name, grain):
    """Fails if it looks at arms that the person may not get."""
    for seed in range(3):
        world = limited_world(seed)
        small = {} if name == "epoch" else {"sigma": 0.001}
        full, asking = (
            al.simulate(made(name, world, **small, **how), world, HORIZON, seed=seed).runs[0]
            for how in ({}, {"interactive": "certified", "grain": grain})
        )
        np.testing.assert_array_equal(full.plays_at, asking.plays_at)
        np.testing.assert_allclose(full.regret_at, asking.regret_at, rtol=1e-9)
        assert asking.other_arms == 0
        assert (asking.asked_at <= full.asked_at).all()
        assert (asking.cost_at <= full.cost_at + 1e-9).all()


@pytest.mark.parametrize("kind", ["epoch", "ridge", "linucb", "uniform", "epoch, drawn"])
def test_rewards_that_come_late_by_no_visit_change_nothing(kind):
    """Fails if the player of late rewards takes no notice of who may get what."""
    world = limited_world(4)
    policy = made(kind, world)
    now, zero, late = (
        al.simulate(policy, world, 400, seed=2, delay=delay).runs[0]
        for delay in (None, al.Delay(), al.Delay(30, "random", lost=0.1, deadline=60))
    )
    np.testing.assert_array_equal(now.plays_at, zero.plays_at)
    np.testing.assert_array_equal(now.asked_at, zero.asked_at)
    np.testing.assert_array_equal(now.cost, zero.cost)
    np.testing.assert_allclose(now.regret_at, zero.regret_at, atol=1e-9)
    assert late.plays.sum() == 400


@pytest.mark.parametrize("name", ["epoch", "ridge"])
def test_late_rows_and_late_visits_are_the_same_run(name):
    """Fails if the short cut for policies that ask everything plays or asks for a barred arm."""
    world, delay = limited_world(1), al.Delay(20, "by_reward")
    players = []
    for kind in (OneByOne, Visiting):
        policy = made(name, world)
        players.append(kind(policy, Late(delay, world.reward, (1, 2))))
    drops = [np.zeros(policy.support.shape, dtype=int) for _ in players]
    begun = 0
    for block in first_respondents(world, 3, 0, HORIZON):
        one, other = (p.play(block, begun, d) for p, d in zip(players, drops, strict=True))
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert block.allowed[np.arange(len(one.arms)), one.arms].all()
        begun += len(block)
    np.testing.assert_array_equal(*drops)


def test_target_has_no_regret_among_the_arms_that_a_person_may_get():
    """Fails if regret is measured against an arm that the person may not get."""
    others = 0
    for seed in range(5):
        world = limited_world(seed)
        target = made("target", world, coefficients=world.coefficients)
        runs = al.simulate(target, world, 300, seed=seed)
        assert 0 <= runs.regret < 1e-12
        open_to_all = [k for k, share in enumerate(world.eligible) if share == 1]
        assert open_to_all == [len(world.arms) - 1]
        best = al.simulate(target, limited_world(seed, eligible=None), 300, seed=seed)
        others += (runs.runs[0].plays != best.runs[0].plays).any()
    assert others >= 3


def test_questions_that_cost_one_cost_as_many_as_they_are():
    """Fails if a cost is left out or rounded."""
    world = al.paper_environment(arms=3, features=6)
    for name in ("ridge, interactive", "ridge", "epoch, drawn", "uniform"):
        run = al.simulate(made(name, world), world, 700, seed=1).runs[0]
        assert run.cost_at.tolist() == run.asked_at.tolist()
        assert run.cost_per_visit == run.questions_per_visit


def test_an_arm_nobody_is_barred_from_is_as_good_as_no_limit():
    """Fails if shares of 1 change a bit."""
    one, other = (limited_world(2, eligible=given) for given in ({"arm0": 1}, None))
    assert next(one.respondents(1, 1)).allowed is None
    runs = [al.simulate(made("ridge", world), world, 500).runs[0] for world in (one, other)]
    np.testing.assert_array_equal(*(run.regret_at for run in runs))


def test_a_policy_that_retired_the_only_arm_for_everyone_is_refused():
    world = limited_world(1)
    policy = made("ridge", world)
    policy.retire_arm("arm0")
    run = al.simulate(policy, world, 200).runs[0]
    assert run.plays[0] == 0
    policy = made("ridge", world)
    policy.retire_arm(world.arms[-1].name)
    with pytest.raises(SettingError, match="every arm that is open to everyone is retired"):
        al.simulate(policy, world, 10)


def test_figures_of_cost_are_in_tables_and_data():
    world = limited_world(0)
    runs = al.simulate(made("ridge", world), world, 300, runs=2, checkpoints=3)
    frame = runs.to_frame()
    assert frame["cost"].tolist() == [c for run in runs.runs for c in run.cost_at]
    data = runs.to_dict()
    per_run = [run["cost_per_visit"] for run in data["runs"]]
    assert per_run == [run.cost / 300 for run in runs.runs]
    assert data["mean"]["cost_per_visit"] == runs.cost_per_visit == np.mean(per_run)


def test_worlds_of_other_numbers_are_simulated_with_other_people():
    """Fails if the number does not reach the respondents of a run."""
    regrets = {
        tuple(al.simulate(made("ridge", world), world, 300).runs[0].regret_at)
        for world in (limited_world(0, number=number) for number in (0, 0, 1, 2**32))
    }
    assert len(regrets) == 3


def test_late_rewards_of_other_worlds_have_other_delays():
    """Fails if all worlds lose the same visits; 2^-200 that two lose the same by chance."""
    lost = set()
    for number in (0, 1):
        world = limited_world(0, number=number)
        late = Late(al.Delay(lost=0.5, deadline=0), world.reward, (1, 2), world.number)
        for now in range(200):
            late.add(0, 0, None, 0.5)
            lost.add((number, now, bool(list(late.due()))))
    both = [{now for n, now, came in lost if n == number and came} for number in (0, 1)]
    assert both[0] != both[1]


def test_who_may_get_an_arm_does_not_follow_how_late_rewards_come():
    """The two are drawn from streams of their own. Fails if they share one.

    Among 1024 visits that learn a reward with probability ½ and may get the arm with probability
    ½, Hoeffding: both happen for a quarter ± 0.11 but with probability 2 exp(-2 · 1024 · 0.11²),
    4e-11.
    """
    survey = al.Survey([al.YesNo("member")])
    world = al.LinearEnvironment(
        survey, arms=["a", "b"], reward=(0, 1), spread=0.1, coefficients={}, eligible={"a": 0.5}
    )
    late = Late(al.Delay(lost=0.5, deadline=0), world.reward, (1, 2), world.number)
    block = next(itertools.islice(world.respondents(1, 2), 1))
    came = []
    for _ in block.luck:
        late.add(0, 0, None, 0.5)
        came.append(bool(list(late.due())))
    assert abs((block.allowed[:, 0] & came).mean() - 0.25) <= 0.11

"""Arms drawn at random beside the winner, and their propensities (maths 8.5-8.7)."""

import json
import math

import numpy as np
import pytest

import askless as al
from epoch_comparison import close
from epoch_world import (
    SCALES,
    World,
    grid,
    learn,
    through,
)
from worlds import mixed_world, random_answers


def test_draws_depend_on_the_seed_and_the_visit_s_number_alone():
    """Fails if a draw depends on how many are drawn at once, on what was learned, or on nothing."""
    world = World(SCALES, 3)
    policy, other = (world.policy(beta_min=0.5, explore=1.0, seed=seed) for seed in (7, 8))
    draws, coins = policy.draws(0, 5000), policy.coins(0, 5000)
    learn(world, policy, 200, np.random.default_rng(0))
    for first, count in ((0, 1), (1, 1), (17, 100), (4000, 1000)):
        np.testing.assert_array_equal(policy.draws(first, count), draws[first : first + count])
        np.testing.assert_array_equal(policy.coins(first, count), coins[first : first + count])
    assert (coins != other.coins(0, 5000)).all()
    insured = coins[:, 0] < (1 + np.arange(5000.0)) ** (-1 / 3)
    assert ((draws[:, 0] >= 0) == insured).all()
    assert (draws[insured, 0] == coins[insured, 1]).all()
    assert (draws[:, 2:] == coins[:, 2:]).all()
    always = world.policy(beta_min=0.5, explore_floor=1.0, seed=7)
    assert (always.draws(0, 5000)[:, 0] == coins[:, 1]).all()
    assert (world.policy(beta_min=0.5, explore=0.0, seed=7).draws(0, 5000)[:, 0] == -1).all()


def test_the_share_of_drawn_visits_and_their_draws_are_what_they_say():
    """Fails if other than a share ι is drawn, or draws are uneven: 5 sigma of a binomial."""
    count, floor = 200_000, 0.15
    draws = World(SCALES, 2).policy(beta_min=0.5, explore_floor=floor, seed=1).draws(0, count)
    drawn = draws[draws[:, 0] >= 0, 0]
    assert abs(len(drawn) - floor * count) < 5 * math.sqrt(count * floor * (1 - floor))
    for numbers in (drawn, draws[:, 2], draws[:, 3]):
        assert ((numbers >= 0) & (numbers < 1)).all()
        counts = np.bincount((numbers * 7).astype(int), minlength=7)
        spread = 5 * math.sqrt(len(numbers) * (1 / 7) * (6 / 7))
        assert (np.abs(counts - len(numbers) / 7) < spread).all()
    # Neighbours do not know of each other.
    pairs = int(((draws[1:, 0] >= 0) & (draws[:-1, 0] >= 0)).sum())
    assert abs(pairs - floor**2 * count) < 5 * math.sqrt(count * 3 * floor**2)
    # Without a floor the share falls with the third root of the visit's number.
    draws = World(SCALES, 2).policy(beta_min=0.5, explore=1.0, seed=1).draws(0, count)
    shares = (1 + np.arange(count)) ** (-1 / 3)
    for part in (slice(0, 1000), slice(1000, 20_000), slice(100_000, count)):
        spread = 5 * math.sqrt(float((shares[part] * (1 - shares[part])).sum()))
        assert abs(int((draws[part, 0] >= 0).sum()) - shares[part].sum()) < spread


def chances_of(policy, z, number, mask=None, *, payback=True, explore=0.02, floor=0.0):
    """Winner, propensities and the played arm by maths 8.5-8.7, from what the policy shows."""
    may = np.arange(len(policy.arms)) if mask is None else np.flatnonzero(mask)
    start = max(2, 3 * policy.survey.column_count // 10)
    few = [k for k in may if policy._model.arms.n[k] < start]
    scores, rho, others = policy.ucb(z), 0.0, []
    winner = int(few[number % len(few)] if few else may[np.argmax(scores[may])])
    own = policy.support[winner]
    extra = int((policy.active[may].any(axis=0) & ~own).sum())
    if payback and not few and extra > 0:
        others = [k for k in may if k != winner and policy.undecided[k] > 0]
        rho = 0.3 * extra / (extra + own.sum()) if others else 0.0
    iota = max(explore / (1 + number) ** (1 / 3), floor)
    chances = np.zeros(len(policy.arms))
    chances[may] = iota / len(may)
    chances[winner] += (1 - iota) * (1 - rho)
    for k in others:
        chances[k] += (1 - iota) * rho / len(others)
    insured, place, back, other = policy.coins(number, 1)[0]
    arm = winner
    if insured < iota:
        arm = int(may[int(place * len(may))])
    elif back < rho:
        arm = int(others[int(other * len(others))])
    return winner, chances, arm


@pytest.mark.parametrize("interactive", [False, "certified"])
def test_propensities_are_the_formula_and_weigh_every_arm_alike(interactive):
    """Fails if propensities are not maths 8.6's, or the mean of [arm = a]/propensity is not 1."""
    floor, count = 0.3, 600
    world, policy = decided_arms(explore_floor=floor, interactive=interactive)
    weights, drawn, paid_back, rng = np.zeros(4), 0, 0, np.random.default_rng(1)
    for t in range(count):
        answers = random_answers(world.survey, rng)
        may = np.ones(4, dtype=bool)
        if t % 3 == 0:
            may[rng.integers(4)] = False
        z = world.survey.encode(answers)
        winner, chances, arm = chances_of(policy, z, t, may, floor=floor)
        names = [name for name, get in zip(policy.arms, may, strict=True) if get]
        visit = through(policy.visit(arms=names), answers)
        assert visit.number == t
        assert visit.arm_index == arm
        assert list(visit.propensities) == names
        assert sum(visit.propensities.values()) == pytest.approx(1, abs=1e-12)
        close(list(visit.propensities.values()), chances[may], atol=1e-13)
        assert visit.propensity == visit.propensities[visit.arm]
        drawn += arm != winner
        paid_back += chances[winner] < floor / may.sum() + 1 - floor - 1e-9
        if may.all():
            weights[arm] += 1 / visit.propensity
        policy.learn(visit, world.reward_of(arm, answers))
    assert drawn > 60
    assert paid_back > 20
    # A weight has variance 1/propensity - 1, at most 4/ι - 1; two visits of three count.
    bound = 5 * math.sqrt((4 / floor - 1) / (count * 2 / 3))
    assert (np.abs(weights / (count * 2 / 3) - 1) < bound).all()


def test_propensities_are_how_often_arms_are_played():
    """Fails if the arms played over many visit numbers are not as often as their propensities say.

    In one state, where a winner, insurance and pay-back all have their part: 5 sigma of a binomial.
    """
    world, policy = decided_arms(explore_floor=0.2)
    answers, count = world.answers(), 4000
    z = world.survey.encode(answers)
    plays = np.zeros(4)
    first = chances_of(policy, z, 0, floor=0.2)[1]
    close(np.sort(first), np.sort([0.05 + 0.8 * 0.85, 0.05, 0.05 + 0.06, 0.05 + 0.06]))
    for number in range(1000, 1000 + count):
        visit = policy.visit(known=answers, number=number)
        plays[visit.arm_index] += 1
        close(list(visit.propensities.values()), first)
    spread = np.sqrt(count * first * (1 - first))
    assert (np.abs(plays - count * first) < 5 * spread).all()


def test_explore_floor_of_one_plays_uniformly():
    """Fails if a floor of 1 leaves anything to what was learned: 5 sigma of a binomial."""
    world = World(SCALES[:3], 4, noise=0.1)
    policy = world.policy(beta_min=0.4, explore_floor=1, seed=9)
    counts, count = np.zeros(4), 2000
    for _ in range(count):
        answers = world.answers()
        visit = through(policy.visit(), answers)
        assert list(visit.propensities.values()) == pytest.approx([0.25] * 4, rel=1e-12)
        counts[visit.arm_index] += 1
        policy.learn(visit, world.reward_of(visit.arm_index, answers))
    assert (np.abs(counts - count / 4) < 5 * math.sqrt(count * 3 / 16)).all()
    assert not policy.support.all()
    some = policy.visit(known=world.answers(), arms=["arm1", "arm3"])
    assert some.propensities == pytest.approx({"arm1": 0.5, "arm3": 0.5})


def decided_arms(**settings):
    """A policy whose first arm always wins and needs one question, where others need two.

    The second arm knows that it needs both, the others hardly know anything.
    """
    world = World(SCALES[:2], 4)
    policy = world.policy(beta_min=0.3, seed=2, **settings)
    rng = np.random.default_rng(0)
    for k, beta, count in (
        (0, [11.2, 0.7, 0.0], 3000),
        (1, [10.6, 0.55, 0.55], 3000),
        (2, [10.2, 0.1, -0.1], 6),
        (3, [10.2, -0.1, 0.1], 6),
    ):
        rows = np.c_[np.ones(count), grid(rng.uniform(-0.5, 0.5, (count, 2)))]
        rewards = np.clip(rows @ beta + rng.uniform(-0.2, 0.2, count), 10, 12)
        policy.learn_rows([k] * count, rows, rewards.tolist())
    assert policy.support.tolist() == [[True, False], [True, True], [True, True], [True, True]]
    assert (policy.undecided > 0).tolist() == [False, False, True, True]
    policy._next_number = 0
    return world, policy


def test_pay_back_draws_undecided_arms_alone():
    """Fails if pay-back goes where there is nothing to find out, or a mask is not kept to."""
    world, policy = decided_arms(explore=0.0)
    # The winner lacks one question that others use, and has one: 0.3·1/(1 + 1).
    arms, count = [], 1000
    for number in range(count):
        visit = policy.visit(known=world.answers(), number=number)
        arms.append(visit.arm_index)
        expected = {"arm0": 0.85, "arm1": 0.0, "arm2": 0.075, "arm3": 0.075}
        assert visit.propensities == pytest.approx(expected)
    counts = np.bincount(arms, minlength=4)
    assert counts[1] == 0
    spread = 5 * math.sqrt(count * 0.075 * 0.925)
    assert (np.abs(counts[2:] - 75) < spread).all()
    for may, expected in (
        (["arm0", "arm2"], [0.85, 0.15]),
        (["arm0", "arm1"], [1.0, 0.0]),  # the other is decided
        (["arm0"], [1.0]),
    ):
        visit = policy.visit(known=world.answers(), arms=may)
        assert list(visit.propensities.values()) == pytest.approx(expected)
    two = policy.visit(known=world.answers(), arms=["arm2", "arm3"])
    assert two.propensity == 1.0  # the winner lacks nothing
    policy.retire_arm("arm3")
    visit = policy.visit(known=world.answers())
    assert visit.propensities == pytest.approx({"arm0": 0.85, "arm1": 0.0, "arm2": 0.15})
    off = decided_arms(explore=0.0, payback=False)[1]
    assert {off.visit(known=world.answers()).arm for _ in range(50)} == {"arm0"}


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_visit_asks_what_its_drawn_arm_needs(grain):
    """Fails if a drawn arm's row lacks a column, or putting a visit away changes its propensity."""
    world, full = decided_arms(explore_floor=0.3)
    policy = decided_arms(explore_floor=0.3, interactive="certified", grain=grain)[1]
    plays = np.zeros(4)
    for number in range(150):
        answers = random_answers(world.survey, world.rng)
        z = world.survey.encode(answers)
        _, chances, arm = chances_of(policy, z, number, floor=0.3)
        visit = policy.visit()
        while asks := visit.asks:
            visit.answer({asks[0]: answers[asks[0]]})
            visit = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert visit.arm_index == arm
        assert set(policy.needs(visit.arm)) <= set(visit.answers)
        close(list(visit.propensities.values()), chances, atol=1e-13)
        again = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert (again.arm, again.propensities) == (visit.arm, visit.propensities)
        twin = full.visit(known=answers)
        assert (twin.arm, twin.propensities) == (visit.arm, visit.propensities)
        reward = world.reward_of(arm, answers)
        rows = policy.rows[arm]
        policy.learn(visit, reward)
        full.learn(twin, reward)
        assert policy.rows[arm] == rows + 1
        plays[arm] += 1
    assert (plays > 0).all()


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_a_drawn_arm_that_was_ruled_out_is_played_and_learned(grain):
    """Fails if a drawn visit counts its own arm as ruled out, or has the wrong propensity."""
    world = mixed_world(5)
    policy = al.EpochSurveyUCB(
        world.survey,
        arms=world.arms,
        reward=world.reward,
        beta_min=0.3,
        explore_floor=0.3,
        interactive="certified",
        grain=grain,
    )
    rng, ruled_out, drawn = np.random.default_rng(0), 0, 0
    for k in range(5):
        rows = [world.survey.encode(random_answers(world.survey, rng)) for _ in range(1500)]
        means = np.array(rows) @ world.coefficients[k]
        policy.learn_rows([k] * 1500, rows, (means + rng.uniform(-0.2, 0.2, 1500)).tolist())
    assert len({tuple(row) for row in policy.support.tolist()}) > 2
    for number in range(7500, 7800):
        answers = random_answers(world.survey, rng)
        z = world.survey.encode(answers)
        winner, chances, arm = chances_of(policy, z, number, floor=0.3)
        visit = through(policy.visit(), answers)
        assert visit.arm_index == arm
        close(list(visit.propensities.values()), chances, atol=1e-13)
        again = policy.visit(json.loads(json.dumps(visit.to_dict())))
        assert (again.arm, again.propensities) == (visit.arm, visit.propensities)
        why = visit.explain()
        assert visit.arm not in why.ruled_out
        ruled_out += len(why.ruled_out)
        drawn += arm != winner and len(why.ruled_out) > 0
        reward = world.coefficients[arm] @ z + rng.uniform(-0.2, 0.2)
        policy.learn(visit, float(np.clip(reward, -1, 1)))
    assert policy.rows.sum() == 7800
    assert drawn > 20
    assert ruled_out > 50

"""Simulations of arms with rules: as if everyone brought a list of the arms that they may get."""

import numpy as np
import pytest

import askless as al
from askless.environments.base import first_respondents
from askless.environments.gym import SurveyEnv
from askless.errors import SettingError
from askless.simulation.fingerprint import fingerprint
from ruled_world import NEEDED, RULES, Listed, answers_of, linear, may_get

HORIZON = 700
SETTINGS = {
    "survey-bandit": {"beta_min": 0.3, "price": 0.002},
    "survey-bandit, budget": {"beta_min": 0.3, "questions": 7.5},
    "survey-bandit, price 0": {"beta_min": 0.3, "price": 0},
    "epoch": {"beta_min": 0.3, "explore": 0.3},
    "epoch, interactive": {"beta_min": 0.3, "interactive": "certified"},
    "ridge": {"beta_min": 0.3, "sigma": 0.05, "alpha": 1.0},
    "ridge, one by one": {
        "beta_min": 0.3,
        "sigma": 0.05,
        "alpha": 1.0,
        "interactive": "certified",
        "grain": "question",
    },
    "elastic-net": {"beta_min": 0.5, "sigma": 0.01, "b1": 0.5},
    "linucb": {},
    "oful": {},
    "lints": {},
    "epsilon-greedy": {},
    "tsrc": {"questions": 2},
    "wtsrc": {"questions": 2},
    "lasso-bandit": {},
    "thresholded-lasso": {},
    "sparse-ucb": {"size": 2},
    "pilot-then-screen": {"planned": 400, "share": 0.2},
    "uniform": {},
}


def made(name, world):
    kind = al.POLICIES[name.split(",")[0]]
    return kind(world.survey, arms=world.arms, reward=world.reward, **SETTINGS[name])


def test_every_policy_by_name_is_tried_here():
    """Fails if a policy is added and nobody looks whether it minds rules."""
    named = {name.split(",")[0] for name in SETTINGS}
    assert named | {"target"} >= set(al.POLICIES)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_world_with_rules_is_the_one_with_lists_of_arms_bit_for_bit(name):
    """Fails if a rule is applied nowhere, twice, to other people, or what it needs is not asked."""
    world = linear()
    ruled, listed = (al.simulate(made(name, w), w, HORIZON, seed=3) for w in (world, Listed(world)))
    one, other = ruled.runs[0], listed.runs[0]
    np.testing.assert_array_equal(one.plays_at, other.plays_at)
    np.testing.assert_array_equal(one.reward_at, other.reward_at)
    np.testing.assert_array_equal(one.asked_at, other.asked_at)
    np.testing.assert_array_equal(one.support, other.support)
    np.testing.assert_allclose(one.cost_at, other.cost_at, rtol=1e-12)
    np.testing.assert_allclose(one.regret_at, other.regret_at, atol=1e-9)
    assert one.drops == other.drops
    assert set(NEEDED) <= set(one.questions_left)
    assert (one.plays > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_visits_ask_what_rules_need_first_and_play_no_other_arm(name):
    """Fails if a visit plays a barred arm, or is asked anything before what rules need."""
    world = linear(seed=1)
    done = al.record_visits(made(name, world), world, horizon=300, seed=3)
    people = [z for block in first_respondents(world, 3, 0, 300) for z in block.contexts]
    kinds = set()
    for z, logged in zip(people, done.visits, strict=True):
        record, may = logged.record, may_get(world, z)
        barred = {arm for arm, open_to in zip(RULES, may, strict=True) if not open_to}
        assert not barred & set(record.eligible)
        assert record.arm not in barred
        assert not barred & set(record.propensities)
        assert set(record.asked[: len(NEEDED)]) == set(NEEDED)
        assert {name: record.answers[name] for name in NEEDED} == {
            name: answers_of(world, z)[name] for name in NEEDED
        }
        kinds.add(record.kind)
    if name == "survey-bandit":
        assert "short" in kinds
    fresh = made(name, world)
    al.rebuild(fresh, done.visits)
    assert fresh.to_dict() == done.policy.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["survey-bandit", "survey-bandit, budget", "epoch", "uniform"])
def test_simulated_visits_are_real_ones(name):
    """Fails if a compiled loop and the visits of a live study part, in arm, kind or questions."""
    world = linear(seed=2)
    policy = made(name, world)
    simulated = al.simulate(policy, world, 400, seed=0, checkpoints=400, delay=al.Delay()).runs[0]
    compiled = al.simulate(policy, world, 400, seed=0, checkpoints=400).runs[0]
    np.testing.assert_array_equal(simulated.plays_at, compiled.plays_at)
    np.testing.assert_array_equal(simulated.asked_at, compiled.asked_at)
    live = made(name, world)
    live._stream = 1  # as simulate numbers the runs of seed 0
    done = al.record_visits(live, world, horizon=400, seed=0)
    arms = np.array([[v.record.arm == arm for arm in RULES] for v in done.visits])
    np.testing.assert_array_equal(np.cumsum(arms, axis=0), compiled.plays_at)
    asked = [len(v.record.asked) for v in done.visits]
    np.testing.assert_array_equal(np.cumsum(asked), compiled.asked_at)


@pytest.mark.slow
def test_short_forms_hold_what_rules_need():
    """Fails if the question of a rule is left out of a short form, however little it is worth."""
    world = linear()
    done = al.record_visits(made("survey-bandit", world), world, horizon=600)
    shorts = [v.record for v in done.visits if v.record.kind == "short"]
    assert shorts
    assert all(set(NEEDED) <= set(record.promised) for record in shorts)
    assert set(NEEDED) <= set(done.policy.short_form().questions)
    assert any(len(record.promised) < 9 for record in shorts)


def test_shares_of_people_and_rules_are_both_minded():
    """Fails if one of the two says who may get an arm, and not both."""
    world = linear(eligible={"senior": 0.5})
    block = next(first_respondents(world, 0, 0, 1_000))
    drawn = next(world.respondents(0, 0)).allowed
    ruled = np.array([may_get(world, z) for z in block.contexts])
    np.testing.assert_array_equal(block.allowed, drawn[:1_000] & ruled)
    with pytest.raises(SettingError, match=r"eligible: among.*would get no arm"):
        al.LinearEnvironment(
            world.survey,
            arms=[al.Arm("a", eligible_if="donor"), al.Arm("b", eligible_if="not donor")],
            coefficients=world.coefficients[:2],
            reward=(0, 1),
            spread=0.05,
            eligible={"b": 0.5},
        )


def test_rules_that_are_not_the_worlds_are_refused():
    """Fails if a policy without rules, or with others, plays people of a world that has some."""
    world = linear()
    names = [arm.name for arm in world.arms]
    others = [al.Arm("open"), *(al.Arm(name, eligible_if="donor") for name in names[1:])]
    for arms in (names, others):
        policy = al.Uniform(world.survey, arms=arms, reward=world.reward)
        with pytest.raises(SettingError, match=r"eligible_if.*use environment\.arms"):
            al.simulate(policy, world, 10)


def test_a_person_whom_rules_and_lists_leave_no_arm_is_named():
    """Fails if somebody who may get no arm gets one in a simulation."""
    survey = al.Survey([al.YesNo("donor")])
    arms = al.Arm("a"), al.Arm("b", eligible_if="donor")
    world = al.TableEnvironment(
        survey,
        arms=arms,
        answers=[{"donor": False}],
        rewards=[[0, 1]],
        reward=(0, 1),
        allowed=np.array([[False, True]]),
    )
    with pytest.raises(SettingError, match=r"visit 0.*allow it more arms"):
        al.simulate("uniform", world, 10)


def test_the_fingerprint_of_a_world_knows_its_rules():
    """Fails if a sweep goes on with results of other rules."""
    world, listed = linear(), Listed(linear())
    arms = [
        al.Arm(a.name, eligible_if=a.eligible_if and f"not ({a.eligible_if})") for a in world.arms
    ]
    other = al.LinearEnvironment(
        world.survey, arms=arms, coefficients=world.coefficients, reward=(0, 1), spread=0.05
    )
    assert len({fingerprint(w, 0) for w in (world, listed, other)}) == 3
    assert fingerprint(world, 0) == fingerprint(linear(), 0)


def test_agents_of_gymnasium_see_who_may_get_what_once_rules_can_be_applied():
    """Fails if an agent learns of rules before their questions are asked, or may ignore them."""
    world = linear()
    env = SurveyEnv(world, people=50, price=0.01)
    _, info = env.reset(seed=4)
    count = len(world.survey)
    people = next(first_respondents(world, 4, 0, 50)).contexts
    for z in people[:49]:
        for name in NEEDED:
            assert not info["action_mask"][count:].any()
            *_, info = env.step(world.survey.index(name))
        assert info["action_mask"][count:].astype(bool).tolist() == may_get(world, z)
        if not may_get(world, z)[1]:
            _, reward, *_, info = env.step(count + 1)
            assert reward == 0
        else:
            *_, info = env.step(count)

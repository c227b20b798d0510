"""Short forms in every loop: compiled, one by one, and real visits decide alike, bit for bit."""

import copy
import json

import numpy as np
import pytest

import askless as al
from askless.core.words import LOG_WEALTH, NEXT, PEOPLE
from askless.environments.base import first_respondents
from askless.policies.loops import WithShortForms
from askless.policies.one_by_one import OneByOne
from askless.simulation.delays import Late
from loop_world import world_of
from visiting import Visiting
from worlds import random_answers

PARTS = ("arms", "rewards", "asked", "paid", "others", "radii")
HOW = {
    "by default": {},
    "dear": {"price": 0.02, "full_floor": 0.3},
    "a budget": {"questions": 3},
    "planned": {"planned": 200, "optimism": "valid"},
}


def policy_for(world, **settings):
    made = {"beta_min": 0.35, "explore": 0.3, "explore_floor": 0.05, "seed": 4} | settings
    return al.SurveyBandit(world.survey, arms=world.arms, reward=world.reward, **made)


def assert_same_state(one, other):
    mine, theirs = (json.dumps(p.to_dict()["state"]) for p in (one, other))
    assert mine == theirs
    assert one._next_number == other._next_number


@pytest.mark.parametrize("limited", [False, True], ids=["everyone", "eligible"])
@pytest.mark.parametrize("how", HOW)
def test_all_loops_play_ask_and_learn_alike(how, limited):
    """Fails if a loop draws, asks, pays, checks or learns otherwise than visits do."""
    world = world_of({"a": 0.6, "c": 0.5} if limited else None)
    policy = policy_for(world, **HOW[how])
    alone = [copy.deepcopy(policy) for _ in range(3)]
    players = WithShortForms(alone[0], alone[0]._short), OneByOne(alone[1]), Visiting(alone[2])
    drops = [np.zeros(policy.support.shape, dtype=np.int64) for _ in players]
    begun = 0
    for block in first_respondents(world, 3, 0, 900):
        one, *others = (p.play(block, begun, d) for p, d in zip(players, drops, strict=True))
        for other in others:
            for part in PARTS:
                np.testing.assert_array_equal(
                    getattr(one, part), getattr(other, part), err_msg=part
                )
            np.testing.assert_allclose(one.regret, other.regret, atol=1e-14)
        begun += len(block)
    for other in (1, 2):
        np.testing.assert_array_equal(drops[0], drops[other])
        assert_same_state(alone[0], alone[other])
    visits, full = alone[0]._short.visits
    assert visits == 900
    assert 100 < full < 800
    assert alone[0].player() is not None


@pytest.mark.parametrize("order", ["decision", "arrival"])
def test_late_rewards_are_learned_alike(order):
    """Fails if visits whose rewards are late are decided otherwise one by one and as visits."""
    world, delay = world_of({"b": 0.7}), al.Delay(9, "random", order=order)
    policy = policy_for(world)
    alone, players = [], []
    for kind in (OneByOne, Visiting):
        alone.append(copy.deepcopy(policy))
        players.append(kind(alone[-1], Late(delay, world.reward, (1, 2))))
    drops = np.zeros((2, *policy.support.shape), dtype=np.int64)
    begun = 0
    for block in first_respondents(world, 2, 0, 700):
        one, other = (p.play(block, begun, d) for p, d in zip(players, drops, strict=True))
        for part in PARTS:
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part), err_msg=part)
        begun += len(block)
    assert_same_state(*alone)


def one_visit(policy, answers, **given):
    visit = policy.visit(**given)
    if visit.asks:
        visit.answer({q: answers[q] for q in visit.asks})
    return visit


def test_an_arm_that_comes_after_a_drop_finds_the_same_people_in_every_loop():
    """Fails if the compiled loop keeps answers to questions that nobody is asked any more."""
    world = al.LinearEnvironment(
        al.Survey.unit(6),
        arms=["a", "b"],
        reward=(0, 1),
        coefficients=np.array([[0, 0.4, 0, 0, 0, 0, 0], [0, -0.4, 0, 0, 0, 0, 0]]),
        spread=0.3,
    )
    policies = [policy_for(world, beta_min=0.35, full_floor=0.6) for _ in range(2)]
    (block,) = first_respondents(world, 1, 0, 1_000)
    drops = np.zeros((2, 6), dtype=np.int64)
    for policy, player in zip(policies, (WithShortForms, OneByOne), strict=True):
        made = player(policy, policy._short) if player is WithShortForms else player(policy)
        made.play(block, 0, drops)
        assert not policy.support.any(axis=0).all()  # a question has gone from both arms
        policy.add_arm("c")
    one, other = (policy._short.shorts for policy in policies)
    np.testing.assert_array_equal(one.ring, other.ring)
    assert one.counts[PEOPLE] == other.counts[PEOPLE]
    states = [policy.to_dict()["state"] for policy in policies]
    assert states[0] == states[1]


def test_saving_in_mid_visit_and_arms_that_come_and_go_change_no_decision(tmp_path):
    """Fails if a policy that is saved and loaded again and again, visits too, decides otherwise."""
    world, rng = world_of(), np.random.default_rng(8)
    stays, travels = policy_for(world), policy_for(world)
    kinds = []
    for t in range(700):
        answers = random_answers(world.survey, rng)
        if t == 300:
            for policy in (stays, travels):
                policy.retire_arm("d")
        if t == 400:
            for policy in (stays, travels):
                policy.add_arm("e")
        one, other = one_visit(stays, answers), travels.visit()
        if t % 40 == 0:
            travels.save(tmp_path / "state.json")
            travels = al.load(tmp_path / "state.json")
            other = travels.visit(json.loads(json.dumps(other.to_dict())))
        if other.asks:
            other.answer({q: answers[q] for q in other.asks})
        if t % 40 == 1:
            other = travels.visit(json.loads(json.dumps(other.to_dict())))
        assert one.to_dict() == other.to_dict()
        kinds.append(one.kind)
        reward = 10 + rng.random()
        stays.learn(one, reward)
        travels.learn(other, reward)
    assert {"full", "short", "check"} == set(kinds)
    assert "short" not in kinds[401:450]  # after an arm is added, all visits are full for a while
    assert_same_state(stays, travels)


def test_a_visit_keeps_its_kind_and_its_form_whatever_comes_after_its_start():
    """Fails if a short visit asks, decides or teaches by another form than its own."""
    world, rng = world_of(), np.random.default_rng(3)
    policy = policy_for(world)
    waiting = []
    for _ in range(600):
        answers = random_answers(world.survey, rng)
        visit = policy.visit()
        if visit.kind == "short" and len(waiting) < 40:
            waiting.append((visit, answers, visit.asks))
            continue
        if visit.asks:
            visit.answer({q: answers[q] for q in visit.asks})
        policy.learn(visit, 10 + rng.random() / 2 + (answers["yes_no5"] and visit.arm == "a") / 2)
    policy.add_arm("late")
    assert policy._short.form is None
    rows = policy._short.shorts.rows.copy()
    for visit, answers, asks in waiting:
        assert visit.asks == asks
        if asks:
            visit.answer({q: answers[q] for q in asks})
        assert visit.kind == "short"
        assert visit.arm != "late"
        policy.learn(visit, 10.5)
        assert visit.learned_in is None  # no form stands: it teaches nothing
    np.testing.assert_array_equal(policy._short.shorts.rows, rows)


def test_unlearning_takes_out_what_a_visit_left_behind():
    """Fails if a short visit stays in the sums or a full one in the ring, or kinds are mixed up."""
    world, rng = world_of(), np.random.default_rng(5)
    policy = policy_for(world, full_floor=0.4)
    for _ in range(500):
        answers = random_answers(world.survey, rng)
        policy.learn(one_visit(policy, answers), 10 + rng.random())
    seen = set()
    while seen != {"full", "short", "check"}:
        before = copy.deepcopy(policy._short)
        visit = one_visit(policy, random_answers(world.survey, rng))
        if policy._short.number != before.number:
            continue
        policy.learn(visit, 10.25)
        if policy._short.shorts.counts[NEXT] != before.shorts.counts[NEXT]:
            continue  # a form was chosen meanwhile
        policy.unlearn(visit)
        now = policy._short
        np.testing.assert_array_equal(now.shorts.gram, before.shorts.gram)
        np.testing.assert_array_equal(now.shorts.moment, before.shorts.moment)
        np.testing.assert_array_equal(now.shorts.rows, before.shorts.rows)
        np.testing.assert_allclose(now.shorts.told, before.shorts.told, atol=1e-9)
        np.testing.assert_allclose(now.shorts.tells, before.shorts.tells, atol=1e-9)
        assert now.shorts.counts[PEOPLE] == min(
            before.shorts.counts[PEOPLE], 499 + (visit.kind == "short")
        )
        seen.add(visit.kind)
        with pytest.raises(al.errors.VisitError, match="has not been learned"):
            policy.unlearn(visit)
        wealth = policy._short.shorts.numbers[LOG_WEALTH]
        policy.learn(visit, 10.75)  # corrected; the check has heard of it already
        assert policy._short.shorts.numbers[LOG_WEALTH] == wealth

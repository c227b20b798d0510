"""Epoch SurveyUCB in every loop: fused, one by one, and real visits decide alike, bit for bit.

Every setting that draws arms is on, with arms that not everyone may get and rewards that come late.
"""

import copy
import json

import numpy as np
import pytest

import askless as al
from askless.environments.base import first_respondents
from askless.policies.loops import Fused, Interactive
from askless.policies.one_by_one import OneByOne
from askless.simulation.delays import Late
from loop_world import world_of
from visiting import Visiting
from worlds import random_answers

HOW = {
    "full": {},
    "by arm": {"interactive": "certified", "grain": "arm"},
    "by question": {"interactive": "certified", "grain": "question"},
    "greedy": {"optimism": 0.0},
    "greedy, by arm": {"optimism": 0, "interactive": "certified", "grain": "arm"},
    "greedy, by question": {"optimism": 0, "interactive": "certified", "grain": "question"},
    "by the paper's heuristic": {"interactive": "paper_heuristic", "explore_floor": 0.3},
    "by sets": {"optimism": "valid"},
    "by sets, by question": {"optimism": "valid", "interactive": "certified", "grain": "question"},
}


def policy_for(world, **settings):
    made = {"beta_min": 0.35, "explore": 0.3, "explore_floor": 0.05, "seed": 4} | settings
    return al.EpochSurveyUCB(world.survey, arms=world.arms, reward=world.reward, **made)


def assert_same_state(one, other):
    """Everything that is saved, and what is derived from it, is the same to the last bit."""
    mine, theirs = (json.dumps(p.to_dict()["state"]) for p in (one, other))
    assert mine == theirs
    assert one._next_number == other._next_number
    for name in ("active", "undecided", "width", "estimate", "radius", "noise"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("limited", [False, True], ids=["everyone", "eligible"])
@pytest.mark.parametrize("how", HOW)
def test_all_loops_play_ask_and_learn_alike(how, limited):
    """Fails if a loop draws, asks, pays or learns otherwise than visits do, at any of 900 visits.

    Or if an interactive survey has another winner than the full one on the same state.
    """
    world = world_of({"a": 0.6, "c": 0.5} if limited else None)
    policy = policy_for(world, **HOW[how])
    alone = [copy.deepcopy(policy) for _ in range(3)]
    compiled = (Interactive if policy.interactive else Fused)(alone[0])
    players = compiled, OneByOne(alone[1]), Visiting(alone[2])
    drops = [np.zeros(policy.support.shape, dtype=np.int64) for _ in players]
    begun, drawn = 0, set()
    for block in first_respondents(world, 3, 0, 900):
        one, *others = (p.play(block, begun, d) for p, d in zip(players, drops, strict=True))
        for other in others:
            for part in ("arms", "rewards", "asked", "paid", "others", "radii"):
                np.testing.assert_array_equal(
                    getattr(one, part), getattr(other, part), err_msg=part
                )
            np.testing.assert_allclose(one.regret, other.regret, atol=1e-14)
        assert not one.others.any()
        begun += len(block)
        drawn |= set(one.arms.tolist())
    assert drawn == {0, 1, 2, 3}
    for other in (1, 2):
        np.testing.assert_array_equal(drops[0], drops[other])
        assert_same_state(alone[0], alone[other])
    if "sets" not in how:
        assert (alone[0].active != alone[0].support).any()


@pytest.mark.parametrize("how", ["full", "by arm", "by question"])
def test_late_rewards_change_no_draw_and_no_turn(how):
    """Fails if visits whose rewards are late are decided otherwise one by one and as visits."""
    world, delay = world_of({"b": 0.7}), al.Delay(9, "random")
    policy = policy_for(world, **HOW[how])
    alone, players = [], []
    for kind in (OneByOne, Visiting, OneByOne):
        alone.append(copy.deepcopy(policy))
        late = Late(delay, world.reward, (1, 2)) if len(alone) < 3 else None
        players.append(kind(alone[-1], late))
    drops = np.zeros((3, *policy.support.shape), dtype=np.int64)
    begun = 0
    for block in first_respondents(world, 2, 0, 700):
        one, other, at_once = (p.play(block, begun, d) for p, d in zip(players, drops, strict=True))
        for part in ("arms", "rewards", "asked", "paid", "others", "radii"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part), err_msg=part)
        begun += len(block)
        assert (one.arms != at_once.arms).any()
    assert_same_state(alone[0], alone[1])
    np.testing.assert_array_equal(drops[0], drops[1])


def one_visit(policy, answers, **given):
    visit = policy.visit(**given)
    while asks := visit.asks:
        visit.answer({q: answers[q] for q in asks})
    return visit


@pytest.mark.parametrize("how", ["full", "by arm", "by question"])
def test_saving_unlearning_and_arms_that_come_and_go_leave_all_policies_alike(how, tmp_path):
    """Fails if a policy that is saved and loaded in mid-block, again and again, decides otherwise.

    Or if rows by number and real visits part ways after unlearning, adding or retiring an arm.
    """
    world, rng = world_of(), np.random.default_rng(8)
    stays = policy_for(world, **HOW[how])
    moves, rows = copy.deepcopy(stays), copy.deepcopy(stays)
    learned = []
    for t in range(450):
        answers = random_answers(world.survey, rng)
        z = world.survey.encode(answers)
        one, other = one_visit(stays, answers), one_visit(moves, answers)
        assert (one.number, one.arm, one.asked) == (other.number, other.arm, other.asked)
        assert one.propensities == other.propensities
        assert rows.play(z) == one.arm_index
        reward = float(np.clip(10.5 + 0.4 * z[-1] * (one.arm_index < 2), 10, 11))
        reward = float(np.clip(reward + rng.uniform(-0.1, 0.1), 10, 11))
        stays.learn(one, reward)
        moves.learn(other, reward)
        rows.learn_row(one.arm_index, one.context() if how == "full" else z, reward)
        learned.append((one, other, z, reward))
        if t % 37 == 5:
            moves.save(tmp_path / "state.json")
            moves = al.load(tmp_path / "state.json")
        if t % 50 == 20:  # the newest: it is in the block under way, or ended one
            one, other, z, reward = learned.pop()
            for policy, visit in ((stays, one), (moves, moves.visit(other.to_dict()))):
                policy.unlearn(visit)
            rows.unlearn_row(one.arm_index, z, reward)
        if t in (150, 300):
            for policy in (stays, moves, rows):
                policy.add_arm(f"late{t}") if t == 150 else policy.retire_arm("d")
        if t % 90 == 0:
            assert_same_state(stays, moves)
    assert_same_state(stays, moves)
    np.testing.assert_array_equal(stays.rows, rows.rows)
    assert (stays.rows > 0).all()

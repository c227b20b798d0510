"""Epoch SurveyUCB against a dense oracle (maths 5), and what it promises beyond its numbers."""

import math

import numpy as np
import pytest

from askless.errors import SettingError
from epoch_bytes import everything
from epoch_comparison import close, run
from epoch_world import (
    CHOICES,
    EVERY,
    RAW,
    SCALES,
    World,
    as_given,
    correlated,
    through,
    twins,
    without_the_last_option,
)
from sizes import whole
from worlds import random_answers


@pytest.mark.parametrize(
    ("questions", "change", "noise", "beta_min", "settings", "seen"),
    [
        (SCALES, as_given, 0.05, 0.5, {}, "adaptive"),
        (SCALES, as_given, 0.5, 0.5, {"payback": False}, "hoeffding"),
        (SCALES, as_given, 0.05, 0.6, {"growth": 2.0, "delta": 0.2, "alpha": 1.0}, "adaptive"),
        (SCALES, correlated, 0.1, 0.3, {"growth": 1.1, "explore": 0.5}, "adaptive"),
        (SCALES, twins, 0.05, 0.5, {}, "not estimable"),
        (EVERY, as_given, 0.05, 0.6, {}, "adaptive"),
        (EVERY, as_given, 0.2, 0.3, {"explore_floor": 0.2, "judge_skips": False}, "adaptive"),
        (CHOICES, without_the_last_option, 0.05, 0.6, {}, "not estimable"),
        (SCALES, as_given, 0.2, 0.3, {"optimism": "valid"}, "adaptive"),
        (RAW, as_given, 0.05, 0.3, {"optimism": 0.5}, "adaptive"),
        (RAW, as_given, 0.5, 0.3, {}, "hoeffding"),
    ],
)
def test_agrees_with_the_dense_oracle_visit_by_visit(
    questions, change, noise, beta_min, settings, seen
):
    """Fails on any slip in what a visit gets, blocks' ends, bets, thresholds, drops or models."""
    world = World(questions, 3, change=change, noise=noise)
    policy, naive = world.pair(beta_min=beta_min, **settings)
    visits = 1500 if questions is SCALES else 2500
    ends = run(world, policy, naive, visits if settings else whole(5_000, 2_000), random_arms=0.1)
    assert ends > 15
    assert naive.kinds[seen] > 0
    assert not policy.warm.all()


def test_the_oracle_has_gone_every_way_of_paying_and_of_dropping():
    """Fails if the comparison above no longer reaches a branch of the rule."""
    kinds, tests = {}, set()
    for questions, change, noise, settings in (
        (SCALES, as_given, 0.05, {"beta_min": 0.5}),
        (SCALES, as_given, 0.5, {"beta_min": 0.5}),
        (SCALES, twins, 0.05, {"beta_min": 0.5}),
        (SCALES, twins, 0.05, {"beta_min": 0.5, "sigma": 0.1, "b2": 0.3}),
    ):
        world = World(questions, 2, change=change, noise=noise, seed=1)
        policy, naive = world.pair(**settings)
        run(world, policy, naive, 800)
        kinds = {kind: kinds.get(kind, 0) + count for kind, count in naive.kinds.items()}
        for k in range(2):
            for g, (by, _) in naive.dropped_by[k].items():
                named = {1: "epochs", 2: "ellipsoid"}[int(policy._model.epochs.test[k, g])]
                assert named in by
                tests |= by
    assert min(kinds[kind] for kind in ("adaptive", "hoeffding", "not estimable")) > 0
    assert kinds["priced by errors"] > 0
    assert kinds["priced by the range"] > 0
    assert kinds["counted"] > 0
    assert kinds["not counted"] > 0
    assert tests == {"epochs", "ellipsoid"}


@pytest.mark.parametrize("questions", [SCALES, RAW], ids=["centred", "raw"])
def test_predictions_are_clipped_to_the_reward_range(questions):
    """Fails if residuals are those of predictions that no reward can have."""
    world = World(questions, 1, noise=0.5)
    world.truth = [np.eye(world.survey.column_count)[1]]  # means are as far apart as they can be
    policy, naive = world.pair(beta_min=0.3)
    run(world, policy, naive, 800)
    assert policy.epochs[0] > 0
    assert naive.clips > 0


def test_nothing_is_tested_or_dropped_with_beta_min_zero():
    """Fails if logarithms grow, or models do not change at the same rows, without a threshold."""
    world = World(SCALES, 2)
    policy, naive = world.pair(beta_min=0)
    assert run(world, policy, naive, 1000) > 8
    assert not policy._model.epochs.logs.any()
    assert policy.support.all()


def test_policies_with_epochs_are_not_added_up():
    """Fails if merging goes through: what epochs have shown would be counted twice."""
    one, other = (World(SCALES, 2).policy(beta_min=0.5) for _ in range(2))
    with pytest.raises(SettingError, match="cannot be added up"):
        one.merge(other)


@pytest.mark.parametrize("questions", [SCALES, EVERY], ids=["scales", "every"])
@pytest.mark.parametrize("grain", ["arm", "question"])
def test_an_interactive_survey_plays_what_the_full_one_plays(questions, grain):
    """Fails if an arm that can still win is ruled out, or rows learned in part differ."""
    world = World(questions, 3, noise=0.05, seed=4)
    full = world.policy(beta_min=0.9)
    asking = world.policy(beta_min=0.9, interactive="certified", grain=grain)
    asked = 0
    for _ in range(600):
        answers = random_answers(world.survey, world.rng)
        visit = through(asking.visit(), answers)
        needed = {q: answers[q] for q in full.asked_now()}
        arm = full.play(world.survey.encode(needed))
        assert visit.arm_index == arm
        reward = world.reward_of(arm, answers)
        asking.learn(visit, reward)
        full.learn_row(arm, world.survey.encode(needed), reward)
        asked += len(needed) - len(visit.asked)
    assert asked > 0
    assert not full.support.all()
    assert everything(asking) == everything(full)


def test_optimism_valid_plays_the_upper_bounds_of_the_sets():
    """Fails if a score is not the set's UCB, or a kept question is not active.

    The twin with the default optimism learns the same rows: sets and drops do not depend on it.
    """
    world = World(EVERY, 3, noise=0.05)
    policy, twin = world.policy(beta_min=0.6, optimism="valid"), world.policy(beta_min=0.6)
    passive = 0
    for _ in range(900):
        answers = world.answers()
        z, arm = world.survey.encode(answers), int(world.rng.integers(3))
        reward = world.reward_of(arm, answers)
        for one in (policy, twin):
            one.learn_row(arm, z, reward)
        passive += (twin.active != twin.support).any()
        np.testing.assert_array_equal(policy.active, policy.support)
    assert not policy.support.all()
    assert passive > 100
    np.testing.assert_array_equal(policy.support, twin.support)
    np.testing.assert_array_equal(policy.radius, twin.radius)
    np.testing.assert_array_equal(policy.width, policy.radius)
    for _ in range(20):
        z, state = world.survey.encode(world.answers()), policy._model.arms
        for k, score in enumerate(policy.ucb(z)):
            x = z[state.columns[k, : state.size[k]]]
            d = policy._model.gram(k) + policy.alpha * np.eye(len(x))
            beta = np.linalg.solve(d, policy.reward.span * state.moment[k, : len(x)])
            length = math.sqrt(x @ np.linalg.solve(d, x))
            close(score, x @ beta + policy.radius[k] * length)
    assert policy.visit(known=world.answers()).explain().score == "upper bound"
    assert twin.visit(known=world.answers()).explain().score == "score"


@pytest.mark.parametrize("grain", ["arm", "question"])
def test_without_optimism_bounds_hold_and_the_best_mean_wins(grain):
    """Fails if a width of zero breaks the bounds of an interactive survey, or wins are not means'.

    At every step each arm's final mean must lie between what the visit says are its ends.
    """
    world = World([*EVERY[:5], *SCALES[:2]], 3, noise=0.1, seed=2)
    made = {"beta_min": 0.4, "optimism": 0, "explore": 0.0, "payback": False}
    policy = world.policy(**made, interactive="certified", grain=grain)
    saved, looked = 0, 0
    for number in range(500):
        answers = world.answers()
        z = world.survey.encode(answers)
        scores = policy.ucb(z)
        np.testing.assert_array_equal(policy.width, 0.0)
        close(scores, policy.estimate @ z, atol=1e-9)
        visit = policy.visit()
        while asks := visit.asks:
            if number % 25 == 0:
                bounds = visit.explain().bounds
                for name, (low, high) in bounds.items():
                    mean = scores[policy.arm_index(name)] + policy.reward.middle
                    assert low - 1e-9 <= mean <= high + 1e-9
                    looked += 1
            visit.answer({asks[0]: answers[asks[0]]})
        if (policy._model.arms.n >= 3 * world.survey.column_count // 10).all():
            assert visit.arm_index == int(np.argmax(scores))
        saved += len(policy.asked_now()) - len(visit.asked)
        policy.learn(visit, world.reward_of(visit.arm_index, answers))
    assert saved > 0
    assert looked > 50


@pytest.mark.parametrize(
    "bad",
    [
        {"growth": 1},
        {"growth": math.nan},
        {"growth": 3.1},
        {"growth": "x"},
        {"growth": True},
        {"judge_skips": 1},
        {"explore_floor": 1.1},
        {"explore_floor": "x"},
        {"payback": 1},
        {"payback": None},
        {"optimism": -0.1},
        {"optimism": 101},
        {"optimism": math.inf},
        {"optimism": "published"},
        {"optimism": None},
        {"explore": -0.1},
        {"explore": 1.5},
        {"explore": math.nan},
        {"explore": None},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": 2**64},
        {"radius": "published"},
    ],
)
def test_bad_settings_are_refused(bad):
    """Fails if a setting out of its range is taken, or the refusal does not name it."""
    with pytest.raises(SettingError, match=next(iter(bad))):
        World(SCALES, 2).policy(beta_min=0.5, **bad)

"""When the epochs of an arm end, and what a drop at an end does to other tests (maths 5)."""

import math

import numpy as np
import pytest

import askless as al
from epoch_comparison import run
from epoch_world import (
    EVERY,
    RAW,
    SCALES,
    World,
    blocks_of,
)


def moving(place):
    """Answers near one end of every scale; `place` says which."""
    return lambda rng, answers: {q: (a * 0.2 + 0.8 * place["end"]) for q, a in answers.items()}


@pytest.mark.parametrize("beta_min", [0, 0.5])
def test_contexts_that_move_end_an_epoch_early(beta_min):
    """Fails if the look is at other rows than every 32nd, in a first epoch, or at another ratio."""
    place = {"end": 0.0}
    world = World(SCALES, 1, change=moving(place), noise=0.4)
    policy, naive = world.pair(beta_min=beta_min)
    run(world, policy, naive, 1000)
    assert naive.drifts == 0
    for end in (1.0, 0.5, 0.0):
        place["end"] = end
        run(world, policy, naive, 1000)
    assert naive.drifts > 0


def test_an_epoch_that_ends_with_too_few_rows_is_not_tested():
    """Fails if an epoch of 32 rows is tested although it has 23 columns."""
    place = {"end": 0.0}
    world = World([("scale", 1, False)] * 22, 1, change=moving(place), noise=0.1)
    policy, naive = world.pair(beta_min=1.5)
    while naive.warm[0]:
        run(world, policy, naive, 1)
    assert policy._model.epochs.held.tolist() == [0]  # the first epoch begins
    place["end"] = 1.0
    run(world, policy, naive, 32)
    assert policy.epochs.tolist() == [1]
    assert naive.kinds["too few rows"] == 1
    assert not policy._model.epochs.logs.any()


def test_contexts_that_do_not_move_never_end_an_epoch_early():
    """Fails if the look fires by chance: then an epoch has ended before its row number."""
    for questions, seed in ((SCALES, 0), (EVERY, 1), (RAW, 2)):
        world = World(questions, 1, noise=0.4, seed=seed)
        policy = world.policy(beta_min=0)  # no test that makes an epoch shorter
        p, held, rows = world.survey.column_count, 0, []
        for _ in range(8_000):
            rows.append(world.survey.encode(world.answers()))
            if len(rows) < 100 or len(rows) % 50 == 0:
                rewards = world.rng.uniform(*world.reward, len(rows) - held).tolist()
                policy.learn_rows([0] * len(rewards), rows[held:], rewards)
                held = len(rows)
        ends, warm = blocks_of(p, 8_000)
        assert policy._model.epochs.ended.tolist() == [len(ends)]
        assert policy.epochs.tolist() == [len(ends) - warm]
        assert policy._model.arms.n.tolist() == [ends[-1]]


@pytest.mark.parametrize("growth", [1.01, 1.5, 3.0])
def test_an_arm_without_questions_goes_on_learning(growth):
    """Fails if rows that need not be kept are lost, or an empty support ends epochs elsewhere."""
    world = World(SCALES[:2], 1, noise=0.05)
    policy, naive = world.pair(beta_min=1.2, growth=growth)
    run(world, policy, naive, 1500)
    assert not policy.support.any()
    assert policy._model.arms.n[0] + policy._model.epochs.held[0] == 1500


def test_an_epoch_of_a_kept_question_has_at_most_20000_rows():
    """Fails if rows are kept without end, or an arm that asks nothing is held to it too."""
    rng = np.random.default_rng(0)
    policy = al.EpochSurveyUCB(al.Survey.unit(1), arms=["a"], reward=(0, 1), beta_min=1e-3)
    z = np.array([[1.0, 0.5], [1.0, -0.5]])[rng.integers(2, size=110_000)]
    rewards = (0.5 + 0.5 * z[:, 1]).tolist()
    policy.learn_rows([0] * len(z), z, rewards)
    assert policy._model.epochs.need.tolist() == [20_000]
    assert policy._model.arms.n[0] > 40_000


@pytest.mark.parametrize(("side", "passes"), [(1e-9, True), (-1e-9, False)])
@pytest.mark.parametrize("arms", [1, 3])
def test_a_drop_lowers_the_line_for_what_stays_at_the_same_end(side, passes, arms):
    """Fails if the line is not ln(|H|/q), or is not looked at again after a drop."""
    survey = al.Survey.unit(3)
    names = [f"arm{k}" for k in range(arms)]
    policy = al.EpochSurveyUCB(survey, arms=names, reward=(0, 1), beta_min=0.3, delta=0.1)
    share = 0.9 * 0.1 / arms
    same = np.array([1.0, 0.25, 0.25, 0.25])
    for _ in range(12):  # they tell no effect, so warm-up ends after 3·|c(H)| of them
        assert policy.warm[0]
        policy.learn_row(0, same, 0.5)
    assert (policy.warm[0], policy.epochs[0], policy._model.epochs.held[0]) == (False, 0, 0)
    # The epoch adds nothing, so these logarithms are what its end looks at.
    logs = np.array(
        [
            [math.log(3 / share) + 1e-9] * 2,
            [math.log(2 / share) + side, math.log(2 / share) + 1],
            [math.log(1 / share) + 1e-9, 0.0],
        ]
    )
    policy._model.epochs.logs[0] = logs
    for _ in range(11):  # max(2·|c(H)|, ⌈1.5·|c(H)|⌉ + 5)
        assert policy.epochs[0] == 0
        policy.learn_row(0, same, 0.5)
    assert policy.epochs[0] == 1
    np.testing.assert_array_equal(policy._model.epochs.logs[0], logs)
    # The first goes at |H| = 3, the second at |H| = 2 if it is above that line, the third stays.
    assert policy.support[0].tolist() == [False, not passes, True]
    assert policy._model.epochs.passed[0].tolist() == [[1, 1], [int(passes), 1], [int(passes), 0]]


def test_sides_pass_after_a_drop_at_the_same_end_in_ordinary_runs():
    """Fails if product and oracle disagree on an end at which a drop lets another side pass."""
    seen = 0
    for seed in range(8):
        world = World(SCALES[:3], 2, noise=0.05, seed=seed)
        policy, naive = world.pair(beta_min=1)
        run(world, policy, naive, 500)
        seen += naive.holm
    assert seen > 3

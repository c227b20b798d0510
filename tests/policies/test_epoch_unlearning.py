"""Rows taken out of epochs leave the sums and the blocks of the others."""

import copy

import numpy as np
import pytest

import askless as al
from askless.errors import StateError
from epoch_bytes import everything
from epoch_world import (
    SCALES,
    World,
    blocks_of,
    learn,
)
from worlds import random_answers


def totals(policy, k=0):
    """The sums of all rows of an arm, those of its epoch included: n, Σzz', Σzy, Σy²."""
    model, (contexts, rewards) = policy._model, policy._model.rows_of(k)
    size, epochs = int(model.arms.size[k]), policy._model.epochs
    let_go = int(epochs.held[k] - epochs.kept[k])
    gram = model.gram(k) + contexts.T @ contexts
    gram[0, 0] += let_go
    moment = model.arms.moment[k, :size] + contexts.T @ rewards
    squares = model.arms.squares[k] + rewards @ rewards
    if let_go:
        added = rewards[: epochs.added[k]]
        moment[0] += epochs.moment[k, 0] - added.sum()
        squares += epochs.squares[k] - added @ added
    return int(policy.rows[k]), gram.tobytes(), moment.tobytes(), float(squares)


def rows_for(survey, count, seed):
    rng = np.random.default_rng(seed)
    rows = np.array([survey.encode(random_answers(survey, rng)) for _ in range(count)])
    return rows, rng.uniform(0, 1, count).round(3).tolist()


@pytest.mark.parametrize("out", [0, 5, 29, 86, 93, 94, 100, 112, 113, 118])
@pytest.mark.parametrize("beta_min", [0, 0.01])
def test_a_row_taken_out_leaves_the_sums_of_the_others(out, beta_min):
    """Fails if taking out a row of this epoch or of an earlier one leaves a trace in the sums."""
    survey = al.Survey.unit(4)
    rows, rewards = rows_for(survey, 119, 0)
    made = {"arms": ["a"], "reward": (0, 1), "beta_min": beta_min}
    policy, never = al.EpochSurveyUCB(survey, **made), al.EpochSurveyUCB(survey, **made)
    policy.learn_rows([0] * 119, rows, rewards)
    rest = [i for i in range(119) if i != out]
    never.learn_rows([0] * 118, rows[rest], [rewards[i] for i in rest])
    policy.unlearn_row(0, rows[out], rewards[out])
    assert totals(policy) == totals(never)
    # Effects below 0.01 would take a hundred thousand rows to test: with that it is warm-up still.
    ends, _ = blocks_of(5, 119, warm_rows=1e5 if beta_min else 0)
    assert ends[-1] == (113 if beta_min else 94)
    if out >= ends[-1]:  # of the block under way; it is as if the row had never been
        assert everything(policy) == everything(never)
    further, more = rows_for(survey, 500, 1)
    for one in (policy, never):
        one.learn_rows([0] * 500, further, more)
    assert totals(policy) == totals(never)


def test_a_row_of_a_full_block_taken_out_leaves_the_same_epoch():
    """Fails if the epoch's own sums, kept 32 rows at a time, are not those of its rows."""
    survey = al.Survey.unit(30)
    rows, rewards = rows_for(survey, 200, 0)
    warm = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.3)
    while warm.warm[0]:
        n = int(warm.rows[0])
        warm.learn_row(0, rows[n], rewards[n])
    first = int(warm.rows[0])
    assert warm._model.epochs.held.tolist() == [0]
    assert warm._model.epochs.need.tolist() == [62]  # twice its columns
    for held in (32, 33, 61):
        for out in (first, first + 31):
            policy, never = copy.deepcopy(warm), copy.deepcopy(warm)
            last = first + held
            policy.learn_rows([0] * held, rows[first:last], rewards[first:last])
            policy.unlearn_row(0, rows[out], rewards[out])
            rest = [i for i in range(first, last) if i != out]
            never.learn_rows([0] * len(rest), rows[rest], [rewards[i] for i in rest])
            assert everything(policy) == everything(never)


def test_a_row_that_was_not_learned_is_refused():
    """Fails if a row that cannot have been learned is taken out, or its refusal leaves a trace."""
    survey = al.Survey.unit(4)
    rows, rewards = rows_for(survey, 15, 0)
    policy = al.EpochSurveyUCB(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.3)
    policy.learn_rows([0] * 15, rows, rewards)
    before = everything(policy)
    stranger = survey.encode({"x1": 0.0, "x2": 1.0, "x3": 0.0, "x4": 1.0})
    with pytest.raises(StateError, match="has not learned this row"):
        policy.unlearn_row(0, stranger, 1.0)
    with pytest.raises(StateError, match="has not learned this row"):
        policy.unlearn_row(1, rows[0], rewards[0])
    assert everything(policy) == before


def test_a_visit_is_unlearned_where_it_was_learned_also_if_its_row_is_there_again():
    """Fails if a visit of a finished epoch takes the place of one like it in the present epoch.

    Or if a corrected reward of such a visit becomes evidence a second time.
    """
    survey = al.Survey([al.YesNo("q")])
    policy = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.3)
    visits = [policy.visit(known={"q": t % 2 == 0}) for t in range(13)]
    for visit in visits:
        policy.learn(visit, 1.0)
    # The start's two rows, then one by one until there are 3·|c(H)|; seven are in the first epoch.
    assert (policy.warm.tolist(), policy.epochs.tolist()) == ([False], [0])
    assert [visit.learned_in for visit in visits] == [0, 0, 1, 2, 3, 4] + [5] * 7
    state = policy._model
    logs = state.epochs.logs.copy()
    for visit, n, held in ((visits[0], 5, 7), (visits[-1], 5, 6)):
        resumed = policy.visit(visit.to_dict())
        policy.unlearn(resumed)
        assert (state.arms.n[0], state.epochs.held[0]) == (n, held)
        visit.reward, visit.learned_in = resumed.reward, resumed.learned_in
    policy.learn(visits[0], 0.0)
    policy.learn(visits[-1], 0.0)
    assert (state.arms.n[0], state.epochs.held[0]) == (6, 7)
    assert [visits[0].learned_in, visits[-1].learned_in] == [0, 5]
    np.testing.assert_array_equal(state.epochs.logs, logs)
    rewards = [0.0] + [1.0] * 11 + [0.0]
    assert totals(policy) == totals(relearned(survey, visits, rewards))


def relearned(survey, visits, rewards):
    policy = al.EpochSurveyUCB(survey, arms=["a"], reward=(0, 1), beta_min=0.3)
    for visit, reward in zip(visits, rewards, strict=True):
        policy.learn_row(0, visit.context(), reward)
    return policy


def test_a_row_of_an_arm_without_questions_is_taken_out():
    """Fails if rows that are not kept cannot be taken out of the sums, or are counted wrongly."""
    world = World(SCALES[:2], 1, noise=0.05)
    policy = world.policy(beta_min=1.2)
    learn(world, policy, 500, np.random.default_rng(0))
    assert not policy.support.any()
    held = int(policy._model.epochs.held[0])
    assert held > 0
    before = totals(policy)
    z = world.survey.encode({"scale0": 0.5, "scale1": 0.25})
    policy.learn_row(0, z, 11.0)
    policy.unlearn_row(0, z, 11.0)
    assert totals(policy) == before

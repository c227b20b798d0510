"""Means of arms and their differences: from epochs, answers and draws (maths 10.3)."""

import math

import numpy as np
import pytest
import statsmodels.api as sm

import askless as al
from askless.evaluation.arm_means import ArmModel, arm_models, contrasts, mean_context, means
from askless.evaluation.drawn_means import drawn_means
from askless.evaluation.history import Block, FullVisit, History
from askless.evaluation.pocock import pocock


def test_mean_answers_are_weighted_by_how_rarely_everything_was_asked():
    """Fails without the weights, or if somebody who was not asked counts."""
    columns = al.Survey.unit(2).columns
    rows = [([1.0, -0.5, 0.25], 0.25), ([1.0, 0.5, -0.25], 0.5), ([1.0, 0.5, np.nan], 1.0)] * 30
    both, one = np.array([True, True]), np.array([True, False])
    dropped = [FullVisit(None, np.array(z), c, one, np.zeros(1)) for z, c in rows]
    expected = [1.0, (0.5 - 4 * 0.5 + 2 * 0.5) / 7, (4 * 0.25 - 2 * 0.25) / 6]
    np.testing.assert_allclose(mean_context(dropped, columns), expected)
    # Who is not asked a question that is still in use was told apart by other answers.
    asked = [FullVisit(None, np.array([1.0, 0.0, 0.5]), 1.0, both, np.zeros(1))] * 60
    chosen = [FullVisit(None, np.array(z), c, both, np.zeros(1)) for z, c in rows]
    assert mean_context([*asked, *chosen], columns)[2] == pytest.approx((30 + 0.5) / 66)
    assert np.isnan(mean_context([*asked[:20], *chosen], columns)[2])  # too few before


def test_an_epoch_that_is_the_whole_study_has_the_mean_of_least_squares(full):
    """Fails if an arm's mean is not that of statsmodels at the mean answers, to 1e-8."""
    study, done, history, _ = full
    policy, rng = done.policy, np.random.default_rng(3)
    contexts = np.array([v.context for v in history.full if not np.isnan(v.context).any()])
    columns = np.arange(contexts.shape[1])
    truth = rng.normal(size=len(columns)) / 10
    # A model that has seen it all, and an arm with so many rows that none can be rare.
    own = {"warm": False, "noise": 0.0, "before": 10**9}
    block = Block(columns, truth, 1e-9 * np.eye(len(columns)), **own)
    block.contexts = list(contexts)
    block.rewards = list(contexts @ truth + rng.uniform(-0.1, 0.1, len(contexts)))
    whole = History(policy)
    whole.full, whole.blocks = history.full, [[block], [block]]
    enough = np.delete(columns, study.survey.columns_of("region").start)  # they sum to the constant
    fitted = sm.OLS(np.array(block.rewards), contexts[:, enough]).fit()
    centre = mean_context(history.full, study.survey.columns)[enough]
    models = arm_models(whole, policy)
    assert models[0].estimate == pytest.approx(float(centre @ fitted.params), abs=1e-8)
    assert models[0].epochs == 1
    # Its error is that of heteroscedastic least squares, but for residuals that know their own row.
    robust = fitted.get_robustcov_results("HC0")
    expected = math.sqrt(centre @ robust.cov_params() @ centre)
    assert models[0].error == pytest.approx(expected, rel=0.03)
    (row, _), (pair,) = means(whole, policy, models), contrasts(whole, policy, models)
    assert row.low < row.estimate < row.high
    assert (row.high - row.low) / 2 >= pocock(0.05, 15) * models[0].error
    assert pair.estimate == 0.0
    assert pair.high == pytest.approx(pocock(0.025, 15) * 2 * models[0].error)
    assert study.reward.low <= row.low


def test_contrasts_say_which_arm_lacks_what(full):
    """Fails if the reason is that of the other arm."""
    _, done, history, _ = full
    some = ArmModel(0.1, 0.01, 3, np.zeros(8), "")
    none = ArmModel(math.nan, math.nan, 0, np.zeros(8), "it was never played")
    for models, name in (((some, none), "message"), ((none, some), "letter")):
        (pair,) = contrasts(history, done.policy, models)
        assert pair.estimate is pair.low is pair.high is None
        assert pair.why == f"{name}: it was never played"


def test_draws_are_scored_doubly_robustly(short):
    """Fails if scores or weights are not those of maths 10.3, or a visit counts that may not."""
    study, done, history, _ = short
    policy = done.policy
    scores, weights, chance = [], [], []
    for visit in history.full:
        chances, reward = visit.record.propensities, history.rewards.get(visit.record.number)
        if reward is None:
            continue
        row = []
        for k, arm in enumerate(policy.arms):
            guess = visit.expected[k]
            row.append(guess + (visit.record.arm == arm) * (reward - guess) / chances[arm])
        scores.append(row)
        weights.append(1 / visit.chance)
        chance.append([visit.record.arm == arm for arm in policy.arms] + [*chances.values()])
    scores, weights = np.array(scores), np.array(weights) / np.sum(weights)
    rows, (pair,) = drawn_means(history, policy)
    assert len(scores) > 100
    for k, row in enumerate(rows):
        middle = float(weights @ scores[:, k])
        got, even = np.array(chance)[:, k].sum(), np.array(chance)[:, 2 + k]
        unseen = np.sum(weights**2 / even) / (got + 1)  # of rewards that may just not have come
        seen = np.sum(weights**2 * (scores[:, k] - middle) ** 2)
        slack = 1.959964 * math.sqrt(seen + unseen)
        assert row.estimate == pytest.approx(middle)
        assert row.low == pytest.approx(max(middle - slack, 0), rel=1e-5)
        assert row.high == pytest.approx(min(middle + slack, 1), rel=1e-5)
    assert pair.estimate == pytest.approx(rows[0].estimate - rows[1].estimate)
    assert study.reward.low < rows[0].low


def test_draws_that_are_too_rare_say_so(full):
    """Fails if even weights, because no rare arm was drawn, are taken for many decisions."""
    _, done, history, found = full
    rows, pairs = drawn_means(history, done.policy)
    assert all(row.estimate is None and "explore_floor" in row.why for row in (*rows, *pairs))
    assert [row for row in found.arm_means if row.by == "draws"] == rows

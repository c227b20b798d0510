"""A million rank-one updates stay as good as a fresh factorisation (maths 2.3)."""

import numpy as np
import pytest
from scipy.linalg import solve_triangular

import askless as al

EPS = np.finfo(float).eps


def design(rng, count, d, *, collinear):
    """Rows on the grid; collinear: column 2 repeats column 1, column 3 is constant."""
    rows = np.ones((count, d + 1))
    rows[:, 1:] = np.round(rng.uniform(-0.5, 0.5, size=(count, d)) * 1024) / 1024
    if collinear:
        rows[:, 2], rows[:, 3] = rows[:, 1], 0.25
    return rows


def widths(policy, rows):
    """Widths of contexts as the core has them: all rewards are 0, so a score is all width."""
    assert not policy.estimate.any()
    scores, live = np.empty((len(rows), 1)), np.ones(1, dtype=bool)
    for row, out in zip(rows, scores, strict=True):
        policy._model.arms.score_row(live, row, out)
    return scores[:, 0] / policy.radius[0]


def fresh_widths(policy, rows):
    gram = policy._model.gram(0)
    factor = np.linalg.cholesky(gram + policy.alpha * np.eye(len(gram)))
    return np.linalg.norm(solve_triangular(factor, rows.T, lower=True), axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("collinear", [False, True])
@pytest.mark.parametrize(("alpha", "d"), [(1e-6, 8), (1e-6, 50), (5.0, 20)])
def test_a_million_updates_stay_within_1e_8_of_a_fresh_factorisation(alpha, d, collinear):
    policy = al.RidgeSurveyUCB(
        al.Survey.unit(d), arms=["a"], reward=(0, 1), beta_min=0, alpha=alpha
    )
    state = policy._model.arms
    rng = np.random.default_rng(1)
    directions = np.eye(d + 1)
    # Stops just before a refresh (every 4,096 rows), where the drift is largest.
    for stop in (1, 3, 17, 1_023, 4_096, 12 * 4_097 - 1, 244 * 4_097 - 1, 1_000_000):
        rows = design(rng, stop - int(state.n[0]), d, collinear=collinear)
        arms, ys = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows))
        state.learn_rows(arms, rows, ys)
        probes = design(rng, 50, d, collinear=collinear)
        n = int(state.n[0])
        np.testing.assert_allclose(widths(policy, probes), fresh_widths(policy, probes), rtol=1e-8)
        np.testing.assert_allclose(
            widths(policy, directions),
            fresh_widths(policy, directions),
            rtol=1e-8 + 10 * EPS * n / alpha,
        )
    assert state.n[0] == 1_000_000
    assert state.stale[0] > 0  # the last look was at updates, not at a fresh factor


def test_a_refresh_comes_after_4096_updates():
    policy = al.LinUCB(al.Survey.unit(2), arms=["a"], reward=(0, 1))
    rows = design(np.random.default_rng(0), 4_097, 2, collinear=False)
    policy.learn_rows([0] * 4_096, rows[:4_096], [0.5] * 4_096)
    assert policy._model.arms.stale[0] == 4_096
    policy.learn_row(0, rows[4_096], 0.5)
    assert policy._model.arms.stale[0] == 0

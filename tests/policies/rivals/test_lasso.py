"""The lasso and its choice of a penalty, against scikit-learn and the definition of the rule."""

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.preprocessing import StandardScaler

from askless.policies.rivals.lasso import kept_columns, least_squares, screen


def independent(rng):
    x = rng.uniform(-0.5, 0.5, (200, 12))
    return x, x[:, 0] - 0.5 * x[:, 1] + rng.uniform(-0.3, 0.3, 200)


def correlated(rng):
    common = rng.normal(size=(150, 1))
    x = (common + 0.7 * rng.normal(size=(150, 8))) * np.geomspace(0.1, 10, 8)  # and of all sizes
    return x, common[:, 0] + rng.normal(size=150)


def choices(rng):
    """Two choices of four options and one of two, each one-hot: every design is singular."""
    x = np.hstack([np.eye(m)[rng.integers(m, size=120)] for m in (4, 4, 2)])
    return x, x[:, 0] + 0.5 * x[:, 8] + 0.4 * rng.normal(size=120)


def few_rows(rng):
    """Fewer rows than columns, five folds, and a column that is constant."""
    x = np.hstack([rng.normal(size=(16, 20)), np.ones((16, 1))])
    return x, 2 * x[:, 3] + 0.5 * rng.normal(size=16)


DATA = {make.__name__: make for make in (independent, correlated, choices, few_rows)}


def theirs(rows, ys, penalties):
    """The same path by scikit-learn's coordinate descent: predictor, and coefficients of rows."""
    scaler = StandardScaler().fit(rows)
    x, level = scaler.transform(rows), ys.mean()
    _, coefs, _ = linear_model.lasso_path(
        x, ys - level, alphas=penalties, tol=1e-10, max_iter=100_000
    )
    return lambda new: scaler.transform(new) @ coefs + level, coefs.T / scaler.scale_


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_that_of_scikit_learn(name, seed):
    """Fails if columns are not standardised, the intercept is penalised or a lasso is not one."""
    rows, ys = DATA[name](np.random.default_rng(seed))
    found = screen(rows, ys)
    predict, coefs = theirs(rows, ys, found.penalties)
    fitted = found.coefs @ (rows - rows.mean(axis=0)).T + ys.mean()
    np.testing.assert_allclose(fitted, predict(rows).T, atol=2e-4 * ys.std())
    sizes = (np.abs(path * rows.std(axis=0)).sum(axis=1) for path in (found.coefs, coefs))
    np.testing.assert_allclose(*sizes, rtol=1e-3, atol=1e-4)
    if name in ("independent", "correlated"):  # elsewhere many coefficients are as good
        np.testing.assert_allclose(found.coefs, coefs, atol=1e-3 * np.abs(coefs).max())


@pytest.mark.parametrize("name", DATA)
def test_penalties_go_from_the_first_that_uses_nothing_to_a_thousandth(name):
    """Fails if the path starts where columns are used already, or long before, or ends early."""
    rows, ys = DATA[name](np.random.default_rng(3))
    found = screen(rows, ys)
    assert len(found.penalties) == 100
    assert found.penalties[-1] == pytest.approx(found.penalties[0] / 1000)
    assert not found.coefs[0].any()
    assert found.coefs[1].any()


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("seed", range(3))
def test_the_choice_is_the_one_standard_error_rule(name, seed):
    """Fails if folds, their weights, the standard error or the rule are others than stated."""
    rows, ys = DATA[name](np.random.default_rng(seed))
    found, count = screen(rows, ys), min(10, len(ys) // 3)
    folds = [np.arange(f, len(ys), count) for f in range(count)]
    errors = []
    for out in folds:
        predict, _ = theirs(np.delete(rows, out, 0), np.delete(ys, out), found.penalties)
        errors.append(((predict(rows[out]) - ys[out, None]) ** 2).mean(axis=0))
    weights = np.array([len(out) for out in folds])
    mean = np.average(errors, axis=0, weights=weights)
    error = np.sqrt(np.average((errors - mean) ** 2, axis=0, weights=weights) / (count - 1))
    np.testing.assert_allclose(found.errors, mean, rtol=2e-3)
    np.testing.assert_allclose(found.spreads, error, rtol=1e-2)
    limit = mean.min() + error[mean.argmin()]
    chosen = next(i for i in range(100) if mean[i] <= limit)
    assert np.abs(mean[[chosen - 1, chosen]] - limit).min() > 1e-4 * limit  # rounding decides not
    assert found.chosen == chosen


def test_one_standard_error_keeps_less_than_the_best_penalty():
    """Fails if the penalty with the smallest error is taken."""
    more = 0
    for seed in range(10):
        rows, ys = independent(np.random.default_rng(seed))
        found, kept = screen(rows, ys), kept_columns(rows, ys)
        best = found.errors.argmin()
        assert found.chosen < best
        assert kept[:2].all()
        more += (found.coefs[best] != 0).sum() - kept.sum()
    assert more > 10


def test_too_little_to_go_by_keeps_nothing():
    """Fails if a lasso is tried on nine rows, on constant rewards or on constant answers."""
    x = np.linspace(-0.5, 0.5, 12)[:, None]
    assert kept_columns(x, x[:, 0]).all()
    assert not kept_columns(x[:9], x[:9, 0]).any()
    assert not kept_columns(x, np.full(12, 0.3)).any()
    assert not kept_columns(np.full((12, 1), 0.1), x[:, 0]).any()


def test_least_squares_predicts_as_numpy_does():
    """Fails if a singular design breaks it, or the level is shrunk towards zero."""
    rng = np.random.default_rng(4)
    rows, _ = choices(rng)
    ys = 5 + rng.normal(size=len(rows))
    found, design = least_squares(rows, ys), np.c_[np.ones(len(rows)), rows]
    expected = design @ (np.linalg.pinv(design) @ ys)
    np.testing.assert_allclose(design @ found, expected, atol=1e-9)
    np.testing.assert_allclose(least_squares(rows[:, :0], ys), [ys.mean()])
    # Of an option that nobody chose nothing is known: it moves nothing.
    unseen = np.c_[rows, np.zeros(len(rows))]
    assert least_squares(unseen, ys)[-1] == 0

"""The elastic net against scikit-learn, and against the optimality conditions solved densely."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet

import askless as al
from askless import core
from askless.errors import SettingError

SEEDS = range(780)


def random_problem(seed):
    """Rows of every size and shape: sparse and dense, collinear and constant, λ from 0 to all."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([5, 20, 100, 1_000, 5_000, 50_000], p=[0.2, 0.2, 0.2, 0.2, 0.15, 0.05]))
    d = int(rng.choice([1, 2, 5, 20, 51, 100, 200]) if n < 50_000 else rng.choice([5, 50]))
    rows = rng.normal(size=(n, d))
    rows[:, 0] = 1.0
    if d > 3 and rng.random() < 0.4:
        rows[:, 2], rows[:, 3] = rows[:, 1], 0.25
    truth = np.zeros(d)
    count = min(d, int(rng.choice([1, 3, d])))
    truth[rng.permutation(d)[:count]] = rng.normal(size=count)
    y = rows @ truth + rng.normal(size=n) * 0.3
    alpha = float(rng.choice([0.01, 0.1, 1.0, 5.0]))
    every = 2 / n * np.abs(rows.T @ y).max()  # above this λ all coefficients are zero
    lam = every * float(rng.choice([0.0, 1e-3, 0.05, 0.3, 0.9, 1.1]))
    return rows, y, n, alpha, lam


def exact(gram, moment, n, alpha, penalty, coef):
    """Solve the optimality conditions on the active set densely, and check that they hold.

    Where they do, the result is the one minimum, however the active set was found.
    """
    active = np.flatnonzero((coef != 0) | (penalty == 0))
    inside = gram[np.ix_(active, active)] + 2 * alpha * np.eye(len(active))
    signs = np.where(penalty[active] == 0, 0, np.sign(coef[active]))
    solution = np.zeros(len(coef))
    solution[active] = np.linalg.solve(inside, moment[active] - n / 2 * penalty[active] * signs)
    assert (signs * solution[active] >= 0).all()
    gradient = moment - gram @ solution - 2 * alpha * solution
    outside = np.delete(np.abs(gradient) - n / 2 * penalty, active)
    assert (outside <= 1e-9 * max(1.0, np.abs(moment).max())).all()
    return solution


def by_sklearn(rows, y, n, alpha, lam):
    """The same by scikit-learn on as many rows as columns, which have the same sums."""
    q, r = np.linalg.qr(rows)
    count = len(r)
    total = (n * lam / 2 + 2 * alpha) / count
    model = ElasticNet(
        alpha=total, l1_ratio=n * lam / 2 / count / total, fit_intercept=False, tol=1e-15
    )
    model.set_params(max_iter=100_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(r, q.T @ y).coef_


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(SEEDS), 65))
def test_the_net_is_the_one_minimum_on_780_problems(first):
    compared = 0
    for seed in SEEDS[first : first + 65]:
        rows, y, n, alpha, lam = random_problem(seed)
        gram, moment = rows.T @ rows, rows.T @ y
        net = al.elastic_net(gram, moment, n, alpha=alpha, lam=lam)
        assert net.converged
        assert net.kkt_residual <= 1e-10
        solution = exact(gram, moment, n, alpha, np.full(len(moment), lam), net.coef)
        np.testing.assert_allclose(net.coef, solution, rtol=0, atol=1e-9)
        # Elsewhere scikit-learn does not get so far (the paper's "issues with convergence").
        if np.linalg.cond(gram + 2 * alpha * np.eye(len(moment))) < 1e3:
            other = by_sklearn(rows, y, n, alpha, lam)
            np.testing.assert_allclose(net.coef, other, rtol=0, atol=1e-9)
            assert ((net.coef == 0) == (other == 0)).all()
            compared += 1
    assert compared >= 42  # in each of twelve: more than 500 by scikit-learn too


@pytest.mark.parametrize("seed", range(20))
def test_following_and_descending_meet_from_any_start(seed):
    rows, y, n, alpha, lam = random_problem(seed)
    gram, moment = rows.T @ rows, rows.T @ y
    d = len(moment)
    cold = al.elastic_net(gram, moment, n, alpha=alpha, lam=lam)
    dense = al.elastic_net(gram, moment, n, alpha=alpha, lam=0)
    starts = (dense.coef, np.ones(d), -cold.coef, np.zeros(d))  # from all active to none
    for start in starts:
        warm = al.elastic_net(gram, moment, n, alpha=alpha, lam=lam, start=start)
        assert warm.converged
        np.testing.assert_allclose(warm.coef, cold.coef, rtol=0, atol=1e-9)
        assert ((warm.coef == 0) == (cold.coef == 0)).all()
    if d <= 20:  # coordinate descent is the slow way
        net = core.ElasticNet(gram, moment, np.full(d, n * lam / 2), 2 * alpha)
        net.descend()
        np.testing.assert_allclose(net.coef, cold.coef, rtol=0, atol=1e-6)


def test_rows_one_by_one_and_penalties_of_each_column():
    # The follower's own life: a row at a time, λ falling like 1/√n, the constant free.
    rng = np.random.default_rng(4)
    d = 30
    truth = np.zeros(d)
    truth[[0, 3, 7]] = [0.4, 1.0, -0.5]
    gram, moment, net = np.zeros((d, d)), np.zeros(d), None
    sizes = set()
    for n in range(1, 1_500):
        z = np.r_[1.0, rng.uniform(-0.5, 0.5, size=d - 1)]
        gram += np.outer(z, z)
        moment += z * (z @ truth + rng.uniform(-0.5, 0.5))
        lam = np.r_[0.0, np.full(d - 1, 0.4 / np.sqrt(n))]
        start = None if net is None else net.coef
        net = al.elastic_net(gram, moment, n, alpha=1.0, lam=lam, start=start)
        assert net.converged
        sizes.add(int((net.coef != 0).sum()))
        if n % 50 == 0:
            solution = exact(gram, moment, n, 1.0, lam, net.coef)
            np.testing.assert_allclose(net.coef, solution, rtol=0, atol=1e-10)
    assert len(sizes) > 5  # columns came and went


def test_refinement_survives_building_the_inverse_anew():
    # Three equal columns and a penalty of 1e-8 of them: the first inverse is rounding.
    net = al.elastic_net(np.full((3, 3), 404.0), [17.0] * 3, 30, alpha=404e-8, lam=0)
    assert net.converged
    np.testing.assert_allclose(net.coef, 17 / (3 * 404 + 2 * 404e-8), rtol=0.05)
    gram, moment = np.full((2, 2), 35922737.82354215), np.full(2, 0.0001125601971256)
    lam = np.array([5.628e-13, 5.628e-5])
    far = al.elastic_net(gram, moment, 2, alpha=100, lam=lam, start=[-1e-3, 1e-3])
    near = al.elastic_net(gram, moment, 2, alpha=100, lam=lam)
    assert far.converged
    np.testing.assert_allclose(far.coef, near.coef, rtol=1e-6)


@pytest.mark.parametrize("gram", [[[1.0, 3.0], [3.0, 1.0]], [[-2.0, 0.0], [0.0, 1.0]]])
def test_what_is_no_gram_matrix_has_no_certificate(gram):
    # With 2α added these still have a direction without curvature along which c rises: no minimum.
    net = al.elastic_net(gram, [3.0, 0.0], 4, alpha=1.0, lam=0)
    assert not net.converged
    assert net.kkt_residual > 1e-10


def test_a_net_that_cannot_converge_says_so(monkeypatch):
    class Stuck(core.ElasticNet):
        def solve(self):
            return 1e-3

    monkeypatch.setattr(core, "ElasticNet", Stuck)
    net = al.elastic_net(np.eye(2), [1.0, 1.0], 2, alpha=1, lam=0.1)
    assert not net.converged
    assert net.kkt_residual == 1e-3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gram": [[1, 2], [3, 4]]}, "not symmetric"),
        ({"gram": np.eye(3)}, "shape"),
        ({"gram": "x"}, "gram is 'x'"),
        ({"moment": [1, np.nan]}, "moment must be finite"),
        ({"n": 0}, "n is 0"),
        ({"n": 2.5}, "n is 2.5"),
        ({"n": 10**400}, "n is "),
        ({"alpha": 1e308}, "alpha is 1e[+]308"),
        ({"alpha": None}, "alpha"),
        ({"lam": 1e200}, "lam must be"),
        ({"alpha": 0}, "alpha is 0"),
        ({"alpha": [1, 2]}, "alpha has 1 dimensions"),
        ({"lam": -1}, "lam must be"),
        ({"lam": [1, 2, 3]}, "lam has 3 numbers"),
        ({"start": [1]}, "start has shape"),
    ],
)
def test_bad_input_is_named(change, message):
    given = {"gram": np.eye(2), "moment": [1.0, 2.0], "n": 2, "alpha": 1.0, "lam": 0.1} | change
    with pytest.raises(SettingError, match=message):
        al.elastic_net(given.pop("gram"), given.pop("moment"), given.pop("n"), **given)

"""The inverse Cholesky factor against dense algebra."""

import numpy as np
import pytest

from askless.kernels import triangle


def random_problem(seed, p, alpha):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3 * p, p))
    return rng, rows, rows.T @ rows, alpha


@pytest.mark.parametrize("p", [1, 2, 7, 51])
def test_factor_is_the_inverse_cholesky_factor(p):
    _, _, gram, alpha = random_problem(p, p, 0.3)
    root = np.full((p, p), np.nan)  # whatever was there before must not matter
    log_det = triangle.factor(gram, alpha, root)
    d = gram + alpha * np.eye(p)
    np.testing.assert_allclose(root, np.linalg.inv(np.linalg.cholesky(d)), rtol=0, atol=1e-10)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(d / alpha)[1], rtol=1e-12)


@pytest.mark.parametrize("p", [1, 2, 7, 51])
def test_add_row_is_the_factor_of_the_sum(p):
    rng, _, gram, alpha = random_problem(p + 100, p, 2.0)
    d = gram + alpha * np.eye(p)
    root, z = np.zeros((p, p)), rng.normal(size=p)
    triangle.factor(gram, alpha, root)
    w, gain, variance = np.zeros(p), np.zeros(p), np.zeros(p)
    squared = triangle.times(root, z, w)
    tau = triangle.add_row(root, w, gain)
    triangle.diagonal_of(root, variance)
    inverse, after = np.linalg.inv(d), np.linalg.inv(d + np.outer(z, z))
    np.testing.assert_allclose(squared, z @ inverse @ z, rtol=1e-10)
    np.testing.assert_allclose(tau, 1 + z @ inverse @ z, rtol=1e-10)
    np.testing.assert_allclose(gain, inverse @ z, rtol=0, atol=1e-10)
    np.testing.assert_allclose(variance, np.diag(after), rtol=1e-10)
    np.testing.assert_allclose(root.T @ root, after, rtol=0, atol=1e-10)
    assert (np.triu(root, 1) == 0).all()


def test_products_with_the_factor():
    rng, _, gram, alpha = random_problem(5, 9, 1.0)
    root, z, out = np.zeros((9, 9)), rng.normal(size=9), np.zeros(9)
    triangle.factor(gram, alpha, root)
    triangle.times(root, z, out)
    np.testing.assert_allclose(out, root @ z, rtol=1e-12)
    triangle.transposed_times(root, z, out)
    np.testing.assert_allclose(out, root.T @ z, rtol=1e-12)
    triangle.diagonal_of(root, out)
    np.testing.assert_allclose(out, np.diag(root.T @ root), rtol=1e-12)


def test_a_pivot_lost_to_rounding_becomes_alpha():
    # 1e8 + 1e-9 rounds to 1e8, so the second pivot of two equal columns comes out as 0.
    gram = np.full((2, 2), 1e8)
    root = np.zeros((2, 2))
    log_det = triangle.factor(gram, 1e-9, root)
    assert root[1, 1] == pytest.approx(1e-9**-0.5)
    assert log_det == pytest.approx(np.log(1e8 / 1e-9))

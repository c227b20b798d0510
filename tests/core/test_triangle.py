"""The inverse Cholesky factor against dense algebra; arrays are padded, and the padding stays."""

import numpy as np
import pytest

from askless.core import inside
from core.padding import padded_copy

SIZES = [1, 2, 7, 8, 9, 51]


def random_problem(seed, p):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3 * p, p))
    return rng, rows.T @ rows


def factored(gram, alpha):
    root = np.full_like(padded_copy(gram), 7.0)  # whatever was there before must not matter
    weights = np.full(len(root), 7.0)
    log_det = inside.factor(padded_copy(gram), alpha, len(gram), root, weights)
    return root, weights, log_det


@pytest.mark.parametrize("p", SIZES)
def test_factor_is_the_inverse_cholesky_factor(p):
    _, gram = random_problem(p, p)
    root, weights, log_det = factored(gram, 0.3)
    d = gram + 0.3 * np.eye(p)
    inverse = np.linalg.inv(np.linalg.cholesky(d))
    expected = padded_copy(inverse / np.diag(inverse)[:, None])
    np.testing.assert_allclose(root, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(weights, padded_copy(np.diag(inverse) ** 2), rtol=1e-10)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(d / 0.3)[1], rtol=1e-12)


@pytest.mark.parametrize("p", SIZES)
def test_add_row_is_the_factor_of_the_sum(p):
    rng, gram = random_problem(p + 100, p)
    d = gram + 2.0 * np.eye(p)
    root, weights, _ = factored(gram, 2.0)
    z = rng.normal(size=p)
    w, gain, variance = (np.zeros(len(root)) for _ in range(3))
    taus, slopes, lifts = np.full((3, len(root)), np.nan)
    inside.times(root, padded_copy(z), p, w)
    squared = inside.squared_length(weights, w, p)
    tau = inside.add_row(weights, w, p, taus, slopes, lifts)
    inside.sweep(root, p, slopes, lifts, gain)
    inside.diagonal_of(root, weights, p, variance)
    inverse, after = np.linalg.inv(d), np.linalg.inv(d + np.outer(z, z))
    np.testing.assert_allclose(squared, z @ inverse @ z, rtol=1e-10)
    np.testing.assert_allclose(tau, 1 + z @ inverse @ z, rtol=1e-10)
    np.testing.assert_allclose(gain, padded_copy(inverse @ z), rtol=0, atol=1e-10)
    np.testing.assert_allclose(variance, padded_copy(np.diag(after)), rtol=1e-10)
    product = root.T @ np.diag(weights) @ root
    np.testing.assert_allclose(product, padded_copy(after), rtol=0, atol=1e-10)
    assert (np.triu(root, 1) == 0).all()


@pytest.mark.parametrize("p", SIZES)
def test_two_sweeps_at_once_are_two_sweeps_bit_for_bit(p):
    rng, gram = random_problem(p + 300, p)
    one, weights, _ = factored(gram, 2.0)
    both, wide = one.copy(), len(one)
    slopes, lifts, gains, together = np.zeros((4, 2, wide))
    for i in range(2):
        w = np.zeros(wide)
        inside.times(one, padded_copy(rng.normal(size=p)), p, w)
        inside.add_row(weights, w, p, np.zeros(wide), slopes[i], lifts[i])
        inside.sweep(one, p, slopes[i], lifts[i], gains[i])
    inside.sweep_twice(both, p, slopes, lifts, together)
    assert both.tobytes() == one.tobytes()
    assert together.tobytes() == gains.tobytes()


@pytest.mark.parametrize("p", SIZES)
def test_products_with_the_factor(p):
    rng, gram = random_problem(p + 200, p)
    root, weights, _ = factored(gram, 1.0)
    z = padded_copy(rng.normal(size=p))
    out = np.zeros(len(root))
    inside.times(root, z, p, out)
    np.testing.assert_allclose(out, root @ z, rtol=1e-12, atol=1e-15)
    inside.transposed_times(root, z, p, out)
    np.testing.assert_allclose(out, root.T @ z, rtol=1e-12, atol=1e-15)
    inside.diagonal_of(root, weights, p, out)
    np.testing.assert_allclose(out, np.diag(root.T @ np.diag(weights) @ root), rtol=1e-12)
    inverse = np.full_like(root, 7.0)  # whatever was there before must not matter
    trace = inside.inverse_of(root, weights, p, inverse)
    np.testing.assert_allclose(inverse, root.T @ np.diag(weights) @ root, rtol=1e-12, atol=1e-15)
    assert trace == pytest.approx(np.trace(inverse), rel=1e-12)
    other = padded_copy(rng.normal(size=p))
    assert inside.dot(z, other, p) == pytest.approx(z @ other, rel=1e-12)
    assert inside.inner(z, other) == pytest.approx(z @ other, rel=1e-12)
    total = other.copy()
    inside.add_multiple(0.3, z, total, p)
    np.testing.assert_allclose(total, other + 0.3 * z, rtol=1e-12)


def test_a_pivot_lost_to_rounding_becomes_alpha():
    # 1e8 + 1e-9 rounds to 1e8, so the second pivot of two equal columns comes out as 0.
    _, weights, log_det = factored(np.full((2, 2), 1e8), 1e-9)
    assert weights[1] == pytest.approx(1e9)
    assert log_det == pytest.approx(np.log(1e8 / 1e-9))

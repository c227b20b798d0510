"""Vector steps against numpy; each is one correctly rounded operation a lane."""

from fractions import Fraction

import numpy as np
import pytest
from askless.kernels import lanes
from numba import njit


@njit
def run(x, y, z, out, sums):
    a, b, c = lanes.load(x, 1), lanes.load(y, 0), lanes.load(z, 0)
    lanes.store(out[0], 0, lanes.fma(a, b, c))
    lanes.store(out[1], 0, lanes.product(a, b))
    lanes.store(out[2], 0, lanes.quotient(a, b))
    lanes.store(out[3], 0, lanes.spread(x[3]))
    lanes.store(out[4], 0, lanes.spread_from(x, 3))
    lanes.store(out[5], 0, lanes.magnitude(a))
    lanes.store(out[6], 0, lanes.with_sign(a, b))
    lanes.store_totals(sums, 1, a, b, c, lanes.product(a, b))
    sums[0] = lanes.total(a)


@pytest.mark.parametrize("seed", range(5))
def test_every_step_is_numpy_s(seed):
    rng = np.random.default_rng(seed)
    x, (y, z) = rng.normal(size=9), rng.normal(size=(2, 8))
    out, sums = np.zeros((7, 8)), np.zeros(6)
    run(x, y, z, out, sums)
    a = x[1:]
    exact = [Fraction(i) * Fraction(j) + Fraction(k) for i, j, k in zip(a, y, z, strict=True)]
    assert out[0].tolist() == [float(value) for value in exact]  # rounded once
    np.testing.assert_array_equal(out[1:4], [a * y, a / y, np.full(8, x[3])])
    np.testing.assert_array_equal(out[4:], [np.full(8, x[3]), np.abs(a), np.copysign(a, y)])
    np.testing.assert_allclose(sums[:5], [a.sum(), a.sum(), y.sum(), z.sum(), a @ y], rtol=1e-13)
    assert sums[5] == 0


@njit
def sum_up(rows, sums):
    lanes.fetch(rows[0], 0)  # a hint, which changes nothing
    a, b, c = lanes.load(rows[0], 0), lanes.load(rows[1], 0), lanes.load(rows[2], 0)
    d, e, f = lanes.load(rows[3], 0), lanes.load(rows[4], 0), lanes.load(rows[5], 0)
    g, h = lanes.load(rows[6], 0), lanes.load(rows[7], 0)
    lanes.store(sums, 0, lanes.totals(a, b, c, d, e, f, g, h))


def test_eight_vectors_are_summed_in_their_order():
    rows, sums = np.random.default_rng(7).normal(size=(8, 8)), np.zeros(8)
    sum_up(rows, sums)
    np.testing.assert_allclose(sums, rows.sum(axis=1), rtol=1e-13)


@pytest.mark.parametrize("length", [1, 8, 15, 16, 17, 51, 200])
def test_padding_leaves_room_for_a_pair_of_lanes_at_every_column(length):
    wide = lanes.padded(length)
    assert wide % lanes.WIDTH == 0
    assert wide // lanes.WIDTH % 2 == 1  # rows of a matrix begin in different cache sets
    last = (length - 1) // 16 * 16
    assert last + 16 <= wide < length + 24

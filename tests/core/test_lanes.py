"""Vector steps against numpy; each is one correctly rounded operation a lane."""

from fractions import Fraction

import numpy as np
import pytest

from askless.core import inside
from askless.core.words import WIDTH


@pytest.mark.parametrize("seed", range(5))
def test_every_step_is_numpy_s(seed):
    rng = np.random.default_rng(seed)
    x, (y, z) = rng.normal(size=9), rng.normal(size=(2, 8))
    out, sums = np.zeros((11, 8)), np.zeros(6)
    inside.lane_steps(x, y, z, out, sums)
    a = x[1:]
    exact = [Fraction(i) * Fraction(j) + Fraction(k) for i, j, k in zip(a, y, z, strict=True)]
    assert out[0].tolist() == [float(value) for value in exact]  # rounded once
    np.testing.assert_array_equal(out[1:5], [a + y, a - y, a * y, a / y])
    np.testing.assert_array_equal(out[5:8], [np.full(8, x[3]), np.maximum(a, y), np.minimum(a, y)])
    np.testing.assert_array_equal(out[8:10], [np.abs(a), np.copysign(a, y)])
    np.testing.assert_array_equal(out[10], np.where((a < y) & (y < z), a, z))
    np.testing.assert_allclose(sums[:5], [a.sum(), a.sum(), y.sum(), z.sum(), a @ y], rtol=1e-13)
    assert sums[5] == 0


def test_signs_of_zeros_and_infinities_are_kept():
    x = np.array([9, 0.0, -0.0, np.inf, -np.inf, 1, -1, -0.0, np.inf])
    y = np.array([-0.0, 0.0, -1, 1, 0.0, -0.0, -0.0, -np.inf])
    out, sums = np.zeros((11, 8)), np.zeros(6)
    inside.lane_steps(x, y, np.ones(8), out, sums)
    for found, expected in ((out[8], np.abs(x[1:])), (out[9], np.copysign(x[1:], y))):
        assert found.tobytes() == expected.tobytes()


def test_eight_vectors_are_summed_in_their_order():
    """To the last bit: neighbours first, then pairs, then the halves."""
    rows, sums = np.random.default_rng(7).normal(size=(8, 8)), np.zeros(8)
    inside.totals(rows, sums)
    np.testing.assert_allclose(sums, rows.sum(axis=1), rtol=1e-13)
    a, b, c, d, e, f, g, h = rows.T
    assert sums.tolist() == (((a + b) + (c + d)) + ((e + f) + (g + h))).tolist()


def test_sums_of_one_and_of_four_vectors_have_one_order():
    """The same bits on every processor: halves are added until one number is left."""
    rng = np.random.default_rng(3)
    x, (y, z) = rng.normal(size=9), rng.normal(size=(2, 8))
    sums = np.zeros(6)
    inside.lane_steps(x, y, z, np.zeros((11, 8)), sums)

    def total(v):
        half = v[:4] + v[4:]
        return (half[0] + half[2]) + (half[1] + half[3])

    def total_of_four(v):
        half = v[:4] + v[4:]
        return (half[0] + half[1]) + (half[2] + half[3])

    a = x[1:]
    assert sums[:5].tolist() == [total(a), *(total_of_four(v) for v in (a, y, z, a * y))]


@pytest.mark.parametrize("length", [1, 8, 15, 16, 17, 51, 200])
def test_padding_leaves_room_for_a_pair_of_lanes_at_every_column(length):
    wide = inside.padded(length)
    assert wide % WIDTH == 0
    assert wide // WIDTH % 2 == 1  # rows of a matrix begin in different cache sets
    last = (length - 1) // 16 * 16
    assert last + 16 <= wide < length + 24


def test_arrays_without_room_for_whole_lanes_are_refused():
    """Nothing crosses the border unchecked: a lane behind the end would be someone else's."""
    square, vector = np.zeros((24, 24)), np.zeros(24)
    inside.times(square, vector, 9, np.zeros(24))
    for size in (-1, 17, 25, 2**62):
        with pytest.raises(ValueError, match="not padded"):
            inside.times(square, vector, size, np.zeros(24))
    with pytest.raises(ValueError, match="a lane longer"):
        inside.add_row(*(np.zeros(24) for _ in range(2)), 9, *(np.zeros(24) for _ in range(3)))
    with pytest.raises(ValueError, match="another length"):
        inside.inner(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="not padded"):
        inside.ln_of_parts(np.ones(7), np.ones(7))

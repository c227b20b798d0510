"""Numbers as text: every bit comes back, and nothing else is taken for numbers."""

import base64
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askless.errors import StateError
from askless.policies.packed import pack, pack_lower, unpack, unpack_lower
from saved_states import numbers_of, text_of

ANY = st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), max_size=30)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(ANY)
def test_every_bit_comes_back_and_others_can_read_it(numbers):
    """Fails if a sign of zero, a payload of NaN or a last bit is lost, or the format changes."""
    raw = struct.pack(f"<{len(numbers)}d", *numbers)
    text = pack(np.array(numbers))
    assert struct.pack(f"<{len(numbers)}d", *numbers_of(text)) == raw
    assert unpack(text, (len(numbers),), "it").tobytes() == raw
    assert unpack(text_of(numbers), (-1,), "it").tobytes() == raw


def test_shapes_are_those_that_are_asked_for():
    table = np.arange(6.0).reshape(2, 3)
    for shape in ((2, 3), (-1, 3)):
        np.testing.assert_array_equal(unpack(pack(table), shape, "it"), table)
        np.testing.assert_array_equal(unpack(table.tolist(), shape, "it"), table)
    assert unpack([], (-1, 3), "it").shape == unpack(pack([]), (-1, 3), "it").shape == (0, 3)
    assert unpack(pack(np.zeros((0, 0))), (0, 0), "it").shape == (0, 0)
    for shape in ((3, 3), (2, 2), (-1, 4), (7,), (5,)):
        for given_ in (pack(table), table.tolist()):
            with pytest.raises(StateError, match="the rows cannot be: it is no block of"):
                unpack(given_, shape, "the rows")


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        3,
        True,
        {"0": 1.0},
        "",
        "x",
        "ä",
        "AAAA",
        [1.0],
        [1.0, 2.0, 3.0],
        ["1", "2"],
        [1.0, True],
        [1.0, None],
        [[1.0], [2.0]],
        [1.0, [2.0]],
        [1.0, 10**400],
        (1.0, 2.0),
        pack([1.0]),
        pack([1.0, 2.0, 3.0]),
        pack([1.0, 2.0])[:-4],
        pack([1.0, 2.0]) + "AAAA",
        pack([1.0, 2.0]) + " ",
        base64.b64encode(zlib.compress(bytes(16))[:-2]).decode(),
        base64.b64encode(zlib.compress(bytes(16)) + b"more").decode(),
        base64.b64encode(zlib.compress(bytes(15))).decode(),
        base64.b64encode(bytes(16)).decode(),
        base64.b64encode(zlib.compress(bytes(10**8))).decode(),
    ],
)
def test_what_is_no_such_block_is_refused(wrong):
    """Fails if something is taken for two numbers, or raises anything but a StateError."""
    with pytest.raises(StateError, match="it cannot be"):
        unpack(wrong, (2,), "it")


@pytest.mark.parametrize("more", [b"more", zlib.compress(bytes(8))])
def test_a_block_of_any_length_has_nothing_behind_it(more):
    text = base64.b64encode(zlib.compress(bytes(16)) + more).decode()
    with pytest.raises(StateError, match="it cannot be"):
        unpack(text, (-1,), "it")


def test_a_triangle_is_half_a_matrix_in_any_of_its_spellings():
    rng = np.random.default_rng(0)
    for size in (1, 2, 5):
        square = rng.normal(size=(size, size))
        square += square.T
        lower = np.tril(square)
        rows = [square[i, : i + 1].tolist() for i in range(size)]
        flat = [number for row in rows for number in row]
        for spelled in (pack_lower(square), rows, flat, square.tolist()):
            assert unpack_lower(spelled, size, "it").tobytes() == lower.tobytes()
    assert unpack_lower(pack_lower(np.zeros((0, 0))), 0, "it").shape == (0, 0)
    assert unpack_lower([], 0, "it").shape == (0, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        [[1.0], [2.0]],
        [[1.0, 2.0], [3.0]],
        [[1.0, 2.0], [3.0, 4.0]],
        [[1.0, 2.0], [2.0, "4"]],
        [1.0, 2.0],
        [[1.0], [2.0, 3.0], [4.0, 5.0, 6.0]],
        pack([1.0, 2.0, 3.0, 4.0]),
        [[[1.0]], [2.0, 3.0]],
        None,
    ],
)
def test_what_is_no_triangle_is_refused(wrong):
    with pytest.raises(StateError, match="it cannot be"):
        unpack_lower(wrong, 2, "it")

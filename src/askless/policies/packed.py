"""Numbers of a state as text: every bit of them, in a fraction of the room that decimals take."""

from __future__ import annotations

import base64
import math
import zlib
from typing import Any

import numpy as np

from askless.core.arrays import Floats
from askless.errors import StateError

__all__ = ["pack", "pack_lower", "unpack", "unpack_lower"]

KIND = np.dtype("<f8")
MOST_NUMBERS = 2**28  # of a block whose length is not known
LEVEL = 1  # of zlib: halves sums, quarters rows; the next levels hardly more, and six times slower


def pack(numbers: Any) -> str:
    """Return numbers as text: little-endian float64, row after row, zlib, base64.

    >>> unpack(pack([0.1, -2.0]), (2,), "it").tolist()
    [0.1, -2.0]
    """
    raw = np.ascontiguousarray(numbers, dtype=KIND).tobytes()
    return base64.b64encode(zlib.compress(raw, LEVEL)).decode("ascii")


def unpack(saved: Any, shape: tuple[int, ...], what: str) -> Floats:
    """Return packed numbers as an array; the first length may be -1, for as many as there are.

    Nested lists of numbers are taken too: a state of version 5 has them.

    Parameters
    ----------
    saved : str or list
        What `pack` returned, or lists.
    shape : tuple of int
        Which shape it must have; anything else is refused.
    what : str
        What the numbers are, for the refusal.
    """
    numbers = _from_text(saved, shape) if isinstance(saved, str) else _from_lists(saved, shape)
    if numbers is None:
        lengths = " × ".join("any" if length < 0 else str(length) for length in shape)
        raise StateError(f"{what} cannot be: it is no block of {lengths} numbers")
    return numbers


def pack_lower(matrix: Floats) -> str:
    """Return the lower triangle of a matrix as text, row after row.

    >>> unpack_lower(pack_lower(np.array([[1.0, 9.0], [2.0, 3.0]])), 2, "it").tolist()
    [[1.0, 0.0], [2.0, 3.0]]
    """
    return pack(matrix[np.tri(len(matrix), dtype=bool)])


def unpack_lower(saved: Any, size: int, what: str) -> Floats:
    """Return a packed lower triangle as a matrix, zero above its diagonal.

    A state of version 5 has it as one list, as rows that grow, or as the whole of a symmetric
    matrix.
    """
    below = np.tri(size, dtype=bool)
    if isinstance(saved, list) and size and all(isinstance(row, list) for row in saved):
        if [len(row) for row in saved] == [size] * size and size > 1:
            whole = unpack(saved, (size, size), what)
            if not (whole == whole.T).all():
                raise StateError(f"{what} cannot be: it is not symmetric")
            return np.tril(whole)
        if [len(row) for row in saved] != list(range(1, size + 1)):
            raise StateError(f"{what} cannot be: it is no triangle of {size} rows")
        saved = [number for row in saved for number in row]
    matrix = np.zeros((size, size))
    matrix[below] = unpack(saved, (size * (size + 1) // 2,), what)
    return matrix


def _from_text(text: str, shape: tuple[int, ...]) -> Floats | None:
    """Return the numbers of a text; None if it is not of that shape, or no such text."""
    count, unpacker = math.prod(shape), zlib.decompressobj()
    most = 8 * (count if count >= 0 else MOST_NUMBERS)
    try:
        given = base64.b64decode(text.encode("ascii"), validate=True)
        raw = unpacker.decompress(given, most + 1)  # what says more than it may is not unpacked
    except (ValueError, zlib.error):
        return None
    fits = len(raw) == most if count >= 0 else len(raw) % (8 * -count) == 0
    if not fits or not unpacker.eof or unpacker.unused_data:
        return None
    return np.frombuffer(raw, dtype=KIND).reshape(shape).astype(np.float64)


def _from_lists(saved: Any, shape: tuple[int, ...]) -> Floats | None:
    """Return the numbers of nested lists; None if they are not of that shape, or no numbers."""
    lengths = [len(saved), *shape[1:]] if isinstance(saved, list) and shape[0] < 0 else list(shape)
    parts = [saved]
    for length in lengths:
        if not all(isinstance(part, list) and len(part) == length for part in parts):
            return None
        parts = [inner for part in parts for inner in part]
    if not set(map(type, parts)) <= {int, float}:
        return None
    try:
        return np.array(parts, dtype=np.float64).reshape(lengths)
    except OverflowError:  # a whole number that no float reaches
        return None

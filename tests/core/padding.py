"""Arrays as the core wants them: padded with zeros to whole lanes."""

import numpy as np

from askless.core import inside
from askless.core.words import WIDTH


def padded_copy(array):
    """A copy with a lane of zeros or more behind the end of every axis."""
    array = np.asarray(array, dtype=float)
    room = np.zeros([inside.padded(length) + WIDTH for length in array.shape])
    room[tuple(slice(length) for length in array.shape)] = array
    return room

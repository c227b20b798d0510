"""What arrays are called in signatures."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flags", "Floats", "Ints"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

some = np.logical_or.reduce  # whether one of some flags is set, without the detour of `any`

"""What arrays are called in signatures."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flags", "Floats", "Ints"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

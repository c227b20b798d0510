"""The steps of the e-processes that have a right answer of their own."""

import numpy as np
import pytest

from askless import core
from askless.core import inside
from askless.core.words import COUNTED, SUMS, WIDTH


def test_the_logarithm_is_one():
    """Fails if a range is reduced wrongly, or the series is too short."""
    y = np.unique(
        np.concatenate([np.geomspace(0.05, 1, 20_001), 1 - np.geomspace(1e-16, 0.9, 999)])
    )
    ends = np.array([0.0625, 0.125, 0.25, 0.5, np.sqrt(0.5), 1.0])
    y = np.concatenate([y, ends, np.nextafter(ends, 0)])
    y = np.append(y, np.ones(-len(y) % WIDTH))
    found = np.empty_like(y)
    inside.ln_of_parts(y, found)
    np.testing.assert_allclose(found, np.log(y), rtol=0, atol=1e-15)


def test_sums_of_another_length_are_refused():
    """Fails if the core writes behind the end of an array that it is given."""
    sums = np.zeros(SUMS)
    core.add_at_the_end(0.1, 1.0, 0.1, 0.1, sums)
    assert sums[COUNTED] == 1
    for length in (0, COUNTED, SUMS + 1):
        with pytest.raises(ValueError, match="another length"):
            core.add_at_the_end(0.1, 1.0, 0.1, 0.1, np.zeros(length))

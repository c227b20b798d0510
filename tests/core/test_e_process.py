"""The steps of the e-processes that have a right answer of their own."""

import numpy as np

from askless.core import inside
from askless.core.words import WIDTH


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

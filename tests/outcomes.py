"""One reward at a time, for plain loops beside the core's."""

import numpy as np

from askless import core


def outcome(law, span, expected, luck):
    """One reward in units on the grid, by (shape, spread, low): a row of what the core makes."""
    rewards = np.empty((1, 1))
    core.outcomes(*law, span, np.array([[expected]]), np.array([luck]), rewards)
    return float(rewards[0, 0])

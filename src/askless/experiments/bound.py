"""The paper's bound on regret, and how fast a curve grows: what regret is held against."""

from __future__ import annotations

import numpy as np

from askless.core.arrays import Floats, Ints

__all__ = ["regret_bound", "slope"]


def regret_bound(
    plays: Ints, widest: Floats, *, columns: int, longest: float, alpha: float
) -> Floats:
    """Return the bound of the paper's general regret analysis (maths 7).

    The sum over arms of max θ · √(8 n p ln(1 + nL²/(pα))). It holds on the event that all
    confidence sets hold, so it is a guarantee for radii that have one.

    Parameters
    ----------
    plays, widest : array (… × K)
        How often each arm was played, and the largest radius θ at which it was.
    columns : int
        p, the constant included.
    longest : float
        L, the largest 2-norm of an encoded context.
    alpha : float
        The ridge penalty of the sets.

    Examples
    --------
    >>> import numpy as np
    >>> float(regret_bound(np.array([0, 0]), np.array([0.0, 0.0]), columns=3, longest=2, alpha=1))
    0.0
    """
    bits = np.log1p(plays * longest**2 / (columns * alpha))
    total: Floats = (widest * np.sqrt(8.0 * plays * columns * bits)).sum(axis=-1)
    return total


def slope(visits: Ints, values: Floats) -> float | None:
    """Return the least-squares slope of ln value on ln visits over the last decade of visits.

    None where there are fewer than two checkpoints, or a value that has no logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> visits = np.arange(1, 101)
    >>> round(slope(visits, 7 * visits**0.75), 10)
    0.75
    """
    late = visits >= visits[-1] / 10
    if late.sum() < 2 or not (values[late] > 0).all():
        return None
    x = np.log(visits[late])
    x = x - x.mean()
    return float(x @ np.log(values[late]) / (x @ x))

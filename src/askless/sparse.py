"""A sparse linear model out of sums alone: the elastic net, exact, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from askless import core
from askless.core.arrays import Floats
from askless.core.words import GOOD
from askless.errors import SettingError, shown
from askless.whole import check_whole

__all__ = ["ElasticNet", "elastic_net", "lasso", "lasso_path"]


MOST = 1e100  # of a penalty
ENOUGH = 1e-6  # of the largest penalty: a lasso's coefficients are as exact as that
SETTLED = 1e-8  # so much of a coefficient is nothing
UNSEEN = 1e-8  # a ridge beside columns of variance 1: columns that repeat each other share


@dataclass(frozen=True)
class ElasticNet:
    """The elastic net of some data.

    Attributes
    ----------
    coef : ndarray (p,)
        The coefficients; those that are zero are exactly zero.
    kkt_residual : float
        By how much the optimality conditions are violated, relative to the largest |moment|.
    converged : bool
        Whether that is rounding (at most 1e-10).
    """

    coef: Floats
    kkt_residual: float
    converged: bool


def elastic_net(
    gram: Any, moment: Any, n: int, *, alpha: float, lam: Any, start: Any = None
) -> ElasticNet:
    """Minimise (1/n)(‖Y − Zβ‖² + 2α‖β‖²) + Σ λ_j |β_j|, given ZᵀZ and ZᵀY only.

    The cost does not depend on the number of rows n. The solution is followed with its active set
    (maths 3.1); coordinate descent steps in where that fails. Without an intercept: let a column
    be constant, and its penalty 0.

    Parameters
    ----------
    gram : array (p, p)
        ZᵀZ; its columns should be of similar size, as the certificate is relative to the largest.
    moment : array (p,)
        ZᵀY.
    n : int
        Number of rows.
    alpha : float
        The ridge penalty, above 0.
    lam : float or array (p,)
        The penalty λ of every |β_j|, or of each.
    start : array (p,), optional
        Where to start; a solution of similar data makes it fast.

    Examples
    --------
    >>> import numpy as np, askless as al
    >>> z = np.array([[1.0, 0.5], [1.0, -0.5], [1.0, 0.25]])
    >>> y = np.array([2.0, 1.0, 1.8])
    >>> net = al.elastic_net(z.T @ z, z.T @ y, 3, alpha=0.5, lam=[0, 1])
    >>> net.coef, net.converged
    (array([1.2, 0. ]), True)
    """
    given = _array("moment", moment, 1)
    p = len(given)
    square = _array("gram", gram, 2)
    if square.shape != (p, p):
        raise SettingError(f"gram has shape {square.shape}; moment asks for ({p}, {p})")
    if not np.allclose(square, square.T, rtol=1e-10, atol=1e-14 * np.abs(square).max()):
        raise SettingError("gram is not symmetric; give ZᵀZ")
    n = check_whole(n, "n", 1, 2**63 - 1, meaning="the number of rows, a whole number")
    penalty = _array("lam", lam, None)
    if penalty.ndim > 1 or (penalty < 0).any() or (penalty > MOST).any():
        raise SettingError(f"lam must be a number from 0 to {MOST:g}, or one for each column")
    if penalty.ndim == 1 and len(penalty) != p:
        raise SettingError(f"lam has {len(penalty)} numbers; give one, or {p}")
    ridge = float(_array("alpha", alpha, 0))
    if not 0 < ridge <= MOST:
        raise SettingError(f"alpha is {ridge:g}; give a number above 0 and up to {MOST:g}")
    penalties = np.ascontiguousarray(n / 2 * np.broadcast_to(penalty, (p,)))
    net = core.ElasticNet(
        np.ascontiguousarray(square), np.ascontiguousarray(given), penalties, 2 * ridge
    )
    if start is not None:
        first = _array("start", start, 1)
        if first.shape != (p,):
            raise SettingError(f"start has shape {first.shape}; give ({p},)")
        net.start(first)
    residual = net.solve()
    exact = residual <= GOOD and bool(np.isfinite(net.coef).all())
    return ElasticNet(net.coef.copy(), residual, exact)


def lasso(gram: Floats, moment: Floats, penalty: float, start: Floats) -> Floats:
    """Minimise ½βᵀGβ − cᵀβ + λ‖β‖₁, G = ZᵀZ and c = ZᵀY, from a solution of similar data.

    With λ = n·lam/2 these are the coefficients of (1/n)‖Y − Zβ‖² + lam‖β‖₁, for columns and
    rewards of size 1. Nothing is checked; the penalty must be above 0.
    """
    found = start[None, :].copy()
    core.lasso_path(gram, moment - gram @ start, UNSEEN, np.array([penalty]), SETTLED, found)
    return np.asarray(found[0])


def lasso_path(gram: Floats, moment: Floats, penalties: Floats) -> Floats:
    """Minimise ½βᵀGβ − cᵀβ + λ‖β‖₁ for one λ after the other, each from the last (λ × p).

    For columns of variance 1, G their correlations: the ridge that makes the solution unique is
    then too small to be seen. Nothing is checked; penalties must be above 0, best falling.
    """
    found = np.zeros((len(penalties), len(moment)))
    core.lasso_path(gram, moment.copy(), UNSEEN, penalties, ENOUGH * float(penalties[0]), found)
    return found


def _array(name: str, value: Any, ndim: int | None) -> Floats:
    try:
        array = np.asarray(() if value is None else value, dtype=np.float64)
    except (TypeError, ValueError):
        raise SettingError(f"{name} is {shown(value)}; give numbers") from None
    if ndim is not None and array.ndim != ndim:
        raise SettingError(f"{name} has {array.ndim} dimensions; give {ndim}")
    if array.size == 0 or not np.isfinite(array).all():
        raise SettingError(f"{name} must be finite numbers, and not empty")
    return array

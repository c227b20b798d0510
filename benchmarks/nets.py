"""Elastic nets of several makers refitted after every row of one stream, timed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit  # comes with skglm

from askless import core

COLUMNS, ALPHA = 51, 1.0
ROWS, ACTIVE = (1_000, 10_000, 50_000), (5, 20, 50)


class Stream(NamedTuple):
    """Rows learned before, rows to come, and the penalty; `active` coefficients are not zero."""

    rows: np.ndarray
    y: np.ndarray
    next_rows: np.ndarray
    next_y: np.ndarray
    lam: float
    start: np.ndarray


def stream(n: int, active: int, count: int = 400) -> Stream:
    """Draw a stream whose net has so many active columns after n rows."""
    rng = np.random.default_rng([n, active])
    rows = rng.uniform(-1, 1, size=(n + count, COLUMNS))
    truth = np.zeros(COLUMNS)
    truth[:active] = rng.choice([-1, 1], size=active) * rng.uniform(0.5, 1, size=active)
    y = rows @ truth + rng.uniform(-0.5, 0.5, size=n + count)
    lam = 4 * 0.3 * np.sqrt(np.log(COLUMNS) / n)
    start = np.zeros(COLUMNS)
    return Stream(rows[:n], y[:n], rows[n:], y[n:], lam, start)


def ours(data: Stream, count: int) -> float:
    """The active set followed (askless)."""
    n = len(data.rows)
    gram, moment = data.rows.T @ data.rows, data.rows.T @ data.y
    net = core.ElasticNet(gram, moment, np.full(COLUMNS, n * data.lam / 2), 2 * ALPHA)
    net.solve()
    started = time.perf_counter()
    worst = net.follow(data.next_rows[:count], data.next_y[:count])
    spent = time.perf_counter() - started
    assert worst <= 1e-10, worst
    return spent


@njit
def _descend(gram, moment, coef, penalty, ridge, tol):
    gradient = moment - gram @ coef
    for _ in range(100_000):
        change = 0.0
        for j in range(len(coef)):
            old = coef[j]
            reach = gradient[j] + gram[j, j] * old
            new = np.sign(reach) * max(abs(reach) - penalty, 0.0) / (gram[j, j] + ridge)
            if new != old:
                coef[j] = new
                gradient -= (new - old) * gram[j]
                change = max(change, abs(new - old))
        if change < tol:
            return


def plain_descent(data: Stream, count: int) -> float:
    """Coordinate descent on the sums, compiled, from the last solution."""
    gram, moment, coef = data.rows.T @ data.rows, data.rows.T @ data.y, data.start.copy()
    penalty = len(data.rows) * data.lam / 2
    _descend(gram, moment, coef, penalty, 2 * ALPHA, 1e-13)
    started = time.perf_counter()
    for z, y in zip(data.next_rows[:count], data.next_y[:count], strict=True):
        gram += np.outer(z, z)
        moment += z * y
        _descend(gram, moment, coef, penalty, 2 * ALPHA, 1e-13)
    return time.perf_counter() - started


def sklearn_gram(data: Stream, count: int) -> float:
    """scikit-learn's path on a precomputed Gram matrix, from the last solution."""
    from sklearn.linear_model import enet_path  # noqa: PLC0415

    n = len(data.rows)
    x, y = np.asfortranarray(data.rows), data.y
    gram, moment, coef = x.T @ x, x.T @ y, None
    total = data.lam / 2 + 2 * ALPHA / n
    started = time.perf_counter()
    for z, reward in zip(data.next_rows[:count], data.next_y[:count], strict=True):
        gram += np.outer(z, z)
        moment += z * reward
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _, path, _ = enet_path(
                x,
                y,
                l1_ratio=data.lam / 2 / total,
                alphas=[total],
                precompute=gram,
                Xy=moment,
                coef_init=coef,
                tol=1e-12,
                max_iter=100_000,
                check_input=False,
            )
        coef = path[:, 0]
    return time.perf_counter() - started


def sklearn_estimator(data: Stream, count: int) -> float:
    """scikit-learn's ElasticNet with a precomputed Gram matrix, from the last solution."""
    from sklearn.linear_model import ElasticNet  # noqa: PLC0415

    n, spent = len(data.rows), 0.0
    total = data.lam / 2 + 2 * ALPHA / n
    model = ElasticNet(
        alpha=total, l1_ratio=data.lam / 2 / total, fit_intercept=False, warm_start=True, tol=1e-12
    )
    for k in range(count):
        x = np.asfortranarray(np.vstack([data.rows[k + 1 :], data.next_rows[: k + 1]]))
        y = np.r_[data.y[k + 1 :], data.next_y[: k + 1]]
        model.set_params(precompute=x.T @ x, max_iter=100_000)
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(x, y)
        spent += time.perf_counter() - started
    return spent


def skglm_net(data: Stream, count: int) -> float:
    """Skglm's ElasticNet on all rows, from the last solution."""
    from skglm import ElasticNet  # noqa: PLC0415

    n = len(data.rows)
    total = data.lam / 2 + 2 * ALPHA / n
    model = ElasticNet(
        alpha=total,
        l1_ratio=data.lam / 2 / total,
        fit_intercept=False,
        warm_start=True,
        tol=1e-12,
        max_iter=1_000,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data.rows, data.y)
        started = time.perf_counter()
        for k in range(count):
            rows = np.vstack([data.rows[k + 1 :], data.next_rows[: k + 1]])
            model.fit(rows, np.r_[data.y[k + 1 :], data.next_y[: k + 1]])
        return time.perf_counter() - started


# Name, contender, refits of one measurement.
NETS: tuple[tuple[str, Callable[[Stream, int], float], int], ...] = (
    ("scikit-learn, enet_path", sklearn_gram, 20),
    ("scikit-learn, ElasticNet", sklearn_estimator, 20),
    ("skglm", skglm_net, 3),
    ("plain coordinate descent", plain_descent, 100),
    ("askless", ours, 400),
)

__all__ = ["ACTIVE", "NETS", "ROWS", "stream"]

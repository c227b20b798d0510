"""Oracles for interactive surveys: every extreme point tried, and the Shor relaxation solved.

They share no code with the bounds: surveys are lists of (kind, options, skip) as in `naive`, an arm
is (columns, R with R'R = inverse of D, estimate, radius) in dense numpy. R is the policy's own,
which other tests compare with dense algebra: a bound must hold for the UCBs that it computes.
"""

import itertools
import warnings

import numpy as np

from naive import extreme_points


def dense_arm(policy, k):
    """Columns, root of the inverse of D, estimate and radius of arm k."""
    arms = policy._model.arms
    size = arms.size[k]
    columns = arms.columns[k, :size]
    root = np.sqrt(arms.weights[k, :size])[:, None] * np.tril(arms.root[k, :size, :size])
    d = policy.alpha * np.eye(size) + policy._model.gram(k)
    np.testing.assert_allclose(root.T @ root @ d, np.eye(size), atol=1e-5)
    return columns, root, policy.estimate[k][columns], float(policy.radius[k])


def places(questions):
    """The columns of every question in a context."""
    ends = 1 + np.cumsum([extreme_points(*question).shape[1] for question in questions])
    starts = np.concatenate([[1], ends[:-1]])
    return [np.arange(start, end) for start, end in zip(starts, ends, strict=True)]


def completions(questions, z, support):
    """Every context that agrees with z, unasked questions at extreme points (those in support)."""
    rows = np.where(np.isnan(z), 0.0, z)[None, :]
    for question, own, used in zip(questions, places(questions), support, strict=True):
        if used and np.isnan(z[own[0]]):
            points = extreme_points(*question)
            rows = np.repeat(rows, len(points), axis=0)
            rows[:, own] = np.tile(points, (len(rows) // len(points), 1))
    return rows


def ucbs(arm, rows):
    """The upper confidence bound of an arm in each context."""
    columns, root, estimate, radius = arm
    packed = rows[:, columns]
    return packed @ estimate + radius * np.linalg.norm(packed @ root.T, axis=1)


def heuristic(arm, z, low, high):
    """The paper's surrogate for columns in [low, high]: the best mean, the width at the top."""
    columns, root, estimate, radius = arm
    known = z[columns]
    top = np.where(np.isnan(known), high, known)
    best = np.where(np.isnan(known), np.where(estimate > 0, high, low), known)
    return best @ estimate + radius * np.linalg.norm(root @ top)


def shor_bound(arm, z, low, high):
    """The largest UCB over the Shor relaxation of {low, high} for each unasked column, exactly."""
    import cvxpy as cp  # noqa: PLC0415 (takes a second)

    columns, root, estimate, radius = arm
    known = z[columns]
    size = len(known)
    lifted, x = cp.Variable((size, size), symmetric=True), cp.Variable(size)
    corner = cp.reshape(x, (size, 1), order="C")
    limits = [cp.bmat([[np.eye(1), corner.T], [corner, lifted]]) >> 0]
    for i in range(size):
        if np.isnan(known[i]):
            limits.append(lifted[i, i] == (low + high) * x[i] - low * high)
        else:
            limits += [x[i] == known[i], lifted[i, :] == known[i] * x]
    width = radius * cp.sqrt(cp.trace(root.T @ root @ lifted))
    problem = cp.Problem(cp.Maximize(estimate @ x + width), limits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "may be inaccurate": to six digits instead of eight
        value = problem.solve(solver=cp.CLARABEL)
    assert problem.status in ("optimal", "optimal_inaccurate")
    return float(value)


def all_completions(questions):
    """Every full context of extreme points."""
    points = [extreme_points(*question).tolist() for question in questions]
    return np.array([[1.0, *itertools.chain(*row)] for row in itertools.product(*points)])

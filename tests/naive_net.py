"""An oracle for Elastic Net SurveyUCB: scikit-learn on all raw rows at every step, dense inverses.

scikit-learn's Lasso has one penalty for all; rows √(2α)·e_j make it an elastic net, scaled columns
give each its own penalty, and a free constant is projected out first.
"""

import math
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from naive import NaiveRidge


def weighted_net(rows, y, alpha, penalty):
    """Minimise ½‖y − Zb‖² + α‖b‖² + Σ penalty_j |b_j|; a penalty of 0 only for the first."""
    d = rows.shape[1]
    x = np.vstack([rows, math.sqrt(2 * alpha) * np.eye(d)])
    target = np.r_[y, np.zeros(d)]
    coef = np.zeros(d)
    free = penalty[0] == 0
    own = np.arange(1 if free else 0, d)
    inside, outside = x[:, own], target
    if free:
        first = x[:, 0] / np.linalg.norm(x[:, 0])
        inside, outside = (
            inside - np.outer(first, first @ inside),
            target - first * (first @ target),
        )
    if len(own):
        model = Lasso(alpha=1 / len(x), fit_intercept=False, tol=1e-15, max_iter=100_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            coef[own] = model.fit(inside / penalty[own], outside).coef_ / penalty[own]
    if free:
        coef[0] = x[:, 0] @ (target - x[:, own] @ coef[own]) / (x[:, 0] @ x[:, 0])
    return coef


class NaiveNet(NaiveRidge):
    """Elastic Net SurveyUCB on `questions`, as `NaiveRidge`."""

    def __init__(self, questions, arms, reward, *, b1=None, lam=None, **settings):
        super().__init__(questions, arms, reward, **settings)
        if b1 is not None:
            self.b1 = b1
        self.lam = lam or (0.3 if self.radius == "ridge" else 1.0)
        self.rows = [np.zeros((0, self.p)) for _ in range(arms)]
        self.rewards = [np.zeros(0) for _ in range(arms)]
        self.reach = np.ones(self.p)
        for columns, points in zip(self.columns, self.points, strict=True):
            self.reach[columns] = np.abs(points).max(axis=0)

    def level(self, k):
        n = self.n[k]
        return self.sigma * math.sqrt(2 * n * math.log(4 * self.p * self.arms * n**2 / self.delta))

    def net(self, k, kept):
        if self.n[k] == 0:
            return np.zeros(len(kept))
        penalty = self.lam * self.level(k) * self.reach[kept]
        penalty[0] = 0.0
        if self.radius.startswith("published"):
            scale = self.p if "scaled" in self.radius else 1
            penalty = np.full(len(kept), 2 * self.level(k) / scale)
        return weighted_net(self.rows[k][:, kept], self.rewards[k], self.alpha, penalty)

    def model(self, k):
        if self.radius == "ridge":
            self.radius = "valid"
            try:
                return super().model(k)
            finally:
                self.radius = "ridge"
        kept = self.kept(k)
        inverse = np.linalg.inv(self.alpha * np.eye(len(kept)) + self.gram[k][np.ix_(kept, kept)])
        estimate = self.net(k, kept)
        return kept, inverse, estimate, self.net_theta(k, kept, estimate)

    def net_theta(self, k, kept, estimate):
        level = self.level(k) if self.n[k] else 0.0
        size = np.abs(estimate)
        if self.radius == "valid":
            longest = self.reach[1:].max()
            possible = max(1.0, (1 + self.lam) * longest) * self.b1
            if self.plain and not self.raw:
                possible = min(possible, (1 + self.lam) * self.span / 2)
            fitted = size[0] + (1 - self.lam) * (self.reach[kept[1:]] * size[1:]).sum()
            inside = level * (possible + fitted) + self.alpha * (self.b2**2 - size @ size)
            return math.sqrt(max(inside, 0.0))
        norm = (self.b1 + size.sum()) * self.p if "scaled" in self.radius else self.b1
        theta = math.sqrt(6 * level * norm + 4 * self.alpha * self.b1**2)
        return math.sqrt(theta) if self.radius.endswith("sqrt") else theta

    def learn(self, k, z, reward):
        super().learn(k, z, reward)
        units = reward / self.span if self.raw else (reward - self.low) / self.span - 0.5
        y = self.span * math.floor(units * 16384 + 0.5) / 16384
        self.rows[k] = np.vstack([self.rows[k], np.where(np.isnan(z), 0.0, z)])
        self.rewards[k] = np.r_[self.rewards[k], y]

    def drop(self, k):
        before = self.support[k].copy()
        kept = self.kept(k)
        zero = dict(zip(kept, self.net(k, kept) == 0, strict=True))
        super().drop(k)
        for g, columns in enumerate(self.columns):
            if before[g] and not all(zero[column] for column in columns):
                self.support[k, g] = True

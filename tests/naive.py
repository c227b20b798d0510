"""An oracle for Ridge SurveyUCB: the formulas of maths 1 and 2 written down densely, no shortcuts.

It shares no code with askless: it finds directions by trying all pairs of answers, inverts D of
every arm at every step with numpy.linalg.inv, and knows a survey only as (kind, options, skip).
"""

import itertools
import math

import numpy as np


def extreme_points(kind, options, skip):
    """All extreme encoded values of a question, the skip point included."""
    points = {
        "scale": [[-0.5], [0.5]],
        "yes_no": [[-0.5], [0.5]],
        "choice": np.eye(options).tolist(),
        "multi": [list(signs) for signs in itertools.product([-0.5, 0.5], repeat=options)],
        "raw": [[0.0], [1.0]],
    }[kind]
    if skip:
        points = [[*point, 0.0] for point in points] + [[0.0] * len(points[0]) + [1.0]]
    return np.array(points)


class NaiveRidge:
    """Ridge SurveyUCB on `questions`, a list of (kind, number of options, may be skipped)."""

    def __init__(self, questions, arms, reward, *, beta_min, delta, alpha, sigma, radius, b2=None):
        self.points = [extreme_points(*question) for question in questions]
        widths = [points.shape[1] for points in self.points]
        ends = 1 + np.cumsum(widths)
        self.columns = [
            np.arange(end - width, end) for end, width in zip(ends, widths, strict=True)
        ]
        self.choices = [
            columns[:options]
            for columns, (kind, options, _) in zip(self.columns, questions, strict=True)
            if kind == "choice"
        ]
        self.plain = not self.choices and not any(skip for _, _, skip in questions)
        self.raw = any(kind == "raw" for kind, _, _ in questions)
        self.p, self.m, self.arms = 1 + sum(widths), len(questions), arms
        self.low, self.span = reward[0], reward[1] - reward[0]
        self.beta_min, self.delta, self.alpha, self.sigma = beta_min, delta, alpha, sigma
        self.radius, self.given_b2 = radius, b2
        squares, sums = [], []
        for kind, options, skip in questions:
            c2, c1 = (options / 4, options / 2) if kind == "choice" else (1, 1)
            if skip:
                c2, c1 = (c2 + 1, c1 + 1) if kind == "choice" else (5 / 4, 3 / 2)
            squares.append(c2)
            sums.append(c1)
        self.b1 = self.span if self.plain else self.span * (0.5 + max(sums))
        self.b2 = self.span if self.plain else self.span * math.sqrt(0.25 + max(squares))
        if b2 is not None:
            self.b2 = b2
        self.length = math.sqrt(1 + sum((points**2).sum(1).max() for points in self.points))
        self.support = np.ones((arms, self.m), dtype=bool)
        self.gram = np.zeros((arms, self.p, self.p))
        self.moment = np.zeros((arms, self.p))
        self.n = np.zeros(arms, dtype=int)

    def kept(self, k):
        return np.concatenate(
            [[0], *(c for c, s in zip(self.columns, self.support[k], strict=True) if s)]
        )

    def model(self, k):
        """Columns, inverse of D, estimate and radius of arm k."""
        kept = self.kept(k)
        d = self.alpha * np.eye(len(kept)) + self.gram[k][np.ix_(kept, kept)]
        inverse = np.linalg.inv(d)
        estimate = inverse @ self.moment[k][kept]
        return kept, inverse, estimate, self.theta(k, kept, d, inverse)

    def theta(self, k, kept, d, inverse):
        n = self.n[k]
        if self.radius == "valid":
            log_det = np.linalg.slogdet(d)[1] - len(kept) * math.log(self.alpha)
            size = int(self.support[k].sum())
            subsets = self.arms * (self.m + 1) * math.comb(self.m, size) / self.delta
            return self.sigma * math.sqrt(log_det + 2 * math.log(subsets)) + self.bias(
                kept, inverse
            )
        theta = math.sqrt(self.alpha) * self.b2
        if n > 0:
            inside = (1 + n * self.length**2 / self.alpha) * self.arms * (1 + n) ** 2 / self.delta
            theta += self.sigma * math.sqrt(len(kept) * math.log(inside))
        return math.sqrt(theta) if self.radius == "published_sqrt" else theta

    def bias(self, kept, inverse):
        simple = math.sqrt(self.alpha) * self.b2
        if self.given_b2 is not None or self.raw:
            return simple
        if self.plain:
            constant, *others = np.sqrt(np.diag(inverse))
            sharp = max([self.span / 2 * constant] + [self.span * other for other in others])
            return min(simple, self.alpha * sharp)
        project = np.eye(self.p)
        for columns in self.choices:
            project[np.ix_(columns, columns)] -= 1 / len(columns)
        project = project[np.ix_(kept, kept)]
        norms = np.sqrt(np.diag(project @ inverse @ project))
        return min(simple, self.alpha * self.b1 * norms.max())

    def ucb(self, z):
        scores = []
        for k in range(self.arms):
            kept, inverse, estimate, theta = self.model(k)
            x = z[kept]
            scores.append(x @ estimate + theta * math.sqrt(x @ inverse @ x))
        return np.array(scores)

    def learn(self, k, z, reward):
        if self.n[k] > 0 and self.beta_min > 0:
            self.drop(k)
        units = reward / self.span if self.raw else (reward - self.low) / self.span - 0.5
        y = self.span * math.floor(units * 16384 + 0.5) / 16384
        seen = np.where(np.isnan(z), 0.0, z)
        self.gram[k] += np.outer(seen, seen)
        self.moment[k] += seen * y
        self.n[k] += 1

    def drop(self, k):
        kept, inverse, estimate, theta = self.model(k)
        place = {column: i for i, column in enumerate(kept)}
        for g, (columns, points) in enumerate(zip(self.columns, self.points, strict=True)):
            if self.support[k, g]:
                at = [place[column] for column in columns]
                block, coefficients = inverse[np.ix_(at, at)], estimate[at]
                high = max(
                    abs(w @ coefficients) + theta * math.sqrt(max(w @ block @ w, 0.0))
                    for w in (u - v for u, v in itertools.combinations(points, 2))
                )
                if high <= self.beta_min:
                    self.support[k, g] = False

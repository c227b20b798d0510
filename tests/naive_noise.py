"""An oracle for the noise that rows show (maths 8.1, 8.2), and LinUCB with its width (8.8)."""

import math

import numpy as np


def pooled(rss, df):
    """The noise σ̂² of all arms together, with ν = 1 (maths 8.1)."""
    return (sum(rss) + 1 / 16) / (sum(df) + 1)


def penalty_of(noise):
    """α_d, with ω = 1/4 (maths 8.2)."""
    return max(noise / 0.25**2, 0.01)


def ridge(rows, ys, penalty):
    """D inverse and β̂ (maths 8.2)."""
    inverse = np.linalg.inv(penalty * np.eye(rows.shape[1]) + rows.T @ rows)
    return inverse, inverse @ (rows.T @ ys)


def leftovers(rows, ys, penalty, inverse, estimate):
    """RSS and degrees of freedom of a ridge regression (maths 8.1)."""
    rss = float(((ys - rows @ estimate) ** 2).sum())
    return rss, max(0.0, len(ys) - float((1 - penalty * np.diag(inverse)).sum()))


def table(rows, p):
    """Rows and rewards of a list of (z, y), as arrays."""
    return np.array([z for z, _ in rows]).reshape(-1, p), np.array([y for _, y in rows])


def on_grid(reward, low, span, raw):
    """The reward as it is learned: y/R on the grid of maths 1.3, before centring if raw."""
    units = reward / span if raw else (reward - low) / span - 0.5
    return math.floor(units * 16384 + 0.5) / 16384


def middle_of(low, span, raw):
    """What is taken from y/R on the grid, so that it is measured from the middle (maths 5)."""
    return (low + span / 2) / span if raw else 0.0


class NaiveNoiseLinUCB:
    """LinUCB with the width of the noise (maths 8.8), on p columns with the constant."""

    def __init__(self, p, arms, reward, *, raw=False):
        self.p, self.arms, self.raw = p, arms, raw
        self.low, self.span = reward[0], reward[1] - reward[0]
        self.middle = middle_of(self.low, self.span, raw)
        self.rows = [[] for _ in range(arms)]
        self.renewed = [0] * arms  # rows at the last renewal
        self.rss, self.df = [0.0] * arms, [0.0] * arms
        self.noise, self.penalty = [1 / 16] * arms, [1.0] * arms

    def scores(self, z):
        """Every arm's score, in reward units around the middle, raw: as they are."""
        scores = []
        for k in range(self.arms):
            inverse, estimate = ridge(*table(self.rows[k], self.p), self.penalty[k])
            width = math.sqrt(self.noise[k] * (z @ inverse @ z))
            scores.append(self.span * (z @ estimate + width + self.middle))
        return np.array(scores)

    def learn(self, k, z, reward):
        """Learn a row, and renew ridge and noise when it is time."""
        y = on_grid(reward, self.low, self.span, self.raw) - self.middle
        self.rows[k].append((z, y))
        n = len(self.rows[k])
        if n - self.renewed[k] < max(1, self.renewed[k] // 10):
            return
        self.penalty[k] = penalty_of(pooled(self.rss, self.df))
        rows, ys = table(self.rows[k], self.p)
        fitted = ridge(rows, ys, self.penalty[k])
        self.rss[k], self.df[k] = leftovers(rows, ys, self.penalty[k], *fitted)
        self.noise[k] = pooled(self.rss, self.df)
        self.renewed[k] = n

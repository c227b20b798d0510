"""An oracle for Epoch SurveyUCB: maths 5 written down densely, from the page alone.

It keeps every row of an epoch, solves Ax = w with numpy.linalg.pinv, tries every bet on every lever
and counts nothing up between epochs but what the page says. Of askless it uses only the questions'
own directions, so that logarithms can be compared one by one; models and radii are `NaiveRidge`'s.
"""

import math

import numpy as np

from naive import NaiveRidge

BETS = [0.00285 * (0.95 / 0.00285) ** (i / 23) for i in range(24)]
MOST = 20_000


def psi(x):
    return -np.log1p(-x) - x


class NaiveEpoch(NaiveRidge):
    """Epoch SurveyUCB on `questions`, a list of (kind, number of options, may be skipped)."""

    def __init__(self, survey, questions, arms, reward, *, delta, growth=1.5, **settings):
        super().__init__(questions, arms, reward, delta=delta, radius="valid", **settings)
        self.growth = growth
        self.directions = [question.directions() for question in survey]
        self.share = [delta / arms / 2] * arms
        self.ends = [0] * arms
        self.errors, self.judged = [0.0] * arms, [0] * arms
        self.rows = [[] for _ in range(arms)]
        self.logs = [[np.zeros((len(w), 2)) for w in self.directions] for _ in range(arms)]
        self.passed = [[np.zeros((len(w), 2), bool) for w in self.directions] for _ in range(arms)]
        self.pace = [[np.zeros(len(w)) for w in self.directions] for _ in range(arms)]
        self.dropped_by = [{} for _ in range(arms)]  # question: the tests that it met, and at n
        self.frozen = [self.model(k) for k in range(arms)]
        # What happened, for tests that want to know that it did.
        self.kinds = {"sub-Gaussian": 0, "adaptive": 0, "not estimable": 0, "too few rows": 0}
        self.drifts, self.holm, self.clips = 0, 0, 0

    def theta(self, k, kept, d, inverse):
        log_det = np.linalg.slogdet(d)[1] - len(kept) * math.log(self.alpha)
        supports = (self.m + 1) * math.comb(self.m, int(self.support[k].sum()))
        noise = self.sigma * math.sqrt(log_det + 2 * math.log(supports / self.share[k]))
        return noise + self.bias(kept, inverse)

    def ucb(self, z):
        scores = []
        for kept, inverse, estimate, theta in self.frozen:
            x = z[kept]
            scores.append(x @ estimate + theta * math.sqrt(x @ inverse @ x))
        return np.array(scores)

    def need(self, k):
        """With how many rows the present epoch ends (maths 5.1)."""
        size = len(self.kept(k))
        least = max(2 * size, math.ceil(1.5 * size) + 5)
        need = max(least, math.floor((self.growth - 1) * self.n[k]))
        if not self.support[k].any():
            return need
        need = min(need, MOST)
        line = math.log(self.support[k].sum() / self.share[k])
        expected = [
            min(need, size + 1.3 * (line - log) / self.pace[k][g][i])
            for g in np.flatnonzero(self.support[k])
            for i, sides in enumerate(self.logs[k][g])
            for log, passed in zip(sides, self.passed[k][g][i], strict=True)
            if not passed and log > -2 and self.pace[k][g][i] > 0
        ]
        return max(least, min(need, math.floor(np.mean(expected)) + 1)) if expected else need

    def learn(self, k, z, reward):
        """Learn a row; return whether an epoch ended with it."""
        units = reward / self.span if self.raw else (reward - self.low) / self.span - 0.5
        seen = np.where(np.isnan(z), 0.0, z)
        self.rows[k].append((seen, math.floor(units * 16384 + 0.5) / 16384))
        drifted = self.drifted(k)
        if not drifted and len(self.rows[k]) < self.need(k):
            return False
        self.drifts += drifted and len(self.rows[k]) < self.need(k)
        self.end(k)
        return True

    def drifted(self, k):
        held = len(self.rows[k])
        if self.ends[k] == 0 or held % 32 != 0:
            return False
        kept, inverse = self.frozen[k][:2]
        rows = np.array([z[kept] for z, _ in self.rows[k]])
        z = rows[-1]
        u = inverse @ z
        return bool(((rows @ u) ** 2).sum() > 3 * (z @ u))

    def end(self, k):
        kept, _, estimate, _ = self.frozen[k]
        rows = np.array([z[kept] for z, _ in self.rows[k]])
        ys = np.array([y for _, y in self.rows[k]])
        low, high = (self.low / self.span, self.low / self.span + 1) if self.raw else (-0.5, 0.5)
        guesses = rows @ estimate / self.span
        self.clips += int(((guesses < low) | (guesses > high)).sum())
        residuals = ys - np.clip(guesses, low, high)
        if self.beta_min > 0 and self.support[k].any():  # else no test will ever look at them
            self.test(k, kept, rows, ys, residuals)
            self.errors[k] += float((residuals**2).sum())
            self.judged[k] += len(ys)
        for z, y in self.rows[k]:
            self.gram[k] += np.outer(z, z)
            self.moment[k] += z * (self.span * y)
        self.n[k] += len(ys)
        self.rows[k] = []
        self.frozen[k] = self.model(k)
        if self.beta_min > 0 and self.drop_questions(k):
            self.frozen[k] = self.model(k)
        self.ends[k] += 1

    def test(self, k, kept, rows, ys, residuals):
        """What the epoch adds to every direction's logarithms (maths 5.2)."""
        gram = rows.T @ rows
        scale = 1 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
        scale[np.diag(gram) == 0] = 0.0
        rank = np.linalg.matrix_rank(gram * np.outer(scale, scale), tol=1e-10, hermitian=True)
        if len(rows) < 1.5 * rank + 5:
            self.kinds["too few rows"] += 1
            return
        inverse = np.linalg.pinv(gram, rcond=1e-12, hermitian=True)
        variance = self.errors[k] / self.judged[k] if self.judged[k] else 0.25
        for g in np.flatnonzero(self.support[k]):
            at = np.searchsorted(kept, self.columns[g])
            for i, own in enumerate(self.directions[g]):
                if self.passed[k][g][i].all():
                    continue
                w = np.zeros(len(kept))
                w[at] = own
                x = inverse @ w
                self.pace[k][g][i] = 0.0
                if np.abs(gram @ x - w).max() > 1e-6:
                    self.kinds["not estimable"] += 1
                    continue
                added, growth = self.growths(w, x, rows, ys, residuals, variance)
                self.logs[k][g][i] += added
                self.pace[k][g][i] = growth / (len(rows) - rank)

    def growths(self, w, x, rows, ys, residuals, variance):
        beta, sigma = self.beta_min / self.span, self.sigma / self.span
        s, v, levers = float(x @ (rows.T @ ys)), float(w @ x), np.abs(rows @ x)
        most = float(levers.max())
        middles = (np.minimum(np.floor(32 * levers / most), 31) + 0.5) / 32
        expected = [c * beta / most - variance * psi(c * middles).sum() for c in BETS]
        growth = max(*expected, beta**2 / (2 * sigma**2 * v))
        if max(expected) > beta**2 / (2 * sigma**2 * v):
            self.kinds["adaptive"] += 1
            c = BETS[int(np.argmax(expected))]
            paid = float((psi(c * levers / most) * residuals**2).sum())
            return np.array([c * (beta - s) / most - paid, c * (beta + s) / most - paid]), growth
        self.kinds["sub-Gaussian"] += 1
        plain = np.array([beta**2 / 2 - beta * s, beta**2 / 2 + beta * s])
        return plain / (sigma**2 * v), growth

    def drop_questions(self, k):
        """Drop what the epochs and the ellipsoid show, Holm's way; return whether any went."""
        kept, inverse, estimate, theta = self.frozen[k]
        narrow = set()
        for g in np.flatnonzero(self.support[k]):
            at = np.searchsorted(kept, self.columns[g])
            block, own = inverse[np.ix_(at, at)], estimate[at]
            reach = [
                abs(w @ own) + theta * math.sqrt(max(w @ block @ w, 0.0))
                for w in self.directions[g]
            ]
            if max(reach) <= self.beta_min:
                narrow.add(int(g))
        looks, gone = 0, set()
        while True:
            present = [int(g) for g in np.flatnonzero(self.support[k])]
            line = math.log(len(present) / self.share[k]) if present else 0.0
            fresh = 0
            for g in present:
                passes = (self.logs[k][g] >= line) & ~self.passed[k][g]
                fresh += int(passes.sum())
                self.passed[k][g] |= passes
            self.holm += fresh if looks > 0 else 0
            goes = {g for g in present if self.passed[k][g].all() or g in narrow}
            for g in goes:
                by = {"epochs"} if self.passed[k][g].all() else set()
                self.dropped_by[k][g] = (by | ({"ellipsoid"} if g in narrow else set()), self.n[k])
                self.support[k, g] = False
            gone |= goes
            looks += 1
            if not goes:
                return bool(gone)

    def undecided(self, k):
        """How many questions are kept whose interval includes the effect 0 (maths 5.3)."""
        kept, inverse, estimate, theta = self.frozen[k]
        count = 0
        for g in np.flatnonzero(self.support[k]):
            at = np.searchsorted(kept, self.columns[g])
            block, own = inverse[np.ix_(at, at)], estimate[at]
            low = max(
                abs(w @ own) - theta * math.sqrt(max(w @ block @ w, 0.0))
                for w in self.directions[g]
            )
            count += low <= 0
        return int(count)

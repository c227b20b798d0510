"""An oracle for Epoch SurveyUCB: maths 5 and 8 written down densely, from the page alone.

It keeps every row, fits every ridge anew with numpy.linalg.inv, solves Ax = w by eigenvalues, makes
every online prediction by a regression of its own and tries every bet. Of askless it uses only the
questions' own directions, so that logarithms can be compared one by one; sets are `NaiveRidge`'s.
"""

import math

import numpy as np

from naive import NaiveRidge
from naive_bets import ROUNDING, SIDES, best_bet, prices, solver
from naive_noise import leftovers, middle_of, on_grid, penalty_of, pooled, ridge, table

MOST = 20_000
KAPPA = 2.0


class NaiveEpoch(NaiveRidge):
    """Epoch SurveyUCB on `questions`, a list of (kind, number of options, may be skipped)."""

    def __init__(
        self,
        survey,
        questions,
        arms,
        reward,
        *,
        delta,
        growth=1.5,
        optimism=1.0,
        payback=True,
        explore=0.02,
        explore_floor=0.0,
        judge_skips=True,
        **settings,
    ):
        super().__init__(questions, arms, reward, delta=delta, radius="valid", **settings)
        self.growth, self.optimism, self.payback = growth, optimism, payback
        self.explore, self.explore_floor = explore, explore_floor
        self.middle = middle_of(self.low, self.span, self.raw)
        self.beta = self.beta_min / self.span
        self.directions = [question.directions() for question in survey]
        self.judged = [  # which directions there are to judge (5.4)
            np.full(len(w), True) if judge_skips or not q.may_skip else w[:, -1] == 0
            for q, w in zip(survey, self.directions, strict=True)
        ]
        self.share = [delta / arms] * arms
        self.start(arms)

    def start(self, arms):
        """Every arm before its first row; its models are those of 8 with n = 0."""
        self.ends, self.warm = [0] * arms, [True] * arms
        self.need = [max(2, 3 * self.p // 10)] * arms  # the start's rows
        self.rows = [[] for _ in range(arms)]  # of the present block: (z, y/R centred)
        self.history = [[] for _ in range(arms)]  # of all blocks before it
        self.logs = [[np.zeros((len(w), 2)) for w in self.directions] for _ in range(arms)]
        self.pace = [[np.zeros((len(w), 2)) for w in self.directions] for _ in range(arms)]
        self.passed = [
            [np.repeat(~judged[:, None], 2, axis=1) for judged in self.judged] for _ in range(arms)
        ]
        self.signed = [[np.zeros((len(w), 24)) for w in self.directions] for _ in range(arms)]
        self.dropped_by = [{} for _ in range(arms)]  # question: the tests that it met, and at n
        self.rss, self.df = [0.0] * arms, [0.0] * arms
        self.noise, self.penalty = [1 / 16] * arms, [1.0] * arms
        self.decision = [self.fit(k, self.support[k]) for k in range(arms)]
        self.active_model = list(self.decision)
        self.active = np.zeros((arms, self.m), dtype=bool)
        self.undecided = np.zeros((arms, self.m), dtype=bool)
        self.frozen = [self.model(k) for k in range(arms)]
        for k in range(arms):
            self.decide(k)
        # What happened, for tests that want to know that it did: rows by price, else what was left.
        self.kinds = {"adaptive": 0, "hoeffding": 0, "not estimable": 0, "too few rows": 0}
        self.kinds |= {"no gain": 0, "priced by errors": 0, "priced by the range": 0}
        self.kinds |= {"counted": 0, "not counted": 0, "too wide to count": 0}
        self.kinds |= {"bold": 0, "seems too sure": 0}
        self.drifts, self.holm, self.clips = 0, 0, 0

    # -- models ----------------------------------------------------------------------------------

    def theta(self, k, kept, d, inverse):
        """The radius `valid` with a tenth of the arm's share (maths 2.1, 5.1)."""
        log_det = np.linalg.slogdet(d)[1] - len(kept) * math.log(self.alpha)
        supports = (self.m + 1) * math.comb(self.m, int(self.support[k].sum()))
        noise = self.sigma * math.sqrt(log_det + 2 * math.log(supports / (0.1 * self.share[k])))
        return noise + self.bias(kept, inverse)

    def columns_in(self, questions):
        """c(H) for a row of bools."""
        return np.concatenate([[0], *(self.columns[g] for g in np.flatnonzero(questions))])

    def fit(self, k, questions):
        """Columns, D inverse and β̂ of a decision ridge, in units of R, centred (maths 8.2)."""
        kept = self.columns_in(questions)
        rows, ys = table(self.history[k], self.p)
        return (kept, *ridge(rows[:, kept], ys, self.penalty[k]))

    def looks(self, model, g, *, every=False):
        """The pairs |wᵀβ̂|, ‖w‖ of a question's directions that are judged (5.4), or of all."""
        kept, inverse, estimate = model[:3]
        at = np.searchsorted(kept, self.columns[g])
        block, own = inverse[np.ix_(at, at)], estimate[at]
        return [
            (abs(w @ own), math.sqrt(max(w @ block @ w, 0.0)))
            for w in self.directions[g][self.judged[g] | every]
        ]

    def refresh(self, k):
        """What an arm's decisions are made of until its next refresh (maths 8.1-8.4, 8.7)."""
        self.penalty[k] = penalty_of(pooled(self.rss, self.df))
        self.decision[k] = self.fit(k, self.support[k])
        kept, *fitted = self.decision[k]
        rows, ys = table(self.history[k], self.p)
        self.rss[k], self.df[k] = leftovers(rows[:, kept], ys, self.penalty[k], *fitted)
        self.noise[k] = pooled(self.rss, self.df)
        self.decide(k)
        self.warm[k] = bool(self.warm[k] and self.n[k] < self.warm_rows(k))
        self.need[k] = self.need_of(k)

    def decide(self, k):
        """Active and undecided questions, and the active model (maths 8.3)."""
        spread = math.sqrt(self.noise[k])
        self.active[k], self.undecided[k] = False, False
        for g in np.flatnonzero(self.support[k]):
            looks = self.looks(self.decision[k], g)
            high = max(value + KAPPA * spread * width for value, width in looks)
            self.active[k, g] = self.optimism == "valid" or high > self.beta
            sure = max(value / (spread * width) for value, width in looks)
            # Said of the decision ridge with optimism "valid" too: "all else is as here".
            self.undecided[k, g] = self.active[k, g] and sure < KAPPA
        self.active_model[k] = self.fit(k, self.active[k])

    def warm_rows(self, k):
        """With how many rows in its models an arm leaves warm-up (maths 8.7)."""
        least = 3 * len(self.kept(k))
        present = np.flatnonzero(self.support[k])
        if self.beta == 0 or len(present) == 0:
            return min(MOST, least)
        spans = sorted(
            self.n[k] * width**2
            for g in present
            for (_, width), w in zip(
                self.looks(self.decision[k], g), self.directions[g][self.judged[g]], strict=True
            )
            if self.penalty[k] * width**2 < (w @ w) / 2
        )
        if not spans:
            return min(MOST, least)
        line = math.log(len(present) / (0.9 * self.share[k]))
        tests = 0.4 * self.noise[k] * line * spans[len(spans) // 2] / self.beta**2
        return min(MOST, max(least, tests))

    # -- deciding --------------------------------------------------------------------------------

    def scoring(self, k):
        """Columns, D inverse, coefficients and width of arm k's score, in rewards (maths 8.4)."""
        if self.optimism == "valid":
            return self.frozen[k]
        kept, inverse, estimate = self.active_model[k]
        coefficients = self.span * estimate
        coefficients[0] += self.span * self.middle
        return kept, inverse, coefficients, self.span * self.optimism * math.sqrt(self.noise[k])

    def scores(self, z):
        """Every arm's score, in reward units around the middle, raw: as they are (maths 8.4)."""
        scores = []
        for k in range(self.arms):
            kept, inverse, coefficients, width = self.scoring(k)
            x = z[kept]
            scores.append(x @ coefficients + width * math.sqrt(x @ inverse @ x))
        return np.array(scores)

    def starter(self, mask, number):
        """The arm whose turn it is, if it is in its first block; else None (maths 8.7)."""
        may = np.flatnonzero(mask)
        arm = int(may[number % len(may)])
        return arm if self.ends[arm] == 0 else None

    def compared(self, mask):
        """The arms that the visit may get and that are past their first block (maths 8.7)."""
        return [int(k) for k in np.flatnonzero(mask) if self.ends[k] > 0]

    def winner(self, z, mask, number):
        """The arm before anything is drawn (maths 8.4, 8.7); ties as in 2."""
        starter = self.starter(mask, number)
        if starter is not None:
            return starter
        scores, may = self.scores(z), self.compared(mask)
        best = max(scores[k] for k in may)
        tied = best - 1e-9 * (self.span + abs(best))
        return int(next(k for k in may if scores[k] >= tied))

    def repaid(self, winner, mask, started):
        """The probability ρ of pay-back and the arms J that it draws from (maths 8.5, 8.7)."""
        others = [k for k in self.compared(mask) if k != winner and self.undecided[k].any()]
        asked = self.active[self.compared(mask)].any(axis=0)
        extra = int((asked & ~self.support[winner]).sum())
        if started or not self.payback or not others or extra == 0:
            return 0.0, others
        worth = min(1.0, self.beta**2 / self.noise[winner])
        return 0.3 * worth * extra / (extra + int(self.support[winner].sum())), others

    def insured(self, number):
        """The probability ι that the arm is drawn from all (maths 8.6)."""
        return max(self.explore * (1 + number) ** (-1 / 3), self.explore_floor)

    def chances(self, winner, mask, number, started):
        """Every arm's propensity (maths 8.6); `started` says that the start chose the winner."""
        iota, (rho, others) = self.insured(number), self.repaid(winner, mask, started)
        chances = np.zeros(self.arms)
        for k in np.flatnonzero(mask):
            chances[k] = iota / int(np.sum(mask)) + (1 - iota) * (1 - rho) * (k == winner)
            if rho > 0 and k in others:
                chances[k] += (1 - iota) * rho / len(others)
        return chances

    def drawn(self, winner, mask, number, coins, started):
        """The arm that is played, by the visit's four numbers (maths 8.6)."""
        may, (rho, others) = np.flatnonzero(mask), self.repaid(winner, mask, started)
        if coins[0] < self.insured(number):
            return int(may[math.floor(coins[1] * len(may))])
        if coins[2] < rho:
            return others[math.floor(coins[3] * len(others))]
        return winner

    def asked(self, played, mask, started):
        """What a visit that is not interactive is asked, as bools (maths 8.4, 8.7)."""
        if started:
            return self.support[played].copy()
        return self.active[self.compared(mask)].any(axis=0) | self.support[played]

    # -- learning --------------------------------------------------------------------------------

    def need_of(self, k):
        """With how many rows a block that begins now ends (maths 5.1, 8.7)."""
        if self.warm[k]:
            return max(1, int(self.n[k]) // 10)
        size, count = len(self.kept(k)), int(self.support[k].sum())
        least = max(2 * size, math.ceil(1.5 * size) + 5)
        need = max(least, math.floor((self.growth - 1) * self.n[k]))
        if count == 0:
            return need
        need = min(need, MOST)
        line = math.log(count / (0.9 * self.share[k]))
        expected = [
            min(need, size + 1.3 * (line - log) / pace)
            for g in np.flatnonzero(self.support[k])
            for log, pace, passed in zip(
                self.logs[k][g].flat, self.pace[k][g].flat, self.passed[k][g].flat, strict=True
            )
            if not passed and log > -2 and pace > 0
        ]
        if not expected:
            return max(least, need)
        return max(least, min(need, math.floor(np.mean(expected)) + 1))

    def learn(self, k, z, reward):
        """Learn a row; return whether a block ended with it."""
        y = on_grid(reward, self.low, self.span, self.raw) - self.middle
        self.rows[k].append((np.where(np.isnan(z), 0.0, z), y))
        early = len(self.rows[k]) < self.need[k]
        if early and not self.drifted(k):
            return False
        self.drifts += early
        self.end(k)
        return True

    def drifted(self, k):
        """Whether contexts have moved to where the set knows little (maths 5.1); not in warm-up."""
        if self.warm[k] or not self.support[k].any() or len(self.rows[k]) % 32 != 0:
            return False
        kept, inverse = self.frozen[k][:2]
        rows = table(self.rows[k], self.p)[0][:, kept]
        z = rows[-1]
        u = inverse @ z
        return bool(u @ (rows.T @ rows) @ u > 3 * (z @ u))

    def end(self, k):
        """End the block: test, add, drop, refresh (maths 5.1)."""
        if not self.warm[k] and self.support[k].any():
            self.test(k)
        self.history[k] += self.rows[k]
        self.rows[k] = []
        rows, ys = table(self.history[k], self.p)
        self.n[k] = len(ys)
        self.gram[k] = rows.T @ rows
        self.moment[k] = rows.T @ (self.span * (ys + self.middle))  # raw sets: rewards as they are
        self.frozen[k] = self.model(k)
        if self.beta > 0 and self.drop_questions(k):
            self.frozen[k] = self.model(k)
        self.refresh(k)
        self.ends[k] += 1

    # -- testing ---------------------------------------------------------------------------------

    def online(self, k, rows, ys):
        """Every row's prediction by a ridge regression that has seen those before it (5.2)."""
        kept, _, estimate = self.decision[k]
        before = table(self.history[k], self.p)[0][:, kept]
        d = self.penalty[k] * np.eye(len(kept)) + before.T @ before
        moment = d @ estimate
        guesses = []
        for z, y in zip(rows, ys, strict=True):
            guesses.append(float(z @ np.linalg.solve(d, moment)))
            d, moment = d + np.outer(z, z), moment + z * y
        self.clips += int((np.abs(guesses) > 0.5).sum())
        return np.clip(guesses, -0.5, 0.5)

    def test(self, k):
        """What the epoch adds to every direction's logarithms (maths 5.2)."""
        kept, _, estimate = self.decision[k]
        rows, ys = table(self.rows[k], self.p)
        rows = rows[:, kept]
        gram = rows.T @ rows
        rank, inverse = solver(gram)
        if len(rows) < 1.5 * rank + 5:
            self.kinds["too few rows"] += 1
            return
        frozen, online = np.clip(rows @ estimate, -0.5, 0.5), self.online(k, rows, ys)
        for g in np.flatnonzero(self.support[k]):
            at = np.searchsorted(kept, self.columns[g])
            for i, own in enumerate(self.directions[g]):
                w = np.zeros(len(kept))
                w[at] = own
                x = inverse @ w
                estimable = np.abs(gram @ x - w).max() <= 1e-6
                if estimable:
                    self.signed[k][g][i] = self.counted(
                        self.signed[k][g][i], k, x, rows, ys, online
                    )
                if self.passed[k][g][i].all() or not self.beta:
                    continue
                self.pace[k][g][i] = 0.0
                if not estimable:
                    self.kinds["not estimable"] += 1
                    continue
                added, gains = self.growths(k, g, i, x, rows, ys, frozen, online)
                self.logs[k][g][i] += added
                self.pace[k][g][i] = gains / (len(rows) - rank)

    def growths(self, k, g, i, x, rows, ys, frozen, online):
        """Δ and gain of the sides of one direction; 0 for a side that is not tested (5.2)."""
        s, levers = float(x @ (rows.T @ ys)), rows @ x
        most = float(np.abs(levers).max())
        levers[np.abs(levers) < ROUNDING * most] = 0.0
        known = self.n[k] + len(rows) / 2
        variance = min(0.25, self.noise[k] * (1 + rows.shape[1] / known))
        added, gains = np.zeros(2), np.zeros(2)
        for side, sign in enumerate(SIDES):
            if self.passed[k][g][i, side]:
                continue
            gain, lam = best_bet(most, levers, frozen, sign, self.beta, variance)
            if gain <= 0:
                self.kinds["no gain"] += 1
                continue
            paid, adaptive = prices(lam, levers, online, ys, sign, variance)
            self.kinds["adaptive"] += int(adaptive.sum())
            self.kinds["hoeffding"] += int((~adaptive & (levers != 0)).sum())
            added[side], gains[side] = lam * (self.beta - sign * s) - float(paid.sum()), gain
        return added, gains

    def counted(self, sums, k, x, rows, ys, online):
        """The sums of one direction's signed effect with this epoch (maths 10.1, 10.2)."""
        levers, errors = rows @ x, (ys - online) ** 2
        s, v = float(levers @ ys), float(levers @ levers)
        spread = min(0.25, self.noise[k] * (1 + rows.shape[1] / (self.n[k] + len(rows) / 2)))
        parts = np.array([2, 1, 1 / 2, 1 / 4, 1 / 8])
        bets = parts * (self.beta or 0.05) / (spread * v)
        self.kinds["bold"] += int((bets * np.abs(levers).max() > 0.5).sum())
        bets = np.minimum(bets, 0.5 / np.abs(levers).max())
        new, prices = [*(sums[:5] + bets), *(sums[5:10] + bets * s)], sums[10:20]
        for side, sign in enumerate(SIDES):
            rooms = np.maximum(0.02, 0.5 - np.sign(sign * levers) * online)
            for c, bet in enumerate(bets):
                eta = bet * np.abs(levers)
                most = eta.max()
                if 4 * spread * (1 + most / 3 / (1 - most / 2)) < 1:
                    own = eta**2 / 2 + eta**3 * rooms / (3 * (1 - (eta * rooms).max()))
                    paid = float(own @ errors)
                    self.kinds["priced by errors"] += 1
                else:
                    paid = float(eta @ eta) / 8
                    self.kinds["priced by the range"] += 1
                new.append(prices[5 * side + c] + paid)
        at_least = spread * v, v / (self.n[k] + len(rows))
        return np.array(new + self.at_the_end(sums[20:], s, v, levers, errors, at_least))

    def at_the_end(self, sums, s, v, levers, errors, at_least):
        """The four sums of 10.2; an epoch counts where it is carried by enough rows and helps."""
        estimates, roots, squares, count = sums
        if v < 10 * (levers**2).max() or count == 15:
            self.kinds["not counted"] += 1
            return list(sums)
        if count and (roots + v**-0.5) / math.sqrt(count + 1) <= roots / math.sqrt(count):
            self.kinds["too wide to count"] += 1
            return list(sums)
        self.kinds["counted"] += 1
        usual, unseen = at_least  # what the noise before it says; what may just not have come
        self.kinds["seems too sure"] += int(float(levers**2 @ errors) < usual)
        measured = (max(float(levers**2 @ errors), usual) + unseen) / v
        return [estimates + s * v**-0.5, roots + v**-0.5, squares + measured, count + 1]

    def drop_questions(self, k):
        """Drop what epochs and ellipsoid show, Holm's way; return whether any went (5.1, 3)."""
        theta = self.frozen[k][3]
        # Where skips are not judged, the ellipsoid still looks at them (5.4).
        narrow = {
            int(g)
            for g in np.flatnonzero(self.support[k])
            if max(v + theta * width for v, width in self.looks(self.frozen[k], g, every=True))
            <= self.beta_min
        }
        looks = 0
        while True:
            present = [int(g) for g in np.flatnonzero(self.support[k])]
            line = math.log(len(present) / (0.9 * self.share[k])) if present else 0.0
            for g in present:
                passes = (self.logs[k][g] >= line) & ~self.passed[k][g]
                self.holm += int(passes.sum()) if looks > 0 else 0
                self.passed[k][g] |= passes
            goes = {g for g in present if self.passed[k][g].all() or g in narrow}
            for g in goes:
                by = {"epochs"} if self.passed[k][g].all() else set()
                self.dropped_by[k][g] = (by | ({"ellipsoid"} if g in narrow else set()), self.n[k])
                self.support[k, g] = False
            if not goes:
                return looks > 0
            looks += 1

"""An oracle for short forms: maths 9 written down densely, from the page alone.

It keeps every row of the ring and of the short visits, orthogonalises the columns of every set of
questions anew, inverts every matrix with numpy.linalg.inv and sums the whole interval every time.
Arms, their rows, tests and models are `NaiveEpoch`'s. Everything is in units of R.
"""

import math
from dataclasses import dataclass

import numpy as np

from naive_epoch import NaiveEpoch
from naive_noise import on_grid, pooled

RING = 500
FORGET = 1 - 1 / 300  # θ of 9.4
LEVEL = 0.05
# of a question of average cost
PRICES = [0.0001 * math.sqrt(2) ** i for i in range(100) if 0.0001 * math.sqrt(2) ** i <= 0.05]


def orthonormal(columns):
    """The columns made orthonormal in their order; one that is hardly new adds nothing (9.2)."""
    basis = []
    for column in columns:
        left = column.copy()
        for _ in range(2):  # the second time takes away what rounding has left
            for q in basis:
                left = left - (q @ left) * q
        if left @ left >= 1e-5 * len(column):
            basis.append(left / math.sqrt(left @ left))
    return np.array(basis).T


@dataclass(frozen=True)
class FullDecision:
    """What a full visit gets; ȳ, λ and u are None where there is no a_S (maths 9.1, 9.4)."""

    arm: int
    kind: str  # "full" or "check"
    a_F: int  # noqa: N815  the page's own letters
    a_S: int | None  # noqa: N815
    insured: bool  # insurance drew the arm
    propensities: np.ndarray
    ybar: float | None
    lam: float | None
    u: float | None


@dataclass(frozen=True)
class ShortModel:
    """What an arm's short score is made of, on the constant and the columns of S (maths 9.3)."""

    b: np.ndarray
    Sigma: np.ndarray
    noise: float  # σ̂²

    def score(self, z):
        spread = math.sqrt(self.noise * max(z @ self.Sigma @ z, 0.0))
        return float(self.b @ z + 0.5 * spread)


class NaiveShort(NaiveEpoch):
    """Short forms on top of Epoch SurveyUCB; `budget` is the page's `questions`."""

    def __init__(
        self,
        survey,
        questions,
        arms,
        reward,
        *,
        price=None,
        budget=None,
        planned=None,
        full_floor=0.02,
        costs=None,
        everyone=None,
        **settings,
    ):
        super().__init__(survey, questions, arms, reward, **settings)
        self.price = min(0.002, 1 / (8 * self.m)) if price is None else price / self.span
        self.budget, self.planned, self.full_floor = budget, planned, full_floor
        self.costs = np.ones(self.m) if costs is None else np.asarray(costs, dtype=float)
        self.everyone = (
            np.zeros(self.m, dtype=bool) if everyone is None else np.array(everyone, bool)
        )
        self.on = budget is not None or self.price > 0
        self.payback = self.payback and not self.on
        self.first_arms, self.added = arms, 0
        self.live = np.ones(arms, dtype=bool)
        self.ring = []  # (z, the arms that the visit could get)
        self.visits, self.learned = 0, 0  # N: full and check visits; all visits
        self.chosen_at, self.waits_for = None, None  # N′, and N_then + n₀ after an arm was added
        self.form, self.last_form, self.path = None, None, []
        self.price_in_force = None if budget is not None else self.price  # in units of R
        self.r, self.withdrawals = 1.0, 0
        self.priors, self.short_models = {}, {}  # by arm: (V, m), ShortModel
        self.short_rows = [[] for _ in range(arms)]  # that taught the form that stands: (z_S, y)
        self.derived_at = [0] * arms  # with how many short rows an arm's model was derived
        self.told = [(np.zeros((self.p, self.p)), np.zeros(self.p)) for _ in range(arms)]  # T, t
        self.projection = None  # B of the form that was chosen last
        self.whole_models, self.whole_noise = [], None  # by arm, and σ̂² with them
        self.log_wealth = 0.0
        self.w, self.s, self.q = 1.0, 0.0, 0.25
        self.judged_visits = []  # X of every visit of 9.4, in the order of learning

    # -- arms ------------------------------------------------------------------------------------

    def retire(self, k):
        """End an arm's asking and playing; a form that stands is chosen anew (maths 2.4, 9.2)."""
        self.live[k] = False
        if self.form is not None:
            self.choose()

    def add_arm(self):
        """Add an arm with all questions; no form stands any more (maths 2.4, 9.2)."""
        k, self.arms, self.added = self.arms, self.arms + 1, self.added + 1
        self.share.append(self.delta / (self.first_arms * 2**self.added))
        self.support = np.vstack([self.support, np.ones(self.m, dtype=bool)])
        self.gram = np.concatenate([self.gram, np.zeros((1, self.p, self.p))])
        self.moment = np.vstack([self.moment, np.zeros(self.p)])
        self.n = np.append(self.n, 0)
        self.ends.append(0)
        self.warm.append(True)
        self.need.append(max(2, 3 * self.p // 10))
        self.rows.append([])
        self.history.append([])
        self.logs.append([np.zeros((len(w), 2)) for w in self.directions])
        self.pace.append([np.zeros((len(w), 2)) for w in self.directions])
        self.passed.append([np.repeat(~judged[:, None], 2, axis=1) for judged in self.judged])
        self.dropped_by.append({})
        self.rss.append(0.0)
        self.df.append(0.0)
        self.noise.append(1 / 16)
        self.penalty.append(1.0)
        self.decision.append(self.fit(k, self.support[k]))
        self.active_model.append(self.decision[k])
        self.active = np.vstack([self.active, np.zeros(self.m, dtype=bool)])
        self.undecided = np.vstack([self.undecided, np.zeros(self.m, dtype=bool)])
        self.frozen.append(self.model(k))
        self.decide(k)
        self.live = np.append(self.live, True)
        self.short_rows.append([])
        self.derived_at.append(0)
        self.told.append((np.zeros((self.p, self.p)), np.zeros(self.p)))
        self.ring = [
            (z, np.append(mask, mask[self.live[:-1]].all()))
            for z, mask in self.ring
            if self.answers_all(z)
        ]
        self.form = None
        self.waits_for = self.visits + self.first_choice()

    def may(self, mask):
        """The live arms of a visit that may have started before an arm was added (maths 2.4)."""
        mask = np.asarray(mask, dtype=bool)
        return np.append(mask, np.zeros(self.arms - len(mask), dtype=bool)) & self.live

    # -- questions and their costs ---------------------------------------------------------------

    def needed(self):
        """Q as bools: what a live arm still has, and what is asked of everyone (maths 9)."""
        return self.support[self.live].any(axis=0) | self.everyone

    def answers_all(self, z):
        return not np.isnan(z[self.columns_in(self.needed())]).any()

    def flags(self, form):
        """A set of questions as bools."""
        flags = np.zeros(self.m, dtype=bool)
        flags[list(form)] = True
        return flags

    def cost(self, questions):
        return sum(float(self.costs[g]) for g in questions)

    def whole(self):
        """Q as a set."""
        return frozenset(int(g) for g in np.flatnonzero(self.needed()))

    def saving(self, form):
        """C − C(S)."""
        return self.cost(self.whole()) - self.cost(form)

    # -- a visit ---------------------------------------------------------------------------------

    def scoring(self, k):
        """Columns, D″ inverse, coefficients and width, while a form stands (maths 9.1, 9.3)."""
        if not self.on or self.form is None or self.optimism == "valid":
            return super().scoring(k)
        kept, inverse, estimate = self.whole_models[k]
        coefficients = self.span * estimate
        coefficients[0] += self.span * self.middle
        return kept, inverse, coefficients, self.span * self.optimism * math.sqrt(self.whole_noise)

    def pi(self, price, form, t):
        """The share of full visits while `form` stands and lacks a question (maths 9.1)."""
        saved = price * self.saving(form)
        if saved <= 0:
            return 1.0
        noise = pooled(self.rss, self.df)
        share = math.sqrt(0.1 * noise * self.p * int(self.live.sum()) / (saved * t))
        return min(max(share, self.full_floor), 1.0)

    def compares(self, mask):
        """Whether a form stands that a visit could go by instead of all answers (maths 9.1)."""
        if not self.on or self.form is None or self.form >= self.whole():
            return False
        return all(self.ends[k] > 0 for k in np.flatnonzero(self.may(mask)))

    def full_share(self, mask, number):
        """π of a visit; `share` is NaiveEpoch's share of δ."""
        if not self.compares(mask):
            return 1.0
        return self.pi(self.price_in_force, self.form, 1 + number)

    def kind(self, mask, number, coins):
        """Full or short, as it is settled when the visit starts (maths 9.1)."""
        return "full" if coins[2] < self.full_share(mask, number) else "short"

    def asked_full(self):
        """What a full visit is asked, as bools."""
        return self.needed()

    def asked_short(self, form=None):
        """What a short visit is asked, as bools: the form that stands, or its own."""
        return self.flags(self.form if form is None else form)

    def play_full(self, z, mask, number, coins):
        """The arm of a full visit, and what a check needs to know of the decision (9.1, 9.4)."""
        mask = self.may(mask)
        started = self.starter(mask, number) is not None
        winner = self.winner(z, mask, number)
        other = None
        if self.compares(mask) and not np.isnan(z[self.columns_in(self.flags(self.form))]).any():
            other = self.play_short(z, mask, self.form)[0]
        iota, insured = self.insured(number), bool(coins[0] < self.insured(number))
        arm, kind = self.drawn(winner, mask, number, coins, started), "full"
        propensities = self.chances(winner, mask, number, started)
        if other is not None and other != winner:
            propensities = iota / int(mask.sum()) * mask
            propensities[winner] += (1 - iota) * 3 / 4
            propensities[other] += (1 - iota) / 4
            if not insured and coins[3] < 1 / 2:
                kind = "check"
                arm = other if coins[3] < 1 / 4 else winner
        judged = (None, None, None) if other is None else self.stakes(z, winner, other)
        return FullDecision(arm, kind, winner, other, insured, propensities, *judged)

    def play_short(self, z, mask, form):
        """The arm of a short visit and the live arms' scores, nan elsewhere (maths 9.1)."""
        may = [int(k) for k in np.flatnonzero(self.may(mask))]
        z_form = z[self.columns_in(self.flags(form))]
        scores = np.full(self.arms, np.nan)
        for k in np.flatnonzero(self.live):
            scores[k] = self.short_model(k, form).score(z_form)
        compared = [k for k in may if self.ends[k] > 0]
        if not compared:
            return may[0], scores
        best = max(scores[k] for k in compared)
        near = best - 1e-9 * (1 + abs(best))
        return next(k for k in compared if scores[k] >= near), scores

    # -- learning --------------------------------------------------------------------------------

    def learn_full(self, decision, z, mask, reward):
        """Learn a full or a check visit; return whether a block ended with it (9.1, 9.2, 9.4)."""
        k, questions, began = decision.arm, int(self.support.sum()), self.ends[decision.arm] == 0
        ended = decision.kind != "check" and self.learn(k, z, reward)
        moved = int(self.support.sum()) < questions or (began and self.ends[k] > 0)
        if decision.kind == "check":
            kept, gram, moment = self.decision[k][0], *self.told[k]
            own = np.zeros(self.p)
            own[kept] = z[kept]
            y = on_grid(reward, self.low, self.span, self.raw) - self.middle
            self.told[k] = gram + np.outer(own, own), moment + own * y
        if self.answers_all(z):
            self.ring = [*self.ring, (z.copy(), self.may(mask))][-RING:]
        self.visits, self.learned = self.visits + 1, self.learned + 1
        if decision.a_S is not None and not decision.insured:
            self.judge(decision, reward)
        if self.on and (self.due() or (moved and self.form is not None)):
            self.choose()
        return ended

    def learn_short(self, arm, z, form, reward):
        """Teach the short sums, if the visit's form is the one that stands (maths 9.1, 9.3)."""
        self.learned += 1
        if form != self.form:
            return
        y = on_grid(reward, self.low, self.span, self.raw) - self.middle
        self.short_rows[arm].append((z[self.columns_in(self.flags(form))], y))
        before = self.derived_at[arm]
        if self.live[arm] and len(self.short_rows[arm]) - before >= max(1, before // 10):
            self.derive(arm)

    # -- choosing S ------------------------------------------------------------------------------

    def first_choice(self):
        """n₀ with the arms that live now (maths 9.2)."""
        rows = self.p * int(self.live.sum())
        return max(50, rows if self.planned is None else min(rows, self.planned // 5))

    def due(self):
        """Whether a form is to be chosen at this N (maths 9.2)."""
        if self.waits_for is not None:
            return self.visits >= self.waits_for
        if self.chosen_at is None:
            return self.visits >= self.first_choice()
        return self.visits >= self.chosen_at + min(100, 0.1 * self.chosen_at)

    def people(self):
        """The rows of the ring that may get an arm that counts: their contexts and arms."""
        return [(z, mask) for z, mask in self.ring if mask[self.counting()].any()]

    def counting(self):
        """The live arms past their first block (maths 9.2)."""
        return self.live & (np.array(self.ends) > 0)

    def contexts(self):
        """Their contexts on all columns; a question that nobody needs any more is 0."""
        contexts = np.array([z for z, _ in self.people()]).reshape(-1, self.p)
        wanted = np.isin(np.arange(self.p), self.columns_in(self.needed()))
        return np.where(wanted, contexts, 0.0)

    def projected(self, questions):
        """P_T of a list of questions, their columns in the order of the list (maths 9.2)."""
        contexts, live = self.contexts(), np.flatnonzero(self.counting())
        full = np.zeros((self.p, len(live)))
        for i, k in enumerate(live):
            kept, _, estimate = self.known(k, now=True)
            full[kept, i] = estimate
        columns = [0, *(j for g in questions for j in self.columns[g])]
        basis = orthonormal([contexts[:, j] for j in columns])
        return basis @ (basis.T @ (contexts @ full))

    def value(self, questions, price):
        """value(T) at a price, r included (maths 9.2)."""
        means = self.projected(questions)
        best = [
            mean[mask[self.counting()]].max()
            for mean, (_, mask) in zip(means, self.people(), strict=True)
        ]
        return float(np.mean(best)) - price * self.cost(questions)

    def explained(self, questions, g):
        """What g explains of the arms' differences beside T: e_g (maths 9.2)."""
        change = self.projected([*questions, g]) - self.projected(questions)
        apart = change - change.mean(axis=1, keepdims=True)
        return float((apart**2).sum() / apart.size)

    def walk(self, price):
        """The path at a price, and the form that it leads to (maths 9.2)."""
        taken = [int(g) for g in np.flatnonzero(self.everyone)]
        path = [(tuple(taken), self.value(taken, price))]
        while set(taken) != self.whole():
            left = sorted(self.whole() - set(taken))
            merits = [
                self.value([*taken, g], price) + 0.001 * math.sqrt(self.explained(taken, g))
                for g in left
            ]
            taken = [*taken, left[int(np.argmax(merits))]]
            path.append((tuple(taken), self.value(taken, price)))
        values = [value for _, value in path]
        form, value = path[int(np.argmax(values))]
        while True:
            loose = sorted(g for g in form if not self.everyone[g])
            without = [tuple(h for h in form if h != g) for g in loose]
            values = [self.value(rest, price) for rest in without]
            if not values or max(values) <= value:
                return path, frozenset(form)
            form, value = without[int(np.argmax(values))], max(values)

    def asks(self, price, form):
        """How many questions, by cost, a visit is expected to be asked with a form (9.2)."""
        everything = self.cost(self.whole())
        if form >= self.whole():
            return everything
        share = self.pi(price, form, 1 + self.learned)
        return share * everything + (1 - share) * self.cost(form)

    def choose(self):
        """Choose S, and derive the short models (maths 9.2, 9.3)."""
        if len(self.people()) < 50:
            self.form, self.chosen_at, self.waits_for = None, self.visits, self.visits + 1
            return
        if self.budget is not None:
            for price in np.array(PRICES) / self.costs.mean():
                self.price_in_force = float(price)
                if self.asks(price, self.walk(price)[1]) <= self.budget:
                    break
        self.whole_models = [self.known(k, now=True) for k in range(self.arms)]
        self.whole_noise = pooled(self.rss, self.df)
        self.path, form = self.walk(self.r * self.price_in_force)
        if form != self.last_form:
            self.log_wealth = min(self.log_wealth, 0.0)
            self.told = [self.told_by_all(k) for k in range(self.arms)]
            self.short_rows = [[] for _ in range(self.arms)]
        self.projection = self.projection_on(form)
        self.form = self.last_form = form
        self.chosen_at, self.waits_for = self.visits, None
        self.priors = {int(k): self.prior(k, form) for k in np.flatnonzero(self.live)}
        self.short_models = {}
        for k in self.priors:
            self.derive(k)

    # -- short models ----------------------------------------------------------------------------

    def prior(self, k, form):
        """V and m: arm k's full model projected on what a form asks (maths 9.3)."""
        kept, inverse, estimate = self.known(k, now=False)
        b = self.projection_on(form)[:, kept]
        return b @ inverse @ b.T + 1e-9 * np.eye(len(b)), b @ estimate

    def projection_on(self, form):
        """B: contexts on what a form asks (maths 9.3)."""
        contexts, asked = self.contexts(), self.columns_in(self.flags(form))
        gram = contexts.T @ contexts / max(len(contexts), 1)
        return np.linalg.inv(gram[np.ix_(asked, asked)] + 1e-6 * np.eye(len(asked))) @ gram[asked]

    def told_by_all(self, k):
        """T and t with the present form's sums too (maths 9.3)."""
        gram, moment = self.told[k]
        for z, y in self.short_rows[k]:
            gram = gram + np.outer(self.projection.T @ z, self.projection.T @ z)
            moment = moment + self.projection.T @ z * y
        return gram, moment

    def known(self, k, *, now):
        """Arm k's columns, D′ inverse and β′ (maths 9.3)."""
        kept, inverse, estimate = self.decision[k]
        gram, moment = self.told_by_all(k) if now else self.told[k]
        d = np.linalg.inv(inverse)
        both = np.linalg.inv(d + gram[np.ix_(kept, kept)])
        return kept, both, both @ (d @ estimate + moment[kept])

    def derive(self, k):
        """Arm k's short model, from its prior and its short rows (maths 9.3)."""
        v, m = self.priors[k]
        precision, moment = np.linalg.inv(v), np.linalg.inv(v) @ m
        for z, y in self.short_rows[k]:
            precision, moment = precision + np.outer(z, z), moment + z * y
        sigma = np.linalg.inv(precision)
        self.short_models[k] = ShortModel(sigma @ moment, sigma, pooled(self.rss, self.df))
        self.derived_at[k] = len(self.short_rows[k])

    def short_model(self, k, form):
        """An arm's short model, of a form that does not stand without short rows (maths 9.1)."""
        if form == self.form:
            return self.short_models[k]
        v, m = self.prior(k, form)
        return ShortModel(m, v, pooled(self.rss, self.df))

    # -- the check -------------------------------------------------------------------------------

    def stakes(self, z, winner, other):
        """ȳ, λ and u of a decision (maths 9.4)."""
        means = []
        for k in (winner, other):
            kept, _, estimate = self.whole_models[k]
            means.append(z[kept] @ estimate + 0.5)
        u = self.price_in_force * self.saving(self.form)
        mu, second = self.s / self.w, self.q / self.w
        lam = min(max(mu, u, 0.002) / (second + mu**2), 0.5 / (4 + u))
        return float(np.clip(np.mean(means), 0, 1)), lam, u

    def judge(self, decision, reward):
        """What a full or check visit says of the form; it may be withdrawn (maths 9.4)."""
        y = on_grid(reward, self.low, self.span, self.raw) - self.middle + 0.5
        sign = 1 if decision.arm == decision.a_F else -1
        loss = 4 * sign * (y - decision.ybar) if decision.kind == "check" else 0.0
        x = loss - decision.u
        self.log_wealth += math.log(1 + decision.lam * x)
        self.w, self.s = FORGET * self.w + 1, FORGET * self.s + x
        self.q = FORGET * self.q + x**2
        self.judged_visits.append(loss)
        j = self.withdrawals
        if self.form is not None and self.log_wealth >= math.log((j + 1) * (j + 2) / LEVEL):
            self.form, self.withdrawals = None, j + 1
            self.log_wealth, self.r = 0.0, max(self.r / 2, 1 / 32)

    def loss_interval(self):
        """(low, centre, high) of what short forms have cost a visit so far (maths 9.4)."""
        line = math.log(2 / LEVEL)
        total, squares, bets, weighted, paid = 0.0, 0.0, 0.0, 0.0, 0.0
        for before, loss in enumerate(self.judged_visits):
            unit, n = (loss + 4) / 8, before + 1
            guess, variance = (0.5 + total) / (before + 1), (0.25 + squares) / (before + 1)
            bet = min(0.5, math.sqrt(2 * line / (variance * n * math.log(1 + n))))
            bets, weighted = bets + bet, weighted + bet * unit
            paid += (unit - guess) ** 2 * (-math.log(1 - bet) - bet)
            total, squares = total + unit, squares + (unit - guess) ** 2
        if bets == 0:
            return -math.inf, math.nan, math.inf
        centre, half = weighted / bets, (line + paid) / bets
        return tuple(8 * end - 4 for end in (centre - half, centre, centre + half))

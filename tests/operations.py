"""Random sequences of operations on the public API, beside a plain model of what it promises.

The model knows no policy: it keeps the answers, arms and rewards of every visit in dicts, says
which calls must be refused, and adds up the rows that each arm has learned by itself.
"""

import copy
import json

import numpy as np

import askless as al
from askless.errors import AsklessError
from saved_states import opened

SURVEY = al.Survey(
    [
        al.Scale("age", low=0, high=64),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["x", "y", "z"]),
        al.Multi("media", ["tv", "web"], always_ask=True),
    ]
)
GOOD = {
    "age": [0, 7, 32.5, 64],
    "donor": [True, False, None],
    "cause": ["x", "y", "z"],
    "media": [[], ["tv"], ["web", "tv"]],
}
BAD = {"age": [-1, None, "7"], "donor": ["yes", 1], "cause": [None, "w"], "media": ["tv", ["fm"]]}
REWARDS, BAD_REWARDS = [0, 1.5, 4], [-1, 5, float("nan"), None]


def encoded(answers):
    """A context, by hand; NaN where nothing is known (maths 1.1)."""
    z = np.full(9, np.nan)
    z[0] = 1
    if "age" in answers:
        z[1] = np.floor((answers["age"] / 64 - 0.5) * 1024 + 0.5) / 1024
    if "donor" in answers:
        given = answers["donor"]
        z[2:4] = (0, 1) if given is None else (0.5 if given else -0.5, 0)
    if "cause" in answers:
        z[4:7] = [answers["cause"] == option for option in "xyz"]
    if "media" in answers:
        z[7:9] = [0.5 if option in answers["media"] else -0.5 for option in ("tv", "web")]
    return z


OFTEN = ["start"] * 5 + ["answer"] * 7 + ["reward"] * 7 + ["revise", "look", "resume"] * 2
OFTEN += ["wrong", "wrong", "unlearn", "unlearn", "arms", "reload"]
QUEUED = [name for name in OFTEN if name != "unlearn"]


class Person:
    """What the model knows of a visit: by its number, whatever copies there are."""

    def __init__(self, number, eligible, known, promised):
        self.number, self.eligible, self.promised = number, set(eligible), set(promised)
        self.answers = {q: a for q, a in known.items() if q in promised}
        self.asked, self.arm, self.reward = set(), None, None
        self.unlearned = False


class Operations:
    """One sequence: a policy, its visits, and the model beside them."""

    def __init__(self, policy, rng, *, queued):
        self.policy, self.rng = policy, rng
        self.queue = al.InOrder(policy, window="6 visits", silence=0) if queued else None
        self.visits = {}  # by number: the copies there are
        self.people = {}
        self.waiting = []  # the numbers in the queue, in the order of decisions
        self.coming = {}  # rewards that wait for earlier visits
        self.decided_at = {}
        self.clock = 0
        self.done = {}

    # -- the steps ---------------------------------------------------------------------------------

    def step(self):
        """Do one thing, and see to it that everything is as it should be."""
        name = self._pick(OFTEN if self.queue is None else QUEUED)
        getattr(self, "_" + name)()
        self.done[name] = self.done.get(name, 0) + 1
        self.check()

    def _pick(self, things):
        things = list(things)
        return things[self.rng.integers(len(things))]

    def _some(self, things, least=0):
        chosen = [thing for thing in things if self.rng.random() < 0.5]
        return chosen if len(chosen) >= least else [self._pick(things)]

    def _visit(self):
        """A copy of some visit, and what the model knows of it."""
        number = self._pick(self.visits)
        return self._pick(self.visits[number]), self.people[number]

    def _start(self):
        few = self.rng.random() < 0.5
        known = {q: self._pick(GOOD[q]) for q in (self._some(GOOD) if few else GOOD)}
        arms = self._some(self.policy.live_arms, 1) if self.rng.random() < 0.5 else None
        number = int(self.rng.integers(60)) if self.rng.random() < 0.4 else None
        taken = number is not None and number in self.people
        if taken and self.people[number].reward is not None:
            self.refused(lambda: self.policy.visit(known=known, arms=arms, number=number))
            return
        if taken:  # the policy keeps no list of visits, so whoever numbers them must
            return
        promised = self.policy.may_ask(arms)
        visit = self.policy.visit(known=known, arms=arms, number=number)
        assert visit.number not in self.people
        person = Person(visit.number, arms or self.policy.live_arms, answers_of(known), promised)
        self.people[visit.number], self.visits[visit.number] = person, [visit]
        self._moved(visit, person)

    def _moved(self, visit, person):
        """What must be so after a visit has moved on."""
        assert set(visit.promised) == person.promised
        assert visit.answers == person.answers
        person.asked |= set(visit.asks)
        assert person.asked <= person.promised
        assert set(visit.asked) == person.asked
        assert visit.kind == "full"
        if visit.decided and person.arm is None:
            person.arm = visit.arm
            assert person.arm in person.eligible & set(self.policy.live_arms)
            assert abs(sum(visit.propensities.values()) - 1) < 1e-12
            assert visit.propensities[visit.arm] == visit.propensity > 0
            assert set(self.policy.needs(visit.arm)) <= set(person.answers)
            if self.queue is not None:
                self.clock += 1
                self.waiting.append(person.number)
                self.decided_at[person.number] = self.clock
                self._settle()
                self.queue.add(visit)
        elif not visit.decided:
            assert visit.asks == tuple(q for q in GOOD if q in visit.asks)
            assert visit.asks and not set(visit.asks) & set(person.answers)

    def _stuck(self, person):
        """Whether no arm is left that the visit could play."""
        return person.arm is None and not person.eligible & set(self.policy.live_arms)

    def _others_gone(self, visit, person):
        """Keep the copy that moved on: the others are older, as a second browser window is."""
        self.visits[person.number] = [visit]

    def _answer(self):
        if not self.visits:
            return
        visit, person = self._visit()
        asked = visit.asks and self.rng.random() < 0.8
        questions = self._some(visit.asks if asked else list(GOOD), 1)
        answers = {q: self._pick(GOOD[q]) for q in questions}
        fits = all(q in person.asked and q not in person.answers for q in questions)
        if not fits or self._stuck(person):
            self.refused(lambda: visit.answer(answers), visit)
            return
        visit.answer(answers)
        person.answers |= answers_of(answers)
        self._others_gone(visit, person)
        self._moved(visit, person)

    def _revise(self):
        if not self.visits:
            return
        visit, person = self._visit()
        questions = self._some(list(GOOD), 1)
        answers = {q: self._pick(GOOD[q]) for q in questions}
        fits = person.arm is None and all(q in person.answers for q in questions)
        if not fits or self._stuck(person):
            self.refused(lambda: visit.revise(answers), visit)
            return
        visit.revise(answers)
        person.answers |= answers_of(answers)
        self._others_gone(visit, person)
        self._moved(visit, person)

    def _look(self):
        if not self.visits:
            return
        visit, person = self._visit()
        before = self.policy.to_dict(), visit.to_dict()
        _ = visit.asks, visit.decided, visit.asked, visit.propensities, visit.context()
        if not self._stuck(person):
            str(visit.explain())
        assert (visit.arm == person.arm) if visit.decided else person.arm is None
        assert (self.policy.to_dict(), visit.to_dict()) == before
        assert al.VisitRecord.read(before[1]) == visit.record()

    def _resume(self):
        if not self.visits:
            return
        visit, person = self._visit()
        saved = json.loads(json.dumps(visit.to_dict()))
        if self._stuck(person):
            self.refused(lambda: self.policy.visit(saved), visit)
            return
        again = self.policy.visit(saved)
        if not visit.decided and (again.decided or again.asks != visit.asks):
            self._others_gone(again, person)
        else:
            self.visits[person.number].append(again)
        self._moved(again, person)

    def _reward(self):
        if not self.visits:
            return
        visit, person = self._visit()
        reward = self._pick(REWARDS)
        if self.queue is not None:
            self._queued_reward(person, reward)
            return
        if person.arm is None or self._conflict(visit, person, reward):
            self.refused(lambda: self.policy.learn(visit, reward), visit)
            return
        if person.reward is not None:
            before = self.policy.to_dict(), visit.to_dict()
            self.policy.learn(visit, reward)  # the same again is ignored
            assert (self.policy.to_dict(), visit.to_dict()) == before
            return
        self.policy.learn(visit, reward)
        person.reward = reward
        assert visit.reward == reward

    def _conflict(self, visit, person, reward):
        """Whether a reward is another one, or a second one that an ignorant copy brings."""
        if person.unlearned:  # then it is known with which reward it was learned last
            return person.reward not in (None, reward)
        if person.reward is None:
            return visit.reward not in (None, reward)
        return visit.reward != reward

    def _queued_reward(self, person, reward):
        number = person.number
        if number not in self.waiting or self.coming.get(number, reward) != reward:
            self.refused(lambda: self.queue.reward(number, reward))
            return
        self.queue.reward(number, reward)
        self.coming[number] = reward
        self._settle()

    def _settle(self):
        """Learn, in the model, what is due: in the order of decisions, arm by arm."""
        for arm in self.policy.arms:
            for number in [n for n in self.waiting if self.people[n].arm == arm]:
                late = self.decided_at[number] + 6 < self.clock
                if number not in self.coming and not late:
                    break
                self.people[number].reward = self.coming.pop(number, 0)
                self.waiting.remove(number)

    def _unlearn(self):
        if not self.visits or not hasattr(self.policy, "unlearn"):
            return
        visit, person = self._visit()
        if person.reward is None or visit.reward != person.reward:
            self.refused(lambda: self.policy.unlearn(visit), visit)
            return
        self.policy.unlearn(visit)
        person.reward, person.unlearned = None, True

    def _arms(self):
        policy = self.policy
        if self.rng.random() < 0.5 and len(policy.arms) < 5:
            name = f"arm{len(policy.arms)}"
            policy.add_arm(name)
            self.refused(lambda: policy.add_arm(name))
        elif len(policy.live_arms) > 1:
            gone = self._pick(policy.live_arms)
            policy.retire_arm(gone)
            self.refused(lambda: policy.retire_arm(gone))
        else:
            self.refused(lambda: policy.retire_arm(policy.live_arms[0]))

    def _reload(self):
        kind, saved = type(self.policy), json.loads(json.dumps(self.policy.to_dict()))
        queue = None if self.queue is None else json.loads(json.dumps(self.queue.to_dict()))
        put_away = {
            n: [json.loads(json.dumps(v.to_dict())) for v in vs] for n, vs in self.visits.items()
        }
        self.policy = kind.from_dict(saved)
        assert self.policy.to_dict() == saved
        if queue is not None:
            self.queue = al.InOrder.resume(self.policy, queue)
            assert self.queue.to_dict() == queue
        for number, copies in put_away.items():
            person = self.people[number]
            if self._stuck(person):
                self.refused(lambda saved=copies[0]: self.policy.visit(saved))
                del self.visits[number], self.people[number]
                continue
            visits = [self.policy.visit(copy) for copy in copies]
            moved = [v for v in visits if v.decided and person.arm is None]
            self.visits[number] = moved[:1] or visits[:1]
            self._moved(self.visits[number][0], person)

    def _wrong(self):
        """Call something that must be refused, whatever the state is."""
        policy, queue = self.policy, self.queue
        calls = [
            lambda: policy.visit(known={"age": 99}),
            lambda: policy.visit(arms=["nobody"]),
            lambda: policy.visit(number=-1),
            lambda: policy.learn(None, 1),
            lambda: policy.learn_row(99, encoded({}), 1),
        ]
        if not self.visits:
            self.refused(self._pick(calls))
            return
        visit, _ = self._visit()
        question, reward = self._pick(BAD), self._pick(BAD_REWARDS)
        answers = {question: self._pick(BAD[question])}
        calls += [
            lambda: visit.answer(answers),
            lambda: visit.revise(answers),
            lambda: visit.answer({"colour": 1}),
            lambda: policy.visit(visit.to_dict() | {"number": -1}),
            lambda: policy.learn(visit, reward),
        ]
        if queue is not None:
            calls += [lambda: queue.reward(visit, reward), lambda: queue.reward(10**6, 1)]
        self.refused(self._pick(calls), visit)

    # -- what must hold ----------------------------------------------------------------------------

    def refused(self, call, visit=None):
        """Nothing but an askless error, and nothing has changed."""

        def state():
            queue = None if self.queue is None else self.queue.to_dict()
            return self.policy.to_dict(), visit and visit.to_dict(), queue

        before = copy.deepcopy(state())
        try:
            call()
        except AsklessError as error:
            assert str(error)
        else:
            raise AssertionError("this should have been refused")
        assert state() == before

    def check(self):
        """The policy has learned exactly the visits that the model says."""
        learned = sorted(n for n, person in self.people.items() if person.reward is not None)
        spans = [n for first, last in self.policy.learned for n in range(first, last + 1)]
        assert set(learned) <= set(spans)  # visits whose arms are all gone are forgotten here
        if self.queue is not None:
            assert set(self.queue.waiting) == set(self.waiting)
        if not hasattr(self.policy, "unlearn") or set(learned) != set(spans):
            return
        arms = opened(self.policy.to_dict())["state"]["arms"]
        for k, arm in enumerate(self.policy.arms):
            own = [p for n in learned if (p := self.people[n]).arm == arm]
            self._check_sums(arms[k], self.policy.support[k], own)

    def _check_sums(self, saved, support, people):
        columns = np.r_[True, np.repeat(support, [1, 2, 3, 2])]
        rows = np.array([encoded(p.answers)[columns] for p in people]).reshape(-1, columns.sum())
        ys = np.array([np.floor((p.reward / 4 - 0.5) * 16384 + 0.5) / 16384 for p in people])
        gram, moment = rows.T @ rows, rows.T @ ys
        n, squares = saved["n"], saved["squares"]
        total, sums = np.array(saved["moment"]), np.zeros(gram.shape)
        for i, row in enumerate(saved["gram"]):
            sums[i, : i + 1] = row
        if "epoch" in saved:  # the rows of the epoch under way are kept as rows
            epoch = saved["epoch"]
            held = np.array(epoch["rows"]).reshape(-1, columns.sum())
            late = np.array(epoch["rewards"])
            n, squares = n + epoch["held"], squares + late @ late + epoch["squares"]
            total, sums = total + held.T @ late, sums + np.tril(held.T @ held)
            total[0] += epoch["moment"]
            sums[0, 0] += epoch["held"] - len(late)
        assert n == len(people)
        assert np.array_equal(np.tril(gram), sums)
        assert np.array_equal(moment, total)
        assert squares == ys @ ys


def answers_of(answers):
    """As a visit keeps them: options in the order of the question."""
    return {
        q: [o for o in ("tv", "web") if o in a] if q == "media" else a for q, a in answers.items()
    }


KINDS = [
    lambda arms: al.LinUCB(SURVEY, arms=arms, reward=(0, 4)),
    lambda arms: al.RidgeSurveyUCB(
        SURVEY, arms=arms, reward=(0, 4), beta_min=3, sigma=0.05, b2=0.1, interactive=True
    ),
    lambda arms: al.SurveyBandit(
        SURVEY, arms=arms, reward=(0, 4), beta_min=3, explore=0.3, price=0
    ),
    lambda arms: al.EpochSurveyUCB(
        SURVEY, arms=arms, reward=(0, 4), beta_min=3, sigma=0.02, b2=0.1
    ),
    lambda arms: al.Uniform(SURVEY, arms=arms, reward=(0, 4)),
]


def play(seed, steps=20):
    """Play one sequence; returns how often each thing was done."""
    rng = np.random.default_rng([20261115, seed])
    policy = KINDS[seed % len(KINDS)]([f"arm{k}" for k in range(int(rng.integers(1, 4)))])
    operations = Operations(policy, rng, queued=bool(seed // len(KINDS) % 2))
    for i in range(steps):
        try:
            operations.step()
        except Exception as error:
            raise AssertionError(f"sequence {seed}, step {i}: {error!r}") from error
    return operations

"""Many threads in one policy: what readers see is that of one moment, and no row is lost.

The learner goes through visits that were played before, one after the other, so that every table
that the policy can show is known for each of its versions. A reader notes the version before and
after it has looked; its table must be that of a version in between.
"""

import copy
import sys
import threading
from contextlib import contextmanager, nullcontext

import numpy as np

import askless as al

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["children", "animals", "climate"]),
    ]
)
ARMS = ["red", "blue", "green"]
LEAST = 5  # tables and visits of a thread, however soon the learner is done


def survey_bandit(**settings):
    return al.SurveyBandit(SURVEY, arms=ARMS, reward=(0, 1), beta_min=0.3, **settings)


def ridge(**settings):
    return al.RidgeSurveyUCB(SURVEY, arms=ARMS, reward=(0, 1), beta_min=0.0, **settings)


def answers(rng):
    return {
        "age": float(rng.uniform(18, 90)),
        "donor": [True, False, None][int(rng.integers(3))],
        "cause": str(rng.choice(SURVEY["cause"].options)),
    }


def reward(rng, arm, given):
    likes = (given["age"] > 50) == (arm == "red")
    return float(np.clip(0.3 + 0.4 * likes + rng.uniform(-0.3, 0.3), 0, 1))


def asked(policy, rng, given=None, **start):
    """Take somebody through a visit."""
    given, visit = given or answers(rng), policy.visit(**start)
    while visit.asks:
        visit.answer({name: given[name] for name in visit.asks})
    return visit, given


def arrays(policy):
    with policy.lock:  # two things of one moment
        return policy.rows.tolist(), policy.estimate.tolist()


LOOKS = {
    "effects": lambda policy: policy.effects(),
    "evidence": lambda policy: policy.evidence(),
    "arrays": arrays,
    "scores": lambda policy: policy.ucb([1, 0.25, 0.5, 0, 1, 0, 0]).tolist(),
    "as data": lambda policy: policy.to_dict()["state"],
    "a copy": lambda policy: copy.deepcopy(policy).estimate.tolist(),
}


class Story:
    """Visits in the order in which they are learned, and what the policy shows after each."""

    def __init__(self, make, count, seed=0):
        self.make, rng = make, np.random.default_rng(seed)
        policy = make()
        self.looks = dict(LOOKS)
        if make is ridge:  # to be saved it derives its models anew, and last digits change
            del self.looks["as data"]
        self.lessons = []
        self.shown = {look: [repr(table(policy))] for look, table in self.looks.items()}
        for _ in range(count):
            visit, given = asked(policy, rng)
            earned = reward(rng, visit.arm, given)
            saved = visit.to_dict()
            policy.learn(visit, earned)
            self.lessons.append((saved, earned))
            for look, table in self.looks.items():
                self.shown[look].append(repr(table(policy)))
        self.versions = policy.version
        assert policy.version == count  # a version a row: the tables above are those of each

    def fits(self, look, seen, first, last):
        """Whether a table is one of those that a policy shows from one version to another."""
        return seen in self.shown[look][first : last + 1]


def without_lock(policy):
    """Take the lock away: what the tests below must notice."""
    policy.lock = nullcontext()
    return policy


@contextmanager
def often_switching():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(*jobs):
    """Run jobs, a thread each; raise what the first of them raised."""
    raised = []

    def run(job):
        try:
            job()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    with often_switching():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if raised:
        raise raised[0]


def watched(story, policy, readers, visitors):
    """Learn a story while others read and visit; return how often they did, and what was torn."""
    done, torn, reads, visits = threading.Event(), [], [], []

    def learn():
        try:
            for saved, earned in story.lessons:
                policy.learn(policy.visit(saved), earned)
        finally:
            done.set()

    def read(own):
        rng, looks, least = np.random.default_rng(own), list(story.looks), LEAST
        while not done.is_set() or (least := least - 1) >= 0:
            look = looks[int(rng.integers(len(looks)))]
            first = policy.version
            seen = repr(LOOKS[look](policy))
            last = policy.version
            reads.append(look)
            if not story.fits(look, seen, first, last):
                torn.append((look, first, last))

    def visit(own):
        rng, number, least = np.random.default_rng(own), 10**9 * own, LEAST
        while not done.is_set() or (least := least - 1) >= 0:
            number += 1
            made, _ = asked(policy, rng, number=number)
            assert made.arm in ARMS
            assert abs(sum(made.propensities.values()) - 1) < 1e-9
            visits.append(number)

    jobs = [lambda own=own: read(own) for own in range(readers)]
    jobs += [lambda own=own: visit(own) for own in range(1, visitors + 1)]
    together(learn, *jobs)
    return {"read": len(reads), "visited": len(visits)}, torn


def crowded(policy, threads, people):
    """Let several threads visit and learn at once; return what each of them has learned."""
    learned = [[] for _ in range(threads)]

    def go(own):
        rng = np.random.default_rng(own)
        for _ in range(people):
            visit, given = asked(policy, rng)
            earned = reward(rng, visit.arm, given)
            policy.learn(visit, earned)
            learned[own].append((visit.number, visit.arm, visit.context(), earned))

    together(*(lambda own=own: go(own) for own in range(threads)))
    return [row for rows in learned for row in rows]

"""A small live study that tests put into a database: its file, its clock, the people who come."""

from contextlib import contextmanager

import numpy as np

import askless as al
from askless.errors import AsklessError
from askless.storage import Answer, Database, LiveStudy, Reward, Start

TEXT = """
schema: 1
name: small
questions:
  - {kind: scale, name: age, low: 0, high: 10}
  - {kind: yes_no, name: donor, may_skip: true}
  - {kind: choice, name: region, options: [north, east, south]}
arms:
  - {name: mail}
  - {name: call}
reward: {low: 0, high: 1%s}
policy: {name: %s, beta_min: 0.2%s}
"""
DAY = 86_400.0
NOW = 20_000 * DAY + 40_000.0  # some day, about eleven


def small(policy="survey-bandit", settings="", window="", silence=None):
    """The study, with rewards that may have a window."""
    late = f", window: {window}" if window else ""
    late += "" if silence is None else f", silence: {silence}"
    return al.Study.parse(TEXT % (late, policy, f", {settings}" if settings else ""))


class Clock:
    """Stands still until a test moves it."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now


class World:
    """A live study as one process sees it, and people who come to it."""

    def __init__(self, database, study=None, clock=None, seed=0):
        self.clock = clock or Clock()
        self.database = database
        self.live = LiveStudy.open(database, study or small(), clock=self.clock)
        self.rng = np.random.default_rng(seed)

    def do(self, operation):
        """Do one thing, which must not be refused."""
        (outcome,) = self.live.run([operation])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def refused(self, operation):
        """Return the error with which it is refused."""
        (outcome,) = self.live.run([operation])
        assert isinstance(outcome, AsklessError), outcome
        return outcome

    def person(self, **answers):
        """What somebody would answer."""
        drawn = {
            "age": round(float(self.rng.uniform(0, 10)), 2),
            "donor": [True, False, None][self.rng.integers(3)],
            "region": ["north", "east", "south"][self.rng.integers(3)],
        }
        return drawn | answers

    def start(self, own=None, **answers):
        """Somebody comes and answers one question."""
        seen = self.do(Start(own))
        name = seen.asks[0]
        return self.do(Answer(seen.visit, {name: self.person(**answers)[name]}))

    def decided(self, own=None, **answers):
        """Somebody comes and answers everything."""
        seen, person = self.do(Start(own)), self.person(**answers)
        while seen.asks:
            seen = self.do(Answer(seen.visit, {name: person[name] for name in seen.asks}))
        return seen

    def paid(self, own=None, reward=None, **answers):
        """Somebody comes, answers everything and brings a reward."""
        seen = self.decided(own, **answers)
        drawn = round(float(self.rng.uniform(0, 1)), 3)
        return self.do(Reward(seen.visit, drawn if reward is None else reward))

    def digest(self):
        """Of the state at the end of the journal; this process must not go on after it."""
        return self.live.look(lambda replica: replica.as_snapshot().digest)


@contextmanager
def opened(address):
    """A database with its tables, closed in the end."""
    database = Database(address)
    try:
        database.migrate()
        yield database
    finally:
        database.close()

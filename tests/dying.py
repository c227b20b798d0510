"""Processes that die at a write point of a live study, and callers who go on with the next one.

Run as a script it is their mother: it has imported everything, and forks one after the other.
"""

import os
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from askless.storage import Database, LiveStudy, replica, write_points
from live_world import World, opened, small
from told import Person, proved

SNAPSHOTS = 5  # learned visits between two of them: each process shall come to one
DEATH = 137
AT_ONCE = 6  # people who are there at the same time


def often(monkeypatch):
    """Let this process make a snapshot after few visits, as its children do."""
    for name in ("FIRST_SNAPSHOT", "MOST_BETWEEN"):
        monkeypatch.setattr(replica, name, SNAPSHOTS)


class Mother:
    """Starts processes that work at a study until they die; ends with the block."""

    def __enter__(self):
        self.pipe, far = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(far.fileno())],
            pass_fds=[far.fileno()],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        )
        far.close()
        return self

    def __exit__(self, *_):
        self.pipe.close()
        assert self._process.wait() == 0

    def child(self, address, study, point, times):
        """Start a process that dies when it reaches a point for so many times."""
        self.pipe.send((address, study, point, times))

    def asked(self, batch):
        """Return the outcomes of operations, or the status with which the process ended."""
        self.pipe.send(batch)
        return self.pipe.recv()


def warm():
    """Import what a study needs, so that those who are forked need not."""
    with tempfile.TemporaryDirectory() as folder, opened(f"{folder}/study.db") as database:
        World(database, small()).paid()
    Database("postgresql://nowhere").close()


def bear(pipe):
    """Fork processes as they are asked for, and say how they ended."""
    while True:
        try:
            wanted = pipe.recv()
        except EOFError:
            return
        if isinstance(wanted, list):
            continue  # the last process died before it read them
        child = os.fork()
        if child == 0:
            work(pipe, *wanted)
        pipe.send(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def work(pipe, address, study, point, times):
    """Do what callers want, and tell them as the service does: once it is safe."""
    write_points.plan(point, times)
    live = LiveStudy(Database(address), study)
    while True:
        live.run(pipe.recv(), pipe.send)


class Crowd:
    """People who come to a study one after the other, several at a time."""

    def __init__(self, seed, leaving=False):
        self.rng, self.leaving = np.random.default_rng(seed), leaving
        self.people, self.there = [], []
        self.calls = 0

    def batch(self):
        """Who wants what now; now and then somebody asks again for what they have been told."""
        while len(self.there) < AT_ONCE:
            number = len(self.people)
            leaves = self.leaving and number % 5 == 0
            person = Person.drawn(self.rng, f"person {number}", leaves)
            self.people.append(person)
            self.there.append(person)
        count = int(self.rng.integers(1, AT_ONCE + 1))
        chosen = [self.there[i] for i in self.rng.permutation(AT_ONCE)[:count]]
        return [(person, person.wants()) for person in chosen]

    def told(self, asked, outcomes):
        """Note what was said; whoever has all they want goes."""
        for (person, _), outcome in zip(asked, outcomes, strict=True):
            person.told(outcome)
            self.calls += 1
        self.there = [person for person in self.there if person.wants() is not None]


def deaths(mother, crowd, database, address, study, rounds):
    """Let a process die at every write point, so many times; prove the study after each."""
    for _ in range(rounds):
        for point in map(str, crowd.rng.permutation(write_points.POINTS)):
            assert death(mother, crowd, address, study, point) == DEATH
            found, journal = proved(database, study, crowd.people)
            assert journal.replica.as_snapshot().digest == found.digest
            yield found


def death(mother, crowd, address, study, point):
    """Let one process work until it dies at a point; returns how it ended."""
    mother.child(address, study, point, int(crowd.rng.integers(1, 8)))
    while True:
        asked = crowd.batch()
        # Twice in one batch, as from a caller who was too impatient.
        again = asked + asked[: int(crowd.rng.integers(2))]
        said = mother.asked([operation for _, operation in again])
        if isinstance(said, int):
            return said
        crowd.told(again, said)


if __name__ == "__main__":
    replica.FIRST_SNAPSHOT = replica.MOST_BETWEEN = SNAPSHOTS
    warm()
    bear(Connection(int(sys.argv[1])))

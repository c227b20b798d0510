"""Many callers of several workers at once: each reward comes three times, some come too late."""

import http.client
import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from prometheus_client.mmap_dict import MmapedDict

from told import Person

CALLERS = 8
TIMES = 3  # how often a reward is sent
WAVES = 5  # a reward is sent while the next wave of people comes
HELD = 10  # in the first two waves every tenth reward is sent when all have come


def window_of(people):
    """The window, in visits, in which a reward comes that is not held: two waves."""
    return 2 * people // WAVES


class Line:
    """A connection, which is kept: one worker answers all that is sent over it."""

    def __init__(self, service):
        self._to = http.client.HTTPConnection("127.0.0.1", service.port)
        self._path = f"/v1/studies/{service.study}/visits"
        self._head = {
            "Authorization": f"Bearer {service.key}",
            "Content-Type": "application/json",
        }

    def post(self, path, body):
        """Send JSON; returns what is answered, which must not be a refusal."""
        self._to.request("POST", self._path + path, json.dumps(body), self._head)
        answer = self._to.getresponse()
        said = json.loads(answer.read())
        assert answer.status in (200, 201), (answer.status, said)
        return said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._to.close()


def served(service):
    """How many requests each worker has answered, by its process, as it counts them itself."""
    counts = {}
    for file in service.folder.glob("askless-measures-*/counter_*.db"):
        if file.stat().st_size == 0:  # its worker has just begun
            continue
        values = MmapedDict.read_all_values_from_file(str(file))
        counts[int(file.stem.split("_")[1])] = sum(
            value for key, value, *_ in values if json.loads(key)[1] == "askless_requests_total"
        )
    return counts


def line_to_each(service, stack):
    """Return a connection to every worker, by its process; nobody else may call meanwhile."""
    lines = {}
    while len(lines) < service.workers:
        before, line = served(service), stack.enter_context(Line(service))
        line.post("", {"id": "nobody"})
        after = before
        while sum(after.values()) == sum(before.values()):  # it is counted after the answer
            time.sleep(0.001)
            after = served(service)
        changed = [pid for pid in after if after[pid] != before.get(pid, 0)]
        if len(changed) == 1:  # else an earlier call was only counted now: try again
            lines[changed[0]] = line  # the newest: those that are idle for long are closed
    return lines


def handed_on(lines, person):
    """Let somebody visit, each step at the next worker; returns what was said last."""
    turns = itertools.cycle(lines.values())
    seen = next(turns).post("", {"id": person.own})
    path = f"/{seen['visit']}"
    while seen["arm"] is None:
        name = seen["asks"][0]["name"]
        answers = {name: person.answers[name]}
        seen = next(turns).post(f"{path}/answers", {"answers": answers})
    seen = next(turns).post(f"{path}/reward", {"reward": person.pays})
    return next(turns).post("", {"id": person.own}) | {"paid": seen["reward"]}


class Rush:
    """So many people who bring rewards to several workers, and what each was told.

    Attributes
    ----------
    people : list of Person
        In the order in which they come; those of `held` bring their rewards too late.
    told : list of dict
        For every reward that was sent, what was answered.
    """

    def __init__(self, service, people, seed):
        self._service, self.rng = service, np.random.default_rng(seed)
        self.people = [Person.drawn(self.rng, f"person {n}") for n in range(people)]
        wave = people // WAVES
        self._waves = [self.people[first : first + wave] for first in range(0, people, wave)]
        early = self._waves[0] + self._waves[1]
        self.held = {person.own for person in early[::HELD]}
        self.told = []

    def run(self, progress=lambda done: None):
        """Let everybody come; rewards that are held come when all of them have."""
        due = []
        with ThreadPoolExecutor(CALLERS) as callers:
            for wave in self._waves:
                calls = [(self._come, person) for person in wave]
                self._all(callers, calls + due)
                in_time = [person for person in wave if person.own not in self.held]
                due = [(self._pay, person) for person in in_time] * TIMES
                progress(len(self.told))
            self._all(callers, due)
            late = [person for person in self.people if person.own in self.held]
            self._all(callers, [(self._pay, person) for person in late] * TIMES)
            progress(len(self.told))

    def _all(self, callers, calls):
        """Make calls at the same time, in any order."""
        order = self.rng.permutation(len(calls))
        for made in [callers.submit(*calls[n]) for n in order]:
            made.result()

    def _come(self, person):
        with Line(self._service) as line:
            seen = line.post("", {"id": person.own, "known": person.answers})
        person.visit, person.number, person.arm = seen["visit"], seen["number"], seen["arm"]["name"]

    def _pay(self, person):
        with Line(self._service) as line:
            seen = line.post(f"/{person.visit}/reward", {"reward": person.pays})
        assert (seen["number"], seen["arm"]["name"]) == (person.number, person.arm)
        assert seen["reward"] == person.pays
        person.reward = seen["reward"]
        self.told.append((person.own, seen["status"]))

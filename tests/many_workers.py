"""Many callers of several workers at once: every reward comes three times, shuffled, some too late."""

import http.client
import itertools
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from prometheus_client.mmap_dict import MmapedDict

from told import Person

CALLERS = 6
TIMES = 3  # how often a reward is sent
WAVES = 5  # a reward is sent while the next wave of people comes
HELD = 0.1  # of the first two waves: rewards that are sent when all is over


def window_of(people):
    """The window, in visits, within which rewards come unless they are held: two waves."""
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
        """Send JSON; returns what is answered, which must not be refused."""
        self._to.request("POST", self._path + path, json.dumps(body), self._head)
        answer = self._to.getresponse()
        said = json.loads(answer.read())
        assert answer.status in (200, 201), (answer.status, said)
        return said

    def close(self):
        self._to.close()


def served(service):
    """How many requests each worker has answered, by its process, as it counts them itself."""
    counts = {}
    for file in service.folder.glob("askless-measures-*/counter_*.db"):
        values = MmapedDict.read_all_values_from_file(str(file))
        counts[int(file.stem.split("_")[1])] = sum(
            value for key, value, _, _ in values if json.loads(key)[1] == "askless_requests_total"
        )
    return counts


def line_to_each(service):
    """Connections to every worker, by its process; nobody else may call meanwhile."""
    lines = {}
    while len(lines) < service.workers:
        line, before = Line(service), served(service)
        line.post("", {"id": "nobody"})
        after = served(service)
        while sum(after.values()) == sum(before.values()):  # it is counted after the answer
            time.sleep(0.001)
            after = served(service)
        (worker,) = [pid for pid in after if after[pid] != before.get(pid, 0)]
        lines.setdefault(worker, line)
        if lines[worker] is not line:
            line.close()
    return lines

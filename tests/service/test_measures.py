"""What several workers have measured is put together, whenever one of them begins or ends."""

import os
import subprocess
import sys

import pytest

from askless.service.measures import SHARED

# A worker of its own: prometheus_client settles when it is imported how it keeps numbers.
WORKER = """
import sys
from askless.service.measures import Measures
measures = Measures()
for _ in range(int(sys.argv[1])):
    measures.request("charity", "visits", 201, 0.002)
    measures.request("another", "visits", 201, 0.002)
print(measures.text("charity", {"visits": 7.0}).decode())
"""


@pytest.fixture
def worked(tmp_path):
    """Lets a worker count so many requests of two studies; returns what it then shows of one."""

    def work(count):
        place = os.environ | {SHARED: str(tmp_path)}
        command = [sys.executable, "-c", WORKER, str(count)]
        return subprocess.run(command, env=place, capture_output=True, text=True, check=True).stdout

    return work


def counted(text):
    (line,) = [line for line in text.splitlines() if line.startswith("askless_requests_total{")]
    assert 'study="charity"' in line
    return float(line.split()[-1])


def test_the_requests_of_all_workers_are_added_up(worked):
    """Fails if a worker's are left out or counted twice, or another study's are shown."""
    assert [counted(worked(3)), counted(worked(4)), counted(worked(0))] == [3, 7, 7]


def test_a_worker_that_begins_spoils_nothing(worked, tmp_path):
    """Fails if the file that it has made and not yet filled is read: there is nothing in it."""
    (tmp_path / "counter_4000000.db").touch()
    text = worked(2)
    assert counted(text) == 2
    assert 'askless_visits{study="charity"} 7.0' in text

"""The real server dies between any two pages: nothing that a person has sent is lost."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from askless.storage import Database, verify
from askless.storage.journal import list_events
from askless.survey.study import EXAMPLE
from page_person import GIVEN, PagePerson, page_client
from service_processes import answers

pytestmark = pytest.mark.slow


@pytest.fixture
def server(address, tmp_path):
    """Starts `askless serve` on one port; it ends as by kill -9."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base, running = f"http://127.0.0.1:{port}", []

    def start():
        command = [sys.executable, "-m", "askless", "serve", str(EXAMPLE), "--db", address]
        command += ["--port", str(port), "--quiet"]
        with (tmp_path / "log").open("ab") as log:
            running.append(subprocess.Popen(command, stdout=log, stderr=log))
        while not answers(port):
            assert running[-1].poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.02)
        return base

    def kill():
        os.kill(running[-1].pid, signal.SIGKILL)
        running[-1].wait()

    yield start, kill
    if running and running[-1].poll() is None:
        kill()


def test_no_answer_is_lost_when_the_server_dies_between_two_pages(server, address):
    """Fails if a page that was shown stood on something that was not yet safe."""
    start, kill = server
    with page_client(start()) as client:
        person = PagePerson(client)
        person.get()
        headings = []

        def again():
            before = person.page.heading
            kill()
            start()
            assert person.get().heading == before
            headings.append(before)

        again()
        person.send("consent")
        again()
        while person.page.asks:
            person.answer()
            again()
        person.send("reward", reward="7")
        again()
        assert "Your answer is saved." in person.page.text
    kill()
    assert headings == [
        "Before you begin",
        *(f"Questions {i} to {i + 1} of at most 8" for i in (1, 3, 5, 7)),
        "Your result",
        "Your result",
    ]
    database = Database(address)
    events = list_events(database, 1, 0, 1_000)
    (decided,) = [event for event in events if event["kind"] == "decided"]
    assert decided["body"]["record"]["answers"] == GIVEN
    assert [e["body"]["reward"] for e in events if e["kind"] == "rewarded"] == [70.0]
    assert verify(database, "charity").ok
    database.close()

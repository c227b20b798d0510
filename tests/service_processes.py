"""A real `askless serve` on this machine: started, killed, started again; and callers of it."""

import copy
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

import askless as al
from askless.client import attempts
from askless.errors import ServiceError
from askless.storage import LiveStudy
from askless.storage.keys import make_key
from dying import DEATH
from told import Person

ASKLESS = Path(sys.executable).parent / "askless"
FIRST_PORT, PORTS = 20_000, 10_000  # below those that the system gives to callers
CALLERS = 4


def free_port():
    """A port that stays free while nobody listens there."""
    first = os.getpid() * 37
    for port in (FIRST_PORT + (first + step) % PORTS for step in range(PORTS)):
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                line.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no port is free")


def answers(port):
    """Whether a service is there that can do its work."""
    try:
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")
            return line.recv(100).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False


class ServiceProcess:
    """`askless serve` as people start it, on one address; ended with the block."""

    def __init__(self, folder, study, database, address, workers=1):
        self.file, self.log = folder / "study.yaml", folder / "log.txt"
        self.file.write_text(study.located.text)
        LiveStudy.open(database, study)
        self.key = make_key(database, study.name, ["admin"])
        self.study, self._database, self.workers = study.name, address, workers
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self, **environment):
        """Start it; it is not ready yet."""
        settings = {
            "--db": self._database,
            "--port": self.port,
            "--workers": self.workers,
            "--key-rate": 0,
            "--address-rate": 0,
        }
        options = [str(part) for setting in settings.items() for part in setting]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [ASKLESS, "serve", self.file, *options, "--quiet"],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, "TMPDIR": str(self.folder), **environment},
                start_new_session=True,
            )

    def works(self):
        """Whether it has not ended."""
        return self.process.poll() is None

    def kill(self):
        """End it and its workers, as after a power cut; returns how it ended."""
        os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()

    def stop(self):
        """End it as a person does."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()

    def notes(self):
        """What it has written to its log."""
        return self.log.read_text()

    def wait(self):
        """Wait until it answers."""
        while not answers(self.port):
            assert self.works(), self.notes()
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None and self.works():
            self.kill()


class Callers:
    """Threads that bring people to a service and ask again, without end, where no answer comes."""

    def __init__(self, service, seed):
        self._service, self.rng = service, np.random.default_rng(seed)
        self.people, self.calls = [], 0
        self._changed, self._failed = threading.Condition(), None
        self._stopping = self._giving_up = False
        self._threads = [threading.Thread(target=self._work) for _ in range(CALLERS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind, *_):
        """Let everybody finish who is there; after an error nobody needs to."""
        self._stopping, self._giving_up = True, kind is not None
        for thread in self._threads:
            thread.join()
        if kind is None and self._failed is not None:
            raise self._failed

    def _work(self):
        service = self._service
        try:
            with al.Client(service.url, service.study, service.key, retries=20) as client:
                while not self._stopping:
                    self._visit(client, self._next())
        except BaseException as error:
            with self._changed:
                self._failed = error
                self._changed.notify_all()

    def _next(self):
        with self._changed:
            person = Person.drawn(self.rng, f"person {len(self.people)}")
            self.people.append(person)
            return person

    def _visit(self, client, person):
        visit = self._answered(lambda: client.visit(id=person.own))
        self._told(person, visit)
        while visit.asks:
            answers = {name: person.answers[name] for name in visit.asks[:2]}
            self._answered(lambda: visit.answer(answers))  # noqa: B023 (called at once)
            self._told(person, visit)
        self._answered(lambda: client.learn(visit, person.pays))
        self._told(person, visit)

    def _answered(self, call):
        """Call until an answer comes: a start of the service may take longer than a client."""
        while True:
            try:
                return call()
            except ServiceError:
                if self._giving_up:
                    raise

    def _told(self, person, visit):
        with self._changed:
            person.hears(visit.token, visit)
            self.calls += 1
            self._changed.notify_all()

    def wait(self, calls):
        """Wait until so many more calls have been answered."""
        with self._changed:
            until = self.calls + calls
            while self.calls < until and self._service.works():
                if self._failed is not None:
                    raise self._failed
                self._changed.wait(0.1)

    def told(self):
        """What everybody has been told by now."""
        with self._changed:
            return copy.deepcopy(self.people)


def killed(service, callers):
    """Kill a service under load, at any moment."""
    callers.wait(int(callers.rng.integers(20, 120)))
    time.sleep(callers.rng.uniform(0, 0.01))  # anywhere between two answers
    assert service.works(), service.notes()
    assert service.kill() == -signal.SIGKILL


def exited(service, callers):
    """Wait until a service has ended at the write point that it was started with."""
    while service.works():
        callers.wait(100)
    assert service.process.wait() == DEATH, service.notes()


def impatient(monkeypatch):
    """Let clients ask again soon: what they wait for is down only for a moment."""
    monkeypatch.setattr(attempts, "FIRST_WAIT", 0.02)
    monkeypatch.setattr(attempts, "LONGEST_WAIT", 0.1)

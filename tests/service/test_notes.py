"""What several workers write down: routes, and nothing of a request."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

import askless as al
from askless.survey.study import EXAMPLE

pytestmark = pytest.mark.slow


def free_port():
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]


def test_the_notes_of_workers_name_routes_and_never_a_visit_or_a_key(new_address, tmp_path):
    """Fails if a worker notes the address that was called, as uvicorn does by itself."""
    address, port = new_address("postgresql"), free_port()
    command = [sys.executable, "-m", "askless", "serve", str(EXAMPLE), "--db", address]
    command += ["--workers", "2", "--port", str(port)]
    with (tmp_path / "notes").open("wb") as notes, (tmp_path / "said").open("wb") as said:
        server = subprocess.Popen(command, stdout=said, stderr=notes, start_new_session=True)
        try:
            with al.Client(f"http://127.0.0.1:{port}", "charity", "none") as anybody:
                wait_for(anybody, server)
            key = (tmp_path / "said").read_text().split()[-1]
            with al.Client(f"http://127.0.0.1:{port}", "charity", key) as client:
                tokens = {client.find(client.visit(id=f"person {i}").token).token for i in range(8)}
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()
    text = (tmp_path / "notes").read_text()
    assert len(tokens) == 8
    assert text.count("POST /v1/studies/{study}/visits 201") == 8
    assert text.count("GET /v1/studies/{study}/visits/{visit} 200") == 8
    for secret in (*tokens, key, "person "):
        assert secret not in text


def wait_for(client, server):
    while server.poll() is None:
        try:
            return client.health()
        except al.errors.ServiceError:
            time.sleep(0.05)
    raise AssertionError("the service has ended")

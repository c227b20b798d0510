"""Answers do not wait for full packets, also where workers share a socket."""

import http.client
import json
import socket
import threading
from contextlib import closing, contextmanager

import pytest
import uvicorn

from askless.service.prompt import PROMPT


async def said(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"yes"})


@contextmanager
def serving():
    """Serve over a socket as workers share it; give the server and its address."""
    config = uvicorn.Config(said, port=0, log_config=None, lifespan="off", http=PROMPT)
    server = uvicorn.Server(config)
    with closing(config.bind_socket()) as shared:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [shared]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                thread.join(0.01)
            yield server, shared.getsockname()
        finally:
            server.should_exit = True
            thread.join()


def test_a_shared_socket_answers_at_once():
    """Fails if a connection over the socket that workers share waits for full packets."""
    with serving() as (server, address), closing(http.client.HTTPConnection(*address)) as line:
        line.request("GET", "/")
        assert line.getresponse().read() == b"yes"
        (taken,) = server.server_state.connections
        own = taken.transport.get_extra_info("socket")
        assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    "sent",
    [
        b"FOO-43.25 / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -43.25\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: \x0043.25\r\n\r\n",
        b"\x16\x03\x0143.25",  # https where http is spoken
    ],
)
def test_what_is_no_http_is_refused_in_the_one_shape(sent):
    """Fails if the server's own errors have another shape, or repeat what was sent."""
    with serving() as (_, address), socket.create_connection(address) as line:
        line.sendall(sent)
        got = b"".join(iter(lambda: line.recv(4096), b""))
    head, body = got.split(b"\r\n\r\n", 1)
    assert head.startswith(b"HTTP/1.1 400 ")
    assert f"content-length: {len(body)}".encode() in head
    error = json.loads(body)["error"]
    assert error.keys() == {"code", "message"}
    assert b"43.25" not in got

"""Answers do not wait for full packets, also where workers share a socket."""

import contextlib
import http.client
import json
import re
import select
import socket
import threading
from contextlib import closing, contextmanager

import pytest
import uvicorn

from askless.service.prompt import MOST_BYTES, PROMPT


async def said(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"yes"})


async def heard(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await said(scope, receive, send)


@contextmanager
def serving(app=said):
    """Serve over a socket as workers share it; give the server and its address."""
    config = uvicorn.Config(app, port=0, log_config=None, lifespan="off", http=PROMPT)
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


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"GET / HTTP/1.1\r\nX: ", b"a" * 1_000),
        (b"GET / HTTP/1.1\r\n", b"X: a\r\n" * 200),
        (b"GET / HTTP/1.1\r\n", b"X" * 1_000),
        (b"GET /", b"a" * 1_000),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"a" * 1_000),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: a\r\n" * 200),
    ],
    ids=["value", "many", "name", "address", "last value", "many last"],
)
def test_headers_without_end_are_refused_in_the_one_shape(begin, piece):
    """Fails if a stranger can have any amount of headers kept, before a body or after it."""
    with serving(heard) as (_, address), socket.create_connection(address) as line:
        line.settimeout(10)
        line.sendall(begin)
        with contextlib.suppress(ConnectionError):  # it is not read to an end that it has not
            for _ in range(2_000):
                if select.select([line], [], [], 0)[0]:
                    break
                line.sendall(piece)
        got = line.recv(4096)
    head, body = got.split(b"\r\n\r\n", 1)
    assert head.startswith(b"HTTP/1.1 431 ")
    assert f"content-length: {len(body)}".encode() in head
    error = json.loads(body)["error"]
    assert error == {
        "code": "too_large",
        "message": "the headers are larger than 65536 bytes; send less",
    }


def largest(more=0):
    """The largest request, or one that has more."""
    value = b"a" * (MOST_BYTES - len("/X: \r\n") + more)
    return b"GET / HTTP/1.1\r\nX: %s\r\n\r\n" % value


def test_headers_are_counted_for_each_request():
    """Fails if many requests of one connection are taken for a large one, or bodies for headers."""
    large = b"POST / HTTP/1.1\r\nContent-Length: 200000\r\n\r\n" + b"a" * 200_000
    last = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
    many = largest() * 3 + large + largest() + last
    for sent, status in ((many, [b"200"] * 6), (largest(1), [b"431"])):
        with serving(heard) as (_, address), socket.create_connection(address) as line:
            line.settimeout(10)
            line.sendall(sent)
            got = b"".join(iter(lambda line=line: line.recv(4096), b""))
        assert re.findall(rb"HTTP/1.1 (\d+) ", got) == status

"""Answers do not wait for full packets, also where workers share a socket."""

import http.client
import socket
import threading

import uvicorn

from askless.service.prompt import PROMPT


async def said(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"yes"})


def test_a_shared_socket_answers_at_once():
    """Fails if a connection over the socket that workers share waits for full packets."""
    config = uvicorn.Config(said, port=0, log_config=None, lifespan="off", http=PROMPT)
    shared = config.bind_socket()
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [shared]})
    thread.start()
    line = http.client.HTTPConnection(*shared.getsockname())
    try:
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        line.request("GET", "/")
        assert line.getresponse().read() == b"yes"
        (taken,) = server.server_state.connections
        own = taken.transport.get_extra_info("socket")
        assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    finally:
        line.close()
        server.should_exit = True
        thread.join()
        shared.close()

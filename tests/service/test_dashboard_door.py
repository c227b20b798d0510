"""The dashboard's door from the network: how often somebody may knock, from whichever address."""

import re
import threading
from contextlib import asynccontextmanager
from functools import partial

import anyio
import httpx
import pytest

from askless.service.app import create_app
from askless.service.aside import aside
from askless.service.dashboard import seats
from askless.storage import Database
from askless.storage.admins import set_password
from live_visits import open_live
from looking import PASSWORD

DOOR = "/dashboard/charity/sign-in"


@pytest.fixture
def app_of(tmp_path):
    database = Database(str(tmp_path / "study.db"))
    live = open_live(database)
    set_password(database, live.name, PASSWORD)
    yield lambda **rates: create_app(database, [live.name], **rates)
    database.close()


@asynccontextmanager
async def caller(app, address):
    transport = httpx.ASGITransport(app, client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="https://here") as client:
        yield client


async def tried(app, address):
    """Try a wrong password from an address, with a browser that has not been here."""
    async with caller(app, address) as client:
        page = await client.get(DOOR)
        token = re.search(r'name="form" value="(\w+)"', page.text)[1]
        form = {"form": token, "name": "admin", "password": "wrong password"}
        return (await client.post(DOOR, data=form)).status_code


def test_another_address_of_the_same_network_is_no_other_guesser(app_of):
    """Fails if whoever has an IPv6 network, as anybody has, can try passwords without end."""
    app = app_of()
    near = [f"2001:db8:0:1::{i:x}" for i in range(6)]
    mapped = ["192.0.2.1", "::ffff:192.0.2.1"]

    async def all_tried():
        return (
            [await tried(app, address) for address in near],
            await tried(app, "2001:db8:0:2::1"),
            [await tried(app, mapped[i % 2]) for i in range(6)],
        )

    by_one, by_another, by_old = anyio.run(all_tried)
    assert by_one == by_old == [401] * 5 + [429]
    assert by_another == 401


def test_knocking_too_often_is_refused_before_anything_is_looked_up(app_of):
    """Fails if strangers can have the database read as often as they like."""
    app = app_of(address_rate=1)

    async def knocked():
        async with caller(app, "192.0.2.1") as client:
            return [(await client.get(DOOR)).status_code for _ in range(6)]

    assert anyio.run(knocked) == [200] * 4 + [429] * 2


def test_one_who_cannot_be_let_in_holds_up_nobody_for_ever(app_of, monkeypatch):
    """Fails if signing in waits without end for a database that says nothing, or others behind."""
    app, answers, begun = app_of(), threading.Event(), []

    def hangs(*given):
        begun.append(given)
        answers.wait()

    async def all_tried():
        with anyio.fail_after(20), monkeypatch.context() as slow:
            slow.setattr(seats, "sign_in", hangs)
            slow.setattr(seats, "aside", partial(aside, seconds=0.3))
            async with anyio.create_task_group() as group:
                for i in range(3):
                    group.start_soon(note, f"192.0.2.{i}")
        with anyio.fail_after(20):
            return await tried(app, "192.0.2.9")

    async def note(address):
        refused.append(await tried(app, address))

    refused = []
    ending = threading.Timer(30, answers.set)  # of a thread that nobody leaves to itself
    ending.start()
    try:
        assert anyio.run(all_tried) == 401
    finally:
        answers.set()
        ending.cancel()
    assert refused == [503] * 3
    assert begun

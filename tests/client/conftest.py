"""A client of either kind, and waits that take no time."""

import pytest

from calling import Both
from pretend_service import KEY, PretendService


@pytest.fixture(params=["sync", "async"])
def clients(request):
    both = Both(request.param)
    yield both
    both.close()


@pytest.fixture
def waits(monkeypatch):
    """The seconds that clients would have waited, in place of waiting."""
    waited = []

    async def wait(seconds):
        waited.append(seconds)

    monkeypatch.setattr("askless.client.sync_client.sleep", waited.append)
    monkeypatch.setattr("askless.client.async_client.sleep", wait)
    return waited


@pytest.fixture
def service():
    return PretendService()


@pytest.fixture
def client(clients, service):
    address = "http://127.0.0.1:1"
    return clients(address, service.study.name, KEY, transport=service.transport())

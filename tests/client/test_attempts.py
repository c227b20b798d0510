"""Calls are made again where that is of use, and what was done once is never done twice."""

from email.utils import formatdate

import httpx
import pytest

import askless as al
from askless.errors import NotFoundError, PausedError, ServiceError, StorageError
from calling import Dropping
from pretend_service import KEY, PERSON, fresh

ADDRESS = "http://127.0.0.1:1"


class Flaky:
    """A service that first fails in given ways."""

    def __init__(self, service, *failures):
        self.service, self.failures, self.asked = service, list(failures), 0

    def __call__(self, request):
        self.asked += 1
        if not self.failures:
            return self.service(request)
        failure = self.failures.pop(0)
        if isinstance(failure, Exception):
            raise failure
        return fresh(failure)


def busy(status=503, code="storage", **headers):
    body = {"error": {"code": code, "message": "busy"}}
    return httpx.Response(
        status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def flaky(clients, service, *failures, **settings):
    served = Flaky(service, *failures)
    transport = httpx.MockTransport(served)
    return served, clients(ADDRESS, "charity", KEY, transport=transport, **settings)


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("hung up"),
        httpx.DecodingError("cut off"),
        busy(),
        busy(429, "too_many"),
        httpx.Response(502, text="<html>"),
        httpx.Response(504),
    ],
)
def test_what_passes_is_asked_again(clients, service, waits, failure):
    """Fails if one lost packet or a restart of the service loses a visit."""
    served, client = flaky(clients, service, failure, failure, failure)
    assert client.visit().number == 0
    assert served.asked == 4
    assert len(waits) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500])
def test_what_stays_is_asked_once(clients, service, waits, status):
    """Fails if a refusal is repeated in vain."""
    served, client = flaky(clients, service, busy(status, "said"))
    with pytest.raises(al.errors.AsklessError, match="busy"):
        client.visit()
    assert (served.asked, waits) == (1, [])


def test_waits_double_and_differ(clients, service, waits):
    """Fails if a hundred callers come back at once, or a service is hammered."""
    lost = [httpx.ConnectError("refused")] * 8
    _, client = flaky(clients, service, *lost, retries=8)
    client.visit()
    for wait, most in zip(waits, [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10], strict=True):
        assert most / 2 <= wait <= most
    assert len({wait / most for wait, most in zip(waits[-2:], (10, 10), strict=True)}) == 2


def test_retry_after_is_honoured(clients, service, waits):
    """Fails if the client comes back sooner than the service has asked for."""
    later = formatdate(2_000_000_000.0, usegmt=True)
    _, client = flaky(clients, service, busy(Retry_After="2"), busy(429, "many", Retry_After="7"))
    client.visit()
    assert 2.1 <= waits[0] <= 2.2
    assert 7.2 <= waits[1] <= 7.4
    for header in ("3600", "9" * 400, later):  # nobody waits for an hour in a call
        served, client = flaky(clients, service, busy(Retry_After=header))
        with pytest.raises(StorageError):
            client.visit()
        assert served.asked == 1
    for header in ("soon", "-1", formatdate(0.0, usegmt=True)):
        served, client = flaky(clients, service, busy(Retry_After=header))
        client.visit()
        assert served.asked == 2


def test_after_enough_attempts_it_is_said_what_is_known(clients, service, waits):
    """Fails if a caller is left without an error, or is told that nothing was done."""
    served, client = flaky(clients, service, *[httpx.ReadTimeout("slow")] * 9, retries=2)
    with pytest.raises(ServiceError, match=r"\(ReadTimeout\); it may or may not have done"):
        client.visit()
    assert served.asked == 3
    served, client = flaky(clients, service, *[busy()] * 9, retries=2)
    with pytest.raises(StorageError, match="busy"):
        client.visit()
    assert served.asked == 3


def test_a_paused_study_is_not_waited_for(clients, service, waits):
    """Fails if a page of a paused study hangs."""
    served, client = flaky(clients, service, busy(503, "paused", Retry_After="2"))
    with pytest.raises(PausedError):
        client.visit()
    assert (served.asked, waits) == (1, [])


def test_health_is_asked_once(clients, service, waits):
    """Fails if who watches a service hears late that it is down."""
    served, client = flaky(clients, service, httpx.ConnectError("refused"))
    with pytest.raises(ServiceError):
        client.health()
    assert (served.asked, waits) == (1, [])


def test_lost_answers_make_no_visit_and_no_reward_twice(clients, service, waits):
    """Fails if a call that was done, and whose answer was lost, does anything when made again."""
    dropping = Dropping(service.transport())
    client = clients(ADDRESS, "charity", KEY, transport=dropping)
    alone = al.policy_for(al.Study.example())
    for person in range(40):
        reward = person % 7 * 10
        visit = client.visit()
        while visit.asks:
            visit.answer({question: PERSON[question] for question in visit.asks})
        client.learn(visit, reward)
        beside = alone.visit()
        beside.answer({question: PERSON[question] for question in beside.asks})
        alone.learn(beside, reward)
        assert (visit.number, visit.arm) == (person, beside.arm)
    assert dropping.lost > 40
    assert len(service.visits) == len(service.rewards) == 40
    assert service.policy.to_dict() == alone.to_dict()


def test_an_erasure_whose_answer_is_lost_is_done(clients, service, waits):
    """Fails if erasing ends in an error because it has been done; the first must still say so."""
    client = clients(ADDRESS, "charity", KEY, transport=Dropping(service.transport()))
    visit, _ = client.visit(), client.find("token-0")
    client.erase(visit)  # the third answer is lost
    assert not service.visits
    with pytest.raises(NotFoundError):
        client.erase(visit)


def test_an_erasure_has_time_to_write_the_database_anew(clients, service, waits):
    """Fails if a client gives up after its ordinary time, and asks for it once more instead."""
    given = {}

    class Noting(httpx.BaseTransport, httpx.AsyncBaseTransport):
        def handle_request(self, request):
            given[request.method] = request.extensions["timeout"]
            return inner.handle_request(request)

        async def handle_async_request(self, request):
            given[request.method] = request.extensions["timeout"]
            return await inner.handle_async_request(request)

    inner = service.transport()
    client = clients(ADDRESS, "charity", KEY, transport=Noting(), timeout=7)
    client.erase(client.visit())
    assert given["POST"]["read"] == 7
    assert given["DELETE"]["read"] > 300  # the service's own limit
    assert given["DELETE"]["connect"] == 7

"""Both clients against the real service over loopback: it does what the pretended one does."""

import asyncio

import httpx
import pytest

import askless as al
from askless import errors
from calling import Dropping
from pretend_service import KEY, PERSON, PretendService
from served import served

pytestmark = pytest.mark.slow

REWARDS = [0, 60, 20, 100, 5]


def people(client, count):
    """Let people through, and say what each was shown."""
    said = []
    for person in range(count):
        visit = client.visit(known={"donor": True} if person % 2 else None)
        said.append((visit.number, visit.status, visit.questions, visit.at_most))
        while visit.asks:
            visit.answer({question: PERSON[question] for question in visit.asks[:5]})
            said.append((visit.asks, visit.at_most, visit.answers))
        client.learn(visit, REWARDS[person % 5])
        said.append((visit.arm, visit.arm_text, visit.reward, client.find(visit).answers))
    return said


@pytest.fixture
def real(tmp_path):
    with served(tmp_path) as found:
        yield found


def test_the_pretended_service_says_what_the_real_one_says(clients, real):
    """Fails if either service leaves the API that the other keeps."""
    address, key = real
    pretended = PretendService()
    beside = clients("http://127.0.0.1:1", "charity", KEY, transport=pretended.transport())
    client = clients(address, "charity", key)
    assert people(client, 12) == people(beside, 12)
    summary, pretended_summary = client.summary(), beside.summary()
    for said in ("study", "paused", "visits", "decided", "questions", "arms"):
        assert getattr(summary, said) == getattr(pretended_summary, said)
    assert client.health() == beside.health()
    assert client.effects() == beside.effects()


def wrong_calls(client):
    """Return the kinds of errors that wrong calls end in."""
    visit = client.visit(id="somebody")
    token = visit.token
    tries = [
        lambda: client.learn(token, 5),
        lambda: visit.answer({"age": 300}),
        lambda: visit.answer({"no such question": 3}),
        lambda: visit.revise({"age": 30}),
        lambda: client.find("A" * 24),
        lambda: visit.answer({"age": 30}),
        lambda: visit.answer({"age": 31}),
        lambda: visit.revise({"age": 32}),
        lambda: visit.answer({q: PERSON[q] for q in visit.asks}),
        lambda: client.learn(token, 1e6),
        lambda: client.learn(token, 5),
        lambda: client.learn(token, 6),
    ]
    ends = []
    for attempt in tries:
        try:
            attempt()
            ends.append(None)
        except errors.AsklessError as error:
            ends.append(type(error))
    return ends


def test_wrong_calls_end_in_the_library_s_errors(clients, real):
    """Fails if the real service's codes are not those that the client knows."""
    expected = [errors.VisitError, errors.AnswerError, errors.AnswerError, errors.AnswerError]
    expected += [errors.NotFoundError, None, errors.ConflictError, None, None]
    expected += [errors.RewardError, None, errors.ConflictError]
    assert wrong_calls(clients(real[0], "charity", real[1])) == expected


def test_keys_that_do_not_fit_are_refused(clients, tmp_path):
    """Fails if a wrong key, a wrong scope or another study is told in other ways."""
    with served(tmp_path, scopes=["serve"]) as (address, key):
        visit = clients(address, "charity", key).visit()
        visit.answer(PERSON)
        for call in (
            lambda: clients(address, "charity", key).learn(visit.token, 5),
            lambda: clients(address, "charity", key).summary(),
            lambda: clients(address, "charity", key).pause(),
            lambda: clients(address, "charity", f"{key}x").visit(),
        ):
            with pytest.raises(errors.KeyRefusedError) as refused:
                call()
            assert key not in str(refused.value)
        with pytest.raises(errors.NotFoundError):
            clients(address, "another", key).visit()


def test_too_many_calls_are_waited_for(clients, tmp_path):
    """Fails if a 429 of the real service, with its Retry-After, ends in an error."""
    with served(tmp_path, key_rate=1) as (address, key):  # four at once, then one a second
        client = clients(address, "charity", key)
        assert [client.visit().number for _ in range(6)] == [0, 1, 2, 3, 4, 5]


def test_the_study_s_verbs_reach_it(clients, real):
    """Fails if a verb of the study has another address, or events are lost between pages."""
    client = clients(real[0], "charity", real[1])
    for person in range(160):
        client.visit(id=f"person {person}", known=PERSON)
    client.retire("msf")
    client.pause()
    with pytest.raises(errors.PausedError):
        client.visit()
    assert client.visit(id="person 3").number == 3  # it has begun
    client.resume()
    client.visit()
    summary = client.summary()
    assert (summary.visits, summary.arms, summary.paused) == (161, ("red_cross", "wwf"), False)
    assert sum(span.started for span in summary.spans if span.arm is None) == 161
    client.pause()
    client.resume()
    events = list(client.events())
    assert [event.serial for event in events] == list(range(1, len(events) + 1))
    kinds = [event.kind for event in events]
    assert [kinds.count(kind) for kind in ("started", "retired", "paused")] == [161, 1, 2]
    assert [event.visit for event in events if event.kind == "started"] == list(range(161))
    half = len(events) // 2
    assert list(client.events(after=half))[: len(events) - half] == events[half:]


def test_lost_answers_make_no_visit_and_no_reward_twice(clients, waits, real):
    """Fails if the service and the client together do anything twice that was asked for once."""
    address, key = real
    sync = clients.kind == "sync"
    dropping = Dropping(httpx.HTTPTransport() if sync else httpx.AsyncHTTPTransport())
    client = clients(address, "charity", key, transport=dropping)
    alone = al.policy_for(al.Study.example())
    for person in range(60):
        visit, beside = client.visit(), alone.visit()
        for one in (visit, beside):
            while one.asks:
                one.answer({question: PERSON[question] for question in one.asks})
        client.learn(visit, REWARDS[person % 5])
        alone.learn(beside, REWARDS[person % 5])
        assert (visit.number, visit.arm) == (person, beside.arm)
    assert dropping.lost >= 60
    quiet = clients(address, "charity", key)
    kinds = [event.kind for event in quiet.events()]
    for kind in ("started", "answered", "decided", "rewarded"):
        assert kinds.count(kind) == 60
    assert quiet.effects() == alone.effects()


def test_many_people_at_once(real):
    """Fails if visits that go on side by side in one client get into each other's way."""

    async def everyone():
        async with al.AsyncClient(real[0], "charity", real[1]) as client:

            async def one(person):
                visit = await client.visit(id=f"person {person}")
                while visit.asks:
                    await visit.answer({question: PERSON[question] for question in visit.asks})
                await client.learn(visit, person)
                found = await client.find(visit.token)
                return found.id, found.reward, found.arm == visit.arm

            return await asyncio.gather(*map(one, range(40)))

    assert asyncio.run(everyone()) == [(f"person {p}", float(p), True) for p in range(40)]


def test_a_service_that_is_not_there_is_said(clients, waits):
    """Fails if a refused connection ends in an error of another library, or is not tried again."""
    client = clients("http://127.0.0.1:9", "charity", KEY, retries=3)
    with pytest.raises(errors.ServiceError, match=r"\(ConnectError\)"):
        client.visit()
    assert len(waits) == 3

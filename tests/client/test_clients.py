"""Both clients have the library's verbs, and a live visit reads as one in memory."""

import inspect
import subprocess
import sys

import pytest

import askless as al
from askless import errors
from askless.client import AsyncClient, Client, Event, Span
from pretend_service import KEY, PERSON


def through(teller, person, *, parts=False):
    """Go through a visit as the library's first page does; the teller is a policy or a client."""
    visit = teller.visit()
    seen = []
    while visit.asks:
        asks = visit.asks[:1] if parts else visit.asks
        seen.append(asks)
        visit.answer({question: person[question] for question in asks})
    teller.learn(visit, reward=25)
    return seen, visit.arm, visit.answers, visit.number, visit.reward


def test_one_loop_serves_a_policy_and_a_client(client):
    """Fails if a verb, an attribute or a decision differs from the library's own."""
    policy = al.policy_for(al.Study.example())
    for parts in (False, True, False):
        assert through(client, PERSON, parts=parts) == through(policy, PERSON, parts=parts)


def test_questions_are_the_library_s_own(client, service):
    """Fails if a text, a range or an option is lost on the way."""
    visit = client.visit()
    sent = {question.name: question for question in service.study.survey}
    for question in visit.questions:
        said, own = question.to_dict(), sent[question.name].to_dict()
        for unsaid in ("cost", "always_ask"):
            del said[unsaid], own[unsaid]
        assert said == own
    assert visit.asks == tuple(question.name for question in visit.questions)
    assert visit.at_most == len(visit.asks) == 8


def test_the_arm_is_an_error_until_it_is_decided(client):
    """Fails if an undecided visit has an arm, or a decided one not its text."""
    visit = client.visit(arms=["wwf"])
    assert not visit.decided
    with pytest.raises(errors.VisitError, match="first answer age, donor"):
        visit.arm  # noqa: B018
    visit.answer(PERSON)
    assert (visit.arm, visit.arm_text, visit.status) == ("wwf", "Suggest the WWF", "waiting")
    assert (visit.asks, visit.at_most, visit.decided) == ((), 0, True)


def test_a_visit_is_revised_found_and_erased(client):
    """Fails if a later call does not reach the visit by its token."""
    visit = client.visit(known={"donor": True})
    assert "donor" not in visit.asks
    visit.answer({"age": 19})
    visit.revise({"age": 90})
    found = client.find(visit.token)
    assert found.answers == {"donor": True, "age": 90} == client.find(visit).answers
    client.erase(visit)
    with pytest.raises(errors.NotFoundError):
        client.find(visit)


def test_a_reward_is_given_by_token_too(client):
    """Fails if another process cannot give the reward."""
    visit = client.visit()
    visit.answer(PERSON)
    assert client.learn(visit.token, 60).reward == 60
    assert visit.reward is None
    assert client.learn(visit, 60).reward == visit.reward == 60
    assert visit.status == "rewarded"


def test_the_same_id_is_the_same_visit_and_no_id_is_never_another_s(client):
    """Fails if ids are not sent, or one that is drawn comes twice."""
    first, again, other = client.visit(id="p 7"), client.visit(id="p 7"), client.visit(id="p 8")
    assert first.token == again.token != other.token
    drawn = [client.visit() for _ in range(5)]
    assert len({visit.id for visit in drawn}) == len({visit.token for visit in drawn}) == 5
    assert all(len(visit.id) == 32 for visit in drawn)


def test_the_study_s_verbs(client, service):
    """Fails if one of them does not reach its address, or is read wrongly."""
    visit = client.visit()
    visit.answer(PERSON)
    client.learn(visit, 25)
    assert client.effects() == service.policy.effects()
    said = client.summary()
    assert (said.study, said.visits, said.decided, said.learned) == ("charity", 1, 1, 1)
    assert (said.paused, said.form, said.events) == (False, None, 3)
    assert said.support["wwf"] == said.questions == said.asked_now == service.study.survey.names
    assert said.spans == (Span(0, None, 1, 1, 1, 1, 1, 1, 1, 1, 2.5, 6.25, 1),)
    client.retire("msf")
    assert service.policy.live_arms == ("red_cross", "wwf")
    client.pause()
    with pytest.raises(errors.PausedError):
        client.visit()
    client.resume()
    client.visit()
    assert client.health() == {"status": "ok"}


def test_events_are_read_page_by_page(client, service):
    """Fails if a page is left out, read twice or the place to begin is ignored."""
    for _ in range(3):
        client.visit().answer({"age": 44})
    assert len(service.events) == 6  # three pages of two
    events = list(client.events())
    assert [event.serial for event in events] == [1, 2, 3, 4, 5, 6]
    assert events[1] == Event(2, 1.5, "answered", 0, {"answers": {"age": 44}})
    assert [event.serial for event in client.events(after=3)] == [4, 5, 6]
    with pytest.raises(errors.SettingError):
        list(client.events(after=-1))


def test_health_is_asked_without_a_key(client, service):
    """Fails if a key goes where none is needed."""
    client.health()
    client.visit()
    assert "Authorization" not in service.calls[0].headers
    assert service.calls[1].headers["Authorization"] == f"Bearer {KEY}"


def test_nothing_secret_is_shown(client):
    """Fails if a key, a token or an answer stands where a program prints a client or a visit."""
    visit = client.visit(id="Ada Lovelace")
    visit.answer({"age": 43.25})
    event = next(event for event in client.events() if event.kind == "answered")
    shown = f"{client} {client!r} {visit} {visit!r} {event!r} {visit._seen} {client._to}"
    for secret in (KEY, visit.token, "43.25", "Lovelace"):
        assert secret not in shown
    assert repr(client).endswith("Client('http://127.0.0.1:1', study='charity')")


def test_both_have_the_same_verbs():
    """Fails if one of the clients lacks a verb or takes other arguments."""
    verbs = [name for name in vars(Client) if not name.startswith("_")]
    assert verbs == [name for name in vars(AsyncClient) if not name.startswith("_")]
    for name in verbs:
        one, other = (inspect.signature(getattr(kind, name)) for kind in (Client, AsyncClient))
        assert list(one.parameters) == list(other.parameters)
        assert [p.default for p in one.parameters.values()] == [
            p.default for p in other.parameters.values()
        ]


def test_importing_askless_leaves_the_network_alone():
    """Fails if everyone who imports askless needs httpx, or the message without it is unclear."""
    code = (
        "import sys, askless as al\n"
        "assert 'httpx' not in sys.modules\n"
        "from askless import *\n"
        "assert 'httpx' not in sys.modules\n"
        "sys.modules['httpx'] = None\n"
        "try:\n    al.Client\n"
        "except al.errors.MissingExtraError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "this needs httpx; run: pip install 'askless[service]'" in done.stdout

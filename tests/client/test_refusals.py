"""What the service refuses is the library's own error, in its words and without secrets."""

import httpx
import pytest

from askless import errors
from pretend_service import KEY, PERSON, fresh


def refusing(clients, *responses):
    """A client of a service that answers so, one answer after the other."""
    left = iter(responses)
    transport = httpx.MockTransport(lambda _: fresh(next(left)))
    return clients("https://a.org", "charity", KEY, retries=0, transport=transport)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "json", errors.SettingError),
        (401, "key", errors.KeyRefusedError),
        (403, "scope", errors.KeyRefusedError),
        (404, "not_found", errors.NotFoundError),
        (409, "conflict", errors.ConflictError),
        (409, "visit", errors.VisitError),
        (413, "too_large", errors.SettingError),
        (415, "content_type", errors.ServiceError),
        (422, "answer", errors.AnswerError),
        (422, "reward", errors.RewardError),
        (422, "setting", errors.SettingError),
        (422, "shape", errors.SettingError),
        (422, "refused", errors.AsklessError),
        (429, "too_many", errors.ServiceError),
        (500, "internal", errors.ServiceError),
        (503, "paused", errors.PausedError),
        (503, "storage", errors.StorageError),
    ],
)
def test_each_error_comes_back_as_itself(clients, status, code, kind):
    """Fails if a caller has to look at numbers to know what happened."""
    body = {"error": {"code": code, "message": "what and why"}}
    client = refusing(clients, httpx.Response(status, json=body))
    with pytest.raises(errors.AsklessError, match=r"^what and why$") as raised:
        client.visit()
    assert type(raised.value) is kind


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(502, text="<html>age 43.25</html>"),
        httpx.Response(404, text="age 43.25"),
        httpx.Response(422, json={"detail": [{"input": 43.25}]}),
        httpx.Response(400, json=["43.25"]),
        httpx.Response(400, json={"error": {"code": 7, "message": "43.25"}}),
        httpx.Response(301, headers={"Location": "https://b.org/43.25"}),
    ],
)
def test_what_is_not_the_service_is_said_and_not_repeated(clients, response):
    """Fails if what stands before the service can put a person's answers into a log."""
    with pytest.raises(errors.ServiceError, match="is not that of askless serve") as raised:
        refusing(clients, response).visit(known={"age": 43.25})
    assert "43.25" not in str(raised.value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"[" * 100_000,
        b"{}",
        b'{"visit": 7}',
        b'{"visit": "t", "id": null, "number": true, "status": "open", "at_most": 1, "asks": [],'
        b' "answers": {}, "arm": null, "reward": null}',
        b'{"visit": "t", "id": null, "number": 1, "status": "open", "at_most": 1,'
        b' "asks": [{"name": "age", "kind": "hologram"}], "answers": {}, "arm": null,'
        b' "reward": null}',
        b'{"visit": "t", "id": null, "number": 1, "status": "open", "at_most": 1,'
        b' "asks": [{"name": "age", "kind": "scale", "low": 7, "high": 3}], "answers": {},'
        b' "arm": null, "reward": null}',
    ],
)
def test_what_is_no_visit_is_refused(clients, body):
    """Fails if a page of another service, or of a newer version, is taken for a visit."""
    with pytest.raises(errors.ServiceError, match="is not a visit as this version"):
        refusing(clients, httpx.Response(200, content=body)).visit()


def test_what_a_later_version_says_beside_is_ignored(client, service, monkeypatch):
    """Fails if a service cannot say more than this client knows."""
    plain = service.seen

    def more(token, status=200):
        data = plain(token, status).json()
        for question in data["asks"]:
            question["picture"] = "a.png"
        return httpx.Response(status, json={**data, "mood": "good"})

    monkeypatch.setattr(service, "seen", more)
    visit = client.visit()
    visit.answer(PERSON)
    assert visit.decided


def test_a_service_that_repeats_the_key_is_not_quoted(clients):
    """Fails if a key can come back in a message."""
    body = {"error": {"code": "key", "message": f"do not know {KEY}"}}
    with pytest.raises(errors.KeyRefusedError) as raised:
        refusing(clients, httpx.Response(401, json=body)).visit()
    assert str(raised.value) == "the service refuses this"


def test_events_that_lead_back_are_refused(clients):
    """Fails if a client reads for ever."""
    pages = [httpx.Response(200, json={"events": [], "next": 3})] * 2
    with pytest.raises(errors.ServiceError, match="leads back"):
        list(refusing(clients, *pages).events())


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), object(), 1j, {"a": {1j}}])
def test_what_json_cannot_say_is_refused_before_it_is_sent(client, service, answer):
    """Fails if it is sent, or shown in the message."""
    with pytest.raises(errors.AnswerError, match="an answer is neither"):
        client.visit(known={"age": answer})
    assert not service.calls


@pytest.mark.parametrize("reward", [True, float("nan"), object(), b"x"])
def test_a_reward_is_a_number(client, service, reward):
    """Fails if something else is sent."""
    with pytest.raises(errors.RewardError, match="the reward is n"):
        client.learn("token-0", reward)
    assert not service.calls


def test_arguments_of_the_wrong_kind_are_refused(client, service):
    """Fails if an arm's name is taken for a list of letters, or a list for answers."""
    for wrong in ({"arms": "wwf"}, {"arms": 7}, {"id": 7}):
        with pytest.raises(errors.SettingError, match=next(iter(wrong))):
            client.visit(**wrong)
    for known in ([1], {7: 1}, "age"):
        with pytest.raises(errors.AnswerError, match="mapping"):
            client.visit(known=known)
    with pytest.raises(errors.SettingError, match="the visit is no name"):
        client.find("..")
    assert not service.calls

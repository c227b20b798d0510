"""Requests that do not fit: each is refused in the one shape, and nothing is changed by it."""

import re

import pytest

from askless.storage import Database, verify
from raw_calls import PERSON, is_refusal, raw

MARK = "zq7mark"
LONG = 64 * 1024
REWARDS = {
    "NaN": b"NaN",
    "infinite": b"Infinity",
    "minus infinite": b"-Infinity",
    "overflow": b"1e400",
    "too large": b"1e20",
    "text": b'"5"',
    "yes": b"true",
    "nothing": b"null",
    "a list": b"[5]",
    "digits": b"1" * 400,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    database = Database(str(folder / "study.db"))
    with raw(folder, database) as calls:
        calls.open = calls.start("half")["visit"]
        calls.ready = calls.decided("done")["visit"]
        yield calls


def refused(service, status, code, method, path, body=None, **more):
    """Make a call that must be refused, and change nothing; return what it said."""
    before = service.rows()
    path = path.format(open=service.open, ready=service.ready)
    response = service(method, path, body, **more)
    assert response.status_code == status, response.text
    assert is_refusal(response)
    assert response.json()["error"]["code"] == code
    assert MARK not in response.text
    assert service.rows() == before
    return response.json()["error"]["message"]


@pytest.mark.parametrize("what", REWARDS)
def test_a_reward_that_is_none(service, what):
    """Fails if what is no finite number is taken for a reward or an answer, or ends in a 500."""
    body = b'{"reward": %s}' % REWARDS[what]
    said = refused(service, 422, "shape", "POST", "/visits/{ready}/reward", body)
    assert said.startswith("body.reward: give a number")


@pytest.mark.parametrize("reward", ["101", "-0.001", "100.0000001", "1e15"])
def test_a_reward_beyond_its_range(service, reward):
    """Fails if a reward outside the range of the study file is clipped or taken."""
    body = b'{"reward": %s}' % reward.encode()
    said = refused(service, 422, "reward", "POST", "/visits/{ready}/reward", body)
    assert said == "the reward is not a number from 0 to 100"


@pytest.mark.parametrize("reward", ["NaN", "Infinity", "1e400", "1" * 400, '{"a": 1}', "[1]"])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/visits/{open}/answers", '{"answers": {"age": %s}}'),
        ("PATCH", "/visits/{open}/answers", '{"answers": {"age": %s}}'),
        ("POST", "/visits", '{"known": {"age": %s}}'),
    ],
)
def test_an_answer_that_is_none(service, method, path, body, reward):
    """Fails if what JSON should not have, or no question takes, is taken for an answer."""
    said = refused(service, 422, "shape", method, path, (body % reward).encode())
    assert re.match(r"body\.(answers|known): an answer is a number, true or false, ", said)


@pytest.mark.parametrize(
    ("answers", "word"),
    [
        ({"age": 17.99}, "'age'"),
        ({"age": 90.001}, "'age'"),
        ({"age": "44"}, "'age'"),
        ({"age": True}, "'age'"),
        ({"age": None}, "skipped"),
        ({"donor": 1}, "'donor'"),
        ({"donor": "yes" + MARK}, "'donor'"),
        ({"cause": MARK}, "'cause'"),
        ({"cause": ["climate"]}, "'cause'"),
        ({"media": ["web", "web"]}, "'media'"),
        ({"media": [MARK]}, "'media'"),
        ({"media": "web"}, "'media'"),
        ({MARK: 1}, "does not have"),
        ({"age": 44, MARK: 1}, "does not have"),
        ({"AGE": 44}, "does not have"),
        ({"age": 44, "cause": MARK}, "'cause'"),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["POST", "PATCH", "known"])
def test_answers_that_do_not_fit_their_questions(service, method, answers, word):
    """Fails if an answer that its question refuses is taken, in part or as a whole, or shown."""
    path, body = "/visits/{open}/answers", {"answers": answers}
    if method == "known":
        method, path, body = "POST", "/visits", {"id": MARK, "known": answers}
    assert word in refused(service, 422, "answer", method, path, body)


SURROGATE = b'"\\ud800"'


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/visits/{open}/answers", b'{"answers": {}}'),
        ("/visits/{open}/answers", b'{"answers": [1]}'),
        ("/visits/{open}/answers", b'{"answers": {"age": 44}, "%s": 1}' % MARK.encode()),
        ("/visits/{open}/answers", b'{"answers": {"cause": %s}}' % SURROGATE),
        ("/visits/{open}/answers", b'{"answers": {"media": [%s]}}' % SURROGATE),
        ("/visits/{open}/answers", b'{"answers": {%s: 1}}' % SURROGATE),
        ("/visits/{open}/answers", b'{"answers": {"cause": "%s"}}' % (b"a" * 1_001)),
        ("/visits/{open}/answers", b"null"),
        ("/visits/{open}/answers", b"[]"),
        ("/visits/{open}/answers", b'"%s"' % MARK.encode()),
        ("/visits/{open}/answers", b"5"),
        ("/visits/{open}/answers", b""),
        ("/visits/{ready}/reward", b"{}"),
        ("/visits/{ready}/reward", b'{"reward": 5, "%s": 1}' % MARK.encode()),
        ("/visits", b'{"id": ""}'),
        ("/visits", b'{"id": 5}'),
        ("/visits", b'{"id": "%s"}' % (b"a" * 201)),
        ("/visits", b'{"id": "%s\\u0000"}' % MARK.encode()),
        ("/visits", b'{"id": "%s\\n"}' % MARK.encode()),
        ("/visits", b'{"id": %s}' % SURROGATE),
        ("/visits", b'{"arms": []}'),
        ("/visits", b'{"arms": "wwf"}'),
        ("/visits", b'{"arms": [5]}'),
        ("/visits", b'{"arms": [%s]}' % b",".join([b'"wwf"'] * 1_001)),
        ("/visits", b'{"known": [1]}'),
        ("/visits", b'{"%s": 1}' % MARK.encode()),
    ],
    ids=str,
)
def test_bodies_of_another_shape(service, path, body):
    """Fails if what the description does not have is let through, or ends in a 500."""
    refused(service, 422, "shape", "POST", path, body)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("json", b"{"),
        ("json", b'{"answers": {"age": 44}'),
        ("json", b"answers=%s" % MARK.encode()),
        ("bad_request", b"\xff\xfe\x00"),
        ("json", b'{"answers": {"age": 44}} %s' % MARK.encode()),
        ("bad_request", b"[" * 30_000 + b"]" * 30_000),
        ("bad_request", b'{"answers":' * 5_000 + b"1" + b"}" * 5_000),
        ("bad_request", b'{"answers": {"age": %s}}' % (b"1" * 5_000)),
    ],
    ids=["cut", "open", "form", "bytes", "more", "deep lists", "deep objects", "endless number"],
)
def test_bodies_that_are_not_json(service, code, body):
    """Fails if a body that cannot be read ends in a 500, a 422, or is repeated."""
    refused(service, 400, code, "POST", "/visits/{open}/answers", body)


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonp", "text/json"],
)
def test_bodies_of_another_kind(service, kind):
    """Fails if a page of another site can send a form, which needs no leave of the browser."""
    for path in ("/visits", "/visits/{open}/answers", "/visits/{ready}/reward", "/pause"):
        headers = {"Content-Type": kind}
        refused(service, 415, "content_type", "POST", path, b'{"reward": 5}', headers=headers)
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert service("POST", "/visits", {"id": "half"}, headers=kind).status_code == 200


def in_parts(size):
    """A body without a length."""
    for start in range(0, size, 1_000):
        yield b" " * min(1_000, size - start)


def test_bodies_that_are_too_large(service):
    """Fails if a body beyond the limit is read, with a length or without; or one at it refused."""
    most = b'{"id": "half"}'.ljust(LONG)
    assert service("POST", "/visits", most).status_code == 200
    refused(service, 413, "too_large", "POST", "/visits", most + b" ")
    refused(service, 413, "too_large", "POST", "/visits", b" " * 10_000_000)
    refused(service, 413, "too_large", "GET", "/summary", most + b" ")
    kind = {"Content-Type": "application/json"}
    for size in (LONG + 1, 2_000_000):
        refused(service, 413, "too_large", "POST", "/visits", content=in_parts(size), headers=kind)


@pytest.mark.parametrize(
    ("status", "method", "path"),
    [
        (404, "GET", "//"),
        (404, "GET", f"//{MARK}"),
        (404, "GET", f"/{MARK}"),
        (404, "GET", "/visits/{open}/"),
        (404, "GET", "//docs"),
        (404, "GET", "//health/"),
        (404, "GET", "/visits/" + "A" * 24),
        (404, "DELETE", "/visits/" + "A" * 24),
        (405, "PUT", "/visits"),
        (405, "DELETE", "/visits"),
        (405, "POST", "/summary"),
        (405, "POST", "//health"),
        (405, "OPTIONS", "/visits/{open}"),
        (422, "GET", f"/visits/{MARK}"),
        (422, "GET", "/visits/" + "A" * 24 + "%0A"),
        (422, "GET", "/visits/%00"),
        (422, "GET", f"/events?after={MARK}"),
        (422, "GET", "/events?after=-1"),
        (422, "GET", "/events?after=1e3"),
        (422, "GET", "/events?after=99999999999999999999999"),
        (422, "GET", "/events?limit=0"),
        (422, "GET", "/events?limit=1001"),
        (422, "GET", f"/summary?span={MARK}"),
        (422, "GET", "/summary?last=-1"),
        (422, "POST", f"/arms/{MARK}/retire"),
        (422, "POST", "/arms/%00/retire"),
    ],
)
def test_addresses_that_are_none(service, status, method, path):
    """Fails if an unknown address, method or parameter is answered in another shape."""
    code = {404: "not_found", 405: "method_not_allowed"}.get(status)
    code = code or ("setting" if "retire" in path else "shape")
    refused(service, status, code, method, path)


def test_an_address_says_all_its_methods(service):
    """Fails if the refusal of a method forgets one that the address takes."""
    for path, methods in (
        (f"/visits/{service.open}", "DELETE, GET"),
        (f"/visits/{service.open}/answers", "PATCH, POST"),
        ("/pause", "POST"),
    ):
        assert service("PUT", path, {}).headers["Allow"] == methods


@pytest.mark.parametrize(
    ("status", "code", "path", "body"),
    [
        (409, "visit", "/visits/{open}/reward", {"reward": 5}),
        (422, "answer", "/visits/{ready}/answers", {"answers": {"age": 45, "cause": "nobody"}}),
        (409, "conflict", "/visits/{ready}/answers", {"answers": {"age": 45}}),
        (422, "setting", "/visits", {"arms": ["fax"]}),
        (422, "setting", "/visits", {"id": "new", "arms": ["wwf", "fax"]}),
    ],
)
def test_what_does_not_fit_what_was_said_before(service, status, code, path, body):
    """Fails if a step out of order, or another answer, is taken."""
    refused(service, status, code, "POST", path, body)


def test_everything_still_stands(service):
    """Fails if a refusal before this has left anything that does not follow from the journal."""
    seen = service.done("POST", f"/visits/{service.open}/answers", {"answers": PERSON})
    assert seen["status"] == "waiting"
    assert service.done("POST", f"/visits/{service.open}/reward", {"reward": 5})["reward"] == 5
    assert verify(service.database, "charity").ok


def test_answers_are_kept_by_nobody_on_the_way(service):
    """Fails if a cache between may keep a person's answers, or a refusal."""
    for path in (f"/visits/{service.open}", "/summary", "/visits/none"):
        headers = service("GET", path).headers
        assert headers["Cache-Control"] == "no-store", path


def test_a_visit_s_name_is_not_guessed(service):
    """Fails if names of visits have fewer than 128 bits, repeat, or follow a pattern."""
    tokens = [service.start()["visit"] for _ in range(200)]
    assert len(set(tokens)) == 200
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{24}", token) for token in tokens)  # 6 bits each
    # Every place takes many of the 64 letters: fewer than 40 of them in 200 draws happens with a
    # probability below C(64, 39) (39/64)^200 < 1e-25 a place.
    assert all(len({token[place] for token in tokens}) >= 40 for place in range(24))


def test_a_paused_study_says_so(service):
    """Fails if a pause starts somebody, or stops those who have begun."""
    assert service.done("POST", "/pause") == {"changed": True}
    assert service.done("POST", "/pause") == {"changed": False}
    refused(service, 409, "paused", "POST", "/visits", {"id": "new"})
    assert service.start("half")["visit"] == service.open
    assert service.done("POST", "/resume") == {"changed": True}
    assert service.start("new")["status"] == "open"

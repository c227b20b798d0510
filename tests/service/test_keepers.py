"""Who may call: keys that are expired, revoked, foreign or forged, their scopes, and the pace."""

import time
from pathlib import Path

import httpx
import pytest
from sqlalchemy import update

import askless as al
from askless.service import create_app, keeper
from askless.storage import Database, LiveStudy
from askless.storage.keys import list_keys, make_key, revoke_key
from askless.storage.tables import keys
from live_world import small
from raw_calls import Raw, is_refusal, raw
from served import running

NEEDED = {
    ("POST", "/visits"): "serve",
    ("GET", "/visits/{visit}"): "serve",
    ("POST", "/visits/{visit}/answers"): "serve",
    ("PATCH", "/visits/{visit}/answers"): "serve",
    ("POST", "/visits/{visit}/reward"): "reward",
    ("DELETE", "/visits/{visit}"): "admin",
    ("GET", "/summary"): "export",
    ("GET", "/effects"): "export",
    ("GET", "/events"): "export",
    ("GET", "/metrics"): "export",
    ("POST", "/pause"): "admin",
    ("POST", "/resume"): "admin",
    ("POST", "/arms/{arm}/retire"): "admin",
    ("POST", "/price"): "admin",
    ("POST", "/stop"): "admin",
}
BODIES = {
    "/visits": {"id": "new"},
    "/visits/{visit}/answers": {"answers": {"age": 44}},
    "/visits/{visit}/reward": {"reward": 5},
    "/price": {"price": 0.5},
}


@pytest.fixture
def service(tmp_path):
    with raw(tmp_path, Database(str(tmp_path / "study.db"))) as calls:
        calls.ready = calls.decided("done")["visit"]
        yield calls


def everything(service, key, study=None):
    """Make every call of the API with a key; return the answers by call."""
    answers = {}
    for method, path in NEEDED:
        where = path.format(visit=service.ready, arm="msf")
        if study is not None:
            where = f"//v1/studies/{study}{where}"
        answers[method, path] = service(method, where, BODIES.get(path), key=key)
    return answers


def test_the_table_has_every_call(service):
    """Fails if the API has a call whose scope this file does not look at."""
    described = service.http.get("/openapi.json").json()["paths"]
    found = {
        (method.upper(), path.removeprefix("/v1/studies/{study}"))
        for path, methods in described.items()
        for method in methods
    }
    assert found == {*NEEDED, ("GET", "/health")}


def expired(service):
    key = make_key(service.database, "charity", ["admin"], days=1)
    with service.database.writing() as connection:
        connection.execute(update(keys).where(keys.c.id == key[4:16]).values(expires=time.time()))
    return key


def revoked(service):
    key = make_key(service.database, "charity", ["admin"])
    revoke_key(service.database, "charity", key[4:16])
    return key


def forged(service):
    """With the name of a key that is there, and another secret."""
    return f"{service.key[:-1]}{'A' if service.key[-1] != 'A' else 'B'}"


BAD_KEYS = {
    "expired": expired,
    "revoked": revoked,
    "forged": forged,
    "unknown": lambda _: f"ask_{'A' * 12}_{'A' * 43}",
    "half": lambda service: service.key[:-1],
    "longer": lambda service: f"{service.key}A",
    "its name": lambda service: service.key[4:16],
    "its hash": lambda service: service.rows("keys")["keys"][0][4],
    "a quote": lambda _: "' OR 1=1 --",
}


@pytest.mark.parametrize("what", BAD_KEYS)
def test_a_key_that_is_not_good_is_refused_everywhere(service, what):
    """Fails if any call lets in a key that is expired, revoked or forged, or says which it is."""
    key, before = BAD_KEYS[what](service), service.rows()
    said = set()
    for answer in everything(service, key).values():
        assert is_refusal(answer, 401), answer.text
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        said.add(answer.text)
    assert len(said) == 1
    assert key not in said.pop()
    assert service.rows() == before


@pytest.mark.parametrize("header", ["", "Bearer", "Basic {key}", "{key}", "bearer:{key}"])
def test_a_key_is_sent_in_one_way(service, header):
    """Fails if a call without a key, or with one elsewhere, is let in."""
    headers = {"Authorization": header.format(key=service.key)}
    assert is_refusal(service("GET", "/summary", headers=headers), 401)
    assert is_refusal(service.http.get(f"/v1/studies/charity/summary?key={service.key}"), 401)


def test_a_key_opens_its_own_study_alone(tmp_path):
    """Fails if a key reads another study, or tells a study that is there from one that is not."""
    database = Database(str(tmp_path / "studies.db"))
    database.migrate()
    for study in (al.Study.example(), small()):
        LiveStudy.open(database, study)
    mine = make_key(database, "charity", ["admin"])
    others = [make_key(database, "small", [scope]) for scope in ("admin", "reward")]
    with running(create_app(database, ["charity", "small"], key_rate=0, address_rate=0)) as address:
        service = Raw(address, mine, database)
        with service.http:
            service.ready = service.decided("done")["visit"]
            before = service.rows()
            for other in others:  # also for what it may not do at home
                foreign, nowhere = everything(service, other), everything(service, other, "none")
                for call, answer in foreign.items():
                    assert is_refusal(answer, 404), (call, answer.text)
                    assert answer.text == nowhere[call].text, call
            assert service.rows() == before
            assert service.done("GET", "/summary")["visits"] == 1


@pytest.mark.parametrize("scope", ["serve", "reward", "export", "admin"])
def test_a_scope_is_for_its_own_calls(service, scope):
    """Fails if a call takes a key without its scope, or refuses one that has it."""
    key = make_key(service.database, "charity", [scope])
    for call, answer in everything(service, key).items():
        if scope in (NEEDED[call], "admin"):
            assert answer.status_code in (200, 201, 404, 409), (call, answer.text)
        else:
            assert is_refusal(answer, 403), (call, answer.text)
            assert NEEDED[call] in answer.json()["error"]["message"]


def test_a_key_that_is_revoked_while_it_is_used_ends(service, monkeypatch):
    """Fails if a key goes on for longer than it is remembered."""
    key = make_key(service.database, "charity", ["serve"])
    assert service("POST", "/visits", {}, key=key).status_code == 201
    revoke_key(service.database, "charity", key[4:16])
    monkeypatch.setattr(keeper, "REMEMBERED", 0.0)
    assert is_refusal(service("POST", "/visits", {}, key=key), 401)


def test_a_key_that_expires_while_it_is_used_ends(service):
    """Fails if a remembered key outlives its last moment."""
    key = make_key(service.database, "charity", ["serve"], days=0.5 / 86_400)
    until = list_keys(service.database, "charity")[-1].expires
    answers = [service("POST", "/visits", {}, key=key)]
    while time.time() <= until:
        time.sleep(0.05)
    answers.append(service("POST", "/visits", {}, key=key))
    assert is_refusal(answers[1], 401)


def test_only_hashes_of_keys_are_kept(service):
    """Fails if the database has anything from which a key could be made again."""
    secret = service.key[17:]
    assert len(secret) == 43  # 256 bits
    files = list(Path(service.database.url.database).parent.glob("study.db*"))
    assert len(files) == 3  # with its log
    assert not any(secret.encode() in file.read_bytes() for file in files)
    (row,) = service.rows("keys")["keys"]
    assert secret not in str(row)


@pytest.mark.parametrize("of", ["key", "address"])
def test_calls_that_come_too_fast_are_told_when_to_come_back(tmp_path, of):
    """Fails if the pace of a key or an address is not kept, or others are held up by it."""
    database = Database(str(tmp_path / "study.db"))
    with raw(tmp_path, database, **{f"{of}_rate": 0.001}) as calls:
        # A rate this low lets one call through, and then none for a thousand seconds.
        assert calls("GET", "/summary").status_code == 200
        before = calls.rows()
        answer = calls("POST", "/visits", {"id": "new"})
        assert is_refusal(answer, 429)
        assert answer.json()["error"]["code"] == "too_many"
        assert 900 < int(answer.headers["Retry-After"]) <= 1_000
        assert calls.rows() == before
        second = calls("GET", "/summary", key=make_key(database, "charity", ["export"]))
        assert second.status_code == (200 if of == "key" else 429)
        # Who has no key is held to the pace of the address, and is told nothing sooner.
        assert calls("GET", "/summary", key="none").status_code == (401 if of == "key" else 429)
        assert calls("GET", "//health").status_code == (200 if of == "key" else 429)
        elsewhere = httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2"))
        with elsewhere as http:
            answer = http.get(calls.http.base_url.join("/health"))
        assert answer.status_code == 200

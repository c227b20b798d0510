"""Answers, tokens, ids and keys are in no error, no note and no count of the service."""

import re
import struct
from contextlib import ExitStack
from pathlib import Path

import pytest

import askless as al
from askless.storage import Database, LiveStudy, verify
from askless.storage.keys import make_key
from askless.survey.study import EXAMPLE
from page_person import PagePerson, page_client
from raw_calls import PERSON, is_refusal
from serving_process import serving

pytestmark = pytest.mark.slow

MARK = "zq7secret"
NUMBER = 73.190625  # an age that nobody else has


# It asks what the rule needs, then one of the three others, and then nothing any more.
PARTLY = """
schema: 1
name: charity
questions:
  - {kind: yes_no, name: old}
  - {kind: scale, name: b, low: 0, high: 100}
  - {kind: scale, name: c, low: 0, high: 100}
  - {kind: scale, name: d, low: 0, high: 100}
arms: [{name: all}, {name: senior, eligible_if: old}]
reward: {low: 0, high: 1}
policy: {name: tsrc, questions: 1}
pages: {}
"""
SCALES = {"b", "c", "d"}


@pytest.fixture(params=["sqlite", "postgres"])
def service_of(request, tmp_path, new_address):
    """Serves a study in its own process; gives its calls, and all that it wrote."""
    with ExitStack() as stack:

        def serve(text):
            (tmp_path / "study.yaml").write_text(text)
            address = new_address(request.param)
            database = Database(address)
            stack.callback(database.close)
            database.migrate()
            LiveStudy.open(database, al.Study.read(tmp_path / "study.yaml"))
            key = make_key(database, "charity", ["admin"])
            options = ("--db", address)
            calls, process = stack.enter_context(serving(tmp_path, *options, key=key))
            calls.database, calls.process = database, process
            calls.folder = None if not database.sqlite else Path(address).parent
            return calls

        yield serve


@pytest.fixture
def service(service_of):
    return service_of(EXAMPLE.read_text())


def marked_calls(token, open_visit):
    """Calls with marked values in every place that a call has."""
    mark = {"X-Mark": MARK, "User-Agent": MARK, "Cookie": f"a={MARK}", "Referer": f"http://{MARK}"}
    answers = f"/visits/{open_visit}/answers"
    yield "GET", f"/visits/{MARK}", None, mark
    yield "GET", f"/visits/{MARK:A<24}", None, mark
    yield "GET", f"/{MARK}", None, mark
    yield "GET", f"//{MARK}?{MARK}={MARK}", None, mark
    yield "GET", f"//v1/studies/{MARK}/summary", None, mark
    yield "GET", f"/events?after={MARK}&{MARK}={MARK}", None, mark
    yield "GET", f"/summary?span={MARK}", None, mark
    yield "POST", f"/arms/{MARK}/retire", None, mark
    yield "PUT", f"/visits/{MARK}", {MARK: MARK}, mark
    yield "POST", "/visits", {"id": MARK, "known": {MARK: MARK}}, mark
    yield "POST", "/visits", {"id": f"{MARK}\n"}, mark
    yield "POST", "/visits", {"id": MARK, "arms": [MARK]}, mark
    yield "POST", "/visits", {MARK: MARK}, mark
    yield "POST", "/visits", [MARK], mark
    yield "POST", "/visits", MARK, mark
    yield "POST", "/visits", f'{{"id": "{MARK}"'.encode(), mark
    yield "POST", "/visits", f'{{"id": {"[" * 9_000}"{MARK}"'.encode(), mark
    yield "POST", "/visits", MARK.encode() * 10_000, mark
    yield "POST", answers, {"answers": {"age": NUMBER + 100}}, mark
    yield "POST", answers, {"answers": {"age": MARK}}, mark
    yield "POST", answers, {"answers": {"cause": MARK, "media": [MARK]}}, mark
    yield "POST", answers, {"answers": {"media": [MARK, {MARK: MARK}]}}, mark
    yield "PATCH", answers, {"answers": {"age": NUMBER + 100, MARK: NUMBER}}, mark
    yield "POST", f"/visits/{token}/answers", {"answers": {"age": NUMBER + 1}}, mark
    yield "PATCH", f"/visits/{token}/answers", {"answers": {"age": NUMBER + 1}}, mark
    yield "POST", f"/visits/{token}/reward", {"reward": 1000 + NUMBER}, mark
    yield "POST", f"/visits/{token}/reward", {"reward": MARK}, mark
    yield "POST", f"/visits/{token}/reward", {"reward": NUMBER}, {"Content-Type": MARK}
    yield "GET", "/summary", None, {"Authorization": f"Bearer {MARK}"}
    yield "GET", "/summary", None, {"Authorization": f"Bearer ask_{'A' * 12}_{MARK:A<43}"}
    yield "GET", f"/{MARK}", None, {"Authorization": MARK}


def test_nothing_that_was_sent_is_said_again(service):
    """Fails if an error, a note or a count repeats an answer, an id, a token or a key."""
    person = PERSON | {"age": NUMBER}
    open_visit = service.start(f"{MARK} open", known={"income": 3})["visit"]
    token = service.decided(f"{MARK} decided", person)["visit"]
    paid = service.paid(f"{MARK} paid", 61.0078125, person)["visit"]
    before = service.rows("visits", "events")
    private = [MARK, "73.19", "173.19", "61.0078", open_visit, token, paid, service.key[17:]]
    refusals = 0
    for method, path, body, headers in marked_calls(token, open_visit):
        answer = service(method, path, body, headers=headers)
        refusals += 1
        assert is_refusal(answer), (method, path, answer.text)
        assert 400 <= answer.status_code < 500, (method, path, answer.text)
        said = f"{answer.text}{dict(answer.headers)}"
        assert not [word for word in private if word in said], (method, path, said)
    assert refusals == 31
    after = service.rows("visits", "events")
    kinds = {row[4] for row in set(after["events"]) - set(before["events"])}
    assert kinds <= {"learned"}  # what followed from before
    counts = service("GET", "/metrics").text
    assert "askless_requests_total" in counts
    service.process.stop()
    notes = service.process.notes
    assert len(re.findall(r"INFO (GET|POST|PUT|PATCH) \S+( route\))? \d{3} ", notes)) > 31
    for word in private:
        assert word not in counts
        assert word not in notes
    assert verify(service.database, "charity").ok


def files_of(service, since):
    """The bytes of the files of a database: for PostgreSQL, of the log from a place on."""
    if service.database.sqlite:
        files = list(service.folder.glob("*.db*"))
        assert len(files) == 3  # with the log
    else:
        with service.database.reading() as connection:
            look = connection.exec_driver_sql
            folder = Path(look("SHOW data_directory").scalar_one()) / "pg_wal"
            now = log_of(service)
        names = sorted(file.name for file in folder.iterdir() if len(file.name) == 24)
        files = [folder / name for name in names if since <= name <= now]
    return b"".join(file.read_bytes() for file in files)


def log_of(service):
    """The file of PostgreSQL's log that is written to now."""
    if service.database.sqlite:
        return ""
    with service.database.reading() as connection:
        now = "SELECT pg_walfile_name(pg_current_wal_lsn())"
        return connection.exec_driver_sql(now).scalar_one()


def test_an_answer_to_an_unasked_question_is_nowhere(service_of):
    """Fails if an answer that was not asked for is kept in a table, a file, a log or a note."""
    service = service_of(PARTLY)
    mark, since = 88.123456789, log_of(service)
    person = dict.fromkeys(SCALES, 12.5) | {"old": True}
    service.paid("somebody", 1, person)
    refusals = []

    def tries(visit, *answers):
        path = f"/visits/{visit['visit']}/answers"
        for method in ("POST", "PATCH"):
            refusals.extend(service(method, path, {"answers": given}) for given in answers)

    visit = service.start("asked in part")
    assert [question["name"] for question in visit["asks"]] == ["old"]
    tries(visit, {"b": mark}, {"c": mark, "d": mark}, {"old": True, "b": mark}, {"old": mark})
    path = f"/visits/{visit['visit']}/answers"
    visit = service.done("POST", path, {"answers": {"old": True}})
    (asked,) = [question["name"] for question in visit["asks"]]
    others = sorted(SCALES - {asked})
    tries(visit, *({name: mark} for name in others), {asked: 1, others[0]: mark})
    visit = service.done("POST", path, {"answers": {asked: 12.5}})
    assert visit["arm"] is not None
    tries(visit, *({name: mark} for name in others), {asked: mark}, {"never": mark})
    assert len(refusals) == 22
    for refused in refusals:
        assert is_refusal(refused), refused.text
        assert refused.status_code in (409, 422)
        assert str(mark) not in refused.text
    with page_client(service.http.base_url) as client:
        page = PagePerson(client)
        page.agree()
        assert page.page.asks == ["a0"]
        said = page.send("answers", on=["1"], a1=str(mark))
        assert (said.status, str(mark) in said.text) == (409, False)
    whole, content = str(service.rows()), files_of(service, since)
    service.process.stop()
    assert "'somebody'" in whole  # it is looked for where people are
    assert b"somebody" in content
    assert "POST" in service.process.notes
    assert str(mark)[:9] not in whole + service.process.notes
    for needle in (str(mark)[:9].encode(), struct.pack(">d", mark), struct.pack("<d", mark)):
        assert needle not in content
    assert verify(service.database, "charity").ok

"""Answers, tokens, ids and keys are in no error, no note and no count of the service."""

import re
import shutil
from pathlib import Path

import pytest

import askless as al
from askless.storage import Database, LiveStudy, verify
from askless.storage.keys import make_key
from askless.survey.study import EXAMPLE
from raw_calls import PERSON, is_refusal
from serving_process import serving

pytestmark = pytest.mark.slow

MARK = "zq7secret"
NUMBER = 73.190625  # an age that nobody else has


@pytest.fixture(params=["sqlite", "postgres"])
def service(request, tmp_path, new_address):
    """A served study, in its own process, and all that it wrote."""
    shutil.copy(EXAMPLE, tmp_path / "study.yaml")
    address = new_address(request.param)
    database = Database(address)
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    key = make_key(database, "charity", ["admin"])
    with serving(tmp_path, "--db", address, key=key) as (calls, process):
        calls.database, calls.process = database, process
        calls.folder = None if not database.sqlite else Path(address).parent
        yield calls
    database.close()


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


def test_an_answer_to_an_unasked_question_is_nowhere(service):
    """Fails if an answer that was not asked for is kept in a table, a file, a log or a note."""
    mark, unasked = 88.123456789, "88.123456"
    service.paid("somebody")
    # Asked first is age alone where the rest is known; then nothing is asked any more.
    known = {name: answer for name, answer in PERSON.items() if name not in ("age", "media")}
    visit = service.start("unasked", known=known)
    assert [question["name"] for question in visit["asks"]] == ["age", "media"]
    path = f"/visits/{visit['visit']}/answers"
    decided = service.done("POST", path, {"answers": {"age": 44, "media": ["web"]}})
    assert decided["arm"] is not None
    alone = service.start("alone", arms=["wwf"])
    for method, where, answers in (
        ("POST", path, {"age": mark}),
        ("PATCH", path, {"age": mark}),
        ("POST", f"/visits/{alone['visit']}/answers", {"age": mark, "never asked": unasked}),
        ("POST", f"/visits/{alone['visit']}/answers", {"income": unasked}),
    ):
        assert is_refusal(service(method, where, {"answers": answers}))
    whole = str(service.rows())
    assert unasked not in whole
    assert "'somebody'" in whole  # it is looked for where people are
    if service.database.sqlite:
        files = list(service.folder.glob("*.db*"))
        assert len(files) == 3
        content = b"".join(file.read_bytes() for file in files)
        assert unasked.encode() not in content
        assert b"somebody" in content
    service.process.stop()
    assert unasked not in service.process.notes

"""Schemathesis over the whole API: whatever is sent, it answers as its description says."""

import copy

import pytest
import schemathesis
from anyio.from_thread import start_blocking_portal
from jsonschema import Draft202012Validator
from schemathesis.engine import Status, events, from_schema

import askless as al
from askless.service import create_app
from askless.storage import Answer, Database, LiveStudy, Reward, Start, verify
from askless.storage.keys import make_key
from raw_calls import PERSON, is_refusal

pytestmark = pytest.mark.slow

SETTINGS = {
    "seed": 23,
    "continue-on-failure": True,
    "parameters": {"study": "charity"},
    "phases": {"stateful": {"enabled": False}},
    "generation": {"max-examples": 40, "database": "none", "no-shrink": True},
    "checks": {
        # What does not fit a study's own questions and arms is refused too, beyond the schema.
        "positive_data_acceptance": {"enabled": False},
        "negative_data_rejection": {"expected-statuses": ["4xx"]},
    },
}


class Fuzzed:
    """A service within this process, to which anything is sent."""

    def __init__(self, folder):
        self.database = Database(str(folder / "study.db"))
        self.database.migrate()
        live = LiveStudy.open(self.database, al.Study.example())
        self.key = make_key(self.database, "charity", ["admin"])
        half, done, paid = (seen.visit for seen in live.run([Start(), Start(), Start()]))
        live.run([Answer(half, {"age": 44}), Answer(done, PERSON), Answer(paid, PERSON)])
        live.run([Reward(paid, 5)])
        self.tokens = {"open": half, "decided": done, "rewarded": paid}
        self.app = create_app(self.database, ["charity"], key_rate=0, address_rate=0)

    async def requests(self, scope, receive, send):
        """The application, which the fixture starts and ends."""
        if scope["type"] == "http":
            await self.app(scope, receive, send)

    def run(self, *, key=True, token=None):
        """Let schemathesis loose; return what it found wrong, and all answers by operation."""
        settings = copy.deepcopy(SETTINGS)
        if key:
            settings["headers"] = {"Authorization": f"Bearer {self.key}"}
        if token is not None:
            settings["parameters"]["visit"] = self.tokens[token]
        schema = schemathesis.openapi.from_asgi(
            "/openapi.json", self.requests, config=schemathesis.Config.from_dict(settings)
        )
        wrong, answers = [], {}
        for event in from_schema(schema).execute():
            if isinstance(event, events.NonFatalError | events.FatalError):
                wrong.append(repr(event))
            if not isinstance(event, events.ScenarioFinished):
                continue
            assert event.status in (Status.SUCCESS, Status.FAILURE, Status.SKIP)
            checks = [check for found in event.recorder.checks.values() for check in found]
            wrong += [str(check.failure_info.failure) for check in checks if check.failure_info]
            given = answers.setdefault(event.recorder.label, [])
            for done in event.recorder.interactions.values():
                given.append((done.request.method, done.response))
        return wrong, answers


@pytest.fixture
def fuzzed(tmp_path):
    made = Fuzzed(tmp_path)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(made.app.router.lifespan_context(made.app)),
    ):
        yield made


def statuses_of(answers):
    """Hold every answer to the one shape of errors; return which statuses there were."""
    found = {}
    for operation, given in answers.items():
        for method, response in given:
            found.setdefault(operation, set()).add(response.status_code)
            assert response.status_code < 500, (operation, response.text)
            if response.status_code >= 400 and method != "HEAD":
                assert is_refusal(response), (operation, response.text)
    return found


@pytest.mark.parametrize("token", [None, "open", "decided", "rewarded"])
def test_with_a_key_everything_is_answered_as_described(fuzzed, token):
    """Fails if anything ends in a 5xx, in another shape, or not as the description says."""
    wrong, answers = fuzzed.run(token=token)
    assert wrong == []
    found = statuses_of(answers)
    assert len(found) == sum(map(len, fuzzed.app.openapi()["paths"].values()))
    if token is not None:
        visits = [statuses for operation, statuses in found.items() if "{visit}" in operation]
        assert sum(200 in statuses for statuses in visits) >= 2  # it was seen, and erased
    assert verify(fuzzed.database, "charity").ok


def test_without_a_key_nothing_is_done(fuzzed):
    """Fails if a call without a key is let in, ends in a 5xx, or in another shape."""
    before = journal_of(fuzzed.database)
    wrong, answers = fuzzed.run(key=False)
    assert wrong == []
    for operation, statuses in statuses_of(answers).items():
        within = {200, 405, 413} if operation == "GET /health" else {400, 401, 405, 413, 415}
        assert statuses <= within, operation
    assert journal_of(fuzzed.database) == before


def journal_of(database):
    with database.reading() as connection:
        return connection.exec_driver_sql("SELECT * FROM events").all()


def test_it_is_described_in_openapi_3_1(fuzzed):
    """Fails if the description is of another version, or its schemas are none."""
    described = fuzzed.app.openapi()
    assert described["openapi"].startswith("3.1.")
    shapes = described["components"]["schemas"]
    assert "ErrorShape" in shapes
    assert "HTTPValidationError" not in shapes
    for shape in shapes.values():
        Draft202012Validator.check_schema(shape)
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (path, method)
            for status, answer in operation["responses"].items():
                if status.startswith(("4", "5")):
                    said = answer["content"]["application/json"]["schema"]
                    assert said == {"$ref": "#/components/schemas/ErrorShape"}, (path, status)

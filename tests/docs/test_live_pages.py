"""The pages for who runs a study live: their calls, commands and tables are the service's own."""

import re
import runpy
import shlex

import httpx
import pytest

import askless as al
from askless.storage import Database, LiveStudy, Start
from askless.storage.keys import SCOPES
from command_line import askless
from doc_pages import ROOT, python_blocks
from pretend_service import KEY, PERSON, PretendService
from served import served

pytestmark = pytest.mark.slow  # real services


def test_the_calling_page_shows_its_examples_and_its_python_runs(monkeypatch):
    """Fails if the page and what `make calling` runs differ, or what was not run is not marked."""
    page = (ROOT / "docs" / "calling.md").read_text()
    for example in ("calling.sh", "calling.R"):
        assert (ROOT / "examples" / example).read_text() in page
    for tool in ("Qualtrics", "LimeSurvey", "oTree", "formr"):
        assert f"## {tool}\n\n*Not run here;" in page
    service, played = PretendService(), []
    plain = al.Client
    monkeypatch.setattr(
        al, "Client", lambda *given: plain(*given, transport=service.transport()), raising=False
    )
    code, otree = python_blocks(ROOT / "docs" / "calling.md")
    names = {"address": "http://127.0.0.1:1", "key": KEY, "suggest": played.append}
    exec(code, {**names, "ask_the_person": PERSON.get})
    assert played == ["red_cross"]
    assert list(service.rewards.values()) == [25]
    compile(otree, "otree", "exec")
    monkeypatch.setenv("ASKLESS_ADDRESS", "http://127.0.0.1:1")
    monkeypatch.setenv("ASKLESS_STUDY", "charity")
    monkeypatch.setenv("ASKLESS_KEY", KEY)
    runpy.run_path(str(ROOT / "examples" / "calling.py"), run_name="__main__")
    assert len(service.rewards) == 2


def test_every_call_of_the_service_is_in_the_docs(tmp_path):
    """Fails if the service has a call that no page names, or the table one that is not there."""
    with served(tmp_path) as (address, _):
        schema = httpx.get(f"{address}/openapi.json").json()
    calls = {
        f"{method.upper()} {path}" for path, found in schema["paths"].items() for method in found
    }
    page = (ROOT / "docs" / "serving.md").read_text()
    named = set(re.findall(r"^\| `([A-Z]+ /\S+)` \|", page, flags=re.MULTILINE))
    assert named == calls | {"GET /openapi.json"}
    for route, scope in re.findall(r"^\| `[A-Z]+ (/\S+)` \| (\w+) \|", page, flags=re.MULTILINE):
        assert (scope == "none") == ("/v1/" not in route)
        assert scope in {*SCOPES, "none"}
    for scope, what in SCOPES.items():
        assert f"| `{scope}` | {what.split(',')[0]}" in page


def test_the_serving_page_s_python_runs(tmp_path):
    """Fails if the loop, the pause or the retirement of the page do not work on a real service."""
    code, changing = python_blocks(ROOT / "docs" / "serving.md")
    played = []
    with served(tmp_path) as (address, key):
        names = {"key": key, "admin_key": key, "suggest": played.append}
        names["ask_the_person"] = PERSON.get
        for block in (code, changing):
            exec(block.replace("http://127.0.0.1:8000", address), names)
        with al.Client(address, "charity", key) as client:
            kinds = [event.kind for event in client.events()]
    assert played == ["red_cross"]
    assert [kind for kind in kinds if kind in ("rewarded", "paused", "resumed", "retired")] == [
        "rewarded",
        "paused",
        "resumed",
        "retired",
    ]


def test_the_serving_page_s_commands_run(tmp_path, monkeypatch, new_address):
    """Fails if a verb of the page is refused; what `serve` would run is looked at, not run."""
    page = (ROOT / "docs" / "serving.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("askless")]
    services, said = [], {}
    monkeypatch.setattr("askless.service.serve", services.append)
    for line in lines:
        words = shlex.split(line.split(" >")[0], comments=True)[1:]
        words = [said["key"] if word == "KEY" else word for word in words]
        if any("postgresql://" in word for word in words):
            address = new_address("postgresql")
            words = [address if "postgresql://" in word else word for word in words]
        done = askless(*words, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
        if words[:2] == ["key", "new"]:
            said["key"] = done.stdout.split("_")[1]
        if words[0] == "serve" and len(services) == 1:
            database = Database(tmp_path / "charity.db")
            LiveStudy(database, "charity").run([Start(own="person 7")])
            database.close()
    assert [service.workers for service in services] == [1, 2]
    assert {line.split()[1] for line in lines} == {
        *("init", "serve", "key", "verify", "erase", "export", "backup", "restore")
    }

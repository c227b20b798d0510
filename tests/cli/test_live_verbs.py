"""`askless serve`, `key`, `verify` and `erase`: what they print, and what they refuse."""

import json
import re
import shutil
import socket
import sqlite3
from contextlib import closing
from importlib import import_module
from urllib.parse import urlsplit

import pytest

import askless as al
from askless.storage import Database, LiveStudy, Start
from askless.storage.admins import set_password
from askless.storage.keys import find_key, list_keys, make_key
from askless.storage.links import add_link, digest_of
from askless.survey.study import EXAMPLE
from command_line import askless
from serving_process import Serving

KEY = re.compile(r"ask_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}")
GOOD = EXAMPLE.read_text()
BAD_FILES = {
    "empty": ("", "schema: 1"),
    "no yaml": ("questions: [", "yaml"),
    "a list": ("- 1\n- 2\n", "study"),
    "no questions": (re.sub(r"questions:.*?\narms:", "arms:", GOOD, flags=re.S), "questions"),
    "no arms": (re.sub(r"arms:.*?\nreward:", "reward:", GOOD, flags=re.S), "arms"),
    "unknown key": (GOOD + "\nsecrets: 5\n", "secrets"),
    "schema": (GOOD.replace("schema: 1", "schema: 99"), "schema"),
    "same name twice": (GOOD.replace("name: income", "name: age"), "age"),
    "scale upside down": (GOOD.replace("low: 18, high: 90", "low: 90, high: 18"), "high"),
    "reward without range": (GOOD.replace("  low: 0\n  high: 100\n", "  low: 0\n"), "high"),
    "unknown policy": (GOOD.replace("beta_min: 20 ", "name: magic\n  beta_min: 20 "), "magic"),
    "policy out of range": (GOOD.replace("beta_min: 20 ", "beta_min: -1 "), "beta_min"),
    "rule of an unknown question": (
        GOOD.replace("{name: wwf,", '{name: wwf, eligible_if: "shoes == 5",'),
        "shoes",
    ),
    "rule that would be run": (
        GOOD.replace("{name: wwf,", "{name: wwf, eligible_if: \"__import__('os').abort()\","),
        "eligible_if",
    ),
    "a name with a slash": (GOOD.replace("name: charity", "name: a/b", 1), "without /"),
    "a name of dots": (GOOD.replace("name: charity", "name: ..", 1), "without /"),
}


def complaint(done):
    """Return the one line with which a verb refuses something."""
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("askless: ")
    return line


@pytest.fixture
def folder(tmp_path):
    """A folder with a study file, its database and a key."""
    shutil.copy(EXAMPLE, tmp_path / "study.yaml")
    database = Database(str(tmp_path / "charity.db"))
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    make_key(database, "charity", ["serve"], name="the app")
    database.close()
    return tmp_path


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_study_file_is_not_served(what, tmp_path):
    """Fails if a bad file is served, leaves a database behind, or is not told in one line."""
    text, word = BAD_FILES[what]
    (tmp_path / "study.yaml").write_text(text)
    done = askless("serve", "study.yaml", "--db", "new.db", cwd=tmp_path)
    assert word in complaint(done).lower()
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("nothing.yaml",), "nothing.yaml"),
        ((), "study"),
        (("study.yaml", "--port", "70000"), "port is 70000"),
        (("study.yaml", "--port", "x"), "--port"),
        (("study.yaml", "--workers", "0"), "workers is 0"),
        (("study.yaml", "--workers", "2"), "SQLite has one writer"),
        (("study.yaml", "--key-rate", "-1"), "key_rate"),
        (("study.yaml", "--address-rate", "nan"), "address_rate"),
        (("study.yaml", "--db", "nowhere/study.db"), "no folder nowhere"),
        (("study.yaml", "--db", "mysql://root@localhost/x"), "'mysql'"),
        (("study.yaml", "--db", "sqlite://"), "in memory"),
        (("study.yaml", "--db", "study.yaml"), "database"),
        (("study.yaml", "--db", "postgresql://nobody@127.0.0.1:9/none"), "does not answer"),
        (("study.yaml", "--frobnicate"), "--frobnicate"),
    ],
)
def test_a_service_that_cannot_be_is_refused(folder, options, word):
    """Fails if wrong options of serve are not told in one line."""
    assert word.lower() in complaint(askless("serve", *options, cwd=folder)).lower()


def test_another_study_of_the_same_name_is_not_served(folder):
    """Fails if a study goes on with other questions."""
    text = (folder / "study.yaml").read_text().replace("high: 90", "high: 99")
    (folder / "study.yaml").write_text(text)
    assert "has begun with other questions" in complaint(askless("serve", "study.yaml", cwd=folder))


@pytest.mark.parametrize(
    "verb", [("serve",), ("key",), ("key", "new"), ("key", "list"), ("verify",), ("erase",)]
)
def test_help_says_what_a_verb_is_for(verb, tmp_path):
    """Fails if a verb has no help, or an option of it none."""
    done = askless(*verb, "--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"askless {' '.join(verb)} " in done.stdout
    if verb != ("key",):
        assert "--db" in done.stdout


@pytest.mark.slow
def test_the_first_key_is_shown_once_and_kept_as_a_hash(tmp_path):
    """Fails if the first key is not good, is shown again, or lies in the database."""
    shutil.copy(EXAMPLE, tmp_path / "study.yaml")
    printed = []
    for _ in range(2):
        process = Serving(tmp_path)
        process.address()
        process.stop()
        printed.append(process.printed)
        assert not KEY.search(process.notes)
    (key,) = KEY.findall(printed[0])
    assert printed[1] == ""
    database = Database(str(tmp_path / "charity.db"))
    found = find_key(database, key)
    assert (found.name, found.allows("admin"), found.expires) == ("the first key", True, None)
    database.close()
    files = list(tmp_path.glob("charity.db*"))
    assert files
    assert not any(key[17:].encode() in file.read_bytes() for file in files)


def test_keys_are_made_listed_and_revoked(folder):
    """Fails if a key is shown twice, or lists leave out what it is for."""
    options = ("--scope", "export", "--scope", "reward", "--name", "a [b] panel", "--days", "2")
    made = askless("key", "new", *options, cwd=folder)
    assert (made.returncode, made.stderr) == (0, "")
    assert KEY.fullmatch(made.stdout.strip())
    name = made.stdout[4:16]
    listed = json.loads(askless("key", "list", "--json", cwd=folder).stdout)
    assert [(key["name"], key["scopes"]) for key in listed] == [
        ("the app", "serve"),
        ("a [b] panel", "export reward"),
    ]
    assert listed[1]["key"] == name
    assert listed[1]["expires"] is not None
    table = askless("key", "list", cwd=folder)
    assert made.stdout[17:60] not in table.stdout + str(listed)
    assert "a [b] panel" in table.stdout
    assert askless("key", "revoke", name, cwd=folder).returncode == 0
    database = Database(str(folder / "charity.db"))
    standing, revoked = list_keys(database, "charity")
    database.close()
    assert (standing.revoked, revoked.revoked is None) == (None, False)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("key", "new", "--scope", "everything"), "no scope 'everything'"),
        (("key", "new", "--days", "0"), "days is 0"),
        (("key", "new", "--days", "x"), "--days"),
        (("key", "new", "--name", "two\nlines"), "name of a key"),
        (("key", "new", "nothing"), "no study 'nothing'"),
        (("key", "list", "--db", "none.db"), "no such database"),
        (("key", "revoke", "AAAAAAAAAAAA"), "no key 'AAAAAAAAAAAA'"),
        (("key", "frobnicate"), "frobnicate"),
        (("verify", "nothing"), "no study 'nothing'"),
        (("verify", "--db", "none.db"), "no such database"),
        (("verify", "--db", "study.yaml"), "not a database"),
        (("erase",), "whom to erase?"),
        (("erase", "--visit", "a", "--id", "b"), "whom to erase?"),
        (("erase", "--id", "person"), "--yes"),
        (("erase", "--id", "nobody", "--yes"), "no such visit"),
        (("erase", "--visit", "nobody", "--yes"), "no such visit"),
        (("erase", "nothing", "--id", "person", "--yes"), "no study 'nothing'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(folder, arguments, word):
    """Fails if a wrong option ends in a traceback, in two lines, or changes the database."""
    database = Database(str(folder / "charity.db"))
    LiveStudy(database, "charity").run([Start(own="person")])
    database.close()
    before = rows_of(folder / "charity.db")
    said = complaint(askless(*arguments, cwd=folder))
    assert word.lower() in said.lower()
    assert rows_of(folder / "charity.db") == before


def rows_of(path):
    """Everything that a database says; its bytes differ where room was given back."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_verify_and_erase_say_what_they_found(folder):
    """Fails if either says something else than what is so, or says it with another exit code."""
    database = Database(str(folder / "charity.db"))
    live = LiveStudy(database, "charity")
    live.run([Start(own="person"), Start(own="another")])
    database.close()
    said = askless("verify", "--json", cwd=folder)
    found = json.loads(said.stdout)
    assert (said.returncode, found["ok"], found["visits"], found["erased"]) == (0, True, 2, 0)
    erased = askless("erase", "--id", "person", "--yes", "--json", cwd=folder)
    assert json.loads(erased.stdout) == {"number": 0, "was": "open", "unlearned": False}
    again = askless("erase", "--id", "person", "--yes", cwd=folder)
    assert "no such visit" in complaint(again)  # its id is gone too
    assert "verified" in askless("verify", cwd=folder).stdout.splitlines()[0]
    with sqlite3.connect(folder / "charity.db") as changed:
        changed.execute("UPDATE studies SET decided = 1")
    changed.close()
    said = askless("verify", cwd=folder)
    assert (said.returncode, said.stdout.startswith("charity: NOT verified.")) == (1, True)


def test_a_port_that_is_taken_is_refused_before_anything_is_made(tmp_path):
    """Fails if a server that cannot listen leaves a database, or says a key that nobody keeps."""
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = askless("serve", "study.yaml", "--port", port, cwd=tmp_path)
    assert f"cannot listen on 127.0.0.1, port {port}: " in complaint(said)
    said = askless("serve", "study.yaml", "--host", "192.0.2.1", "--port", port, cwd=tmp_path)
    assert "cannot listen on 192.0.2.1" in complaint(said)
    assert [path.name for path in tmp_path.iterdir()] == ["study.yaml"]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::"])
def test_what_is_said_of_where_to_find_it_is_an_address(host, tmp_path, monkeypatch):
    """Fails if no browser opens the addresses that a server prints."""
    monkeypatch.setattr("askless.service.serve", lambda _: None)
    monkeypatch.setattr(import_module("askless.service.serving"), "check_free", lambda *_: None)
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    database = Database(tmp_path / "charity.db")
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    set_password(database, "charity", "a long password")
    database.close()
    said = askless("serve", "study.yaml", "--host", host, "--port", "18765", cwd=tmp_path)
    found = [urlsplit(address) for address in re.findall(r" at (http\S+)", said.stderr)]
    assert [at.path for at in found] == ["/s/charity", "/dashboard/charity"]
    assert {(at.hostname, at.port) for at in found} == {(host, 18_765)}


def test_who_came_by_a_page_is_erased_by_their_link(folder):
    """Fails if a personal link does not find its visit, or another's secret finds one."""
    database = Database(str(folder / "charity.db"))
    live = LiveStudy(database, "charity")
    live.run([Start()])
    with database.writing() as connection:
        add_link(connection, live.id, digest_of("s" * 32), "resume", 0, until=None)
    wrong = askless("erase", "--link", "http://a/s/charity/r/none", "--yes", cwd=folder)
    assert "leads to no visit" in complaint(wrong)
    link = f"http://a/s/charity/r/{'s' * 32}"
    done = askless("erase", "--link", link, "--yes", "--json", cwd=folder)
    assert json.loads(done.stdout) == {"number": 0, "was": "open", "unlearned": False}
    again = askless("erase", "--link", link, "--yes", cwd=folder)
    assert "leads to no visit" in complaint(again)
    database.close()

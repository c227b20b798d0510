"""Who may look at a dashboard: what is kept of passwords and sessions, and what ends them."""

import hashlib
import io
import sys
from unittest import mock

import pytest
from sqlalchemy import select

from askless.errors import SettingError
from askless.storage import LiveStudy
from askless.storage.admins import (
    SESSION,
    find_session,
    has_admin,
    set_password,
    sign_in,
    sign_out,
)
from askless.storage.backing_up import backup
from askless.storage.restoring import restore
from askless.storage.tables import admins, sessions
from command_line import askless
from live_world import opened, small

GOOD, OTHER = "correct horse", "battery staple"


@pytest.fixture
def study(database):
    return LiveStudy.open(database, small()).name


def rows(database, table):
    with database.reading() as connection:
        return [dict(row._mapping) for row in connection.execute(select(table))]


@pytest.mark.slow
def test_only_the_right_password_of_the_right_name_opens(database, study):
    """Fails if another password, name or study lets somebody in, or the right one does not."""
    assert not has_admin(database, study)
    assert set_password(database, study, GOOD)
    assert has_admin(database, study)
    assert sign_in(database, study, "admin", OTHER) is None
    assert sign_in(database, study, "Admin", GOOD) is None
    assert sign_in(database, study, "admin", GOOD + " ") is None
    assert sign_in(database, study, "admin", "") is None
    assert sign_in(database, study, "admin\0", GOOD) is None  # which PostgreSQL cannot look up
    secret = sign_in(database, study, "admin", GOOD)
    assert find_session(database, study, secret) == "admin"
    assert find_session(database, study, secret[:-1]) is None
    assert find_session(database, study, "") is None


def test_neither_password_nor_secret_is_in_the_database(database, study):
    """Fails if a column has the password, or the secret itself instead of its digest."""
    set_password(database, study, GOOD)
    secret = sign_in(database, study, "admin", GOOD)
    (admin,), (session,) = rows(database, admins), rows(database, sessions)
    assert admin["password"].startswith("$argon2id$")
    assert session["digest"] == hashlib.sha256(secret.encode()).hexdigest()
    kept = repr((admin, session))
    assert GOOD not in kept
    assert secret not in kept


@pytest.mark.slow
def test_a_session_ends_by_time_by_signing_out_and_by_a_new_password(database, study):
    """Fails if a session outlives its hours, its end, or the password with which it began."""
    set_password(database, study, GOOD)
    old = sign_in(database, study, "admin", GOOD, now=1_000.0)
    assert find_session(database, study, old, now=999.0 + SESSION) == "admin"
    assert find_session(database, study, old, now=1_000.0 + SESSION) is None
    first, second = (sign_in(database, study, "admin", GOOD) for _ in range(2))
    assert len(rows(database, sessions)) == 2  # what had expired is gone
    sign_out(database, study, first)
    assert find_session(database, study, first) is None
    assert find_session(database, study, second) == "admin"
    assert not set_password(database, study, OTHER)
    assert find_session(database, study, second) is None
    assert sign_in(database, study, "admin", GOOD) is None
    assert sign_in(database, study, "admin", OTHER) is not None


def test_a_session_is_of_one_study_and_one_name(database, study):
    """Fails if a session opens another study, or another name's password ends it."""
    other = LiveStudy.open(database, small().__class__.example()).name
    set_password(database, study, GOOD)
    secret = sign_in(database, study, "admin", GOOD)
    assert find_session(database, other, secret) is None
    set_password(database, study, OTHER, name="second")
    assert find_session(database, study, secret) == "admin"


def test_an_unknown_name_is_compared_with_a_password_too(database, study, monkeypatch):
    """Fails if a name that is not there is answered without the work of a comparison."""
    from askless.storage import admins as module  # noqa: PLC0415

    compared = []
    verify = module.hasher.verify

    class Counting:
        def verify(self, kept, password):
            compared.append(kept[:30])
            return verify(kept, password)

        hash = staticmethod(module.hasher.hash)

    set_password(database, study, GOOD)
    monkeypatch.setattr(module, "hasher", Counting())
    assert sign_in(database, study, "nobody", GOOD) is None
    assert sign_in(database, study, "admin", OTHER) is None
    assert len(compared) == 2
    assert compared[0].split("$")[:4] == compared[1].split("$")[:4]  # the same work


@pytest.mark.parametrize(
    ("password", "name", "said"),
    [
        ("short", "admin", "5 characters; give 10"),
        ("x" * 1_001, "admin", "1001 characters"),
        (GOOD, "", "1 to 200"),
        (GOOD, "a\nb", "a line"),
    ],
)
def test_what_is_no_password_or_name_is_refused(sqlite, password, name, said):
    """Fails if it is taken, or if the message repeats the password."""
    study = LiveStudy.open(sqlite, small()).name
    with pytest.raises(SettingError, match=said) as refusal:
        set_password(sqlite, study, password, name=name)
    assert password not in str(refusal.value)
    assert not has_admin(sqlite, study)


def test_a_backup_has_the_password_and_nobody_signed_in(database, study, tmp_path, new_address):
    """Fails if a restored study has lost its administrators, or keeps sessions."""
    set_password(database, study, GOOD)
    secret = sign_in(database, study, "admin", GOOD)
    backup(database, study, tmp_path / "study.zip")
    with opened(new_address("sqlite")) as other:
        restore(tmp_path / "study.zip", other)
        assert find_session(other, study, secret) is None
        assert sign_in(other, study, "admin", GOOD) is not None


def test_the_command_line_sets_a_password_from_standard_input(tmp_path):
    """Fails if the first line is not the password, or a short one is not one clear line."""
    with opened(str(tmp_path / "a.db")) as database:
        study = LiveStudy.open(database, small()).name
        for line, code in ((f"{GOOD}\n", 0), ("short\n", 2)):
            with mock.patch.object(sys, "stdin", io.StringIO(line)):
                said = askless("admin", "password", study, "--stdin", cwd=tmp_path)
            assert said.returncode == code, said.stderr
        assert said.stderr.strip().endswith("the password has 5 characters; give 10 to 1,000")
        assert sign_in(database, study, "admin", GOOD) is not None
        with mock.patch.object(sys, "stdin", io.StringIO("")):
            said = askless("admin", "password", study, cwd=tmp_path)
        assert said.returncode == 2
        assert "--stdin" in said.stderr


def test_serving_says_how_to_set_a_password_until_there_is_one(tmp_path, monkeypatch):
    """Fails if nobody is told why the dashboard lets nobody in, or where it is."""
    monkeypatch.setattr("askless.service.serve", lambda _: None)
    (tmp_path / "study.yaml").write_text(small().located.text)
    said = askless("serve", "study.yaml", cwd=tmp_path)
    assert said.returncode == 0
    assert "askless admin password small --db sqlite:///small.db" in said.stderr
    with mock.patch.object(sys, "stdin", io.StringIO(GOOD)):
        assert askless("admin", "password", "small", "--stdin", cwd=tmp_path).returncode == 0
    said = askless("serve", "study.yaml", cwd=tmp_path)
    assert "askless admin" not in said.stderr
    assert "dashboard at http://127.0.0.1:8000/dashboard/small" in said.stderr

"""`askless serve --demo` as a newcomer runs it: it shows, it ends, it leaves nothing behind."""

import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import contextmanager

import pytest

import askless as al
from askless.storage import Database, LiveStudy, verify
from askless.storage.admins import sign_in
from askless.survey.study import EXAMPLE
from command_line import askless

pytestmark = pytest.mark.slow

RULED = """
schema: 1
name: who gets what
questions:
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: donor, may_skip: true}
  - {kind: multi, name: media, options: [tv, web], may_skip: true}
arms:
  - {name: old, eligible_if: age >= 50}
  - {name: young, eligible_if: not age >= 50}
reward: {low: -1, high: 3, window: 20 visits, silence: 0}
policy: {name: linucb}
plan: {skips: 0.3, useful: 2, noise: 0.2}
"""
COMMAND = [sys.executable, "-m", "askless", "serve", "--demo", "--port", "0", "--pace", "400"]


def surroundings(folder):
    """Let temporary folders be made where it can be seen whether they are gone."""
    (folder / "tmp").mkdir()
    return {**os.environ, "TMPDIR": str(folder / "tmp"), "OMP_NUM_THREADS": "1"}


@contextmanager
def started(folder, *arguments, **pipes):
    """Start a demo in a session of its own; end it whatever happens."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=surroundings(folder),
        start_new_session=True,
        **pipes,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def left_by(process, folder):
    """Return what is left: files of the demo, and processes of its session."""
    try:
        os.killpg(process.pid, 0)
        alive = ["a process"]
    except ProcessLookupError:
        alive = []
    return [*alive, *(path.name for path in folder.rglob("*") if path.name != "tmp")]


def finished(folder, *arguments):
    """Run a demo that ends by itself; return what it said and what it left."""
    with started(folder, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        said, complained = process.communicate()
    assert process.returncode == 0, complained.decode()
    assert complained == b""
    return said.decode(), left_by(process, folder)


def number(pattern, text):
    (found,) = re.findall(pattern, text)
    return float(found.replace(",", ""))


def test_it_ends_by_itself_and_its_numbers_are_those_of_the_database(tmp_path):
    """Fails if a printed number is not what the journal, read with SQL, says; or it leaves more."""
    said, left = finished(tmp_path, "--visits", "250", "--db", "kept.db")
    assert left == ["kept.db"]
    assert re.search(r"The dashboard: +http://127\.0\.0\.1:\d+/dashboard/charity\n", said)
    rows = (
        sqlite3.connect(tmp_path / "kept.db")
        .execute("SELECT kind, asked, reward FROM visits ORDER BY number")
        .fetchall()
    )
    decided = [(kind, asked, reward) for kind, asked, reward in rows if kind is not None]
    assert number(r"([\d,]+) simulated people came", said) == len(rows) == 250
    assert number(r"([\d,]+) got an arm", said) == len(decided)
    assert number(r"([\d,]+) left halfway", said) == 250 - len(decided) > 0
    first, last = ([asked for _, asked, _ in some] for some in (decided[:100], decided[-100:]))
    assert number(r"([\d.]+) at first", said) == round(sum(first) / 100, 1)
    assert number(r"([\d.]+) now", said) == round(sum(last) / 100, 1)
    assert number(r"; ([\d,]+) visits were short", said) == sum(k == "short" for k, *_ in decided)
    rewards = [reward for *_, reward in decided]
    assert number(r"Mean reward: ([\d.]+)", said) == float(f"{sum(rewards) / len(rewards):.4g}")
    assert number(r"in ([\d,]+) visits;", said) == len(rewards)
    database = Database(str(tmp_path / "kept.db"))
    live = LiveStudy(database, "charity")
    assert live.study.window == "100 visits"  # else a visitor without a reward holds up the others
    form = live.look(lambda replica: replica.form)
    assert f"The short form asks {', '.join(form)};" in said
    assert verify(database, "charity").ok
    (password,) = re.findall(r"sign in as admin with the password (\S+)", said)
    assert sign_in(database, "charity", "admin", password) is not None
    database.close()
    assert said.endswith("The study is in kept.db.\n")


def test_any_study_is_shown_and_nothing_is_left_of_it(tmp_path):
    """Fails if rules, skips, a window or a policy without short forms stop a demo."""
    (tmp_path / "study.yaml").write_text(RULED)
    said, left = finished(tmp_path, "study.yaml", "--visits", "80")
    assert left == ["study.yaml"]
    assert "who gets what: 80 simulated people came" in said
    assert "Questions a visit: 3.0 at first, 3.0 now, of 3." in said
    assert "best single arm" not in said  # no arm is open to everyone
    assert "refused" not in said
    assert said.endswith("Nothing is left of it.\n")


@pytest.mark.parametrize(
    ("wish", "options", "left", "told"),
    [
        (signal.SIGINT, [], [], "Nothing is left of it."),
        (signal.SIGTERM, ["--keep"], ["charity.db"], "The study is in charity.db."),
    ],
)
def test_in_a_terminal_it_goes_on_until_it_is_stopped(tmp_path, wish, options, left, told):
    """Fails if it ends by itself, does not stop, or leaves a folder or a process behind."""
    ours, theirs = pty.openpty()
    with started(tmp_path, *options, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        while b"short form: " not in said:
            said += os.read(ours, 65_536)
        assert list((tmp_path / "tmp").iterdir())
        process.send_signal(wish)
        try:
            while more := os.read(ours, 65_536):
                said += more
        except OSError:  # how a terminal says that nobody writes any more
            pass
        assert process.wait() == 0
    os.close(ours)
    assert left_by(process, tmp_path) == left
    text = said.decode()
    assert "Ctrl-C stops it." in text
    assert "simulated people came" in text
    assert text.rstrip().endswith(told)
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--demo", "none.yaml"], "none.yaml: cannot read the file"),
        (["--demo", "bad.yaml"], "bad.yaml, line 28, reward: the low end"),
        (["--demo", "--pace", "0"], "pace is 0; give how many simulated people come a second"),
        (["--demo", "--pace", "fast"], "--pace is 'fast'; give a number, such as 0.5"),
        (["--demo", "--visits", "0"], "visits is 0; give after how many"),
        (["--demo", "--seed", "-1"], "seed is -1; give a whole number"),
        (["--demo", "--workers", "2"], "workers is 2; a demo has one"),
        (["--demo", "--db", "real.db"], "the database has a study 'charity' already"),
        (["--demo", "--port", "70000"], "port is 70000"),
        (["study.yaml", "--pace", "5"], "--pace is for --demo"),
        (["study.yaml", "--keep"], "--keep is for --demo"),
        ([], "which study? give its file, or --demo"),
    ],
)
def test_what_cannot_be_shown_is_one_line(tmp_path, arguments, complaint):
    """Fails if it is not one line with exit code 2, or a study that is there is touched."""
    (tmp_path / "bad.yaml").write_text(EXAMPLE.read_text().replace("high: 100", "high: -1"))
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    database = Database(str(tmp_path / "real.db"))
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    database.close()
    before = {path.name for path in tmp_path.iterdir()}
    done = askless("serve", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert complaint in done.stderr
    assert done.stdout == ""
    assert {path.name for path in tmp_path.iterdir()} == before
    rows = sqlite3.connect(tmp_path / "real.db").execute("SELECT count(*) FROM keys").fetchall()
    assert rows == [(0,)]

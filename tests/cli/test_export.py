"""`askless export`, `backup` and `restore` as people and machines use them."""

import json

import pytest

from askless.storage import Database, LiveStudy, Retire
from command_line import askless
from live_visits import digest, open_live, play


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the database of a study of 300 visits."""
    made = tmp_path_factory.mktemp("live")
    database = Database(made / "study.db")
    play(open_live(database), 300)
    database.close()
    return made


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_exported_is_analysed(folder, ending):
    """Fails if `askless analyse` does not read what `askless export` wrote, by the very command
    that it says."""
    done = askless("export", "--to", ending, "--format", ending, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.splitlines()
    assert first.startswith("300 visits (18 of them open) and ")
    command = second.split("askless ", 1)[1].split()
    assert command[0] == "analyse"
    analysed = askless(*command, "--out", f"report-{ending}", "--json", cwd=folder)
    assert analysed.returncode == 0, analysed.stderr
    assert json.loads(analysed.stdout)
    assert (folder / f"report-{ending}" / "report.html").stat().st_size > 10_000


def test_an_export_is_not_replaced_unasked(folder):
    """Fails if files are replaced without --force, or JSON is not alone."""
    assert askless("export", "charity", "--db", "study.db", "--to", "x", cwd=folder).returncode == 0
    refused = askless("export", "charity", "--db", "study.db", "--to", "x", cwd=folder)
    assert refused.returncode == 2
    assert refused.stderr.startswith("askless: x has visits.csv already; give another folder")
    arguments = ["export", "charity", "--db", "study.db", "--to", "x", "--force", "--json"]
    said = json.loads(askless(*arguments, "--with-ids", cwd=folder).stdout)
    assert (said["visits"], said["open"], said["rebuilds"]) == (300, 18, True)
    assert "id" in (folder / "x" / "visits.csv").read_text().splitlines()[0].split(",")


def test_a_study_that_its_visits_do_not_tell_is_said_to_be_one(tmp_path):
    """Fails if people are sent to `askless analyse` with a file that it will refuse."""
    database = Database(tmp_path / "study.db")
    live = open_live(database)
    play(live, 20)
    live.run([Retire("msf")])
    database.close()
    done = askless("export", "--to", "out", cwd=tmp_path)
    assert (
        "an arm was retired or the price changed: the study cannot be rebuilt or analysed from"
        in done.stdout
    )
    assert "askless analyse" not in done.stdout


def test_a_backup_is_restored(folder, tmp_path):
    """Fails if a study does not come back as it was, or comes back twice."""
    done = askless("backup", "--to", tmp_path / "b.zip", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    again = askless("restore", tmp_path / "b.zip", "--db", "new.db", "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == {k: v for k, v in said.items() if k != "file"}
    database = Database(tmp_path / "new.db")
    assert digest(LiveStudy(database, "charity")) == said["digest"]
    database.close()
    twice = askless("restore", tmp_path / "b.zip", "--db", "new.db", cwd=tmp_path)
    assert twice.returncode == 2
    assert "has a study 'charity' already" in twice.stderr


def test_people_are_told_what_was_written(folder, tmp_path):
    """Fails if the words of backup and restore do not say what is where, and how to keep it."""
    done = askless("backup", "charity", "--to", tmp_path / "b.zip", cwd=folder)
    assert "charity: 300 visits and " in done.stdout
    assert "keep it as you keep the database" in done.stdout
    again = askless("restore", tmp_path / "b.zip", "--db", "new.db", cwd=tmp_path)
    assert "events are restored. State " in again.stdout
    refused = askless("backup", "charity", "--to", tmp_path / "b.zip", cwd=folder)
    assert "is there already; give another file, or --force" in refused.stderr
    (tmp_path / "bad.zip").write_bytes((tmp_path / "b.zip").read_bytes()[:-100])
    bad = askless("restore", tmp_path / "bad.zip", "--db", "other.db", cwd=tmp_path)
    assert bad.returncode == 2
    assert "is damaged, or no backup of a study" in bad.stderr
    assert not (tmp_path / "other.db").exists()

"""A live study as files: visits that rebuild it, its journal, and nothing else of anybody."""

import csv
import json
import threading
from collections import Counter

import pytest
from pyarrow import parquet
from sqlalchemy import func, select, update

import askless as al
from askless.errors import SettingError
from askless.storage import Database, Retire, Reward, Start, exporting
from askless.storage.exporting import export
from askless.storage.tables import events, visits
from live_visits import SILENT, TEXT, open_live, play


@pytest.fixture
def database(address):
    found = Database(address)
    yield found
    found.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A database with a study of 120 visits, for what only reads."""
    database = Database(tmp_path_factory.mktemp("played") / "study.db")
    live = open_live(database)
    play(live, 120)
    yield database, live
    database.close()


def rows(folder, table="visits"):
    with (folder / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.parametrize("text", [TEXT, SILENT], ids=["lost", "silent"])
def test_the_study_is_rebuilt_from_its_visits(database, tmp_path, text):
    """Fails if a visit, its place, reward or block is not what the live policy had; its state is
    compared with one that learned the file's visits through other code."""
    live = open_live(database, text)
    play(live, 300)
    done = export(database, "charity", tmp_path / "out")
    study = al.Study.read(tmp_path / "out" / "study.yaml")
    policy = al.policy_for(study)
    read = al.read_visits(tmp_path / "out" / "visits.csv", study)
    al.rebuild(policy, read)
    assert policy.to_dict() == live.look(lambda replica: replica.policy.to_dict())
    assert sum(visit.learned is not None for visit in read) > 200
    assert done.counts["visits"] == 300
    assert done.counts["open"] == 18
    assert done.rebuilds
    statuses = Counter(row["status"] for row in rows(tmp_path / "out"))
    assert statuses["open"] == 18
    assert statuses["late"] > 10
    assert statuses["silent" if text == SILENT else "lost"] > 5
    for row in rows(tmp_path / "out"):  # what silence means is not what came
        if row["status"] in ("late", "lost", "silent") and row["learned"]:
            assert float(row["reward"]) == 0.0
        assert bool(row["reward_came"]) == (row["status"] in ("rewarded", "learned", "late"))


def test_statuses_are_those_that_callers_see(database, tmp_path):
    """Fails if the file says something else of a visit than the table that the API answers from,
    once everything that follows is noted."""
    live = open_live(database)
    play(live, 100)
    live.run([])
    export(database, "charity", tmp_path / "out")
    with database.reading() as connection:
        kept = {row.number: row for row in connection.execute(select(visits))}
    for row in rows(tmp_path / "out"):
        there = kept[int(row["number"])]
        assert row["status"] == there.status
        assert row["learned"] == ("" if there.learned is None else str(there.learned))
        assert row["arm"] == (there.arm or "")


def test_csv_is_parquet(played, tmp_path):
    """Fails if one format says something that the other does not."""
    database, live = played
    for ending in ("csv", "parquet"):
        export(database, "charity", tmp_path / ending, ending=ending, with_ids=True)
    study = live.study
    from_csv = al.read_visits(tmp_path / "csv" / "visits.csv", study)
    assert from_csv == al.read_visits(tmp_path / "parquet" / "visits.parquet", study)
    for table in ("visits", "events"):
        typed = parquet.read_table(tmp_path / "parquet" / f"{table}.parquet").to_pylist()
        plain = rows(tmp_path / "csv", table)
        assert [_as_text(row) for row in typed] == [_as_text(row) for row in plain]
    assert (tmp_path / "csv" / "study.yaml").read_text() == TEXT


def _as_text(row):
    """A row with its numbers and times as one text each, whatever they were."""

    def cell(value):
        if hasattr(value, "isoformat"):
            return value.isoformat(timespec="microseconds")
        try:
            return repr(float(value))
        except (TypeError, ValueError):
            return value or ""

    return {name: cell(value) for name, value in row.items()}


def test_the_journal_is_whole(played, tmp_path):
    """Fails if an event is left out, changed or out of order."""
    database, live = played
    done = export(database, "charity", tmp_path / "out")
    with database.reading() as connection:
        kept = connection.execute(
            select(events).where(events.c.study == live.id).order_by(events.c.serial)
        ).all()
    written = rows(tmp_path / "out", "events")
    assert len(written) == done.counts["events"] == len(kept)
    for row, event in zip(written, kept, strict=True):
        assert (int(row["serial"]), int(row["page"])) == (event.serial, event.page)
        assert row["kind"] == event.kind
        assert row["visit"] == ("" if event.visit is None else str(event.visit))
        assert json.loads(row["body"]) == json.loads(event.body)


def test_secrets_and_ids_stay_where_they_are(played, tmp_path):
    """Fails if a visit's token is in any file, or a caller's id without having been asked for."""
    database, _ = played
    export(database, "charity", tmp_path / "plain")
    export(database, "charity", tmp_path / "named", with_ids=True)
    with database.reading() as connection:
        tokens = [row.token for row in connection.execute(select(visits.c.token))]
    for folder in ("plain", "named"):
        for file in (tmp_path / folder).iterdir():
            said = file.read_text()
            assert not any(token in said for token in tokens)
            named = folder == "named" and file.name == "visits.csv"
            assert ("person 7" in said) is named
    assert {row["id"] for row in rows(tmp_path / "named")} == {f"person {t}" for t in range(120)}


@pytest.mark.parametrize("own", ["=HYPERLINK(1)", "+1", "-1", "@x", "\tx", "'=1"])
def test_ids_are_no_formulas(tmp_path, own):
    """Fails if a spreadsheet could run what a stranger gave as an id, or it cannot be told from
    another id."""
    database = Database(tmp_path / "study.db")
    open_live(database).run([Start(own=own), Start(own="plain")])
    for ending in ("csv", "parquet"):
        export(database, "charity", tmp_path / ending, ending=ending, with_ids=True)
    database.close()
    assert [row["id"] for row in rows(tmp_path / "csv")] == [f"'{own}", "plain"]
    typed = parquet.read_table(tmp_path / "parquet" / "visits.parquet").column("id").to_pylist()
    assert typed == [own, "plain"]


def test_erased_visits_are_nowhere(database, tmp_path):
    """Fails if anything of an erased visit but its number is written, even if the journal had it
    still; it is counted, and the file is not said to rebuild the study."""
    live = open_live(database)
    play(live, 40)
    gone = 7
    with database.writing() as connection:
        blank = dict.fromkeys(("own", "record", "kind", "arm", "decided", "asked", "reward"))
        blank |= dict.fromkeys(("decided_at", "learned", "learned_after", "block"))
        connection.execute(
            update(visits).where(visits.c.number == gone).values(status="erased", **blank)
        )
    done = export(database, "charity", tmp_path / "out", with_ids=True)
    assert done.counts["erased"] == 1
    assert not done.rebuilds
    assert done.counts["visits"] == 39
    assert str(gone) not in {row["number"] for row in rows(tmp_path / "out")}
    bodies = {r["body"] for r in rows(tmp_path / "out", "events") if r["visit"] == str(gone)}
    assert bodies == {"{}"}
    assert json.loads((tmp_path / "out" / "codebook.json").read_text())["counts"]["erased"] == 1


def test_a_retired_arm_is_said(database, tmp_path):
    """Fails if a study is said to rebuild that its visits file cannot."""
    live = open_live(database)
    live.run([Retire("msf")])
    assert not export(database, "charity", tmp_path / "out").rebuilds


def test_it_is_one_moment(database, tmp_path, monkeypatch):
    """Fails if what is written meanwhile is in one of the files: visits and events are read in
    small parts, and between them another thread adds visits and rewards."""
    monkeypatch.setattr(exporting, "AT_ONCE", 20)
    live = open_live(database)
    seen = play(live, 60)
    with database.reading() as connection:
        before = connection.execute(select(func.max(events.c.serial))).scalar_one()
    rest = [s.visit for s in seen.values() if s.arm is not None and s.reward is None][-3:]
    told = exporting._Rows._told

    def busy(self, numbers):
        writer = threading.Thread(target=live.run, args=[[Start(), *(Reward(v, 1) for v in rest)]])
        writer.start()
        writer.join()
        return told(self, numbers)

    monkeypatch.setattr(exporting._Rows, "_told", busy)
    done = export(database, "charity", tmp_path / "out")
    assert done.counts["visits"] == 60
    assert done.counts["events"] == before
    with database.reading() as connection:
        assert connection.execute(select(func.max(events.c.serial))).scalar_one() > before


def test_nothing_is_overwritten_unasked(played, tmp_path):
    """Fails if an export replaces files without force, leaves older ones beside new ones, or half
    of itself where it fails."""
    database, _ = played
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "events.parquet").write_text("old")
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(SettingError, match=r"has events\.parquet already; give another folder"):
        export(database, "charity", folder)
    assert sorted(path.name for path in folder.iterdir()) == ["events.parquet", "mine.txt"]
    done = export(database, "charity", folder, force=True)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*done.files, "mine.txt"])


def test_what_fails_leaves_the_folder_as_it_was(played, tmp_path, monkeypatch):
    """Fails if a half-written export is left behind, or the one before it is gone."""
    database, _ = played
    export(database, "charity", tmp_path / "out")
    was = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    def full(book):
        raise OSError("disk full")

    monkeypatch.setattr(exporting, "in_words", full)
    with pytest.raises(OSError, match="disk full"):
        export(database, "charity", tmp_path / "out", force=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == was


def test_what_cannot_be_is_refused(played, tmp_path):
    """Fails if a wrong name, format or folder is not said in one message."""
    database, _ = played
    with pytest.raises(SettingError, match="the database has no study 'other'; it has charity"):
        export(database, "other", tmp_path / "out")
    with pytest.raises(SettingError, match="the format is 'xlsx'; choose csv, parquet"):
        export(database, "charity", tmp_path / "out", ending="xlsx")
    with pytest.raises(SettingError, match="make it first"):
        export(database, "charity", tmp_path / "no" / "such")
    (tmp_path / "file").touch()
    with pytest.raises(SettingError, match="is a file; give a folder"):
        export(database, "charity", tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]

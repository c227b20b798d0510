"""A study in one file and back: the same in either database, one moment, nothing damaged."""

import base64
import hashlib
import json
import re
import threading
import zipfile
import zlib

import pytest
from sqlalchemy import insert, select

from askless.errors import AsklessError, SettingError, StateError
from askless.storage import Database, LiveStudy, Reward, Start, backing_up, restoring
from askless.storage.backing_up import PARTS, backup, carried
from askless.storage.restoring import restore
from askless.storage.tables import keys, studies
from live_visits import TEXT, clock, digest, open_live, play

KEY = {
    "id": "k1",
    "name": "site",
    "scopes": "serve",
    "digest": "0" * 64,
    "created": 1.0,
    "expires": None,
    "revoked": None,
}


def tables(database, name="charity"):
    """Everything of a study, table by table."""
    found = {}
    with database.reading() as connection:
        of = connection.execute(select(studies.c.id).where(studies.c.name == name)).scalar_one()
        for table in PARTS:
            mine = table.c.id == of if table is studies else table.c.study == of
            rows = connection.execute(select(*carried(table)).where(mine)).all()
            found[table.name] = sorted(map(repr, map(tuple, rows)))
    return found


@pytest.fixture
def new_database(new_address):
    """Makes an empty database of a kind."""
    made = []

    def make(kind="sqlite"):
        made.append(Database(new_address(kind)))
        return made[-1]

    yield make
    for database in made:
        database.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A backup of a study of 80 visits."""
    folder = tmp_path_factory.mktemp("backup")
    database = Database(folder / "study.db")
    play(open_live(database), 80)
    backup(database, "charity", folder / "charity.zip")
    database.close()
    return folder / "charity.zip"


@pytest.mark.parametrize("kinds", [("sqlite", "postgres"), ("postgres", "sqlite")], ids="-".join)
def test_what_is_restored_is_what_was(new_database, tmp_path, monkeypatch, kinds):
    """Fails if a row of any table is lost or changed on the way between the databases, or the two
    studies then go different ways; many small reads must put the same rows together."""
    monkeypatch.setattr("askless.storage.backing_up.AT_ONCE", 7)
    original, other = map(new_database, kinds)
    live = open_live(original)
    play(live, 300)
    with original.writing() as connection:
        connection.execute(insert(keys).values(study=live.id, **KEY))
    done = backup(original, "charity", tmp_path / "charity.zip")
    again = restore(tmp_path / "charity.zip", other)
    assert (again.name, again.events, again.visits) == ("charity", done.events, 300)
    assert tables(other) == tables(original)
    assert again.digest == done.digest == digest(LiveStudy(other, "charity"))
    at = 1.8e9
    both = [LiveStudy(database, "charity", clock=clock(at)) for database in (original, other)]
    seen = [play(one, 60, first=300) for one in both]
    decided = [[(s.number, s.arm, s.answers) for s in one.values()] for one in seen]
    assert decided[0] == decided[1]
    assert digest(both[0]) == digest(both[1]) != done.digest


def test_tokens_still_work_and_ids_are_known(file, new_database):
    """Fails if callers could not go on with visits that they had begun."""
    database = new_database()
    restore(file, database)
    live = LiveStudy(database, "charity", clock=clock(1.8e9))
    (seen,) = live.run([Start(own="person 79")])
    assert (seen.new, seen.number) == (False, 79)
    (paid,) = live.run([Reward(seen.visit, 5)])
    assert paid.number == 79


def test_a_backup_is_one_moment(address, new_database, tmp_path, monkeypatch):
    """Fails if what others write while the tables are read is in some of them and not in others:
    between any two reads another thread starts a visit and a reward comes."""
    database = Database(address)
    live = open_live(database)
    seen = play(live, 40)
    was = tables(database)
    waiting = iter([s.visit for s in seen.values() if s.arm is not None])
    write_part = backing_up._write_part

    def busy(*arguments):
        thread = threading.Thread(target=live.run, args=[[Start(), Reward(next(waiting), 1)]])
        thread.start()
        thread.join()
        return write_part(*arguments)

    monkeypatch.setattr(backing_up, "_write_part", busy)
    backup(database, "charity", tmp_path / "charity.zip")
    other = new_database()
    restore(tmp_path / "charity.zip", other)
    assert tables(other) == was
    assert len(tables(database)["visits"]) == 40 + len(PARTS)
    database.close()


def test_a_study_is_restored_once(file, new_database, tmp_path):
    """Fails if a study is put over itself, or another study of the database stands in its way."""
    database = new_database()
    play(open_live(database, TEXT.replace("name: charity", "name: another")), 5)
    restore(file, database)
    before = tables(database), tables(database, "another")
    with pytest.raises(SettingError, match="has a study 'charity' already; restore into another"):
        restore(file, database)
    assert (tables(database), tables(database, "another")) == before


# -- what is refused -----------------------------------------------------------------------------


def nothing_there(database):
    with database.reading() as connection:
        return not connection.execute(select(studies)).all()


def test_what_is_cut_off_is_refused(file, new_database, tmp_path):
    """Fails if the beginning of a backup passes for a whole one, wherever it ends."""
    data, database = file.read_bytes(), new_database()
    database.migrate()
    for share in range(10):
        (tmp_path / "cut.zip").write_bytes(data[: len(data) * share // 10])
        with pytest.raises(StateError, match="is damaged, or no backup of a study"):
            restore(tmp_path / "cut.zip", database)
    (tmp_path / "cut.zip").write_bytes(data[:-1])
    with pytest.raises(StateError, match="is damaged, or no backup of a study"):
        restore(tmp_path / "cut.zip", database)
    assert nothing_there(database)


def test_a_changed_byte_is_noticed(file, new_database, tmp_path):
    """Fails if a byte that was changed changes what is restored, or the error is none of ours.

    A few bytes of a zip say nothing, such as the times of its files."""
    data = bytearray(file.read_bytes())
    refused, places = 0, range(3, len(data), max(1, len(data) // 60))
    database = new_database()
    database.migrate()
    for place in places:
        data[place] ^= 0x5A
        (tmp_path / "bad.zip").write_bytes(data)
        data[place] ^= 0x5A
        try:
            with zipfile.ZipFile(tmp_path / "bad.zip") as archive:
                same = _content(archive) == _content_of(file)
        except Exception:
            same = False
        if not same:
            with pytest.raises(AsklessError, match=r"damaged|no backup|other parts|tables"):
                restore(tmp_path / "bad.zip", database)
            refused += 1
    assert refused > len(places) * 0.9
    assert nothing_there(database)


def _content(archive):
    return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def _content_of(file):
    with zipfile.ZipFile(file) as archive:
        return _content(archive)


def forged(file, target, change):
    """A backup of which everything was changed and the sums put right again."""
    content = _content_of(file)
    manifest = json.loads(content.pop("manifest.json"))
    change(manifest, content)
    for name, part in manifest["parts"].items() if isinstance(manifest["parts"], dict) else ():
        data = content.get(name, b"")
        part |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        part["rows"] = data.count(b"\n")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*content.items(), ("manifest.json", json.dumps(manifest))]:
            archive.writestr(name, data)
    return target


def _set(key, value):
    return lambda manifest, content: manifest.update({key: value})


def _replace(part, old, new):
    def change(manifest, content):
        assert old in content[part]
        content[part] = content[part].replace(old, new, 1)

    return change


def _first_reward(reward):
    def change(manifest, content):
        said = re.compile(rb'(rewarded","visit":\d+,"body":"{\\"reward\\":)[^}]*')
        content["events.jsonl"], count = said.subn(rb"\g<1>" + reward, content["events.jsonl"], 1)
        assert count

    return change


def _drop_line(part):
    def change(manifest, content):
        content[part] = content[part].split(b"\n", 1)[1]

    return change


def _bomb(manifest, content):
    content["snapshots.jsonl"] = b"0" * (1 << 27)


FORGERIES = {
    "newer": (_set("version", 2), "of a newer askless"),
    "other tables": (_set("tables", "0000"), "its tables are of version 0000"),
    "other format": (_set("format", "askless.policy"), "no backup of a study"),
    "no parts": (_set("parts", []), "other parts than"),
    "a path": (lambda m, c: c.update({"../evil": b""}), "other parts than"),
    "a part less": (lambda m, c: c.pop("keys.jsonl"), "other parts than"),
    "another reward": (_first_reward(b"12.5"), "not the state of which it was taken|leads to"),
    "an impossible reward": (_first_reward(b"1e9"), "nothing is written"),
    "an event less": (_drop_line("events.jsonl"), "gap|ends at|nothing is written"),
    "no study": (_drop_line("studies.jsonl"), "it has 0 studies"),
    "a text for a number": (
        _replace("visits.jsonl", b'"number":0', b'"number":"0"'),
        "row whose 'number' cannot be",
    ),
    "no number": (_replace("events.jsonl", b'"serial":2', b'"serial":NaN'), "cannot be"),
    "half a letter": (
        _replace("visits.jsonl", b'"own":"person 3"', b'"own":"\\ud800"'),
        "row whose 'own' cannot be",
    ),
    "the same visit twice": (
        _replace("visits.jsonl", b'"number":1,', b'"number":0,'),
        "do not fit together",
    ),
    "no row": (_replace("events.jsonl", b"{", b"["), "a row that is none"),
    "another column": (_replace("visits.jsonl", b'"own"', b'"mine"'), "a row that is none"),
    "a bomb": (_bomb, "a row that is none"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", FORGERIES)
def test_forgeries_are_refused(file, new_database, tmp_path, what):
    """Fails if a file whose sums are right and whose content is not gets in, even in part."""
    change, message = FORGERIES[what]
    database = new_database()
    database.migrate()
    with pytest.raises(StateError, match=message):
        restore(forged(file, tmp_path / "forged.zip", change), database)
    assert nothing_there(database)
    assert sorted(path.name for path in tmp_path.parent.glob("evil*")) == []


def test_a_snapshot_that_unpacks_without_end_is_refused(monkeypatch):
    """Fails if a few bytes of a snapshot could fill the memory."""
    monkeypatch.setattr(restoring, "MOST_STATE", 1 << 22)
    packed = [base64.b64encode(zlib.compress(bytes(1 << size))).decode() for size in (21, 24)]
    assert restoring._unpacked(packed[0]) is not None
    assert restoring._unpacked(packed[1]) is None


def test_strange_files_are_refused(file, new_database, tmp_path):
    """Fails if what is no backup leads to anything but one clear message."""
    database = new_database()
    (tmp_path / "text.zip").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "hello")
    for name in ("text.zip", "other.zip"):
        with pytest.raises(StateError, match=f"{name}.* no backup of a study"):
            restore(tmp_path / name, database)
    with pytest.raises(SettingError, match=r"none\.zip: cannot read the file: No such file"):
        restore(tmp_path / "none.zip", database)
    assert not database.is_newest()  # not even tables were made


def test_nothing_is_overwritten_unasked(file, new_database, tmp_path):
    """Fails if a file is replaced without force, others may read a backup, or half of one stays."""
    database = new_database()
    restore(file, database)
    target = tmp_path / "charity.zip"
    target.write_text("mine")
    with pytest.raises(SettingError, match="is there already; give another file, or --force"):
        backup(database, "charity", target)
    with pytest.raises(SettingError, match="has no study 'other'"):
        backup(database, "other", tmp_path / "other.zip")
    assert target.read_text() == "mine"
    backup(database, "charity", target, force=True)
    assert target.stat().st_mode & 0o077 == 0
    assert not list(tmp_path.glob(".askless*"))
    assert _content_of(target)["events.jsonl"] == _content_of(file)["events.jsonl"]

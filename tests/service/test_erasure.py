"""A person who is erased is gone: from every file and table, and from what was learned."""

import struct
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

import askless as al
from askless.storage import Answer, Database, LiveStudy, Reward, See, Start, verify
from command_line import askless
from live_world import TEXT, World, small
from raw_calls import is_refusal, raw

PERSON = {"age": 7.190625, "donor": None, "region": "east"}
OWN, REWARD = "zq7 victim", 0.6180625
STATUSES = ("open", "waiting", "learned")


def others(count):
    """People with their arm and their reward; the same ones every time."""
    rng = np.random.default_rng(3)
    for number in range(count):
        person = {
            "age": round(float(rng.uniform(0, 10)), 2),
            "donor": [True, False, None][rng.integers(3)],
            "region": ["north", "east", "south"][rng.integers(3)],
        }
        arm, reward = ["mail", "call"][rng.integers(2)], round(float(rng.uniform()), 3)
        yield f"person {number}", person, arm, reward


def visited(service, own, person, arm, reward=None, *, steps=3):
    """Somebody comes, and goes so many steps; return their visit."""
    seen = service.start(own, arms=[arm])
    path = f"/visits/{seen['visit']}"
    if steps > 1:
        seen = service.done("POST", f"{path}/answers", {"answers": person})
        assert seen["arm"]["name"] == arm
    else:
        service.done("POST", f"{path}/answers", {"answers": {"age": person["age"]}})
    if steps > 2:
        service.done("POST", f"{path}/reward", {"reward": reward})
    return seen["visit"]


@pytest.fixture(params=["sqlite", "postgres"])
def service(request, tmp_path, new_address):
    address = new_address(request.param)
    with raw(tmp_path, Database(address), study=small()) as calls:
        calls.address = address
        yield calls


def fill(service, status):
    """Let people come, and among them one who is to be erased; return that visit."""
    for number, somebody in enumerate(others(24)):
        if number == 10:
            steps = 1 + STATUSES.index(status)
            victim = visited(service, OWN, PERSON, "mail", REWARD, steps=steps)
        visited(service, *somebody)
    return victim


def needles(victim):
    """What there is of a person, as it could lie in a file."""
    words = [OWN, victim, repr(PERSON["age"]), repr(REWARD)]
    return [word.encode() for word in words] + [struct.pack(">d", REWARD)]


def everything(service):
    """All bytes that the database holds, wherever they lie, and what is packed in them."""
    found = [zlib.decompress(row[3]) for row in service.rows("snapshots")["snapshots"]]
    if service.database.sqlite:
        files = list(Path(service.address).parent.glob("*"))
        assert len(files) == 3
        return b"".join([*found, *(file.read_bytes() for file in files)])
    found += postgres_files(service)  # first: a look at a table may tidy its pages
    with service.database.reading() as connection:
        names = connection.execute(
            text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        ).scalars()
        for table in [*names, "pg_stats", "pg_statistic"]:
            rows = connection.execute(text(f'SELECT t::text FROM "{table}" t')).scalars()
            found.append("\n".join(rows).encode())
    return b"\n".join(found)


def postgres_files(service):
    """The files of all tables: rows that nobody can select any more still lie there."""
    with service.database.engine.connect() as connection:
        look = connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql
        look("CHECKPOINT")  # what is in memory alone is written
        folder = look("SHOW data_directory").scalar_one()
        number = look("SELECT oid FROM pg_database WHERE datname = current_database()").scalar_one()
    contents = []
    for file in Path(folder, "base", str(number)).iterdir():
        with suppress(FileNotFoundError):  # the server replaces its own lists meanwhile
            contents.append(file.read_bytes())
    return contents


def erase(service, victim, via):
    """Erase somebody in one of the ways there are."""
    if via == "http":
        return service.done("DELETE", f"/visits/{victim}")
    named = ("--visit", victim) if via == "cli" else ("--id", OWN)
    options = ("--db", service.address, *named, "--yes")
    done = askless("erase", "small", *options, cwd=Path.cwd())
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(word in done.stdout for word in (OWN, victim))
    return None


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("via", ["http", "cli", "cli by id"])
def test_no_byte_of_a_person_is_left(often, service, via, status):
    """Fails if a table, a file, a log or a statistic still has something of who was erased."""
    victim = fill(service, status)
    if not service.database.sqlite:
        with service.database.writing() as connection:
            connection.execute(text("ANALYZE"))  # as the server does by itself after a while
    before = everything(service)
    there = [needle in before for needle in needles(victim)]
    assert there[:3] == [True, True, True]
    assert any(there[3:]) == (status == "learned")
    earlier = service.rows("snapshots")["snapshots"]
    assert earlier or status == "waiting"  # then nobody after them is learned
    other = Database(service.address)  # another worker, who follows
    follower = LiveStudy(other, "small")
    assert follower.run([See(victim)])[0].own == OWN
    erase(service, victim, via)
    whole = everything(service)
    assert [needle for needle in needles(victim) if needle in whole] == []
    (left,) = service.rows("snapshots")["snapshots"]
    assert left not in earlier  # which may have the person
    assert b"person 23" in whole  # others are there
    assert is_refusal(service("GET", f"/visits/{victim}"), 404)
    assert is_refusal(service("POST", f"/visits/{victim}/reward", {"reward": 0.5}), 404)
    assert service.done("DELETE", f"/visits/{victim}") == {"changed": False}
    # Everybody goes on.
    (seen,) = follower.run([Start("later", arms=["mail"])])
    (seen,) = follower.run([Answer(seen.visit, PERSON | {"age": 3})])
    assert follower.run([Reward(seen.visit, 0.5)])[0].status == "rewarded"
    visited(service, "even later", PERSON | {"age": 4}, "call", 0.25)
    other.close()
    found = verify(service.database, "small")
    assert found.findings == ()
    assert (found.erased, found.visits) == (1, 27)
    summary = service.done("GET", "/summary")["spans"]
    assert sum(span["started"] for span in summary if span["arm"] is None) == 26


def state_of(database):
    """What the study has learned, as data."""
    return LiveStudy(database, "small").look(lambda replica: replica.policy.to_dict())


SUMS = ("n", "squares", "moment", "gram", "dropped")


def test_the_sums_are_those_of_a_study_without_the_person(service, sqlite):
    """Fails if an erasure leaves a trace in what was learned, or takes more than the person."""
    erase(service, fill(service, "learned"), "http")
    beside = LiveStudy.open(sqlite, small())
    for number, (own, person, arm, reward) in enumerate(others(24)):
        if number == 10:
            beside.run([Start("somebody who looks and goes")])  # so that numbers agree
        (seen,) = beside.run([Start(own, arms=[arm])])
        beside.run([Answer(seen.visit, person)])
        beside.run([Reward(seen.visit, reward)])
    mine, theirs = state_of(service.database), state_of(sqlite)
    assert mine["learned"] == theirs["learned"]
    for arm, expected in zip(mine["state"]["arms"], theirs["state"]["arms"], strict=True):
        assert {name: arm[name] for name in SUMS} == {name: expected[name] for name in SUMS}
        assert arm["n"] > 5


def test_what_tests_concluded_is_kept(sqlite, tmp_path):
    """Fails if an erasure brings back a question, or changes what the tests have seen."""
    file = TEXT % ("", "survey-bandit", ", price: 0")
    world = World(sqlite, al.Study.parse(file.replace("beta_min: 0.2", "beta_min: 0.5")))
    tokens = []
    for _ in range(120):  # only the age matters
        seen = world.decided()
        reward = 0.3 + 0.04 * seen.answers.get("age", 5) + 0.02 * world.rng.random()
        tokens.append(world.do(Reward(seen.visit, round(reward, 3))).visit)
    before = state_of(sqlite)["state"]["arms"]
    assert max(len(arm["dropped"]) for arm in before) >= 2
    with raw(tmp_path, sqlite, study=world.live.study) as service:
        for token in tokens[5:110:7]:
            assert service.done("DELETE", f"/visits/{token}") == {"changed": True}
        after = state_of(sqlite)["state"]["arms"]
        found = verify(sqlite, "small")
    assert found.findings == ()
    assert found.erased == 15
    assert sum(was["n"] - arm["n"] for was, arm in zip(before, after, strict=True)) > 0
    for arm, was in zip(after, before, strict=True):
        assert arm["dropped"] == was["dropped"]
        for kept in ("tested", "logs", "passed"):
            assert arm["epoch"][kept] == was["epoch"][kept], kept

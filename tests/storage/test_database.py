"""A database that holds studies, of both kinds."""

import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from askless.errors import SettingError, StorageError
from askless.storage import Database, LiveStudy, NotFoundError, Start, erase
from askless.storage import database as storage_database
from askless.storage.links import add_link, digest_of
from askless.storage.tables import metadata
from live_world import World, opened, small

PERSON = "somebody-whom-nobody-else-is-called"


def test_tables_are_made_once(bare_address):
    """Fails if an empty database does not get its tables, or a second one stumbles over them."""
    first, second = Database(bare_address), Database(bare_address)
    assert not first.is_newest()
    first.migrate()
    second.migrate()
    assert first.is_newest()
    assert second.is_newest()
    first.close()
    second.close()


def test_sqlite_is_set_up_to_survive_a_power_cut_and_to_overwrite(sqlite):
    """Fails if a commit would not be synced, or what is deleted not overwritten.

    No test cuts the power, and `VACUUM` overwrites as well: a weaker setting would go unnoticed.
    """
    settings = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1}
    for transaction in (sqlite.writing, sqlite.reading, sqlite.writing):
        with transaction() as connection:
            for name, value in settings.items():
                assert connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() == value, name


def files_of(database):
    """In which file PostgreSQL keeps each table."""
    with database.reading() as connection:
        look = connection.exec_driver_sql
        return {
            name: look(f"SELECT pg_relation_filenode('{name}')").scalar_one()
            for name in metadata.tables
        }


def test_all_tables_with_people_are_written_anew(new_address):
    """Fails if one is left out, so that what was deleted from it stays in its file."""
    with opened(new_address("postgres")) as database:
        before = files_of(database)
        database.vacuum()
        after = files_of(database)
    of_nobody = {"studies", "keys", "admins", "sessions", "signing"}
    assert {name for name in before if before[name] != after[name]} == before.keys() - of_nobody


def in_files(address):
    """Whether the tables of visits and events still have the person's bytes."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        paths = connection.execute(
            "SELECT current_setting('data_directory') || '/' || pg_relation_filepath('visits')"
        ).fetchall()
    return any(PERSON.encode() in Path(path).read_bytes() for (path,) in paths)


def people_come_during(work, database):
    """Let people come while something else is done; whoever is held up for a second is refused."""
    waiting = threading.Thread(target=work)
    waiting.start()
    live = LiveStudy(database, "small")
    while waiting.is_alive():
        (outcome,) = live.run([Start()])
        assert outcome.new
    waiting.join()


def test_an_erasure_that_waits_for_a_reader_holds_up_nobody(new_address, monkeypatch):
    """Fails if people wait while SQLite waits for a reader, or bytes stay and nobody says so."""
    monkeypatch.setattr(storage_database, "VACUUM_WAIT", 3.0)
    address = new_address("sqlite")
    with opened(address) as database, closing(Database(address, pragmas=SOON)) as other:
        World(database).paid(PERSON)
        said = []

        def take_out():
            with pytest.raises(StorageError, match="still in the files: others are reading") as why:
                erase(database, "small", own=PERSON)
            said.append(str(why.value))

        with closing(sqlite3.connect(address, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM events").fetchone()
            people_come_during(take_out, other)
        assert len(said) == 1
        with pytest.raises(NotFoundError):  # the id is gone; trying again takes out what is left
            erase(database, "small", own=PERSON)
        files = [path.read_bytes() for path in Path(address).parent.iterdir()]
        assert not any(PERSON.encode() in content for content in files)


SOON = {"busy_timeout": 1_000}


def test_erasing_by_a_link_again_takes_out_what_is_left(sqlite, monkeypatch):
    """Fails if bytes stay because the link, the only way to name the person, is gone by then."""
    world, secret = World(sqlite), "by-which-a-browser-finds-its-visit"
    number = world.paid(PERSON).number
    with sqlite.writing() as connection:
        add_link(connection, world.live.id, digest_of(secret), "resume", number, until=None)
    link = f"https://study.example.org/s/small/resume/{secret}"
    with monkeypatch.context() as patch:
        patch.setattr(Database, "vacuum", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            erase(sqlite, "small", link=link)
    with pytest.raises(NotFoundError, match="this link leads to no visit"):
        erase(sqlite, "small", link=link)
    files = Path(str(sqlite.url.database)).parent.iterdir()
    assert not any(PERSON.encode() in path.read_bytes() for path in files)


def test_what_keeps_sqlite_from_giving_back_room_is_one_error(sqlite):
    """Fails if a database that cannot be written anew ends in the driver's own error."""
    with closing(Database(str(sqlite.url.database), pragmas={"busy_timeout": 50})) as other:
        World(other).paid(PERSON)
        with sqlite.writing(), pytest.raises(StorageError, match="in the files: database is lock"):
            other.vacuum()
        other.vacuum()
        with other.reading() as connection:  # a connection that is used again waits as before
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 50


def test_a_database_of_another_program_is_left_alone(bare_address):
    """Fails if tables that happen to have our names are taken, or nobody says what is wrong."""
    with closing(Database(bare_address)) as database:
        with database.writing() as connection:
            connection.exec_driver_sql("CREATE TABLE events (id INTEGER)")
        with pytest.raises(SettingError, match="tables of another program: events; give askless"):
            database.migrate()


@pytest.fixture
def role(postgres, new_address):
    """Addresses of one database: of its owner, and of a role that may only read and write."""
    owner = new_address("postgres")
    name = f"hand_{owner.split('?')[0].rsplit('_', 1)[1]}"
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
    yield owner, re.sub("//[^@]*@", f"//{name}@", owner), name
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"DROP OWNED BY {name}")
        connection.execute(f"DROP ROLE {name}")


@pytest.mark.slow
def test_nobody_is_said_to_be_erased_whom_an_old_reader_still_sees(new_address, monkeypatch):
    """Fails if PostgreSQL copies the deleted rows for a reader, and that goes unnoticed."""
    monkeypatch.setattr(storage_database, "VACUUM_WAIT", 0.2)
    address = new_address("postgres")
    with opened(address) as database:
        World(database).paid(PERSON)
        with closing(psycopg.connect(address)) as reader:
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT 1 FROM alembic_version")
            with pytest.raises(StorageError, match=r"others are reading; try again when"):
                erase(database, "small", own=PERSON)
            assert in_files(address)
        with pytest.raises(NotFoundError):  # trying again finishes it: the id is gone already
            erase(database, "small", own=PERSON)
        assert not in_files(address)


@pytest.mark.slow
def test_readers_of_other_roles_are_waited_for_too(role, monkeypatch):
    """Fails if a service without special rights does not see who else reads, pg_dump for one."""
    monkeypatch.setattr(storage_database, "VACUUM_WAIT", 0.2)
    owner, hand, name = role
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"GRANT CREATE ON SCHEMA public TO {name}")
    with opened(hand) as database, closing(psycopg.connect(owner)) as reader:
        World(database).paid(PERSON)
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1")
        with pytest.raises(StorageError, match="others are reading"):
            erase(database, "small", own=PERSON)
        assert in_files(owner)
        reader.rollback()
        with pytest.raises(NotFoundError):
            erase(database, "small", own=PERSON)
        assert not in_files(owner)


@pytest.mark.slow
def test_an_erasure_that_waits_for_a_table_holds_up_nobody(new_address, monkeypatch):
    """Fails if all visits queue behind an erasure, which queues behind somebody who reads."""
    monkeypatch.setattr(storage_database, "VACUUM_WAIT", 3.0)
    address = new_address("postgres")
    with (
        opened(address) as database,
        closing(Database(f"{address}&options=-c%20lock_timeout%3D1000")) as other,
    ):
        World(database).paid(PERSON)
        said = []

        def take_out():
            with pytest.raises(StorageError) as why:
                erase(database, "small", own=PERSON)
            said.append(str(why.value))

        with closing(psycopg.connect(address)) as reader:
            reader.execute("LOCK TABLE visits IN ACCESS SHARE MODE")  # and nothing is seen yet
            people_come_during(take_out, other)
        assert said == [
            "what was deleted is still in the files: others are reading; try again when they are"
            " done"
        ]
        database.vacuum()
        assert not in_files(address)
        with database.reading() as connection:  # a connection that is used again waits as before
            assert connection.exec_driver_sql("SHOW lock_timeout").scalar_one() == "0"


def test_what_fails_after_an_erasure_is_not_said_to_have_changed_nothing(new_address, monkeypatch):
    """Fails if somebody is told that nothing was written, who has been erased."""

    def cut_off(connection):
        connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")

    address = new_address("postgres")
    with opened(address) as database:
        World(database).paid(PERSON)
        monkeypatch.setattr(storage_database, "_let_readers_end", cut_off)
        with pytest.raises(StorageError) as error:
            erase(database, "small", own=PERSON)
    assert str(error.value).endswith("what was deleted is still in the files, try again")
    assert error.value.discreet == (
        "the database does not answer; what was deleted is still in the files, try again"
    )


def test_a_role_that_may_not_vacuum_is_told_so(role):
    """Fails if bytes stay in the files because of a warning that nobody reads."""
    owner, hand, name = role
    with opened(owner) as database, closing(Database(hand)) as other:
        World(database).paid(PERSON)
        with database.writing() as connection:
            connection.exec_driver_sql(
                f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {name}"
            )
        with pytest.raises(StorageError, match="may not vacuum the table events"):
            erase(other, "small", own=PERSON)
        assert in_files(owner)
        database.vacuum()
        assert not in_files(owner)


def test_what_a_role_may_not_do_is_one_error(role):
    """Fails if a missing right ends in a traceback with statements in it."""
    owner, hand, _ = role
    with closing(Database(hand)) as other:
        with pytest.raises(StorageError, match=r"^the database refuses: permission denied[^\n]*$"):
            other.migrate()
        with opened(owner), pytest.raises(StorageError, match=r"^the database refuses: permission"):
            LiveStudy.open(other, small())


@pytest.mark.parametrize("option", ["no_such=1", "connect_timeout=soon", "sslmode=no_such"])
def test_an_address_with_a_wrong_option_is_one_error_without_the_password(option):
    """Fails if a slip in an address ends in a traceback, or shows the password."""
    database = Database(f"postgresql://me:hidden@127.0.0.1:1/nowhere?{option}")
    with pytest.raises(StorageError, match=option.split("=")[0]) as refusal:
        database.is_newest()
    assert "hidden" not in str(refusal.value)
    database.close()


def test_whoever_is_cut_off_is_not_told_that_nothing_was_written(new_address):
    """Fails if the error claims to know what nobody can: whether the last words were heard."""
    with opened(new_address("postgres")) as database:
        with pytest.raises(StorageError) as error, database.writing() as connection:
            connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
        assert str(error.value).startswith("the database does not answer: terminating")
        assert str(error.value).endswith("; try again")
        assert "nothing was written" not in str(error.value)
        assert database.is_newest()  # by another connection

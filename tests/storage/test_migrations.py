"""Tables are made once, by whoever comes first; those of a newer askless are left alone."""

import subprocess
import sys

import pytest
from sqlalchemy import inspect, text

from askless.errors import StorageError
from askless.storage import Database
from askless.storage.database import NEWEST
from askless.storage.tables import metadata
from live_world import World, opened

MIGRATE = "import sys; from askless.storage import Database; Database(sys.argv[1]).migrate()"


def columns_of(database):
    with database.reading() as connection:
        look = inspect(connection)
        return {
            table: {(column["name"], column["nullable"]) for column in look.get_columns(table)}
            for table in look.get_table_names()
        }


def test_the_tables_made_are_those_that_the_code_uses(bare_address):
    """Fails if a migration forgets a column, a key or an index, or has one that nothing uses."""
    database = Database(bare_address)
    assert not database.is_newest()
    database.migrate()
    assert database.is_newest()
    found = columns_of(database)
    assert found.pop("alembic_version")
    assert found == {
        name: {(column.name, column.nullable) for column in table.columns}
        for name, table in metadata.tables.items()
    }
    with database.reading() as connection:
        look = inspect(connection)
        for name, table in metadata.tables.items():
            keys = look.get_pk_constraint(name)["constrained_columns"]
            assert keys == [column.name for column in table.primary_key]
            unique = {tuple(one["column_names"]) for one in look.get_unique_constraints(name)}
            assert unique == {
                tuple(column.name for column in one.columns)
                for one in table.constraints
                if type(one).__name__ == "UniqueConstraint"
            }
        assert "events_of_visit" in {one["name"] for one in look.get_indexes("events")}
    database.close()


def test_a_second_migration_changes_nothing(database):
    """Fails if migrating again touches what is there."""
    World(database).paid("person")
    before = columns_of(database)
    database.migrate()
    assert columns_of(database) == before
    with database.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM visits")).scalar() == 1
        assert connection.execute(text("SELECT version_num FROM alembic_version")).all() == [
            (NEWEST,)
        ]


def test_tables_of_a_newer_askless_are_refused(database):
    """Fails if an older askless goes on with tables that it does not know."""
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert not database.is_newest()
    with pytest.raises(StorageError, match=r"newer askless .*9999.*; update askless"):
        database.migrate()


@pytest.mark.slow
def test_processes_that_migrate_at_once_wait_for_each_other(bare_address):
    """Fails if one of four finds half of the tables, or makes them a second time."""
    started = [
        subprocess.Popen([sys.executable, "-c", MIGRATE, bare_address], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    ends = [(one.communicate(timeout=60)[1].decode()[-300:], one.returncode) for one in started]
    assert [code for _, code in ends] == [0] * 4, ends
    with opened(bare_address) as database:
        assert database.is_newest()
        World(database).paid("person")

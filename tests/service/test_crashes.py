"""A service may die at any moment: nothing that it has said is lost, nothing is learned twice."""

import time
from signal import SIGKILL, SIGTERM

import pytest

from askless.storage import LiveStudy, replica
from askless.storage.write_points import POINTS
from dying import DEATH, SNAPSHOTS, Crowd, Mother, die
from live_world import small
from service_processes import Callers, ServiceProcess, impatient
from told import proved

ROUNDS, KILLS = 4, 20  # 176 deaths at write points and 40 by kill -9, over both kinds
STUDY = small(settings="price: 0.02, planned: 200")


@pytest.fixture
def snapshots(monkeypatch):
    for name in ("FIRST_SNAPSHOT", "MOST_BETWEEN"):
        monkeypatch.setattr(replica, name, SNAPSHOTS)


@pytest.mark.parametrize("leaving", [False, True], ids=["stay", "leave"])
def test_it_may_die_at_every_write_point(database, address, snapshots, leaving):
    """Fails if a death between two writes loses, doubles or changes anything that was said."""
    LiveStudy.open(database, STUDY)
    crowd = Crowd(seed=11, leaving=leaving)
    with Mother() as mother:
        for _ in range(ROUNDS):
            for point in crowd.rng.permutation(POINTS):
                times = int(crowd.rng.integers(1, 8))
                assert die(mother, crowd, address, STUDY.name, str(point), times) == DEATH
                found, journal = proved(database, STUDY.name, crowd.people)
                assert journal.replica.as_snapshot().digest == found.digest
    assert found.learned > 50
    assert (found.erased > 10) == leaving


def test_it_may_be_killed_at_any_moment(database, address, tmp_path, monkeypatch):
    """Fails if a service that is killed under load has said anything that the next does not know.

    While the next one starts, the database is held beside what callers were told until then.
    """
    impatient(monkeypatch)
    with ServiceProcess(tmp_path, STUDY, database, address) as service:
        service.start()
        with Callers(service, seed=5) as callers:
            for _ in range(KILLS):
                callers.wait(int(callers.rng.integers(20, 120)))
                time.sleep(callers.rng.uniform(0, 0.01))  # anywhere between two answers
                assert service.works(), service.notes()
                assert service.kill() == -SIGKILL
                people = callers.told()
                service.start()
                proved(database, STUDY.name, people)
        assert service.stop() == -SIGTERM
        found, journal = proved(database, STUDY.name, callers.people)
    assert {person.reward for person in callers.people} == {p.pays for p in callers.people}
    assert journal.replica.as_snapshot().digest == found.digest
    assert found.visits == found.learned == len(callers.people) > 100

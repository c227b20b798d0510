"""A service may die at any moment: nothing that it has said is lost, nothing is learned twice."""

from signal import SIGTERM

import pytest

from askless.storage import LiveStudy
from askless.storage.write_points import POINTS
from dying import Crowd, Mother, deaths, often
from live_world import small
from service_processes import Callers, ServiceProcess, impatient, killed
from told import proved

pytestmark = pytest.mark.slow

ROUNDS, KILLS = 4, 20  # 176 deaths at write points and 40 by kill -9, over both kinds
STUDY = small(settings="price: 0.02, planned: 200")


@pytest.mark.parametrize("leaving", [False, True], ids=["stay", "leave"])
def test_it_may_die_at_every_write_point(database, address, monkeypatch, leaving):
    """Fails if a death between two writes loses, doubles or changes anything that was said."""
    often(monkeypatch)
    LiveStudy.open(database, STUDY)
    crowd = Crowd(seed=11, leaving=leaving)
    with Mother() as mother:
        proofs = list(deaths(mother, crowd, database, address, STUDY.name, ROUNDS))
    assert len(proofs) == ROUNDS * len(POINTS)
    assert proofs[-1].learned > 50
    assert (proofs[-1].erased > 10) == leaving


def test_it_may_be_killed_at_any_moment(database, address, tmp_path, monkeypatch):
    """Fails if a service that is killed under load has said anything that the next does not know.

    While the next one starts, the database is held beside what callers were told until then.
    """
    impatient(monkeypatch)
    with ServiceProcess(tmp_path, STUDY, database, address) as service:
        service.start()
        with Callers(service, seed=5) as callers:
            for _ in range(KILLS):
                killed(service, callers)
                people = callers.told()
                service.start()
                proved(database, STUDY.name, people)
        assert service.stop() == -SIGTERM
        found, journal = proved(database, STUDY.name, callers.people)
    assert [person.reward for person in callers.people] == [p.pays for p in callers.people]
    assert journal.replica.as_snapshot().digest == found.digest
    assert found.visits == found.learned == len(callers.people) > 100

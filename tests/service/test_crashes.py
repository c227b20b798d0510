"""A service may die at any moment: nothing that it has said is lost, nothing is learned twice."""

import pytest

from askless.storage import LiveStudy, replica
from askless.storage.write_points import POINTS
from dying import DEATH, SNAPSHOTS, Crowd, Mother, die, seldom_less
from live_world import opened, small
from told import proved

ROUNDS = 4


@pytest.fixture
def snapshots(monkeypatch):
    for name in ("FIRST_SNAPSHOT", "MOST_BETWEEN"):
        monkeypatch.setattr(replica, name, SNAPSHOTS)


@pytest.mark.parametrize("leaving", [False, True], ids=["", "and-erases"])
def test_it_may_die_at_every_write_point(database, address, snapshots, leaving):
    """Fails if a death between two writes loses, doubles or changes anything that was said."""
    study = small(settings="price: 0.02, planned: 200")
    LiveStudy.open(database, study)
    crowd = Crowd(seed=11, leaving=leaving)
    with Mother() as mother:
        for _ in range(ROUNDS):
            for point in crowd.rng.permutation(POINTS):
                times = int(crowd.rng.integers(1, 4))
                assert die(mother, crowd, address, study.name, str(point), times) == DEATH
                found, journal = proved(database, study.name, crowd.people)
                assert journal.replica.as_snapshot().digest == found.digest
    assert found.learned > 50
    print(found)

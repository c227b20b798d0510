"""Copies of a live study that was played, which a test may damage."""

import pytest

from askless.storage import Tick, erase, replica
from live_world import DAY, World, opened, small
from played_study import play


@pytest.fixture(scope="module")
def played(new_address):
    """Makes a copy of a study that was played: of a kind, as it is or after an erasure."""
    made = {}

    def make(kind, erased):
        if (kind, erased) not in made:
            address = new_address(kind)
            with opened(address) as database:
                world = World(database, small(window="5 hours", settings="price: 0.02"))
                play(world)
                if erased:
                    for own in ("person 40", "half 2", "waiting 1"):
                        erase(database, "small", own=own, later=own != "waiting 1")
                    for n in range(20):
                        world.paid(f"after {n}")
                    world.clock.now += DAY
                    world.paid("last")
                world.do(Tick())
            made[kind, erased] = address
        return new_address(kind, like=made[kind, erased])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica, "FIRST_SNAPSHOT", 16)
        yield make


@pytest.fixture(params=["sqlite", "postgres"])
def copied(request, played):
    """A database with the study, which a test may damage."""
    with opened(played(request.param, False)) as database:
        yield database


@pytest.fixture(params=["sqlite", "postgres"])
def copied_after_erasures(request, played):
    """The same, after some people have been erased."""
    with opened(played(request.param, True)) as database:
        yield database

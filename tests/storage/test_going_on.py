"""Processes that begin anew, come late or fail half-way go on with the same study."""

from sqlalchemy import func, select

from askless.storage import Answer, Reward, Start, Tick, verify
from askless.storage.tables import snapshots
from live_world import DAY, World, small


def gets(world, arm):
    """Somebody comes who may get one arm, and answers everything."""
    seen, person = world.do(Start(arms=[arm])), world.person()
    while seen.asks:
        seen = world.do(Answer(seen.visit, {name: person[name] for name in seen.asks}))
    return seen


def test_windows_that_pass_together_are_learned_alike_by_whoever_begins_anew(database, often):
    """Fails if the order of learning depends on what a process saw before its snapshot."""
    study = small("ridge", window="2 days", silence=0)
    world = World(database, study)
    for arm in ("mail", "call") * 8:  # mail is the first arm ever to be learned
        world.do(Reward(gets(world, arm).visit, 0.5))
    for arm in ("call", "mail") * 20:  # and call the first of those that wait
        gets(world, arm)
        world.do(Tick())
    with database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(snapshots)).scalar_one() == 1
    world.clock.now += 3 * DAY
    anew = World(database, study, world.clock)
    assert anew.do(Tick())
    anew.live.run([])
    world.live.run([])  # compares what the other one wrote with what follows here
    found = verify(database, "small")
    assert found.ok, found.findings
    assert found.learned == 56

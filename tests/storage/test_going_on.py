"""Processes that begin anew, come late or fail half-way go on with the same study."""

import pytest
from sqlalchemy import func, select

import askless as al
from askless.errors import StudyError
from askless.storage import Answer, LiveStudy, Reward, Start, Tick, live_study, verify
from askless.storage.replica import Replica
from askless.storage.tables import snapshots
from live_world import DAY, TEXT, World, opened, small

pytestmark = pytest.mark.slow


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


def test_a_study_to_which_no_rewards_come_is_not_followed_from_its_beginning(database, often):
    """Fails if visits that are lost never lead to a snapshot: every start would take longer."""
    world = World(database, small("ridge", window="2 visits"))
    for _ in range(40):
        world.decided()
    anew = World(database, small("ridge", window="2 visits"), world.clock)
    begun, end = anew.live.look(lambda replica: (replica.begun, replica.position))
    assert end / 2 < begun < end
    found = verify(database, "small")
    assert found.ok, found.findings
    assert (found.learned, found.snapshots) == (0, 2)


def test_what_was_written_is_not_done_again_where_learning_fails(database, monkeypatch):
    """Fails if operations that are in the journal are run once more: people would come twice."""
    world = World(database)
    world.decided()
    told = []
    with monkeypatch.context() as patch:

        def fails(replica, page):
            raise ArithmeticError

        patch.setattr(Replica, "take", fails)
        outcomes = world.live.run([Start(), Start()], told.append)
    assert [seen.number for seen in outcomes] == [1, 2]
    assert told == [outcomes]
    assert world.do(Start()).number == 3
    found = verify(database, "small")
    assert found.ok, found.findings
    assert found.visits == 4


def test_two_that_begin_a_study_at_once_hold_the_same_one(new_address, monkeypatch):
    """Fails if the second is thrown out, or the study begins twice; SQLite lets one begin."""
    with opened(new_address("postgres")) as database:
        begins = live_study._begin

        def sooner(connection, *more):
            monkeypatch.setattr(live_study, "_begin", begins)
            LiveStudy.open(database, small())
            begins(connection, *more)

        monkeypatch.setattr(live_study, "_begin", sooner)
        world = World(database)
        assert world.do(Start()).number == 0
        found = verify(database, "small")
        assert found.ok, found.findings
        assert found.events == 3


@pytest.mark.parametrize("what", ["the study", "an arm"])
def test_names_for_which_tables_have_no_room_are_refused_at_once(database, what):
    """Fails if a study begins whose first decision a database then refuses to hold."""
    text = TEXT % ("", "survey-bandit", "")
    name = "small" if what == "the study" else "mail"
    fits, long = (al.Study.parse(text.replace(name, letters)) for letters in ("n" * 200, "l" * 201))
    with pytest.raises(StudyError, match=f"^{what} is called 'll.* of 201 characters; .* 200 at"):
        LiveStudy.open(database, long)
    world = World(database, fits)
    for _ in range(8):
        world.paid()
    assert verify(database, fits.name).ok

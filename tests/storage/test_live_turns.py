"""Processes that take turns, begin anew or have other words go on as one study."""

import itertools

import pytest
from sqlalchemy import select

import askless as al
from askless.errors import (
    SettingError,
    StateError,
    StorageError,
    StudyError,
)
from askless.storage import (
    Answer,
    Erase,
    LiveStudy,
    Reward,
    Start,
    Tick,
    verify,
)
from askless.storage.tables import events, snapshots, visits
from live_world import TEXT, Clock, World, small


@pytest.mark.slow
def test_processes_that_take_turns_are_one(database, often):
    """Fails if what one does depends on who did what before: four, none of which knows the others.

    Each step of a visit is done by the next of them; one of them begins anew now and then.
    """
    study, clock = small(window="40 visits", settings="price: 0.02, planned: 200"), Clock()
    worlds = [World(database, study, clock) for _ in range(4)]
    turns = itertools.cycle(worlds)
    rng = worlds[0].rng
    waiting = []
    for n in range(150):
        clock.now += 10
        seen, person = next(turns).do(Start(f"person {n}")), worlds[0].person()
        while seen.asks:
            seen = next(turns).do(Answer(seen.visit, {seen.asks[0]: person[seen.asks[0]]}))
        waiting.append(seen.visit)
        if rng.random() < 0.7:
            token = waiting.pop(rng.integers(len(waiting)))
            next(turns).do(Reward(token, round(float(rng.random()), 3)))
        if n % 40 == 39:
            worlds[1].live = LiveStudy(database, study.name, clock=clock)
    for world in worlds:  # all follow to the end, and nothing is left to be said
        world.do(Tick())
    found = verify(database, study.name)
    assert found.findings == ()
    assert found.snapshots >= 4
    fresh = World(database, study, clock)
    assert {world.digest() for world in [*worlds, fresh]} == {found.digest}
    with database.reading() as connection:
        rows = connection.execute(
            select(visits.c.learned, visits.c.decided)
            .where(visits.c.learned.is_not(None))
            .order_by(visits.c.learned)
        ).all()
        assert [row.learned for row in rows] == list(range(len(rows)))
        assert len(rows) > 64
        assert connection.execute(select(snapshots.c.serial)).all()


@pytest.mark.parametrize("policy", ["survey-bandit", "epoch", "ridge", "elastic-net", "linucb"])
def test_whoever_begins_anew_has_the_same_state(sqlite, often, policy):
    """Fails if a state differs that is loaded from a snapshot, replayed, or was there all along."""
    study = small(policy)
    world = World(sqlite, study)
    for _ in range(60):
        world.paid()
    world.do(Tick())
    found = verify(sqlite, study.name)
    assert found.findings == ()
    assert found.learned == 60
    assert World(sqlite, study).digest() == world.digest() == found.digest


@pytest.mark.slow
def test_it_decides_as_the_library_does(sqlite):
    """Fails if a live study asks or decides anything else than a policy in memory."""
    study = small()
    world = World(sqlite, study)
    policy = al.policy_for(study)
    for _ in range(120):
        person, reward = world.person(), round(float(world.rng.random()), 3)
        seen, visit = world.do(Start()), policy.visit()
        while seen.asks:
            assert seen.asks == visit.asks
            answers = {name: person[name] for name in seen.asks}
            seen = world.do(Answer(seen.visit, answers))
            visit.answer(answers)
        assert (seen.arm, seen.number) == (visit.arm, visit.number)
        world.do(Reward(seen.visit, reward))
        policy.learn(visit, reward)


def test_a_study_goes_on_with_other_words_but_not_as_another(database):
    """Fails if a study is continued with a file that is another study, or refuses better texts."""
    world = World(database)
    world.paid("person")
    text = TEXT % ("", "survey-bandit", "")
    other_words = text.replace("{name: mail}", "{name: mail, text: A letter}")
    live = LiveStudy.open(database, al.Study.parse(other_words), clock=world.clock)
    assert live.study.arms[0].text == "A letter"
    for old, new, what in (
        ("high: 10}", "high: 11}", "questions"),
        ("{name: call}", "{name: visit}", "arms"),
        ("beta_min: 0.2", "beta_min: 0.3", "policy"),
        ("reward: {low: 0, high: 1", "reward: {low: 0, high: 2", "reward"),
    ):
        with pytest.raises(StudyError, match=f"has begun with other {what}"):
            LiveStudy.open(database, al.Study.parse(text.replace(old, new)))
    world.paid("another")  # who has the old words goes on
    assert verify(database, "small").ok
    with pytest.raises(SettingError, match=r"has no study 'large'; it has small"):
        LiveStudy(database, "large")


def test_a_journal_that_was_changed_is_not_followed(database):
    """Fails if a process goes on from a journal whose events do not lead to what it says."""
    world = World(database)
    for _ in range(3):
        world.paid()
    world.do(Tick())
    with database.writing() as connection:
        connection.execute(
            events.update().where(events.c.kind == "rewarded").values(body='{"reward":0.125}')
        )
    with pytest.raises(StateError, match="it has been changed, or was written by another version"):
        World(database).do(Start())


def test_what_is_written_is_answered_though_the_database_goes_away_after_it(sqlite, monkeypatch):
    """Fails if callers are told that nothing was written of what the journal has."""
    world = World(sqlite)
    world.paid("person 1")
    done, real = [], LiveStudy._run

    def run(live, operations, answered):
        if done:
            raise StorageError("the database is gone")
        done.extend(operations)
        return real(live, operations, answered)

    monkeypatch.setattr(LiveStudy, "_run", run)
    told = []
    wanted = [Start("person 2"), Erase(own="person 1"), Start("person 3")]
    outcomes = world.live.run(wanted, told.append)
    assert told == [outcomes]
    assert outcomes[0].new
    assert [str(error) for error in outcomes[1:]] == [
        "the database is gone",
        "the database does not answer; nothing was written, try again",
    ]
    with sqlite.reading() as connection:
        assert set(connection.execute(select(visits.c.own)).scalars()) == {"person 1", "person 2"}

"""What those who run a live study may change: pauses, its end, its price, its arms."""

import pytest

import askless as al
from askless.errors import SettingError
from askless.storage import (
    Answer,
    ConflictError,
    Pause,
    PausedError,
    Reprice,
    Retire,
    Reward,
    See,
    Start,
    Stop,
    StoppedError,
    Tick,
    erase,
    verify,
)
from live_looks import EVERYTHING, counters, kinds_of
from live_world import TEXT, World, small


def test_a_paused_study_lets_people_finish(database):
    """Fails if a pause starts somebody, or stops those who have begun."""
    world = World(database)
    seen = world.do(Start("person"))
    assert world.do(Pause(True))
    assert not world.do(Pause(True))
    other = World(database, clock=world.clock)  # who comes later knows it too
    assert type(other.refused(Start("new"))) is PausedError
    assert other.do(Start("person")).visit == seen.visit
    other.do(Answer(seen.visit, EVERYTHING))
    assert other.do(Reward(seen.visit, 0.5)).status == "rewarded"
    assert other.do(Pause(False))
    assert world.do(Start("new")).number == 1
    assert verify(database, world.live.name).ok


def test_a_stopped_study_is_over(database):
    """Fails if somebody new gets in, somebody under way is lost, or it can be resumed."""
    world = World(database)
    seen = world.do(Start("begun"))
    assert world.do(Stop())
    assert not world.do(Stop())
    other = World(database)
    assert type(other.refused(Start("new"))) is StoppedError
    for paused in (False, True):
        assert type(other.refused(Pause(paused))) is ConflictError
    other.do(Answer(seen.visit, EVERYTHING))
    assert other.do(Reward(seen.visit, 0.5)).status == "rewarded"
    other.do(Tick())
    assert counters(database)["stopped"]
    assert verify(database, world.live.name).ok
    erase(database, world.live.name, own="begun")
    assert type(World(database).refused(Start("new"))) is StoppedError
    assert verify(database, world.live.name).ok


def test_the_price_can_be_changed(database, often):
    """Fails if a worker goes on with the old price, or a state after it is not that of a replay."""
    dear = small(settings="price: 0.02")
    world, other, third = (World(database, dear, seed=n) for n in range(3))
    for _ in range(80):
        world.paid()
    assert world.do(Reprice(0.05))
    assert not other.do(Reprice(0.05))
    assert other.live.look(lambda replica: replica.policy.price) == pytest.approx(0.05)
    for _ in range(40):
        other.paid()
    assert third.live.look(lambda replica: replica.policy.price) == pytest.approx(0.05)
    assert kinds_of(database).count("priced") == 1
    for wrong in (0, -1, 0.09, 2, float("nan"), True):  # at 0.09 three questions are too dear
        assert type(world.refused(Reprice(wrong))) is SettingError
    assert verify(database, world.live.name).ok
    erase(database, world.live.name, visit=other.paid().visit)
    assert verify(database, world.live.name).ok
    assert World(database, dear).digest() == third.digest()


def test_those_behind_who_was_erased_are_learned(database):
    """Fails if rewards wait for ever for one that nobody can bring any more."""
    world = World(database)
    seen = [world.decided(f"person {n}") for n in range(3)]
    for visit in seen[1:]:
        world.do(Reward(visit.visit, 0.5))
    world.do(Stop())
    assert not world.do(Tick())  # the first one may still bring a reward
    erase(database, world.live.name, own="person 0")
    later = World(database, clock=world.clock)
    assert later.do(Tick())
    assert not later.do(Tick())
    assert [later.do(See(visit.visit)).status for visit in seen[1:]] == ["learned"] * 2
    found = verify(database, world.live.name)
    assert (found.findings, found.learned) == ((), 2)


@pytest.mark.parametrize(("policy", "settings"), [("ridge", ""), ("survey-bandit", "price: 0")])
def test_a_study_without_a_price_has_none_to_change(sqlite, policy, settings):
    """Fails if a price is noted that the policy cannot take: nobody could replay it."""
    world = World(sqlite, small(policy, settings=settings))
    assert type(world.refused(Reprice(0.05))) is SettingError
    world.paid()
    assert verify(sqlite, world.live.name).ok


def test_no_rule_is_left_without_an_arm(sqlite):
    """Fails if an arm is retired that some people need: the journal could not be replayed."""
    text = TEXT.replace("name: call", "name: call, eligible_if: age >= 5")
    world = World(sqlite, al.Study.parse(text % ("", "survey-bandit", "")))
    world.paid()
    assert type(world.refused(Retire("mail"))) is ConflictError
    world.paid()
    assert world.do(Retire("call"))
    assert {world.paid().arm for _ in range(4)} == {"mail"}
    assert verify(sqlite, world.live.name).ok


def test_a_retired_arm_is_played_no_more(database):
    """Fails if anybody gets it, if its late rewards are lost, or if the last arm goes."""
    world = World(database, small("ridge"))
    before = [world.decided() for _ in range(6)]
    assert world.do(Retire("mail"))
    assert not world.do(Retire("mail"))
    assert type(world.refused(Retire("call"))) is ConflictError
    assert {world.decided().arm for _ in range(6)} == {"call"}
    for seen in before:
        world.do(Reward(seen.visit, 0.5))
    world.do(Tick())
    assert {world.do(See(seen.visit)).status for seen in before} == {"learned"}
    assert type(world.refused(Start(arms=["mail"]))) is SettingError
    assert verify(database, world.live.name).ok

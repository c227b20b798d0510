"""Operations on a live study: each once, in order, by any number of processes that take turns."""

import itertools
import json

import pytest
from sqlalchemy import select

import askless as al
from askless.errors import (
    AnswerError,
    RewardError,
    SettingError,
    VisitError,
)
from askless.storage import (
    Answer,
    ConflictError,
    NotFoundError,
    Pause,
    Retire,
    Revise,
    Reward,
    See,
    Start,
    Tick,
    verify,
)
from askless.storage.tables import events
from live_looks import EVERYTHING, counters, kinds_of
from live_world import World, small


def test_a_visit_from_start_to_reward(database):
    """Fails if a step loses something, or the journal does not tell it in its order."""
    world = World(database)
    seen = world.do(Start("person 1", known={"region": "east"}, arms=["call"]))
    assert (seen.status, seen.own, seen.number, seen.new) == ("open", "person 1", 0, True)
    assert (seen.asks, seen.at_most) == (("age", "donor"), 2)
    assert seen.answers == {"region": "east"}
    seen = world.do(Answer(seen.visit, {"age": 4.25}))
    assert (seen.asks, seen.at_most, seen.arm, seen.new) == (("donor",), 1, None, False)
    seen = world.do(Answer(seen.visit, {"donor": None}))
    assert (seen.status, seen.asks, seen.arm, seen.answers) == ("waiting", (), "call", EVERYTHING)
    assert world.do(Reward(seen.visit, 0.5)).status == "rewarded"
    world.do(Pause(True))
    world.do(Pause(False))
    assert kinds_of(database) == [
        "settings",
        "started",
        "asked",
        "answered",
        "answered",
        "decided",
        "rewarded",
        "learned",
        "paused",
        "resumed",
    ]
    assert world.do(See(seen.visit)).status == "learned"
    assert len(seen.visit) >= 22  # 128 bits in base 64
    found = counters(database)
    assert (found["serial"], found["visits"], found["decided"], found["learned"]) == (10, 1, 1, 1)


def test_everything_may_be_said_again(database):
    """Fails if a repeated call writes anything, or returns anything else than the first did."""
    world = World(database)
    first = world.do(Start("person"))
    again = world.do(Start("person", known={"age": 9}))
    assert (again.visit, again.new, again.asks) == (first.visit, False, first.asks)
    done = world.do(Answer(first.visit, EVERYTHING))
    paid = world.do(Reward(first.visit, 1))
    world.do(Tick())  # so that what followed is written
    before = kinds_of(database)
    for operation in (
        Answer(first.visit, EVERYTHING),
        Answer(first.visit, {"age": 4.25}),
        Revise(first.visit, {"age": 4.25}),
        Reward(first.visit, 1.0),
        Start("person"),
    ):
        same = world.do(operation)
        assert (same.arm, same.answers, same.reward) == (done.arm, done.answers, paid.reward)
    assert kinds_of(database) == before
    assert world.do(Start()).visit != world.do(Start()).visit  # nobody's name: two people


def test_a_batch_sees_what_came_before_it_in_the_batch(database):
    """Fails if operations of one transaction do not see each other, or an error stops the rest."""
    live = World(database).live
    first, same, wrong, other = live.run(
        [Start("a"), Start("a"), Answer("nobody", {"age": 1}), Start("b")]
    )
    assert first.visit == same.visit
    assert isinstance(wrong, NotFoundError)
    assert (first.number, other.number) == (0, 1)
    answered, paid, other_reward = live.run(
        [Answer(first.visit, EVERYTHING), Reward(first.visit, 0.25), Reward(first.visit, 0.5)]
    )
    assert (answered.status, paid.status) == ("waiting", "rewarded")
    assert isinstance(other_reward, ConflictError)
    assert verify(database, live.name).ok


def test_what_is_refused_changes_nothing(database):
    """Fails if a refusal leaves an event, or repeats what somebody has answered."""
    world = World(database)
    half, done = world.start("half", age=3.5), world.decided("done")
    (answered,) = half.answers
    paid = world.paid("paid", reward=0.5)
    world.do(Tick())
    before = kinds_of(database)
    other = {"age": 9.75, "donor": None, "region": "south"}
    for operation, error in (
        (Answer(half.visit, {answered: other[answered]}), ConflictError),
        (Answer(half.visit, {}), AnswerError),
        (Answer(half.visit, {"age": 9876.25}), AnswerError),
        (Answer(half.visit, {"shoes": "9876.25"}), AnswerError),
        (Answer(done.visit, {"age": 9876.25}), AnswerError),
        (Revise(done.visit, {"age": 9.5}), ConflictError),
        (Reward(half.visit, 0.5), VisitError),
        (Reward(done.visit, 9876.25), RewardError),
        (Reward(done.visit, float("nan")), RewardError),
        (Reward(paid.visit, 0.75), ConflictError),
        (See("no such visit"), NotFoundError),
        (Start("new", known={"age": 9876.25}), AnswerError),
        (Start("new", arms=["fax"]), SettingError),
        (Start("new", arms=[]), SettingError),
        (Retire("fax"), SettingError),
    ):
        refused = world.refused(operation)
        assert type(refused) is error, (operation, refused)
        assert "9876" not in str(refused)
    assert kinds_of(database) == before
    assert verify(database, world.live.name).ok


def test_answers_may_be_changed_until_the_arm_is_decided(database):
    """Fails if a revision is not what the decision is made of."""
    world = World(database)
    seen = world.do(Start("person"))
    world.do(Answer(seen.visit, {"age": 1.0}))
    assert world.do(Revise(seen.visit, {"age": 2.0})).answers == {"age": 2.0}
    seen = world.do(Answer(seen.visit, {"donor": True, "region": "north"}))
    assert seen.answers == {"age": 2.0, "donor": True, "region": "north"}
    with database.reading() as connection:
        (body,) = connection.execute(select(events.c.body).where(events.c.kind == "decided")).one()
    assert json.loads(body)["record"]["answers"] == seen.answers
    assert verify(database, world.live.name).ok


@pytest.mark.parametrize("silence", [None, 0.25])
@pytest.mark.parametrize("window", ["1 hours", "2 visits"])
def test_rewards_have_a_window(database, window, silence):
    """Fails if a reward at the last moment is late, one after it in time, or silence is wrong."""
    world = World(database, small(window=window, silence=silence))
    in_time, late, silent = (world.decided(own) for own in ("in time", "late", "silent"))
    if "hours" in window:
        world.clock.now += 3_600  # for visits: two have come since the first
    assert world.do(Reward(in_time.visit, 0.5)).status == "rewarded"
    world.clock.now += 0.5
    world.decided()
    if "visits" in window:
        world.decided()  # the third since
    assert world.do(Reward(late.visit, 1)).status == "late"
    world.decided()
    world.do(Tick())
    world.do(Tick())
    assert world.do(See(in_time.visit)).status == "learned"
    assert world.do(See(silent.visit)).status == ("lost" if silence is None else "silent")
    assert world.do(See(late.visit)).status == "late"
    assert world.do(Reward(silent.visit, 1)).status == "late"
    assert type(world.refused(Reward(silent.visit, 0.5))) is ConflictError
    assert verify(database, world.live.name).findings == ()
    with database.reading() as connection:
        learned = connection.execute(
            select(events.c.body).where(events.c.kind == "learned").order_by(events.c.serial)
        ).scalars()
        rewards = [json.loads(body)["reward"] for body in learned]
    assert rewards == ([0.5] if silence is None else [0.5, silence, silence])


def test_time_does_not_go_back(database):
    """Fails if a clock that is set back, or that of another machine, brings the journal back."""
    world = World(database, small(window="1 hours"))
    world.paid()
    world.clock.now -= 500_000
    world.paid()
    with database.reading() as connection:
        times = list(connection.execute(select(events.c.at).order_by(events.c.serial)).scalars())
    assert times == sorted(times)
    assert verify(database, world.live.name).ok


RULED = """
schema: 1
name: ruled
questions:
  - {kind: yes_no, name: old}
  - {kind: yes_no, name: b}
  - {kind: yes_no, name: c}
  - {kind: yes_no, name: d}
arms: [{name: all}, {name: senior, eligible_if: old}]
reward: {low: 0, high: 1}
policy: {name: tsrc, questions: 1}
"""


def test_what_is_still_to_come_never_grows(sqlite):
    """Fails if a visit says only what it asks now, and asks more after that.

    The rule's question comes first, then one of three; until it is known which, four may come.
    """
    world = World(sqlite, al.Study.parse(RULED))
    more = set()
    for number in range(12):
        seen = world.do(Start())
        assert (seen.asks, seen.at_most) == (("old",), 4)
        steps = []
        while seen.asks:
            steps.append((seen.at_most, len(seen.asks)))
            assert world.do(See(seen.visit)).at_most == seen.at_most
            seen = world.do(Answer(seen.visit, {seen.asks[0]: number % 2 == 0}))
        assert seen.at_most == 0
        told, asked = zip(*steps, strict=True)
        assert all(later < sooner for sooner, later in itertools.pairwise(told))
        # What came after each step was within what had been said there.
        assert all(len(asked) - place <= most for place, most in enumerate(told))
        more.add(len(asked))
    assert max(more) > 1

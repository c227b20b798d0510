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
    StateError,
    StudyError,
    VisitError,
)
from askless.storage import (
    Answer,
    ConflictError,
    LiveStudy,
    NotFoundError,
    Pause,
    PausedError,
    Reprice,
    Retire,
    Revise,
    Reward,
    See,
    Start,
    Stop,
    StoppedError,
    Tick,
    erase,
    verify,
)
from askless.storage.tables import events, snapshots, studies, visits
from live_world import TEXT, Clock, World, small

EVERYTHING = {"age": 4.25, "donor": None, "region": "east"}


def kinds_of(database):
    with database.reading() as connection:
        return list(connection.execute(select(events.c.kind).order_by(events.c.serial)).scalars())


def counters(database):
    with database.reading() as connection:
        return connection.execute(select(studies)).mappings().one()


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
    assert type(other.refused(Pause(False))) is ConflictError
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

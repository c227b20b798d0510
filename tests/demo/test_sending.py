"""People who are sent through a real service: all are counted once, whatever happens to it."""

import asyncio
from itertools import cycle, islice

import pytest

import askless as al
from askless.demo.people import Person, people_of
from askless.demo.sending import Sender, check_pace
from askless.demo.story import Story
from askless.errors import SettingError
from askless.storage import Database
from served import served


@pytest.fixture
def real(tmp_path):
    with served(tmp_path) as found:
        yield found


def sent(real, work):
    """Run something with a client and return what it returns."""

    async def run():
        async with al.AsyncClient(*real[:1], "charity", real[1]) as client:
            return await work(client)

    return asyncio.run(run())


def at_once(count=60, seed=2):
    """People whose rewards come at once."""
    return [
        Person(p.answers, p.arms, p.open_to, p.rewards, p.patience, 0.0)
        for p in islice(people_of(al.Study.example(), seed), count)
    ]


def test_everyone_is_counted_once_and_the_service_agrees(real, tmp_path):
    """Fails if a person is lost, leaves with patience left, or another reward is sent."""
    people = at_once()

    async def work(client):
        sender = Sender(client, iter(people), 1_000)
        await sender.send(lambda: sender.sent >= len(people))
        rewards = {e.visit: e.body["reward"] async for e in client.events() if e.kind == "rewarded"}
        return sender, await client.summary(), rewards

    sender, summary, rewards = sent(real, work)
    impatient = sum(person.patience < 8 for person in people)  # no visit is short yet
    assert (sender.sent, sender.started, sender.left) == (60, 60, impatient)
    assert impatient > 0
    assert summary.visits == 60
    assert summary.decided == len(sender.decided) == len(sender.rewarded) == 60 - impatient
    assert {p.asked for p in sender.decided} == {8}
    assert rewards == {p.number: p.person.rewards[p.arm] for p in sender.rewarded}
    assert not sender.refused
    database = Database(str(tmp_path / "study.db"))
    story = Story.of(sender, database, al.Study.example())
    database.close()
    assert (story.at_first, story.now, story.short, story.dropped) == (8, 8, 0, ())
    by_arm = {
        arm: sum(p.person.rewards[arm] for p in sender.rewarded) / len(sender.rewarded)
        for arm in ("red_cross", "wwf", "msf")
    }
    assert story.best[0] == max(by_arm, key=by_arm.get)
    assert story.best[1] == pytest.approx(max(by_arm.values()))
    assert story.reward == pytest.approx(sum(rewards.values()) / len(rewards))


def test_people_wait_at_the_door_of_a_paused_study_and_end_at_a_stopped_one(real):
    """Fails if a pause loses anybody, or a study that is over is called for ever."""

    async def work(client):
        sender = Sender(client, iter(at_once(40)), 1_000)
        await client.pause()
        sending = asyncio.create_task(sender.send(lambda: sender.sent >= 20))
        while sender.sent < 16:  # as many as may be in the study at a time
            await asyncio.sleep(0)
        waited = sender.started
        await client.resume()
        await sending
        started = sender.started
        await client.stop()
        await sender.send(lambda: False)
        return waited, started, sender

    waited, started, sender = sent(real, work)
    assert (waited, started, sender.started) == (0, 20, 20)
    assert sender.over
    assert not sender.refused


def test_what_the_service_refuses_is_noted_and_the_next_one_comes(real):
    """Fails if one refusal ends a demo, or is not told."""
    people = at_once(3)
    wrong = Person(people[0].answers, ("no such arm",), frozenset(), {}, 100, 0.0)

    async def work(client):
        sender = Sender(client, iter([wrong, *people]), 1_000)
        await sender.send(lambda: sender.sent >= 4)
        return sender

    sender = sent(real, work)
    assert (sender.sent, sender.started, len(sender.refused)) == (4, 3, 1)
    assert "no such arm" in sender.refused[0]


def test_a_service_that_is_gone_ends_the_sending(real):
    """Fails if nobody hears that there is nothing to call."""

    async def work(_):
        async with al.AsyncClient("http://127.0.0.1:1", "charity", "ask_x", retries=0) as client:
            sender = Sender(client, cycle(at_once(5)), 1_000)
            await sender.send(lambda: False)

    with pytest.raises(al.errors.ServiceError):
        sent(real, work)


@pytest.mark.parametrize("pace", [0, -1, 0.009, 1_001, float("nan"), float("inf")])
def test_a_pace_that_cannot_be_is_refused(pace):
    with pytest.raises(SettingError, match=r"pace is .*; give how many simulated people"):
        check_pace(pace)

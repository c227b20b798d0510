"""What callers of a live study were told, and whether its database still says so."""

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from askless.storage import Answer, Erase, Erased, Reward, Start, verify
from askless.storage.erasing import token_after
from askless.storage.moment import moment_of
from askless.storage.tables import events, visits


@dataclass
class Person:
    """Somebody who visits a study, and what they were told: it may never be taken back."""

    own: str
    answers: dict[str, Any]
    pays: float
    leaves: bool = False  # wants to be erased in the end
    visit: str | None = None
    number: int | None = None
    asks: tuple[str, ...] = ()
    said: dict[str, Any] = field(default_factory=dict)  # answers that were taken
    arm: str | None = None
    reward: float | None = None
    leaving: bool = False  # has asked to be erased
    gone: bool = False

    @classmethod
    def drawn(cls, rng, own, leaves=False):
        """Somebody at random, for the study of `live_world`."""
        answers = {
            "age": round(float(rng.uniform(0, 10)), 2),
            "donor": [True, False, None][rng.integers(3)],
            "region": ["north", "east", "south"][rng.integers(3)],
        }
        return cls(own, answers, round(float(rng.uniform(0, 1)), 3), leaves)

    def wants(self):
        """What to ask for next: the same again until it is answered; None at the end."""
        if self.visit is None:
            return Start(self.own)
        if self.asks:
            return Answer(self.visit, {name: self.answers[name] for name in self.asks[:2]})
        if self.reward is None:
            return Reward(self.visit, self.pays)
        if self.leaves and not self.gone:
            self.leaving = True
            return Erase(self.visit)
        return None

    def hears(self, token, seen):
        """Note what the service says of the visit, which must agree with what it said before."""
        arm = None if seen.asks else seen.arm
        assert self.visit in (None, token)
        assert self.number in (None, seen.number)
        assert self.arm in (None, arm)
        assert self.reward in (None, seen.reward)
        assert self.said.items() <= seen.answers.items()
        assert seen.answers.items() <= self.answers.items()
        assert seen.reward in (None, self.pays)
        self.visit, self.number, self.asks = token, seen.number, tuple(seen.asks)
        self.said, self.arm, self.reward = dict(seen.answers), arm, seen.reward

    def told(self, outcome):
        """Note an outcome of `LiveStudy.run`."""
        if isinstance(outcome, Erased):
            assert outcome.number == self.number
            self.gone = True
            return
        assert not isinstance(outcome, Exception), outcome
        self.hears(outcome.visit, outcome)


class Journal:
    """A study at one moment: its journal read plainly, and the state that a new process has."""

    def __init__(self, database, name):
        with moment_of(database, name) as moment:
            look = moment.connection.execute
            self.lines = look(
                select(events.c.serial, events.c.kind, events.c.visit, events.c.body)
                .where(events.c.study == moment.id)
                .order_by(events.c.serial)
            ).all()
            rows = look(select(visits).where(visits.c.study == moment.id)).all()
            self.counters, self.replica = moment.counters, moment.replica()
        self.rows = {row.token: row for row in rows}
        self.by_visit = {}
        for line in self.lines:
            self.by_visit.setdefault(line.visit, []).append((line.kind, json.loads(line.body)))

    def of(self, number, *kinds):
        """The bodies of a visit's events of some kinds."""
        return [body for kind, body in self.by_visit.get(number, ()) if kind in kinds]


def proved(database, name, people):
    """Prove that a study has all that people were told, and learned each reward once, in order."""
    found = verify(database, name)
    assert found.findings == ()
    journal = Journal(database, name)
    nothing_lost(journal, people)
    learned_once(journal)
    return found, journal


def nothing_lost(journal, people):
    """Whatever anybody was told is in the journal and in the table, once and unchanged."""
    for person in people:
        if person.visit is None:
            continue
        if person.gone or (person.leaving and person.visit not in journal.rows):
            row = journal.rows[token_after(person.visit)]
            assert (row.status, row.number, row.own) == ("erased", person.number, None)
            assert set(map(str, journal.of(person.number, "answered", "decided"))) <= {"{}"}
            continue
        row = journal.rows[person.visit]
        assert (row.own, row.number) == (person.own, person.number)
        assert len(journal.of(row.number, "started")) == 1
        said = {}
        for body in journal.of(row.number, "answered"):
            assert said.keys().isdisjoint(body["answers"])  # each is taken once
            said |= body["answers"]
        assert person.said.items() <= said.items()
        decided = journal.of(row.number, "decided")
        assert [body["record"]["arm"] for body in decided] == [row.arm] * (row.arm is not None)
        rewards = [body["reward"] for body in journal.of(row.number, "rewarded", "late")]
        assert rewards == [row.reward] * (row.reward is not None)
        if person.arm is not None:
            assert row.arm == person.arm
        if person.reward is not None:
            assert row.reward == person.reward
    owns = [row.own for row in journal.rows.values() if row.own is not None]
    assert len(owns) == len(set(owns))


def learned_once(journal):
    """Each visit was learned once, in the order of decisions of its line, without a gap."""
    lines, replica, shorts = journal.lines, journal.replica, "price" in journal.counters["file"]
    assert [line.serial for line in lines] == list(range(1, journal.counters["serial"] + 1))
    learned = [(line.visit, json.loads(line.body)) for line in lines if line.kind == "learned"]
    assert journal.counters["learned"] == len(learned)
    # What a new process has learned and nobody has noted yet goes on from there.
    learned += [(last.visit, last.body) for last in replica.follows if last.kind == "learned"]
    numbers = [number for number, _ in learned]
    assert len(numbers) == len(set(numbers))
    by_number = {row.number: row for row in journal.rows.values()}
    kept = 0
    last = dict.fromkeys(itertools.product((*replica.policy.arms, None), (True, False)), 0)
    for place, (number, body) in enumerate(learned):
        row = by_number[number]
        if row.status == "erased":
            assert body == {}
            continue
        assert (body["order"], body["reward"]) == (place, row.reward)
        full = shorts and row.kind != "short"  # these wait in one line, others in their arm's
        line = (None, True) if full else (row.arm, False)
        assert row.decided > last[line]
        last[line] = row.decided
        kept += not shorts or row.kind == "full"
    assert replica.policy.rows.sum() == kept
    assert replica.learned == len(learned)

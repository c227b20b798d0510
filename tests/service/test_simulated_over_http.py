"""A simulated study sent through a real service: the same decisions, visit by visit."""

from collections import Counter

import numpy as np
import pytest
from sqlalchemy import select

import askless as al
from askless.environments.base import first_respondents
from askless.policies import policy_for
from askless.policies.passage import answers_of
from askless.simulation.simulate import MIX
from askless.storage import Database, replica, verify
from askless.storage.tables import visits
from askless.survey.study import EXAMPLE
from raw_calls import raw

pytestmark = pytest.mark.slow

VISITS, SEED = 300, 5
TEXT = EXAMPLE.read_text()
RULED = TEXT.replace(
    "{name: red_cross,", '{name: red_cross, eligible_if: "age >= 65 and not region == south",'
).replace("{name: msf,", '{name: msf, eligible_if: "media has web or donor",')
STUDIES = {"short forms": TEXT, "rules": RULED}


class Beside:
    """A study, its simulated people, and what the library does with each of them."""

    def __init__(self, text, delay):
        self.study = al.Study.parse(text)
        self.world = al.Prior.of(self.study).world(0, seed=1)
        (block,) = first_respondents(
            self.world, SEED, 0, VISITS, policy_for(self.study).roster.live
        )
        self.block, self.delay = block, delay
        self.arms = [arm.name for arm in self.study.arms]

    def policy(self, study=None):
        """The policy of the study, which draws as in the first run of a simulation."""
        policy = policy_for(study or self.study)
        policy._stream = (SEED * MIX + 1) % 2**64
        return policy

    def records(self):
        done = al.record_visits(self.policy(), self.world, VISITS, seed=SEED, delay=self.delay)
        return [visit.record for visit in done.visits]

    def run(self):
        every = list(range(1, VISITS + 1))
        runs = al.simulate(
            self.policy(), self.world, VISITS, seed=SEED, checkpoints=every, delay=self.delay
        )
        return runs.runs[0]


def sent(service, beside, late):
    """Send everybody through the service; return what each was asked, and the arm that they got."""
    said, due, asking = [], [], policy_for(beside.study)
    for t in range(VISITS):
        person = answers_of(asking, beside.block.contexts[t])
        seen, asked = service.start(f"person {t}"), []
        assert seen["number"] == t
        while seen["asks"]:
            names = [question["name"] for question in seen["asks"]]
            asked += names
            body = {"answers": {name: person[name] for name in names}}
            seen = service.done("POST", f"/visits/{seen['visit']}/answers", body)
        arm = seen["arm"]["name"]
        said.append((tuple(asked), arm))
        reward = float(beside.block.rewards[t, beside.arms.index(arm)])
        due.append((f"/visits/{seen['visit']}/reward", {"reward": reward}))
        if len(due) > late:
            service.done("POST", *due.pop(0))
    return said


@pytest.mark.parametrize("late", [0, 7])
@pytest.mark.parametrize("study", STUDIES)
def test_the_service_decides_as_the_simulation(study, late, tmp_path, monkeypatch):
    """Fails if the live study asks, decides or learns otherwise than `simulate` in any visit."""
    beside = Beside(STUDIES[study], al.Delay(late, "fixed") if late else None)
    monkeypatch.setattr(replica, "policy_for", beside.policy)
    records, run = beside.records(), beside.run()
    with raw(tmp_path, Database(str(tmp_path / "study.db")), study=beside.study) as service:
        said = sent(service, beside, late)
        with service.database.reading() as connection:
            found = connection.execute(select(visits.c.kind).order_by(visits.c.number))
            kinds = list(found.scalars())
        assert verify(service.database, beside.study.name).ok
    assert said == [(record.asked, record.arm) for record in records]
    assert kinds == [record.kind for record in records]
    plays = np.diff(run.plays_at, axis=0, prepend=0)  # one visit a line: the arm, and how long
    assert [beside.arms.index(arm) for _, arm in said] == plays.argmax(axis=1).tolist()
    lengths = np.diff(run.lengths_at, axis=0, prepend=0)
    assert [len(asked) for asked, _ in said] == lengths.argmax(axis=1).tolist()
    if study == "rules":
        for (_, arm), record in zip(said, records, strict=True):
            answers = record.answers
            if arm == "red_cross":
                assert answers["age"] >= 65
                assert answers["region"] == "north"
            if arm == "msf":
                assert "web" in answers["media"] or answers["donor"]
    assert Counter(kinds)["short"] > 50
    assert Counter(kinds)["full"] > 50
    assert len({arm for _, arm in said}) == 3

"""Several workers are one service: whoever is asked, each decision is learned once, in order."""

from contextlib import ExitStack
from itertools import groupby
from signal import SIGTERM

import numpy as np
import pytest
from sqlalchemy import text

from live_world import opened, small
from many_workers import TIMES, Rush, handed_on, line_to_each, served, window_of
from service_processes import ServiceProcess
from told import Person, proved

pytestmark = pytest.mark.slow

PEOPLE, WORKERS = 2_000, 4


@pytest.fixture
def service(new_address, tmp_path):
    """Four workers on PostgreSQL, and their database."""
    address = new_address("postgres")
    study = small("ridge", window=f"{window_of(PEOPLE)} visits")
    with (
        opened(address) as database,
        ServiceProcess(tmp_path, study, database, address, WORKERS) as process,
    ):
        process.start()
        process.wait()
        yield process, database


def test_rewards_in_any_order_at_any_worker_are_learned_once(service):
    """Fails if workers together learn a reward twice, not at all, too late or out of its order."""
    process, database = service
    rush = Rush(process, PEOPLE, seed=3)
    rush.run()
    counts = served(process)
    assert len([worker for worker, count in counts.items() if count > 100]) > 1
    assert process.stop() in (0, -SIGTERM)
    assert len(rush.told) == TIMES * PEOPLE
    late = {own for own, status in rush.told if status == "late"}
    assert late == rush.held  # known beforehand: all the others come within the window
    found, journal = proved(database, process.study, rush.people)
    in_time = PEOPLE - len(rush.held)
    assert journal.replica.policy.rows.sum() == found.learned == in_time
    assert (found.visits, found.decided) == (PEOPLE, PEOPLE)
    with database.reading() as connection:
        rows = connection.execute(
            text("SELECT arm, decided, learned, own, status, reward FROM visits ORDER BY learned")
        ).all()
        serials = connection.execute(
            text("SELECT visit FROM events WHERE kind = 'learned' ORDER BY serial")
        ).all()
    learned = [row for row in rows if row.learned is not None]
    assert [row.learned for row in learned] == list(range(in_time))
    assert {row.own for row in rows if row.status == "late"} == rush.held
    assert {row.own for row in learned}.isdisjoint(rush.held)
    assert len(serials) == len(set(serials)) == in_time
    for _, line in groupby(sorted(learned, key=lambda row: row.arm), lambda row: row.arm):
        order = [row.decided for row in line]  # by arm, as they were learned
        assert order == sorted(order)
    assert {row.own: row.reward for row in rows} == {p.own: p.pays for p in rush.people}


def test_visits_are_handed_from_worker_to_worker(service):
    """Fails if a visit cannot go on at a worker that has not seen it, or is another there."""
    process, database = service
    rng = np.random.default_rng(8)
    people = [Person.drawn(rng, f"person {n}") for n in range(40)]
    with ExitStack() as stack:
        lines = line_to_each(process, stack)
        assert len(lines) == WORKERS
        before = served(process)
        for person in people:
            seen = handed_on(lines, person)
            assert (seen["paid"], seen["reward"]) == (person.pays, person.pays)
            assert seen["answers"] == person.answers
            assert seen["status"] in ("rewarded", "learned")
            person.visit, person.number = seen["visit"], seen["number"]
            person.said, person.arm = seen["answers"], seen["arm"]["name"]
            person.reward = seen["reward"]
        after = served(process)
    assert all(after[worker] - before[worker] >= len(people) - 1 for worker in lines)
    assert process.stop() in (0, -SIGTERM)
    found, _ = proved(database, process.study, people)
    assert found.learned == len(people)

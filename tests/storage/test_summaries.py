"""Summaries by question: what each has seen of visits, beside the journal counted by hand."""

import json
from collections import Counter

import numpy as np
import pytest
from sqlalchemy import insert, select, text, update

from askless.storage import Answer, Revise, Start, erase, verify
from askless.storage.overview import read_overview
from askless.storage.tables import events, questions, summaries, visits
from live_visits import open_live, play
from live_world import World, opened


def counted(database, study):
    """What follows from the journal alone: events are read in their order, visit by visit."""
    found = Counter()
    with database.reading() as connection:
        lines = connection.execute(
            select(events).where(events.c.study == study).order_by(events.c.serial)
        ).all()
    put, given, open_ = {}, {}, {}
    for line in lines:
        body = json.loads(line.body)
        if line.kind == "started" and body:
            put[line.visit], given[line.visit], open_[line.visit] = [], {}, True
        elif line.kind == "asked" and body:
            put[line.visit] += body["questions"]
        elif line.kind in ("answered", "revised") and body:
            given[line.visit] |= body["answers"]
        elif line.kind == "decided" and body:
            open_[line.visit] = False
    for visit, names in put.items():
        for name in names:
            found[name, "put"] += 1
            if name in given[visit]:
                found[name, "skipped" if given[visit][name] is None else "answered"] += 1
            elif open_.get(visit):
                found[name, "here"] += 1
                open_[visit] = False
    return {key: many for key, many in found.items() if many}


def kept(database, study):
    with database.reading() as connection:
        rows = connection.execute(select(questions).where(questions.c.study == study)).all()
    names = ("put", "answered", "skipped", "here")
    return {(r.question, n): getattr(r, n) for r in rows for n in names if getattr(r, n)}


def test_questions_are_counted_as_the_journal_has_them(database):
    """Fails if a question that is put, answered, skipped, changed or left is miscounted."""
    world = World(database)
    for number in range(12):
        world.paid(f"person {number}")
    left = world.start("leaves", donor=None)
    seen = world.do(Start("changes"))
    person = {"age": 3, "donor": None, "region": "east"}
    for name in ("age", "donor"):
        if name in seen.asks:
            world.do(Answer(seen.visit, {name: person[name]}))
    world.do(Revise(seen.visit, {"donor": True}))
    assert kept(database, world.live.id) == counted(database, world.live.id)
    assert sum(n for (_, what), n in kept(database, world.live.id).items() if what == "here") == 2
    assert verify(database, world.live.name).ok
    erase(database, world.live.name, visit=left.visit, later=True)
    assert kept(database, world.live.id) == counted(database, world.live.id)
    assert verify(database, world.live.name).ok


def test_nothing_is_left_of_the_only_person(database):
    """Fails if erasing everybody leaves a count of a question."""
    world = World(database)
    seen = world.paid("person")
    assert kept(database, world.live.id)
    erase(database, world.live.name, visit=seen.visit, later=True)
    with database.reading() as connection:
        assert connection.execute(select(questions)).all() == []
        assert connection.execute(select(summaries)).all() == []


@pytest.mark.parametrize("what", ["put", "answered", "skipped", "here"])
def test_a_changed_count_is_found(sqlite, what):
    """Fails if verify does not compare a count of a question with the journal."""
    world = World(sqlite)
    world.start("person")
    with sqlite.writing() as connection:
        connection.execute(update(questions).values({what: questions.c[what] + 1}))
    found = verify(sqlite, world.live.name).findings
    assert found
    assert f"its {what} is" in found[0]


@pytest.mark.slow
def test_the_overview_adds_up_to_the_table_of_visits(database):
    """Fails if a sum by arm, by part of the course or of short visits is not that of the visits."""
    live = open_live(database)
    play(live, 450)
    found = read_overview(database, live.id)
    with database.reading() as connection:
        rows = connection.execute(select(visits).where(visits.c.study == live.id)).all()
    decided = [row for row in rows if row.arm is not None]
    assert found.totals[""]["started"] == len(rows) == 450
    assert found.width == 100
    for part in found.course:
        mine = [r for r in decided if part["start"] <= r.number < part["start"] + 100]
        assert part["decided"] == len(mine)
        assert part["asked"] == sum(r.asked for r in mine)
        assert part["asked_short"] == sum(r.asked for r in mine if r.kind == "short")
    assert sum(part["short"] for part in found.course) > 0
    for arm in {row.arm for row in decided}:
        timely = [r.reward for r in decided if r.arm == arm and r.reward is not None]
        late = [r for r in decided if r.arm == arm and r.status == "late"]
        assert found.totals[arm]["decided"] == sum(r.arm == arm for r in decided)
        assert found.totals[arm]["late"] == len(late)
        assert found.totals[arm]["rewarded"] == len(timely) - len(late)
        sum_all = sum(timely) - sum(r.reward for r in late)
        np.testing.assert_allclose(found.totals[arm]["reward"], sum_all)
        now = [r for r in decided if r.arm == arm and r.number >= 200]
        assert found.recent[arm]["decided"] == len(now)
    assert [event["serial"] for event in found.events] == sorted(
        (event["serial"] for event in found.events), reverse=True
    )
    assert all(not event["body"] for event in found.events if event["visit"] is not None)


def test_when_questions_were_dropped_is_read_without_the_rest_of_the_journal(database):
    """Fails if a drop, or the last change of the short form, is missed or has another time."""
    world = World(database)
    world.paid("person")
    lines = [
        ("dropped", {"arm": "mail", "question": "age"}),
        ("form", {"questions": ["donor"], "withdrawn": 0}),
        ("form", {"questions": None, "withdrawn": 1}),
        ("dropped", {"arm": "call", "question": "region"}),
    ]
    with database.writing() as connection:
        for place, (kind, body) in enumerate(lines, 1_000):
            row = {"study": world.live.id, "serial": place, "page": 999, "at": float(place)}
            row |= {"kind": kind, "visit": None, "body": json.dumps(body)}
            connection.execute(insert(events).values(row))
    found = read_overview(database, world.live.id)
    assert found.dropped == {("mail", "age"): 1_000.0, ("call", "region"): 1_003.0}
    assert found.form_since == 1_002.0
    assert [event["serial"] for event in found.events[:4]] == [1_003, 1_002, 1_001, 1_000]
    assert found.events[0]["body"] == lines[3][1]


@pytest.mark.slow
def test_an_older_database_gets_its_counts_when_it_is_brought_up_to_date(new_address):
    """Fails if what visits were asked before this version is missing, or counted otherwise."""
    with opened(new_address("sqlite")) as database:
        live = open_live(database)
        play(live, 230)
        before, spans = kept(database, live.id), _short(database)
        with database.writing() as connection:
            for name in ("questions", "links", "admins", "sessions", "signing"):
                connection.execute(text(f"DROP TABLE {name}"))
            connection.execute(text("ALTER TABLE summaries DROP COLUMN asked_short"))
            connection.execute(text("ALTER TABLE studies DROP COLUMN stopped"))
            connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        database.migrate()
        assert kept(database, live.id) == before
        assert _short(database) == spans
        assert any(spans.values())
        assert verify(database, live.name).ok


def _short(database):
    with database.reading() as connection:
        rows = connection.execute(select(summaries)).all()
    return {(row.span, row.start, row.arm): row.asked_short for row in rows}

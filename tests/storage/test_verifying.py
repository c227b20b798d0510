"""A study verifies as it is, and whatever is changed in its database is found."""

import json

import pytest
from sqlalchemy import delete, insert, select, update

from askless.errors import SettingError
from askless.storage import Pause, Reward, Tick, erase, replica, verify
from askless.storage.replica import Snapshot
from askless.storage.summaries import COUNTS
from askless.storage.tables import events, snapshots, studies, summaries, visits
from live_world import DAY, World, opened, small


def play(world):
    """A study with everything in it: all kinds of visits, several snapshots and days."""
    silent = [world.decided(f"silent {n}") for n in range(3)]
    for n in range(4):  # before there is a short form, which may ask nothing
        world.start(f"half {n}")
    for n in range(90):
        world.clock.now += 600
        world.paid(f"person {n}")
    world.clock.now += DAY
    world.do(Tick())
    world.do(Reward(silent[0].visit, 0.5))  # late
    world.do(Pause(True))
    world.do(Pause(False))
    for n in range(4):
        world.decided(f"waiting {n}")
    world.paid("rewarded")


@pytest.fixture(scope="module")
def played(new_address):
    """Makes a copy of a study that was played: of a kind, as it is or after an erasure."""
    made = {}

    def make(kind, erased):
        if (kind, erased) not in made:
            address = new_address(kind)
            with opened(address) as database:
                world = World(database, small(window="5 hours", settings="price: 0.02"))
                play(world)
                if erased:
                    for own in ("person 40", "half 2", "waiting 1"):
                        erase(database, "small", own=own, later=own != "waiting 1")
                    for n in range(20):
                        world.paid(f"after {n}")
                    world.clock.now += DAY
                    world.paid("last")
                world.do(Tick())
            made[kind, erased] = address
        return new_address(kind, like=made[kind, erased])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica, "FIRST_SNAPSHOT", 16)
        yield make


@pytest.fixture(params=["sqlite", "postgres"])
def copied(request, played):
    """A database with the study, which a test may damage."""
    with opened(played(request.param, False)) as database:
        yield database


@pytest.fixture(params=["sqlite", "postgres"])
def copied_after_erasures(request, played):
    """The same, after some people have been erased."""
    with opened(played(request.param, True)) as database:
        yield database


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("erased", [False, True])
def test_a_study_verifies_as_it_is(played, kind, erased):
    """Fails if anything is found where nothing was changed, or if something is not looked at."""
    with opened(played(kind, erased)) as database:
        told = []
        found = verify(database, "small", progress=lambda *so_far: told.append(so_far))
        with database.reading() as connection:
            row = connection.execute(select(studies)).one()
            statuses = set(connection.execute(select(visits.c.status)).scalars())
    assert found.findings == ()
    assert found.ok
    assert not found.is_cut
    counts = (found.events, found.visits, found.decided, found.learned)
    assert counts == (row.serial, row.visits, row.decided, row.learned)
    assert (found.base > 0, found.erased) == (erased, 3 if erased else 0)
    assert found.snapshots >= (1 if erased else 3)
    assert told[-1] == (row.serial - found.base,) * 2
    assert statuses >= {"open", "waiting", "rewarded", "learned", "lost", "late"} - (
        {"waiting", "rewarded"} if erased else set()
    )


def test_a_study_that_is_not_there_is_refused(sqlite):
    """Fails if nothing at all is said to be in order."""
    with pytest.raises(SettingError, match="has no study 'small'; it has none yet"):
        verify(sqlite, "small")


# -- tampering: what is done, and a part of what must be said --------------------------------------


def some(connection, kind, at=5):
    """An event of a kind, not one of the first."""
    return connection.execute(
        select(events).where(events.c.kind == kind).order_by(events.c.serial).offset(at).limit(1)
    ).one()


def in_body(kind, change, at=5):
    """Change the body of an event."""

    def tamper(connection):
        event = some(connection, kind, at)
        body = json.loads(event.body)
        change(body)
        assert json.dumps(body) != event.body
        here = events.c.serial == event.serial
        connection.execute(update(events).where(here).values(body=json.dumps(body)))

    return tamper


def in_event(of, /, **values):
    """Change a column of an event."""

    def tamper(connection):
        event = some(connection, of)
        new = {name: value(getattr(event, name)) for name, value in values.items()}
        connection.execute(update(events).where(events.c.serial == event.serial).values(new))

    return tamper


def without(kind, at=5):
    """Delete an event."""

    def tamper(connection):
        serial = some(connection, kind, at).serial
        connection.execute(delete(events).where(events.c.serial == serial))

    return tamper


def other_arm(body):
    record = body["record"]
    record["arm"] = {"mail": "call", "call": "mail"}[record["arm"]]


def without_last(connection):
    last = connection.execute(select(studies.c.serial)).scalar()
    connection.execute(delete(events).where(events.c.serial == last))


def one_more(connection):
    last = connection.execute(select(studies)).one()
    line = {"study": last.id, "serial": last.serial + 1, "page": last.serial, "at": last.at}
    connection.execute(insert(events), {**line, "kind": "ticked", "visit": None, "body": "{}"})


def one_more_that_counts(connection):
    one_more(connection)
    connection.execute(update(studies).values(serial=studies.c.serial + 1))


JOURNAL = {
    "an arm": (in_body("decided", other_arm), "says decided of visit"),
    "a propensity": (
        in_body("decided", lambda body: body["record"]["propensities"].update(mail=0.125), 0),
        "record.propensities",
    ),
    "an order": (in_body("decided", lambda body: body.update(order=1)), "its order is 1"),
    "an answer": (
        in_body("answered", lambda body: body.update(answers={"age": 1.5})),
        "its record",
    ),
    "what was promised": (
        in_body("started", lambda body: body.update(promised=["age"])),
        "its promised is",
    ),
    "who may get what": (
        in_body("started", lambda body: body.update(eligible=["mail"])),
        "record",
    ),
    "questions": (in_body("asked", lambda body: body["questions"].reverse()), "its questions"),
    "a reward": (in_body("rewarded", lambda body: body.update(reward=0.98765)), "says learned"),
    "a reward beyond its range": (
        in_body("rewarded", lambda body: body.update(reward=7)),
        "says rewarded",
    ),
    "the learning order": (in_body("learned", lambda body: body.update(order=7)), "says learned"),
    "what was learned": (in_body("learned", lambda body: body.update(reward=0.5)), "its reward"),
    "the file": (
        in_body("settings", lambda body: body.update(file=body["file"] + "\n"), 0),
        "studies.file",
    ),
    "another file": (
        in_body(
            "settings",
            lambda body: body.update(file=body["file"].replace("beta_min: 0.2", "beta_min: 0.3")),
            0,
        ),
        "the study has other policy",
    ),
    "no JSON": (in_event("answered", body=lambda _: "{"), "cannot be read"),
    "another shape": (in_event("answered", body=lambda _: "[]"), "it cannot be"),
    "an empty body": (in_event("decided", body=lambda _: "{}"), "says decided"),
    "a time": (in_event("answered", at=lambda at: at + 1), "is of"),
    "a page": (in_event("rewarded", page=lambda page: page - 1), "was written after event"),
    "a kind": (in_event("rewarded", kind=lambda _: "late"), "its window is not over"),
    "an unknown kind": (in_event("rewarded", kind=lambda _: "praised"), "nothing leads to it"),
    "whose reward": (in_event("rewarded", visit=lambda visit: visit - 1), "says rewarded of visit"),
    "whose start": (in_event("started", visit=lambda visit: visit + 1), "the next visit is"),
    "an answer gone": (without("answered"), "comes after event"),
    "a decision gone": (without("decided"), "there follows decided"),
    "a lesson gone": (without("learned"), "is missing"),
    "the first gone": (without("settings", 0), "comes after event 0"),
    "the last gone": (without_last, "the journal ends at event"),
    "one more": (one_more, "the journal ends at event"),
    "one more that counts": (one_more_that_counts, "no window is over"),
}


@pytest.mark.parametrize("what", JOURNAL)
def test_a_changed_journal_is_found(copied, what):
    """Fails if an event can be changed, taken out or added without being noticed."""
    tamper, said = JOURNAL[what]
    with copied.writing() as connection:
        tamper(connection)
    found = verify(copied, "small")
    assert not found.ok
    assert any(said in finding for finding in found.findings), found.findings


def changed_snapshot(change, *, sealed):
    """Change what a snapshot holds; sealed: with a digest that is right."""

    def tamper(connection):
        row = connection.execute(
            select(snapshots).order_by(snapshots.c.serial.desc()).limit(1)
        ).one()
        content = Snapshot(row.serial, row.body, row.digest).content()
        change(content)
        new = Snapshot.of(row.serial, content)
        values = {"body": new.body} | ({"digest": new.digest} if sealed else {})
        connection.execute(update(snapshots).where(snapshots.c.serial == row.serial).values(values))

    return tamper


def moved_snapshot(connection):
    newest = connection.execute(
        select(snapshots.c.serial).order_by(snapshots.c.serial.desc()).limit(1)
    ).scalar()
    connection.execute(
        update(snapshots).where(snapshots.c.serial == newest).values(serial=newest + 1)
    )


SNAPSHOTS = {
    "its content": (changed_snapshot(lambda c: c.update(learned=3), sealed=False), "is damaged"),
    "its content, sealed": (
        changed_snapshot(lambda c: c["policy"]["counters"].update(version=3), sealed=True),
        "has the digest",
    ),
    "its digest": (
        lambda connection: connection.execute(update(snapshots).values(digest="0" * 64)),
        "is damaged",
    ),
    "its bytes": (
        lambda connection: connection.execute(update(snapshots).values(body=b"nothing")),
        "is damaged",
    ),
    "its place": (moved_snapshot, "none is made there"),
    "its being a base": (
        lambda connection: connection.execute(update(snapshots).values(base=True)),
        "there are bases at",
    ),
}


@pytest.mark.parametrize("what", SNAPSHOTS)
def test_a_changed_snapshot_is_found(copied, what):
    """Fails if a snapshot is trusted that the journal does not lead to."""
    tamper, said = SNAPSHOTS[what]
    with copied.writing() as connection:
        tamper(connection)
    found = verify(copied, "small")
    assert any(said in finding for finding in found.findings), found.findings


OF_VISITS = {
    "status": "waiting",
    "started": 5.0,
    "kind": "silly",
    "arm": "fax",
    "decided": 5_000,
    "decided_at": 5.0,
    "asked": 17,
    "reward": 0.98765,
    "learned": 5_000,
    "learned_after": 5_000,
    "block": 5_000,
    "record": "{}",
    "token": "",
}


@pytest.mark.parametrize("column", OF_VISITS)
def test_a_changed_visit_is_found(copied, column):
    """Fails if any column of a visit can be changed without being noticed."""
    with copied.writing() as connection:
        here = visits.c.own == "person 20"
        assert connection.execute(select(visits.c.status).where(here)).scalar() == "learned"
        connection.execute(update(visits).where(here).values({column: OF_VISITS[column]}))
        connection.execute(
            update(visits).where(visits.c.own == "person 21").values({column: None})
            if visits.c[column].nullable
            else select(1)
        )
    found = verify(copied, "small")
    number = 7 + 20
    assert any(f"visit {number}" in finding for finding in found.findings), found.findings
    if visits.c[column].nullable and column != "record":
        assert any(f"visit {number + 1}: its {column} is None" in one for one in found.findings)


def test_a_changed_record_of_an_open_visit_is_found(copied):
    """Fails if what somebody has answered can be changed while questions are open."""
    with copied.writing() as connection:
        here = visits.c.own == "half 1"
        record = json.loads(connection.execute(select(visits.c.record).where(here)).scalar())
        record["answers"] = dict.fromkeys(record["answers"])
        connection.execute(update(visits).where(here).values(record=json.dumps(record)))
    (finding,) = verify(copied, "small").findings
    assert finding.endswith("its record is not what it has done")


def test_a_visit_that_is_gone_or_too_many_is_found(copied):
    """Fails if rows of visits are not counted."""
    with copied.writing() as connection:
        connection.execute(delete(visits).where(visits.c.own == "person 20"))
    found = verify(copied, "small").findings
    assert "visit 27 is not in the table of visits" in found
    with copied.writing() as connection:
        row = {"study": 1, "number": 5_000, "token": "x", "status": "open", "started": 1.0}
        connection.execute(insert(visits), row)
        connection.execute(insert(visits), {**row, "number": 5_001, "token": "y"})
    found = verify(copied, "small").findings
    assert any("the table of visits has" in finding for finding in found)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("span", ["day", "hundred"])
def test_a_changed_summary_is_found(copied, name, span):
    """Fails if a count is not compared, or a sum may be off by more than rounding."""
    with copied.writing() as connection:
        connection.execute(
            update(summaries)
            .where(summaries.c.span == span, summaries.c.arm == "")
            .values({name: summaries.c[name] + (1e-6 if name in ("reward", "squares") else 1)})
        )
    found = verify(copied, "small").findings
    assert found
    assert all(f"summary of {span}" in one and f"its {name} is" in one for one in found)


def test_a_summary_that_is_gone_or_too_many_is_found(copied):
    """Fails if only the rows that are there are compared, or only those that should be."""
    with copied.writing() as connection:
        connection.execute(delete(summaries).where(summaries.c.arm == "mail"))
        connection.execute(
            insert(summaries),
            {"study": 1, "span": "day", "start": 5, "arm": "", **dict.fromkeys(COUNTS, 2)},
        )
    found = verify(copied, "small").findings
    assert any("day 5, arm (all)" in finding for finding in found)
    assert any("arm mail" in finding for finding in found)


@pytest.mark.parametrize(
    ("counter", "value"),
    [
        ("serial", studies.c.serial - 1),
        ("serial", studies.c.serial + 1),
        ("visits", studies.c.visits + 1),
        ("visits", studies.c.visits - 1),
        ("decided", studies.c.decided + 1),
        ("learned", studies.c.learned - 1),
        ("at", studies.c.at + 1),
        ("paused", True),
        ("file", studies.c.file + "\n"),
    ],
)
def test_a_changed_counter_is_found(copied, counter, value):
    """Fails if a counter of the study is not one that follows."""
    with copied.writing() as connection:
        connection.execute(update(studies).values({counter: value}))
    found = verify(copied, "small").findings
    assert any(f"studies.{counter}" in finding for finding in found), found


def refilled(connection):
    erased = some(connection, "erased", 0).visit
    one = events.c.kind == "decided"
    connection.execute(
        update(events).where(events.c.visit == erased, one).values(body='{"order":5}')
    )


def of_base(connection):
    changed_base = snapshots.c.base
    row = connection.execute(select(snapshots).where(changed_base)).one()
    content = Snapshot(row.serial, row.body, row.digest).content()
    content["policy"]["counters"]["version"] += 1
    new = Snapshot.of(row.serial, content)
    connection.execute(
        update(snapshots).where(changed_base).values(body=new.body, digest=new.digest)
    )


AFTER_ERASURES = {
    "a base": (of_base, "says another digest than its snapshot has"),
    "no base": (
        lambda connection: connection.execute(delete(snapshots).where(snapshots.c.base)),
        "there are bases at []",
    ),
    "an event before the base": (without("answered"), "the journal has"),
    "what was erased": (refilled, "and not empty"),
    "who was erased": (
        lambda connection: connection.execute(
            update(visits).where(visits.c.status == "erased").values(arm="mail")
        ),
        "is erased, and its row has ['arm']",
    ),
    "that somebody was erased": (
        lambda connection: connection.execute(
            update(visits).where(visits.c.status == "erased").values(status="open")
        ),
        "is open, and has no record",
    ),
    "somebody who was not": (
        lambda connection: connection.execute(
            update(visits).where(visits.c.own == "person 20").values(status="erased")
        ),
        "visit 27 is erased, and its row has",
    ),
    "a lesson before the base": (
        in_body("learned", lambda body: body.update(order=7), 12),
        "its learned is",
    ),
    "a reward after the base": (
        in_body("rewarded", lambda body: body.update(reward=0.98765), 95),
        "says learned",
    ),
}


@pytest.mark.parametrize("what", AFTER_ERASURES)
def test_what_is_changed_after_an_erasure_is_found(copied_after_erasures, what):
    """Fails if an erasure hides what was changed: before it, in its snapshot, or after it."""
    tamper, said = AFTER_ERASURES[what]
    with copied_after_erasures.writing() as connection:
        tamper(connection)
    found = verify(copied_after_erasures, "small")
    assert any(said in finding for finding in found.findings), found.findings

"""A study verifies as it is, and whatever is changed in its database is found."""

import pytest
from sqlalchemy import delete, insert, select, update

from askless.errors import SettingError
from askless.storage import verify
from askless.storage.replica import Snapshot
from askless.storage.tables import events, snapshots, studies, visits
from live_world import opened
from tampering import in_body, in_event, without


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

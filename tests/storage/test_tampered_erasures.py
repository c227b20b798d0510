"""What is changed after people were erased is found too."""

import pytest
from sqlalchemy import delete, select, update

from askless.storage import verify
from askless.storage.replica import Snapshot
from askless.storage.tables import events, snapshots, visits
from tampering import in_body, some, without


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


@pytest.mark.slow
@pytest.mark.parametrize("what", AFTER_ERASURES)
def test_what_is_changed_after_an_erasure_is_found(copied_after_erasures, what):
    """Fails if an erasure hides what was changed: before it, in its snapshot, or after it."""
    tamper, said = AFTER_ERASURES[what]
    with copied_after_erasures.writing() as connection:
        tamper(connection)
    found = verify(copied_after_erasures, "small")
    assert any(said in finding for finding in found.findings), found.findings

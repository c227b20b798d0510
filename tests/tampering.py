"""Events of a journal that a test changes, and changes of them."""

import json

from sqlalchemy import delete, select, update

from askless.storage.tables import events


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

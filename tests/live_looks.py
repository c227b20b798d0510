"""What a small live study has in its database, and all that a person may answer."""

from sqlalchemy import select

from askless.storage.tables import events, studies

EVERYTHING = {"age": 4.25, "donor": None, "region": "east"}


def kinds_of(database):
    with database.reading() as connection:
        return list(connection.execute(select(events.c.kind).order_by(events.c.serial)).scalars())


def counters(database):
    with database.reading() as connection:
        return connection.execute(select(studies)).mappings().one()

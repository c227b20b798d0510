"""The example study with a line of its file changed, and how many rows a table has."""

from sqlalchemy import func, select

import askless as al

TEXT = al.Study.example().located.text


def example(old, new):
    assert TEXT.count(old) == 1
    return al.Study.parse(TEXT.replace(old, new))


def rows(database, table):
    with database.reading() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()

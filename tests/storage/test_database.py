"""A database that holds studies, of both kinds."""

from askless.storage import Database


def test_tables_are_made_once(address):
    """Fails if an empty database does not get its tables, or a second one stumbles over them."""
    first, second = Database(address), Database(address)
    assert not first.is_newest()
    first.migrate()
    second.migrate()
    assert first.is_newest()
    assert second.is_newest()
    first.close()
    second.close()

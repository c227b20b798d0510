"""The example study's pages on a real server, on each kind of database."""

from contextlib import ExitStack

import pytest

import askless as al
from askless.storage import Database
from page_person import PagePerson, page_client, served_app
from served import running


@pytest.fixture
def pages_of(address):
    """Serves a study; gives its application, the database and a person at a browser."""
    with ExitStack() as stack:

        def serve(study=None, **rates):
            study = study or al.Study.example()
            database, looking = Database(address), Database(address)
            stack.callback(looking.close)
            database.migrate()
            app = served_app(database, study, **rates)
            base = stack.enter_context(running(app))
            client = stack.enter_context(page_client(base))
            return app, looking, PagePerson(client, study.name)

        yield serve


@pytest.fixture
def pages(pages_of):
    return pages_of()


@pytest.fixture
def another(pages):
    """Another browser of the same service."""
    with page_client(pages[2].client.base_url) as client:
        yield PagePerson(client)

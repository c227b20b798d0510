"""Each form of a study's pages is for one browser: without its token a form does nothing."""

import secrets
import time

import pytest
from sqlalchemy import select

from askless.service.pages import pages as pages_router
from askless.service.pages.coming import coming
from askless.storage.links import add_link, digest_of, make_invitations
from askless.storage.tables import events, links, visits
from page_person import ANSWERS, PagePerson, page_client


def agreed(person, database):
    person.agree()
    return "answers", {name: ANSWERS[name] for name in person.page.asks}


def decided(person, database):
    person.agree()
    person.decide()
    return "reward", {"reward": "7"}


def leaving(person, database):
    decided(person, database)
    return "leave", {}


def newcomer(person, database):
    person.get()
    return "consent", {}


def foreigner(person, database):
    agreed(person, database)
    return "language", {"language": "ar"}


def somebody_else_s(kind, person, database):
    """A link to a visit that another browser has made."""
    with page_client(person.client.base_url) as client:
        other = PagePerson(client)
        other.agree()
        if kind == "r":
            return other.page.values["personal"].rsplit("/", 1)[1]
        other.decide()
    secret = secrets.token_urlsafe(32)
    with database.writing() as connection:
        add_link(connection, 1, digest_of(secret), "reward", 0, until=time.time() + 1e6)
    return secret


def by_link(kind):
    """Somebody who has opened a link, and not yet pressed its button."""

    def come(person, database):
        if kind == "i":
            (secret,) = make_invitations(database, person.study, 1)
        else:
            secret = somebody_else_s(kind, person, database)
        person.get(f"{kind}/{secret}")
        return secret, {}

    return come


FORMS = {
    "/answers": agreed,
    "/consent": newcomer,
    "/i/{secret}": by_link("i"),
    "/language": foreigner,
    "/leave": leaving,
    "/r/{secret}": by_link("r"),
    "/reward": decided,
    "/w/{secret}": by_link("w"),
}


def kept(person, database):
    """What a form could change: rows of people, and what this browser keeps."""
    with database.reading() as connection:
        rows = [connection.execute(select(table)).all() for table in (events, visits, links)]
    return rows, dict(person.client.cookies)


@pytest.mark.parametrize("path", FORMS)
def test_a_form_without_this_browser_s_token_does_nothing(pages, another, path):
    """Fails if another website can send any of them in a person's name (CSRF).

    With the token it does something: else nothing would be shown by its doing nothing.
    """
    _, database, person = pages
    form, fields = FORMS[path](person, database)
    page, theirs = person.page, another.get().forms["consent"]["token"]
    assert page.forms[form][""].endswith(path.format(secret=form))
    before = kept(person, database)
    for token in (None, [""], ["x"], theirs):
        refused = person.send(form, page, token=token, **fields)
        assert (refused.status, refused.heading) == (403, "This form could not be checked")
        assert kept(person, database) == before
    assert person.send(form, page, **fields).status == 200
    assert kept(person, database) != before


def test_the_table_has_every_form():
    """Fails if pages have a form at which this file does not look."""
    found = {
        route.path.removeprefix("/s/{study}")
        for router in (pages_router, coming)
        for route in router.routes
        if "POST" in getattr(route, "methods", ())
    }
    assert found == set(FORMS)

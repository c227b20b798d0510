"""Invitations to a study's pages: each lets one person in, once."""

import re
import threading
import time

import pytest
from sqlalchemy import update

import askless as al
from askless.storage import Consent, Database, LiveStudy, verify
from askless.storage.links import LinkError, digest_of, exchange, make_invitations
from askless.storage.signing import signing_secret
from askless.storage.tables import events, links, visits
from command_line import askless
from example_pages import example, rows
from page_person import PagePerson, Paper, page_client


@pytest.fixture
def invited(pages_of):
    return pages_of(example("  block: 2 #", "  invited: true\n  block: 2 #"))


def test_an_invitation_lets_one_person_in_once(invited):
    """Fails if a code can be used twice, by looking at it, or stays in an address."""
    _, database, person = invited
    assert person.get().heading == "You need an invitation"
    (code,) = make_invitations(database, "charity", 1)
    for _ in range(3):
        assert person.get(f"i/{code}").heading == "You are invited"
    first = person.page
    page = person.send(code)
    assert (page.heading, page.path) == ("Before you begin", "/s/charity")
    assert code not in page.text
    assert person.send(code, first).heading == "Before you begin"  # a second click
    assert rows(database, visits) == 0
    person.send("consent")
    with page_client(person.client.base_url) as client:
        late = PagePerson(client)
        page = late.get(f"i/{code}")
        assert (page.status, page.heading) == (410, "This invitation has been used")
        token = late.get("/s/charity/i/" + make_invitations(database, "charity", 1)[0])
        page = late.send(token.path.rsplit("/", 1)[1], **{"": f"/s/charity/i/{code}"})
        assert (page.status, page.heading) == (410, "This invitation has been used")
    assert rows(database, visits) == 1
    assert verify(database, "charity").ok


def test_nobody_takes_part_uninvited(invited):
    """Fails if a form that was made by hand starts a visit."""
    _, database, person = invited
    person.get()
    (code,) = make_invitations(database, "charity", 1)
    token = person.get(f"i/{code}").forms[code]["token"]
    text = digest_of(al.Study.example().pages.consent.strip())
    page = Paper(
        person.client.post("/s/charity/consent", data={"token": token, "text": text, "ticket": "t"})
    )
    assert (page.status, rows(database, visits)) == (404, 0)


def test_of_many_who_exchange_a_code_at_once_one_gets_in(database):
    """Fails if an exchange is not one step: the others must be told that it is used."""
    live = LiveStudy.open(database, al.Study.example())
    (code,) = make_invitations(database, live.name, 1)
    told, together = [], threading.Barrier(6)

    def come(i):
        together.wait()
        try:
            exchange(database, live.id, code, f"secret of browser {i}", days=1)
            told.append("in")
        except LinkError as error:
            told.append(error.reason)

    people = [threading.Thread(target=come, args=(i,)) for i in range(6)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert sorted(told) == ["in"] + ["used"] * 5
    assert rows(database, links) == 2


def test_an_invitation_expires(database):
    live = LiveStudy.open(database, al.Study.example())
    (code,) = make_invitations(database, live.name, 1, days=1e-9)
    time.sleep(0.001)
    with pytest.raises(LinkError, match="expired"):
        exchange(database, live.id, code, "a secret", days=1)
    with pytest.raises(LinkError, match="unknown"):
        exchange(database, live.id, code + "x", "a secret", days=1)
    assert rows(database, links) == 1


def test_a_consent_that_was_tampered_with_is_found(database):
    """Fails if `verify` lets a consent pass that no page has written."""
    live = LiveStudy.open(database, al.Study.example())
    live.run([Consent(digest_of("a secret"), "en", digest_of("text"))])
    assert verify(database, live.name).ok
    with database.writing() as connection:
        mine = events.c.kind == "consented"
        connection.execute(update(events).where(mine).values(body='{"language":"en"}'))
    assert "consented" in verify(database, live.name).findings[0]


def test_the_command_line_makes_invitations_and_shows_the_signing_secret(tmp_path):
    database = Database(tmp_path / "study.db")
    database.migrate()
    live = LiveStudy.open(database, al.Study.example())
    address = ["--address", "https://study.example.org/"]
    done = askless("invite", "--count", 3, "--days", 2, *address, cwd=tmp_path)
    found = re.findall(r"^https://study.example.org/s/charity/i/(\S+)$", done.stdout, re.MULTILINE)
    assert (done.returncode, len(set(found))) == (0, 3)
    exchange(database, live.id, found[0], "a secret", days=1)
    shown = [askless("key", "signing", cwd=tmp_path).stdout.strip() for _ in range(2)]
    assert shown == [signing_secret(database, live.name)] * 2
    database.close()
    for wrong in (["--count", 0], ["--days", 0], ["--address", "here"]):
        done = askless("invite", *wrong, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)

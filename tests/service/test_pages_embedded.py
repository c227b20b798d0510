"""Survey tools send people to the pages of a study and get them back, with signed answers."""

import base64
import hashlib
import hmac
import re
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import httpx
import pytest
from sqlalchemy import select

from askless.storage import Erase
from askless.storage.links import make_invitations
from askless.storage.signing import signing_secret
from askless.storage.tables import visits
from example_pages import example
from page_person import GIVEN, PagePerson, Paper, database_away, page_client


@pytest.fixture
def embedded(pages_of):
    return pages_of(
        example(
            '  # returns: ["https://example.org/survey"]',
            '  returns: ["https://example.org/survey"]',
        )
    )


def test_a_survey_tool_gets_answers_and_arm_signed(embedded):
    """Fails if what comes back differs from the journal, or its signature can be forged."""
    _, database, person = embedded
    back = "https://example.org/survey/page?session=7"
    page = person.get(f"?return={quote(back, safe='')}&id=person%201")
    assert (page.path, page.heading) == ("/s/charity", "Before you begin")
    person.send("consent")
    person.decide()
    page = person.send("reward", reward="5")
    to = page.links["Go back now"]
    assert f'content="0; url={to}"'.replace("&", "&amp;") in page.text
    assert to.startswith(back + "&askless_")
    said = dict(parse_qsl(urlsplit(to).query, keep_blank_values=True))
    signature = said.pop("askless_signature")
    ours = {name: value for name, value in said.items() if name.startswith("askless_")}
    message = "&".join(f"{quote(n, safe='')}={quote(v, safe='')}" for n, v in sorted(ours.items()))
    secret = signing_secret(database, "charity").encode()
    assert signature == hmac.new(secret, message.encode(), hashlib.sha256).hexdigest()
    assert (ours["askless_id"], ours["askless_study"]) == ("person 1", "charity")
    assert ours["askless_skipped"] == "children"
    assert (ours["askless_answer_age"], ours["askless_answer_media"]) == ("44", "friends;tv")
    assert (ours["askless_answer_donor"], ours["askless_reward"]) == ("yes", "50.0")
    with database.reading() as connection:
        assert ours["askless_arm"] == connection.execute(select(visits.c.arm)).scalar_one()
    names = {}
    page_of_docs = (Path(__file__).parents[2] / "docs/pages.md").read_text()
    exec(re.findall(r"```python\n(.*?)```", page_of_docs, re.DOTALL)[0], names)
    assert names["checked"](to, secret.decode()) == ours
    for forged in (
        to.replace("age=44", "age=45"),
        to.replace("&askless_skipped=children", ""),
        to.replace("?", "?askless_arm=another&"),  # whoever takes the first would believe it
    ):
        with pytest.raises(ValueError, match="not signed"):
            names["checked"](forged, secret.decode())
    answered = {name for name, answer in GIVEN.items() if answer is not None}
    prefix = "askless_answer_"
    assert {n.removeprefix(prefix) for n in ours if n.startswith(prefix)} == answered


BACK = quote("https://example.org/survey", safe="")


def test_another_person_at_the_same_browser_begins_anew(embedded):
    """Fails if the second one gets the first one's answers, or these are signed as theirs."""
    _, database, person = embedded
    person.get(f"?return={BACK}&id=P1")
    person.send("consent")
    person.answer(a0="33")
    assert person.get(f"?return={BACK}&id=P2").heading == "Before you begin"
    person.send("consent")
    person.decide()
    to = dict(parse_qsl(urlsplit(person.send("reward", reward="5").links["Go back now"]).query))
    assert (to["askless_id"], to["askless_visit"], to["askless_answer_age"]) == ("P2", "1", "44")
    assert person.get(f"?return={BACK}&id=P3").heading == "Before you begin"
    with database.reading() as connection:
        found = connection.execute(select(visits.c.reward).order_by(visits.c.number)).scalars()
        assert list(found) == [None, 50.0]


@pytest.mark.parametrize("own", ["&id=P1", ""])
def test_the_same_person_goes_on(embedded, own):
    """Fails if who comes by the tool's link again has to begin again."""
    _, _, person = embedded
    person.get(f"?return={BACK}{own}")
    person.send("consent")
    person.answer()
    assert person.get(f"?return={BACK}{own}").heading == "Questions 3 to 4 of at most 8"


@pytest.mark.parametrize(
    "back",
    [
        "https://example.org.evil.org/survey",
        "https://example.org/surveys",
        "https://example.org@evil.org/survey",
        "https://example.org/survey/../admin",
        "https://example.org/survey/%2e%2E/admin",  # which browsers take for the same
        "https://example.org/survey/.%2e/admin",
        "https://example.org/survey?askless_arm=another",
        "https://example.org/survey?askless%5Farm=another",
        "https://example.org/survey?" + "𐍈" * 900,  # of which no browser would keep a cookie
        "http://example.org/survey",
        "//example.org/survey",
        "javascript:alert(1)",
        "https://evil.org\\@example.org/survey",
        "https://example.org/survey#x",
        "",
    ],
)
def test_nobody_is_sent_where_the_study_does_not_allow(embedded, back):
    """Fails if a link of ours could send people to a stranger's page."""
    _, _, person = embedded
    page = person.get(f"?return={quote(back, safe='')}")
    assert (page.status, page.heading) == (400, "This address cannot be opened")
    assert [name for name in person.client.cookies if "return" in name] == []


def where_to(page):
    """Where a page sends back to, and as whom; nothing if it does not."""
    to = page.links.get("Go back now", "")
    return dict(parse_qsl(urlsplit(to).query))


def finished(person):
    person.decide()
    return person.send("reward", reward="5")


def return_cookie(client):
    (kept,) = [cookie for cookie in client.cookies.jar if "return" in cookie.name]
    return kept


@pytest.mark.parametrize("agreed", [False, True])
def test_who_opens_their_personal_link_is_not_sent_back_as_another(embedded, agreed):
    """Fails if a tool gets the answers of somebody it never sent, as those of who sat there."""
    _, _, alice = embedded
    with page_client(alice.client.base_url) as client:
        bob = PagePerson(client)
        bob.agree()
        link = bob.page.values["personal"]
    page = alice.get(f"?return={BACK}&id=ALICE")
    if agreed:
        page = alice.send("consent")
    mine = page.values.get("personal")
    alice.get(link)
    alice.send(link.rsplit("/", 1)[1])
    assert finished(alice).heading == "Your result"
    assert "askless_" not in alice.page.text
    if agreed:  # and by their own link they go on, but nobody knows any more from where they came
        alice.get(mine)
        alice.send(mine.rsplit("/", 1)[1])
        assert where_to(finished(alice)) == {}


def test_one_s_own_personal_link_keeps_the_way_back(embedded):
    """Fails if a link that changes nothing loses where a tool wants the person."""
    _, _, person = embedded
    person.get(f"?return={BACK}&id=P1")
    link = person.send("consent").values["personal"]
    person.get(link)
    person.send(link.rsplit("/", 1)[1])
    assert where_to(finished(person))["askless_id"] == "P1"


@pytest.mark.parametrize("done", [False, True])
def test_who_uses_an_invitation_is_not_sent_back_as_another(embedded, done):
    """Fails if an invitation at a browser that several people use goes on with a tool's person."""
    _, database, person = embedded
    (code,) = make_invitations(database, "charity", 1)
    person.get(f"?return={BACK}&id=ALICE")
    if done:
        person.send("consent")
        assert where_to(finished(person))["askless_id"] == "ALICE"
    person.get(f"i/{code}")
    assert "sent you here" not in person.send(code).text
    person.send("consent")
    assert finished(person).heading == "Your result"
    assert where_to(person.page) == {}


def test_a_way_back_that_a_browser_still_has_is_of_one_visit_alone(embedded):
    """Fails if a cookie of one person, whichever way it stayed, sends another one's answers."""
    _, _, person = embedded
    person.get(f"?return={BACK}&id=ALICE")
    before = return_cookie(person.client)
    person.send("consent")
    bound = return_cookie(person.client)
    with page_client(person.client.base_url) as client:
        other = PagePerson(client)
        other.agree()
        for kept in (before, bound):
            client.cookies.set(kept.name, kept.value, domain=kept.domain, path="/")
            other.decide()
            if other.page.forms.get("reward"):
                other.send("reward", reward="5")
            assert (other.get().heading, where_to(other.page)) == ("Your result", {})
    with page_client(person.client.base_url) as client:  # before anybody else has agreed there
        client.cookies.set(bound.name, bound.value, domain=bound.domain, path="/")
        other = PagePerson(client)
        assert "sent you here" not in other.get().text
        other.send("consent")
        assert bound.name not in client.cookies
        assert where_to(finished(other)) == {}


def test_a_tool_s_name_of_a_person_outlasts_no_browser_before_consent(embedded):
    """Fails if who only looked is known for months, or is not told what is kept."""
    _, _, person = embedded
    assert "sent you here" not in person.get().text
    page = person.get(f"?return={BACK}&id=ALICE")
    assert "One more cookie keeps the way back to it and by what name it knows you" in page.text
    assert return_cookie(person.client).expires is None
    person.send("consent")
    assert return_cookie(person.client).expires is not None
    person.get(f"?return={BACK}&id=ALICE")
    assert return_cookie(person.client).expires is not None
    assert where_to(finished(person))["askless_id"] == "ALICE"


@pytest.mark.parametrize(
    "said",
    [
        '["https://example.org/survey", "\\ud800", ""]',
        '["https://example.org/survey", "P1", 1]',
        '["https://example.org/survey", 1, ""]',
        '["https://example.org/survey", "P1"]',
        "[" * 20_000,
        "{}",
        "5",
    ],
)
def test_a_cookie_that_was_changed_is_none(embedded, said):
    """Fails if what a browser sends in the place of our cookie is an unforeseen error."""
    _, _, person = embedded
    changed = base64.urlsafe_b64encode(said.encode()).decode()
    for at in ("", f"?return={BACK}&id=P1"):
        kept = {"Cookie": f"askless-return-1={changed}; askless-visit-1=abc"}
        page = Paper(httpx.get(f"{person.client.base_url}/s/charity{at}", headers=kept))
        assert page.status == (303 if at else 200)
        assert "sent you here" not in page.text


def test_who_was_erased_and_comes_again_by_the_tool_is_sent_back(embedded):
    """Fails if a visit that is gone keeps what the tool says from whoever begins now."""
    app, database, person = embedded
    person.get(f"?return={BACK}&id=P1")
    person.send("consent")
    with database.reading() as connection:
        token = connection.execute(select(visits.c.token)).scalar_one()
    app.state.keeper.offices["charity"].live.run([Erase(token)])
    assert "sent you here" not in person.get().text  # may be anybody
    assert "sent you here" in person.get(f"?return={BACK}&id=P1").text
    person.send("consent")
    assert where_to(finished(person))["askless_id"] == "P1"


def test_a_way_back_is_not_lost_where_the_database_is_away(embedded):
    """Fails if who comes again by the tool in a bad moment is not sent back to it later."""
    app, _, person = embedded
    person.agree()
    with database_away(app):
        assert person.get(f"?return={BACK}").status == 503
    person.get()
    assert where_to(finished(person))["askless_visit"] == "0"

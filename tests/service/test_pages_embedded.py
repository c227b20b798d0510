"""Survey tools send people to the pages of a study and get them back, with signed answers."""

import hashlib
import hmac
import re
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from sqlalchemy import select

from askless.storage.signing import signing_secret
from askless.storage.tables import visits
from example_pages import example
from page_person import GIVEN


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

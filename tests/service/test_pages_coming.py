"""Ways to a study's pages and back: links, and the reward later."""

import hashlib
import re

import httpx
from sqlalchemy import select, update

from askless.storage import verify
from askless.storage.tables import links, visits
from example_pages import example, rows
from page_person import PagePerson, page_client


def test_a_personal_link_goes_on_in_another_browser(pages, another):
    """Fails if an answer is missing there, or looking at the link lets anybody in."""
    _, database, person = pages
    person.agree()
    person.answer()
    personal = person.page.values["personal"]
    page = another.get(personal)
    assert page.heading == "Welcome back"
    assert [name for name in another.client.cookies if "visit" in name] == []
    assert another.get().heading == "Before you begin"  # looking alone changes nothing
    another.get(personal)
    assert another.send(personal.rsplit("/", 1)[1]).heading == "Questions 3 to 4 of at most 8"
    assert another.decide().heading == "Your result"
    assert person.get().heading == "Your result"
    assert rows(database, visits) == 1
    assert verify(database, "charity").ok


def test_secrets_are_nowhere_in_the_database(pages):
    """Fails if who reads the database could come in as somebody else."""
    _, database, person = pages
    person.agree()
    secret = person.page.values["personal"].rsplit("/", 1)[1]
    with database.reading() as connection:
        kept = connection.execute(select(links)).one()
    assert kept.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str(tuple(kept))


def test_an_expired_link_says_so(pages):
    _, database, person = pages
    person.agree()
    personal = person.page.values["personal"]
    with database.writing() as connection:
        connection.execute(update(links).values(expires=1.0))
    page = person.get(personal)
    assert (page.status, page.heading) == (410, "This link has expired")


def test_a_browser_whose_visit_is_too_old_begins_anew(pages):
    """Fails if somebody is sent round in a circle by a cookie that outlives its link."""
    _, database, person = pages
    person.agree()
    person.answer()
    with database.writing() as connection:
        connection.execute(update(links).values(expires=1.0))
    assert (person.get().status, person.page.heading) == (200, "Before you begin")
    person.send("consent")
    assert person.page.heading.startswith("Questions 1 to")
    assert rows(database, visits) == 2


def test_the_result_shows_the_personal_link_too(pages):
    """Fails if who has finished cannot say any more which answers are theirs."""
    _, _, person = pages
    person.agree()
    personal = person.page.values["personal"]
    person.decide()
    assert person.page.values["personal"] == personal


def test_somebody_else_can_begin_at_a_browser_in_mid_survey(pages):
    """Fails if only who has finished can let the browser forget them."""
    _, database, person = pages
    person.agree()
    person.answer()
    assert person.send("leave").heading == "This device has forgotten you"
    assert person.agree().heading == "Questions 1 to 2 of at most 8"
    assert rows(database, visits) == 2


def test_forgetting_on_a_device_leaves_what_was_sent(pages):
    _, database, person = pages
    person.agree()
    person.decide()
    assert person.send("leave").heading == "This device has forgotten you"
    assert person.get().heading == "Before you begin"
    assert rows(database, visits) == 1


def test_a_link_for_later_brings_the_reward_and_shows_no_answer(pages_of):
    """Fails if the follow-up link does not work elsewhere, or opens more than one question."""
    _, database, person = pages_of(example("when: now", "when: later"))
    person.agree()
    page = person.decide()
    assert "reward" not in page.forms
    follow = page.values["follow"]
    assert person.get().values["follow"] == follow
    with page_client(person.client.base_url) as client:
        later = PagePerson(client)
        page = later.get(follow)
        assert page.heading == "One last question"
        page = later.send(follow.rsplit("/", 1)[1])
        assert not re.search(r"\b44\b", page.text)  # secrets may have it in them
        assert later.get("back/0").heading == "This browser has no visit"
        later.get("reward")
        assert "Your answer is saved." in later.send("reward", reward="9").text
        assert "Your answer is saved." in later.get("reward").text
    assert "Your answer is saved." in person.get().text
    assert verify(database, "charity").ok


def test_pages_are_no_part_of_the_api_and_its_errors_stay_json(pages):
    _, _, person = pages
    base = person.client.base_url
    paths = httpx.get(f"{base}/openapi.json").json()["paths"]
    assert not [path for path in paths if path.startswith("/s/")]
    assert httpx.get(f"{base}/v1/none").json()["error"]["code"] == "not_found"

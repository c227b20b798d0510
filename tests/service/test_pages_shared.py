"""One browser for several people: rewards and answers stay with whose they are."""

from urllib.parse import quote

import pytest
from sqlalchemy import select

import askless as al
from askless.storage import verify
from askless.storage.tables import visits
from page_person import PagePerson, page_client

TEXT = al.Study.example().located.text
LATER = TEXT.replace("when: now", "when: later")
RETURNS = LATER.replace("# returns:", "returns:")


@pytest.fixture
def later(pages_of):
    """A study that asks for the reward later, and allows a way back to a survey tool."""
    assert TEXT != LATER != RETURNS
    return pages_of(al.Study.parse(RETURNS))


def follow_of(person):
    """Walk to the arm; return the link for later."""
    person.agree()
    return person.decide().values["follow"]


def opened(person, follow):
    person.get(follow)
    return person.send(follow.rsplit("/", 1)[1])


def rewards(database):
    with database.reading() as connection:
        found = connection.execute(select(visits.c.reward).order_by(visits.c.number))
        return [row.reward for row in found]


def test_a_reward_goes_to_the_visit_whose_link_was_opened(later):
    """Fails if a browser with a visit of its own gives another one's reward, or the reverse."""
    _, database, person = later
    first = follow_of(person)
    with page_client(person.client.base_url) as client:
        other = PagePerson(client)
        second = follow_of(other)
        opened(other, first)  # on the device of the other person
        home = other.get()
        assert "reward" not in home.forms  # their own is asked by their own link alone
        assert home.values["follow"] == second
        other.get("reward")
        assert "Your answer is saved." in other.send("reward", reward="9").text
        assert rewards(database) == [90, None]  # step 9 of 0 to 10, of a range of 100
        opened(other, second)
        other.send("reward", reward="4")
    assert rewards(database) == [90, 40]
    assert verify(database, "charity").ok


def test_a_link_for_later_leads_to_no_answers_by_any_way(later):
    """Fails if whoever gets the link can have the answers sent, or use it as a personal link."""
    _, _, person = later
    follow = follow_of(person)
    secret = follow.rsplit("/", 1)[1]
    with page_client(person.client.base_url) as client:
        stranger = PagePerson(client)
        opened(stranger, follow)
        back = quote("https://example.org/survey", safe="")
        assert stranger.get(f"?return={back}").heading == "Before you begin"
        page = stranger.get("reward")
        assert "askless_answer" not in page.text
        assert "reward" in page.forms
        (name,) = [name for name in client.cookies if "follow" in name]
        client.cookies.set(name.replace("follow", "visit"), secret, domain="", path="/")
        assert "askless_answer" not in stranger.get().text
        assert stranger.page.heading == "Before you begin"


@pytest.mark.parametrize("given", ["", "9", "nonsense"])
def test_a_reward_before_the_arm_says_so(pages, given):
    """Fails if it is taken, or is an unforeseen error."""
    _, database, person = pages
    person.agree()
    token = person.page.forms["answers"]["token"]
    response = person.client.post("/s/charity/reward", data={"token": token, "reward": given})
    assert response.status_code == 409
    assert rewards(database) == [None]

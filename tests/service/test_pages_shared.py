"""One browser for several people: rewards and answers stay with whose they are."""

import threading
from urllib.parse import quote

import pytest
from sqlalchemy import func, select

import askless as al
from askless.storage import LiveStudy, Start, verify
from askless.storage.links import add_link, digest_of, make_invitations
from askless.storage.tables import links, visits
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


def test_who_comes_after_somebody_who_left_finds_nothing_of_theirs(pages_of):
    """Fails if the invitation in the history, or the first page by Back, leads to their visit."""
    text = TEXT.replace("  block: 2 #", "  invited: true\n  block: 2 #")
    assert text != TEXT
    _, database, person = pages_of(al.Study.parse(text))
    (code,) = make_invitations(database, "charity", 1)
    person.get(f"i/{code}")
    consent = person.send(code)
    person.send("consent")
    person.decide()
    person.send("leave")
    page = person.get(f"i/{code}")
    assert (page.status, page.heading) == (410, "This invitation has been used")
    assert person.send("consent", consent).status == 403  # a form that was shown before
    assert person.get().heading == "You need an invitation"


def test_a_link_that_two_tabs_make_at_once_is_made_once(database):
    """Fails if one of two who open the page at once gets an error instead of it."""
    live = LiveStudy.open(database, al.Study.example())
    live.run([Start()])
    told, together = [], threading.Barrier(4)

    def come():
        for i in range(20):
            together.wait()
            try:
                with database.writing() as connection:
                    add_link(connection, live.id, digest_of(f"{i}"), "reward", 0, until=None)
                told.append(i)
            except Exception as error:
                told.append(str(error))

    people = [threading.Thread(target=come, daemon=True) for _ in range(4)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert [one for one in told if isinstance(one, str)] == []
    with database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(links)).scalar_one() == 20

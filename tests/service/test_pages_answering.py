"""A study on pages: what people send is in the journal, and each odd step ends on its own page."""

import hashlib
import re

import pytest
from sqlalchemy import select

import askless as al
from askless.errors import StorageError
from askless.storage import Erase, Pause, Reward, See, Stop, verify
from askless.storage.journal import list_events
from askless.storage.tables import links, visits
from example_pages import rows
from page_person import ANSWERS, GIVEN, PagePerson, database_away


def journal(database, kind=None):
    found = list_events(database, 1, 0, 1_000)
    return [event for event in found if kind in (None, event["kind"])]


def test_a_whole_visit_is_in_the_journal_and_follows_from_it(pages):
    """Fails if an answer, the consent or the reward is kept otherwise than it was sent."""
    _, database, person = pages
    page = person.get()
    assert (page.heading, rows(database, visits)) == ("Before you begin", 0)
    assert rows(database, links) == 0
    page = person.send("consent")
    assert page.heading == "Questions 1 to 2 of at most 8"
    page = person.decide()
    assert page.heading == "Your result"
    page = person.send("reward", reward="7")
    assert "Your answer is saved." in page.text
    (consented,) = journal(database, "consented")
    text = al.Study.example().pages.consent.strip()
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert consented["body"] == {"language": "en", "text": digest}
    (decided,) = journal(database, "decided")
    assert decided["body"]["record"]["answers"] == GIVEN
    assert [event["body"]["reward"] for event in journal(database, "rewarded")] == [70.0]
    assert verify(database, "charity").ok


def test_consent_is_written_with_the_start(pages):
    """Fails if a visit could be there without the consent of who made it."""
    _, database, person = pages
    person.agree()
    kinds = [(event["kind"], event["at"]) for event in journal(database) if event["visit"] == 0]
    assert [kind for kind, _ in kinds] == ["started", "asked", "consented"]
    assert len({at for _, at in kinds}) == 1
    assert rows(database, links) == 1


def test_a_consent_whose_text_has_changed_is_read_again(pages):
    """Fails if somebody agrees to a text that they have not seen."""
    _, database, person = pages
    person.get()
    page = person.send("consent", text="0" * 64)
    assert "has changed" in page.text
    assert (page.status, rows(database, visits)) == (409, 0)


def test_answers_are_saved_page_by_page_and_can_be_changed_until_the_decision(pages):
    """Fails if Back loses an answer, or a change does not reach the journal."""
    _, database, person = pages
    person.agree()
    person.answer()
    assert [e["body"]["answers"] for e in journal(database, "answered")] == [
        {"age": 44, "donor": True}
    ]
    page = person.get(person.page.links["Back"])
    assert page.forms["answers"]["a0"] == ["44"]
    assert page.forms["answers"]["a1"] == ["1"]
    page = person.send("answers", a0="45")
    assert page.heading == "Questions 3 to 4 of at most 8"
    assert [e["body"]["answers"] for e in journal(database, "revised")] == [
        {"age": 45, "donor": True}
    ]
    person.decide()
    (decided,) = journal(database, "decided")
    assert decided["body"]["record"]["answers"] == {**GIVEN, "age": 45}
    assert verify(database, "charity").ok


def test_going_back_and_sending_the_same_changes_nothing(pages):
    _, database, person = pages
    person.agree()
    person.answer()
    person.answer()
    before = len(journal(database))
    page = person.get("back/0")
    page = person.send("answers")
    assert page.path == "/s/charity/back/2"
    assert person.send("answers").heading == "Questions 5 to 6 of at most 8"
    assert len(journal(database)) == before


def test_a_second_click_changes_nothing(pages):
    """Fails if two clicks on any button make two visits, or a page that says less than one."""
    _, database, person = pages
    first = person.get()
    cookies = dict(person.client.cookies)
    person.send("consent", first)
    person.client.cookies.clear()
    person.client.cookies.update(cookies)  # the first answer never came
    page = person.send("consent", first)
    assert (page.heading, rows(database, visits)) == ("Questions 1 to 2 of at most 8", 1)
    while person.page.asks:
        page = person.page
        after = [person.answer(page).heading for _ in range(2)]
        assert after[0] == after[1]
    page = person.page
    for _ in range(2):
        assert "Your answer is saved." in person.send("reward", page, reward="3").text
    assert rows(database, visits) == 1
    assert len(journal(database, "answered")) == 4
    assert len(journal(database, "rewarded")) == 1


def test_two_tabs_that_disagree_are_told(pages):
    """Fails if the second tab's answer is taken, or lost without a word."""
    _, database, person = pages
    tab = person.agree()
    person.answer(tab)
    page = person.answer(tab, a0="50")
    assert (page.status, page.heading) == (409, "This question has another answer already")
    page = person.get(page.links["See the saved answer"])
    assert page.forms["answers"]["a0"] == ["44"]
    assert len(journal(database, "answered")) == 1


def test_back_after_the_decision_says_so(pages):
    """Fails if an answer can be changed after the arm, or the page does not tell why."""
    _, database, person = pages
    last = person.agree()
    while person.page.asks:
        last = person.page
        person.answer(last)
    said = len(journal(database, "answered"))
    changed = {name: value for name, value in ANSWERS.items() if name in last.asks}
    page = person.send("answers", last, **{**changed, "a7": "1"})
    assert (page.status, page.heading) == (409, "Your result is decided")
    page = person.get("back/0")
    assert (page.status, page.heading) == (409, "Your result is decided")
    assert person.get(page.links["See your result"]).heading == "Your result"
    assert (len(journal(database, "answered")), journal(database, "revised")) == (said, [])


def test_another_reward_is_refused_on_a_page(pages):
    _, database, person = pages
    person.agree()
    tab = person.decide()
    person.send("reward", tab, reward="3")
    page = person.send("reward", tab, reward="4")
    assert (page.status, page.heading) == (409, "This was answered already")
    assert [event["body"]["reward"] for event in journal(database, "rewarded")] == [30.0]


def test_what_is_missing_is_said_with_links_to_it(pages):
    """Fails if a page with a mistake saves anything, or forgets what was typed."""
    _, database, person = pages
    person.agree()
    page = person.send("answers", a0="17")
    assert page.status == 422
    assert page.forms["answers"]["a0"] == ["17"]
    links_to = {href for href in page.links.values() if href.startswith("#a")}
    assert links_to == {"#a0", "#a1-1"}
    assert 'id="a1-1"' in page.text
    assert "Error: " in page.text
    assert journal(database, "answered") == []


def test_a_failing_database_keeps_what_was_typed(pages):
    """Fails if a person has to type again, or is told that something was saved."""
    app, database, person = pages
    person.agree()
    with database_away(app):
        page = person.send("answers", a0="44", a1="1")
        assert (page.status, page.headers["retry-after"]) == (503, "5")
        assert "could not be saved yet" in page.text
        assert (page.forms["answers"]["a0"], page.forms["answers"]["a1"]) == (["44"], ["1"])
        looked = PagePerson(person.client).get()
        assert (looked.status, looked.heading) == (503, "This study cannot be reached now")
        assert "retry-after" in looked.headers
    assert person.send("answers").heading == "Questions 3 to 4 of at most 8"
    assert [e["body"]["answers"] for e in journal(database, "answered")] == [
        {"age": 44, "donor": True}
    ]


@pytest.mark.parametrize("fails_at", [See, Reward])
def test_a_failing_database_keeps_a_reward_that_was_typed(pages, monkeypatch, fails_at):
    """Fails if a person has to say again what the arm brought, whichever step has failed."""
    app, database, person = pages
    person.agree()
    arm = re.search('<p class="arm">.*</p>', person.decide().text)[0]
    desk = app.state.keeper.offices["charity"].desk
    ask = desk.ask

    async def fails(operation):
        if isinstance(operation, fails_at):
            raise StorageError("the database does not answer")
        return await ask(operation)

    with monkeypatch.context() as failing:
        failing.setattr(desk, "ask", fails)
        page = person.send("reward", reward="7")
    assert (page.status, page.headers["retry-after"]) == (503, "5")
    assert "could not be saved yet" in page.text
    assert page.forms["reward"]["reward"] == ["7"]
    assert (arm in page.text) == (fails_at is Reward)
    assert "Your answer is saved." in person.send("reward").text
    assert [event["body"]["reward"] for event in journal(database, "rewarded")] == [70.0]


def test_a_form_that_is_not_ours_changes_nothing(pages, another):
    """Fails if another site could send a form in a person's name (CSRF)."""
    _, database, person = pages
    theirs = another.get().forms["consent"]["token"]
    person.get()
    for token in (None, ["x"], ["\u0661"], theirs):
        page = person.send("consent", person.get(), token=token)
        assert (page.status, page.heading) == (403, "This form could not be checked")
    assert rows(database, visits) == 0


def test_an_erased_person_is_not_found_again(pages):
    """Fails if a cookie or a personal link still leads to what was erased."""
    app, database, person = pages
    person.agree()
    personal = person.page.values["personal"]
    person.answer()
    with database.reading() as connection:
        token = connection.execute(select(visits.c.token)).scalar_one()
    live = app.state.keeper.offices["charity"].live
    (erased,) = type(live)(database, "charity").run([Erase(token)])
    assert erased.was == "open"
    assert rows(database, links) == 0
    assert person.get().heading == "Before you begin"
    page = person.get(personal)
    assert (page.status, page.heading) == (404, "This link leads nowhere")
    assert [e["body"] for e in journal(database, "consented")] == [{}]
    assert verify(database, "charity").ok


def test_a_paused_study_takes_nobody_new_and_lets_others_finish(pages, another):
    app, database, person = pages
    person.agree()
    live = app.state.keeper.offices["charity"].live
    tab = another.get()
    type(live)(database, "charity").run([Pause(paused=True)])
    assert another.get().heading == "This study is not taking new people now"
    page = another.send("consent", tab)
    assert (page.status, page.heading) == (409, "This study is not taking new people now")
    assert person.decide().heading == "Your result"
    assert rows(database, visits) == 1


def test_a_stopped_study_says_that_it_is_over(pages, another):
    """Fails if somebody new gets in, is told to come again, or somebody under way is lost."""
    app, database, person = pages
    person.agree()
    live = app.state.keeper.offices["charity"].live
    tab = another.get()
    type(live)(database, "charity").run([Stop()])
    assert another.get().heading == "This study is over"
    page = another.send("consent", tab)
    assert (page.status, page.heading) == (409, "This study is over")
    assert person.decide().heading == "Your result"
    assert rows(database, visits) == 1


def test_the_number_of_questions_never_grows_whatever_is_changed(pages_of):
    """Fails if a page promises less than what a changed answer can lead back to.

    This policy asks one of three questions once the rule's is answered; which one, a changed
    answer to that decides anew.
    """
    study = al.Study.parse(
        """
schema: 1
name: ruled
questions:
  - {kind: yes_no, name: old}
  - {kind: yes_no, name: b}
  - {kind: yes_no, name: c}
  - {kind: yes_no, name: d}
arms: [{name: all}, {name: senior, eligible_if: old}]
reward: {low: 0, high: 1}
policy: {name: tsrc, questions: 1}
pages: {}
"""
    )
    _, _, person = pages_of(study)
    told = [int(person.agree().heading.rsplit(" ", 1)[1])]
    for value in ("1", "0", "1"):
        page = person.send("answers", a0=value)
        told.append(int(page.heading.rsplit(" ", 1)[1]))
        person.get("back/0")
    assert told == [4, 4, 4, 4]

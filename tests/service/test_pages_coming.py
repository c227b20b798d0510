"""Ways to a study's pages and back: links, invitations, languages, survey tools."""

import hashlib
import hmac
import json
import re
import threading
import time
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import httpx
import pytest
from sqlalchemy import func, select, update

import askless as al
from askless.service.web import HERE
from askless.storage import Consent, Database, LiveStudy, verify
from askless.storage.links import LinkError, digest_of, exchange, make_invitations
from askless.storage.signing import signing_secret
from askless.storage.tables import events, links, visits
from askless.survey.pages import LANGUAGES
from command_line import askless
from page_person import GIVEN, PagePerson, Paper, page_client

TEXT = al.Study.example().located.text


def example(old, new):
    assert TEXT.count(old) == 1
    return al.Study.parse(TEXT.replace(old, new))


def rows(database, table):
    with database.reading() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


# -- personal links ------------------------------------------------------------------------------


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
    for page in (person.get(personal), person.get()):
        assert (page.status, page.heading) == (410, "This link has expired")


def test_forgetting_on_a_device_leaves_what_was_sent(pages):
    _, database, person = pages
    person.agree()
    person.decide()
    assert person.send("leave").heading == "This device has forgotten you"
    assert person.get().heading == "Before you begin"
    assert rows(database, visits) == 1


# -- invitations ---------------------------------------------------------------------------------


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


# -- the reward later ----------------------------------------------------------------------------


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


# -- languages -----------------------------------------------------------------------------------


def test_a_page_changes_its_language_and_keeps_its_place(pages):
    """Fails if a switch loses answers, or a page mixes languages and directions."""
    _, database, person = pages
    page = person.get()
    assert (page.html["lang"], page.html["dir"]) == ("en", "ltr")
    person.agree()
    person.answer()
    person.get("back/0")
    page = person.send("language", language="ar")
    assert (page.path, page.html) == ("/s/charity/back/0", {"lang": "ar", "dir": "rtl"})
    assert "كم عمرك؟" in page.text
    assert page.forms["answers"]["a0"] == ["44"]
    person.send("answers")
    person.decide()
    assert "نقترح عليك" in person.page.text
    assert rows(database, visits) == 1


def test_a_browser_s_own_language_is_taken(pages):
    _, database, person = pages
    person.client.headers["Accept-Language"] = "fr, ar;q=0.9, en;q=0.1"
    assert person.agree().html["lang"] == "ar"
    with database.reading() as connection:
        body = connection.execute(
            select(events.c.body).where(events.c.kind == "consented")
        ).scalar_one()
    text = al.Study.example().pages.languages["ar"].consent.strip()
    assert json.loads(body) == {"language": "ar", "text": digest_of(text)}


@pytest.mark.parametrize("given", ["٤٤", "۴۴", "44", " 44 ", "44.0", "44,0", "٤٤٫٠"])
def test_numbers_are_read_as_people_write_them(pages, given):
    _, database, person = pages
    person.agree()
    person.send("answers", a0=given, a1="1")
    live = LiveStudy(database, "charity")
    with database.reading() as connection:
        record = connection.execute(select(visits.c.record)).scalar_one()
    assert json.loads(record)["answers"]["age"] == 44
    assert live.study.survey["age"].check(44) == 44


@pytest.mark.parametrize("given", ["", "4 4", "1,000", "1e1", "nan", "inf", "0x2c", "forty", "-44"])
def test_what_is_no_number_is_not_guessed(pages, given):
    _, _, person = pages
    person.agree()
    page = person.send("answers", a0=given, a1="1")
    assert (page.status, "Give a number from 18 to 90" in page.text) == (422, True)


def test_every_language_has_every_word():
    """Fails if a page could lack a word, or a word a number, in some language."""
    words = {
        language: json.loads((HERE / "locales" / f"{language}.json").read_text(encoding="utf-8"))
        for language in LANGUAGES
    }
    assert {path.stem for path in (HERE / "locales").glob("*.json")} == set(LANGUAGES)
    for language, said in words.items():
        assert said.keys() == words["en"].keys(), language
        for key, text in said.items():
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(
                re.findall(r"\{\w+\}", words["en"][key])
            ), key
    used = set()
    for path in [*HERE.glob("pages/*.py"), *HERE.glob("templates/*.html")]:
        used |= set(re.findall(r"""say\(["'](\w+)["']""", path.read_text(encoding="utf-8")))
        for what in re.findall(r'Happened\(\s*"(\w+)"', path.read_text(encoding="utf-8")):
            used |= {f"{what}_heading", f"{what}_text"}
    assert used <= words["en"].keys()


# -- survey tools --------------------------------------------------------------------------------


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


def test_pages_are_no_part_of_the_api_and_its_errors_stay_json(pages):
    _, _, person = pages
    base = person.client.base_url
    paths = httpx.get(f"{base}/openapi.json").json()["paths"]
    assert not [path for path in paths if path.startswith("/s/")]
    assert httpx.get(f"{base}/v1/none").json()["error"]["code"] == "not_found"

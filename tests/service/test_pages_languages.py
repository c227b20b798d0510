"""Pages in every language, and numbers as people write them."""

import json
import re

import pytest
from sqlalchemy import select

import askless as al
from askless.service.web import HERE
from askless.storage import LiveStudy
from askless.storage.links import digest_of
from askless.storage.tables import events, visits
from askless.survey.pages import LANGUAGES
from example_pages import rows


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

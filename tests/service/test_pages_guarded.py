"""What pages keep from strangers, from notes and from each other."""

import json
import logging

import httpx
import pytest

import askless as al
from askless.service.pages.person import _warn
from askless.storage.tables import visits
from example_pages import rows
from page_person import GIVEN, Paper


def test_nothing_that_people_send_is_in_the_notes(pages, caplog):
    """Fails if a log could tell who answered what, or holds a secret."""
    caplog.set_level(logging.DEBUG)
    _, _, person = pages
    person.agree()
    personal = person.page.values["personal"].rsplit("/", 1)[1]
    person.get(f"r/{personal}")
    person.send(personal)
    person.send("answers", a0="secret word", a1="1")
    person.decide()
    said = "\n".join(
        record.getMessage() for record in caplog.records if record.name.startswith("askless")
    )
    assert "/s/{study}/answers" in said
    assert "secret word" not in said
    assert personal not in said
    assert json.dumps(GIVEN["age"]) not in said.replace(" ms", "").split()


def test_too_many_requests_get_a_page(pages_of):
    _, _, person = pages_of(address_rate=0.01)
    person.get()
    page = person.get()
    assert (page.status, page.heading) == (429, "Too many requests")
    assert int(page.headers["retry-after"]) > 0


@pytest.mark.parametrize("path", ["/s/none", "/s/", "/s/charity/none", "/s/charity/back/x"])
def test_errors_of_pages_are_pages(pages, path):
    """Fails if a person could see JSON."""
    _, _, person = pages
    page = person.get(path)
    assert page.headers["content-type"].startswith("text/html")
    assert page.status in (404, 422)
    assert page.heading


def test_the_words_of_a_study_are_text(pages_of):
    """Fails if a study file could put markup into a page."""
    text = al.Study.example().located.text
    text = text.replace("How old are you?", "<b>old</b><script>alert(1)</script>")
    _, _, person = pages_of(al.Study.parse(text))
    page = person.agree()
    assert "<script" not in page.text
    assert "&lt;script&gt;" in page.text


def test_pages_have_the_headers_and_cookies_that_keep_strangers_out(pages):
    """Fails if a page could be framed, cached or scripted, or a cookie be read or taken along."""
    _, _, person = pages
    response = person.client.get("/s/charity")
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert "unsafe-inline" not in response.headers["content-security-policy"]
    assert response.headers["cache-control"] == "no-store"
    assert "<script" not in response.text
    assert " style=" not in response.text
    # Browsers refuse the prefix over plain http, and would keep nothing at all.
    assert response.headers["set-cookie"].startswith("askless-form=")
    assert "Secure" not in response.headers["set-cookie"]
    safe = {"X-Forwarded-Proto": "https"}  # as a proxy says
    first = Paper(httpx.get(f"{person.client.base_url}/s/charity", headers=safe))
    kept = first.headers["set-cookie"].split(";")[0]
    response = httpx.post(
        f"{person.client.base_url}/s/charity/consent",
        data={name: value for name, value in first.forms["consent"].items() if name},
        headers={**safe, "Cookie": kept},
    )
    assert kept.startswith("__Host-askless-form=")
    assert response.status_code == 303
    visit, form = response.headers.get_list("set-cookie")
    assert visit.startswith("__Host-askless-visit-1=")
    assert form.split(";")[0] == kept
    for said in (visit, form):
        for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"):
            assert part in said
        assert "Domain" not in said
    # Nothing outlasts the browser before somebody has agreed.
    assert "Max-Age" not in first.headers["set-cookie"]
    assert "Max-Age=7776000" in visit
    assert "Max-Age=7776000" in form


def test_a_study_without_the_section_has_no_pages(pages_of):
    """Fails if anybody could take part in a study that was meant for programs alone."""
    text = al.Study.example().located.text
    _, database, person = pages_of(al.Study.parse(text[: text.index("\npages:")]))
    assert (person.get().status, rows(database, visits)) == (404, 0)


def test_plain_http_to_the_world_is_warned_of_once(pages, caplog):
    """Fails if answers go in the clear and nobody is told, or on this machine everybody is."""
    _, _, person = pages
    _warn.cache_clear()
    person.get()
    assert "plain http" not in caplog.text
    for host in ("study.example.org", "study.example.org", "other.example.org", "192.0.2.1"):
        person.get(headers={"Host": host})
    assert caplog.text.count("plain http") == 1
    person.get(headers={"Host": "other.example.org", "X-Forwarded-Proto": "https"})
    assert caplog.text.count("plain http") == 1

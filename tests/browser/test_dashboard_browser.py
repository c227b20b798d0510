"""The dashboard in a real browser: charts are drawn, nothing is refused by the page's own rules."""

import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from askless.service.dashboard import routes
from looking import PASSWORD, visited

PHONE, DESK = {"width": 375, "height": 812}, {"width": 1440, "height": 900}
# A label is clipped if it lies outside its drawing, or was cut by the library.
CLIPPED = """() => [...document.querySelectorAll('.drawing:not([hidden]) svg')].flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter((text) => {
    const own = text.getBoundingClientRect();
    return own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1 ||
      own.top < box.top - 1 || own.bottom > box.bottom + 1 || text.textContent.endsWith('…'));
  }).map((text) => text.textContent);
})"""
MARKS = """() => Object.fromEntries([...document.querySelectorAll('.drawing:not([hidden])')].map(
  (place) => [place.dataset.drawing, place.querySelectorAll(
    '.mark-rect path, .mark-line path, .mark-symbol path, .mark-rule line').length]))"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "NEWS", 0.5)  # seconds: what follows is seen to follow soon
        with visited(tmp_path_factory.mktemp("dashboard"), 1_000) as found:
            yield f"{found}/dashboard/charity"


@pytest.fixture(scope="module")
def session(chromium, address):
    """The cookies of somebody who has signed in, once: trying again and again is limited."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#password:focus")  # a moment after loading; keys before it are lost
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(address)
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture
def look(chromium, address, session):
    """Opens the dashboard; whatever the browser complains about is an error in the end."""
    opened, complaints = [], []

    @contextmanager
    def looking(viewport=DESK, scheme="light", *, drawn=True, **more):
        context = chromium.new_context(viewport=viewport, color_scheme=scheme, **more)
        context.add_cookies(session)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        if drawn:
            page.wait_for_selector("main[data-drawn]", timeout=60_000)
        opened.append(page)
        yield page
        context.close()

    yield looking
    assert opened
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_charts_are_drawn_and_labels_are_whole(look, viewport, scheme):
    """Fails if a chart has no marks, a label is cut, or the page is wider than the screen."""
    with look(viewport, scheme) as page:
        marks = page.evaluate(MARKS)
        assert len(marks) >= 5
        assert all(many > 0 for many in marks.values()), marks
        assert page.evaluate(CLIPPED) == []
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= viewport["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_nobody_is_shut_out(look, viewport, scheme):
    """Fails if axe finds a serious or critical problem, with every table open."""
    with look(viewport, scheme) as page:
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        found = Axe().run(page).response["violations"]
    serious = [(v["id"], v["help"]) for v in found if v["impact"] in ("serious", "critical")]
    assert serious == []


def test_the_door_is_for_everybody_too(chromium, address):
    """Fails if axe finds a serious or critical problem on the page for signing in."""
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport=PHONE, color_scheme=scheme)
        page = context.new_page()
        page.goto(address)
        found = Axe().run(page).response["violations"]
        context.close()
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []


def test_colours_follow_the_theme(look):
    """Fails if charts keep the colours of the theme in which they were drawn."""
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--c1').trim()"
    with look() as page:
        light = page.evaluate(ink)
        drawn = page.locator("[data-drawing='mean-rewards']")
        assert drawn.locator(f"[fill='{light}'], [stroke='{light}']").count() > 0
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate(ink)
        assert dark != light
        drawn.locator(f"[fill='{dark}'], [stroke='{dark}']").first.wait_for(state="attached")


def test_it_follows_what_happens(look):
    """Fails if what changes elsewhere does not come onto an open page, or an open table closes."""
    with look() as page, look() as other:
        page.locator("[data-chart='arrivals'] summary").click()
        other.get_by_role("button", name="Pause the study").click()
        page.wait_for_selector(".pill.paused", timeout=30_000)
        assert page.locator("[data-chart='arrivals'] details").get_attribute("open") is not None
        other.get_by_role("button", name="Resume the study").click()
        page.wait_for_selector(".pill.running", timeout=30_000)


def test_charts_follow_what_happens(look):
    """Fails if numbers are renewed and pictures stand still, or people are shown a failure."""

    def later(route):
        news = route.fetch().json()
        chart = news["charts"]["questions-a-visit"]
        last = chart["rows"][-1]
        chart["rows"] += [{**last, "visit": last["visit"] + 100 * more} for more in (1, 2, 3)]
        route.fulfill(json=news)

    points = "[data-drawing='questions-a-visit'] .mark-symbol.role-mark path"
    with look() as page:
        before = page.locator(points).count()
        assert before > 0
        page.route("**/news", later)
        page.locator(points).nth(before + 2).wait_for(state="attached", timeout=30_000)
        assert page.locator(points).count() == before + 3
        assert page.locator("#said").is_hidden()


HURRY = """const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => timeout(ms / 20);"""  # so that no test waits for forty seconds


@pytest.mark.parametrize(
    "fails",
    [
        lambda route: route.fulfill(content_type="application/json", body='{"parts": {"verd'),
        lambda route: route.fulfill(content_type="text/html", body="<h1>Sign in to the hotel</h1>"),
        lambda route: None,
    ],
    ids=["cut", "another's", "none"],
)
def test_an_answer_that_fails_is_told_and_the_next_one_is_followed(look, fails):
    """Fails if one bad answer ends the following without a word, or is waited for without end."""
    with look(drawn=False) as page:
        page.add_init_script(HURRY)
        page.route("**/news", fails)
        page.reload()
        page.get_by_text("these figures may be old").wait_for(timeout=30_000)
        page.unroute("**/news")
        page.locator("#said").wait_for(state="hidden", timeout=30_000)


def test_charts_can_be_saved(look):
    """Fails if a chart cannot be saved as a picture, or its table as a file."""
    begins = {"CSV": b"day,", "SVG": b"<svg", "PNG": b"\x89PNG"}
    with look(accept_downloads=True) as page:
        card = page.locator("[data-chart='arrivals']")
        for kind, begin in begins.items():
            with page.expect_download() as download:
                card.get_by_text(kind, exact=False).first.click()
            saved = download.value
            assert saved.suggested_filename == f"arrivals.{kind.lower()}"
            assert Path(saved.path()).read_bytes().startswith(begin)


def test_it_works_without_javascript(look, address):
    """Fails if tables, or the forms, need a script."""
    with look(drawn=False, java_script_enabled=False) as page:
        assert re.fullmatch(r"The survey asks [\d.]+ of 8 questions now\.", page.inner_text("h1"))
        assert page.locator(".drawing:visible").count() == 0
        table = page.locator("[data-chart='mean-rewards'] table")
        assert not table.is_visible()
        page.locator("[data-chart='mean-rewards'] summary").click()
        assert table.is_visible()
        assert table.locator("tbody tr").count() == 3
        page.get_by_role("button", name="Pause the study").click()
        page.wait_for_selector(".pill.paused")
        page.get_by_role("button", name="Resume the study").click()
        page.wait_for_selector(".pill.running")


def test_the_keyboard_reaches_everything(look):
    """Fails if something that can be used is not reached by Tab, or does not show its focus."""
    with look(viewport=DESK) as page:
        usable = page.evaluate(
            "() => [...document.querySelectorAll('a[href], button, input, select, summary')]"
            ".filter((e) => e.type !== 'hidden' && e.checkVisibility()).length"
        )
        reached, unseen = set(), []
        for _ in range(usable + 60):  # scrolling tables may take the focus too
            page.keyboard.press("Tab")
            place, outline = page.evaluate(
                "() => { const e = document.activeElement; return [[...document.querySelectorAll("
                "'a[href], button, input, select, summary')].indexOf(e),"
                " getComputedStyle(e).outlineStyle]; }"
            )
            reached.add(place)
            if place >= 0 and outline == "none":
                unseen.append(place)
        assert len(reached - {-1}) == usable
        assert unseen == []

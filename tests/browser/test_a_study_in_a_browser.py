"""The example study as people with a phone, a keyboard or no JavaScript go through it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from askless.storage import Database, verify
from askless.storage.journal import list_events
from chromium import MISSING
from page_person import GIVEN
from served import served

CHOICES = {"a1": "1", "a2": "2", "a4": "0", "a5": "1", "a7": "-"}
NUMBERS = {"a0": "44", "a3": "5"}
MOST_BYTES = 50_000


@pytest.fixture
def service(tmp_path):
    with served(tmp_path) as (address, _):
        yield f"{address}/s/charity", str(tmp_path / "study.db")


def press(page, button="button.main"):
    """Press a button and wait for the page that follows: a click by itself is over before that."""
    with page.expect_navigation():
        page.click(button)


def fill(page):
    """Answer what a page asks, by its labels' inputs."""
    for on in page.locator("input[name=on]").all():
        name = f"a{on.get_attribute('value')}"
        if name in NUMBERS:
            page.fill(f"#{name}", NUMBERS[name])
        elif name in CHOICES:
            page.check(f"#{name}-{CHOICES[name]}")
        else:
            page.check(f"#{name}-0")
            page.check(f"#{name}-2")
    press(page, "#answers button.main")


def walk(page, address, look=lambda: None):
    """Go from the consent to the thanks; look at each page."""
    page.goto(address)
    look()
    press(page)
    while page.locator("#answers").count():
        look()
        fill(page)
    look()
    page.check("#reward-7")
    press(page)
    look()


def journal_of(file):
    database = Database(file)
    try:
        assert verify(database, "charity").ok
        return list_events(database, 1, 0, 1_000)
    finally:
        database.close()


def check_answers(file, visits=1):
    events = journal_of(file)
    records = [e["body"]["record"] for e in events if e["kind"] == "decided"]
    assert [record["answers"] for record in records] == [GIVEN] * visits
    assert [e["body"]["reward"] for e in events if e["kind"] == "rewarded"] == [70.0] * visits


@pytest.mark.parametrize("size", ["phone", "desktop"])
@pytest.mark.parametrize("scripts", [True, False])
def test_a_whole_study(service, new_page, size, scripts):
    """Fails if a step needs JavaScript, a page is wider than the screen, or an answer is lost."""
    page = new_page(size, java_script_enabled=scripts)
    wide = []

    def look():
        box = page.locator("main").bounding_box()
        wide.append(box["x"] < 0 or box["x"] + box["width"] > page.viewport_size["width"])

    walk(page, service[0], look)
    assert "Your answer is saved." in page.inner_text("main")
    assert wide == [False] * 7
    check_answers(service[1])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_axe_finds_nothing_serious(service, new_page, scheme, language):
    """Fails if axe-core has a serious or critical complaint about any page (WCAG 2.2 AA)."""
    page = new_page("phone", locale=language, color_scheme=scheme, bypass_csp=True)
    axe, found, looked = Axe(), [], []

    def look():
        looked.append(page.title())
        rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        result = axe.run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
        found.extend(
            (page.title(), violation["id"], [node["html"] for node in violation["nodes"]])
            for violation in result.response["violations"]
            if violation["impact"] in ("serious", "critical")
        )

    page.goto(service[0])
    press(page)
    page.click("summary")
    look()
    personal = page.input_value("#personal")
    press(page, "#answers button.main")  # nothing is filled in
    look()
    page.goto(service[0])
    fill(page)
    page.goto(f"{service[0]}/back/0")
    look()
    for wrong in (personal, f"{service[0]}/none", f"{service[0]}/back/7", f"{service[0]}-none"):
        page.goto(wrong)
        look()
    page.context.clear_cookies()
    walk(page, service[0], look)
    page.goto(f"{service[0]}/back/0")
    look()
    assert page.get_attribute("html", "lang") == language
    assert found == []
    assert len(looked) == 15


def test_by_keyboard_alone(service, new_page):
    """Fails if a control cannot be reached, used or seen to have the focus by keys alone."""
    page = new_page("desktop")
    page.goto(service[0])
    send = ("button.main", "Enter")
    second = [("input[name=a2]", "ArrowDown ArrowDown"), ("#a3", "5")]
    use(page, send)
    page.wait_for_selector("#a0")
    use(page, ("#a0", "4 4"), ("input[name=a1]", "Space Enter"))  # Enter sends from within
    page.wait_for_selector("#a3")
    use(page, *second, ("a.button", "Enter"))  # Back, without sending
    page.wait_for_selector("#a0")
    assert page.input_value("#a0") == "44"
    use(page, send)
    page.wait_for_selector("#a3")
    assert page.locator("input[name=a2]:checked").count() == 0
    use(page, *second, send)
    page.wait_for_selector("input[name=a4]")
    use(page, ("input[name=a4]", "ArrowDown"), ("input[name=a5]", "ArrowDown"), send)
    page.wait_for_selector("input[name=a6]")
    use(page, ("#a6-0", "Space"), ("#a6-2", "Space"), ("input[name=a7]", "ArrowUp"), send)
    page.wait_for_selector(".arm")
    use(page, ("input[name=reward]", " ".join(["ArrowDown"] * 7)), send)
    page.wait_for_selector("[role=status]")
    check_answers(service[1])


def use(page, *controls):
    """Go to controls one after the other and press keys there."""
    for selector, keys in controls:
        reach(page, selector)
        for key in keys.split():
            page.keyboard.press(key)


def reach(page, selector):
    """Press Tab until a control has the focus; it must be visible and show that."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            break
    else:
        raise AssertionError(f"{selector} cannot be reached")
    shown = page.evaluate(
        "() => { const e = document.activeElement, c = e.closest('.choice') || e;"
        " return getComputedStyle(c).outlineStyle }"
    )
    assert shown != "none"


def test_on_another_device_by_the_personal_link(service, new_page):
    """Fails if an answer given on the phone is not there on the desktop."""
    phone, desktop = new_page("phone"), new_page("desktop", java_script_enabled=False)
    phone.goto(service[0])
    press(phone)
    fill(phone)
    phone.click("summary")
    desktop.goto(phone.input_value("#personal"))
    press(desktop)
    assert desktop.inner_text("h1") == "Questions 3 to 4 of at most 8"
    while desktop.locator("#answers").count():
        fill(desktop)
    desktop.check("#reward-7")
    press(desktop)
    phone.reload()
    assert "Your answer is saved." in phone.inner_text("main")
    check_answers(service[1])


def test_arabic_runs_from_right_to_left(service, new_page):
    """Fails if an Arabic page only has other words, and its boxes lie as in English."""
    page = new_page("phone", java_script_enabled=False)
    page.goto(service[0])
    left = page.locator("button.main").bounding_box()["x"]
    press(page, "button[lang=ar]")
    assert page.get_attribute("html", "dir") == "rtl"
    box = page.locator("button.main").bounding_box()
    assert left < 375 / 2 < box["x"] + box["width"]
    press(page)
    fill(page)
    radio = page.locator("#a2-0").bounding_box()
    label = page.locator("label[for=a2-0] span").bounding_box()
    assert label["x"] + label["width"] <= radio["x"]
    following, back = page.locator("button.main"), page.locator("a.button")
    assert back.bounding_box()["x"] < following.bounding_box()["x"]
    press(page, "button[lang=en]")
    assert page.inner_text("h1") == "Questions 3 to 4 of at most 8"
    while page.locator("#answers").count():
        fill(page)
    page.check("#reward-7")
    press(page)
    check_answers(service[1])


def test_the_browser_s_own_back_after_the_decision(service, new_page):
    """Fails if going back shows a form as if nothing had been decided, and says nothing."""
    page = new_page("phone")
    page.goto(service[0])
    press(page)
    while page.locator("#answers").count():
        fill(page)
    page.go_back()
    assert page.locator("#answers").count() == 0
    assert page.inner_text("h1") in ("Your result", "Your result is decided")


def test_pages_are_small_and_targets_are_large(service, new_page):
    """Fails if a page with its stylesheet has more than 50 kB, or a target less than 24 pixels."""
    page = new_page("phone", java_script_enabled=False)
    sizes, small, looked = {}, [], []

    def weigh(response):
        if response.status == 200:
            kind = response.headers["content-type"].split(";")[0]
            sizes[kind] = max(sizes.get(kind, 0), len(response.body()))

    def look():
        looked.append(page.inner_text("h1"))
        for control in page.locator("a:visible, button:visible, label.choice:visible").all():
            box = control.bounding_box()
            if box["x"] >= 0 and min(box["width"], box["height"]) < 24:
                small.append(control.inner_text())

    page.on("response", weigh)
    walk(page, service[0], look)
    assert sizes.keys() == {"text/html", "text/css"}  # nothing else, and nothing from elsewhere
    assert sum(sizes.values()) < MOST_BYTES
    assert (small, len(looked)) == ([], 7)


def test_where_there_is_no_browser_the_last_line_says_so():
    """Fails if these tests would be skipped, or fail, where Chromium is not installed."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", str(Path(__file__).parent)]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command,
        env={**os.environ, "PATH": ""},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert done.stdout.splitlines()[-1] == MISSING

"""The screenshots of docs/tour.md: a demo in a browser, from the first visit to short ones.

Starts `askless serve --demo`, looks at what people and an administrator see, and writes
docs/figures/tour-*.png. Needs chromium.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs" / "figures"
CHROMIUM = "/usr/bin/chromium"
PHONE, DESK = {"width": 390, "height": 760}, {"width": 1200, "height": 840}
MOST_BYTES = 150_000
SHRUNK = 600  # visits after which the survey has been short for a while
TRIES = 20  # people until one is drawn to be asked little


@contextmanager
def demo() -> Iterator[tuple[str, str, str, Callable[[int], None]]]:
    """Run a demo; yields dashboard, password, page of people, and what waits for visits."""
    command = [sys.executable, "-m", "askless", "serve", "--demo", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--visits", "100000"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    lines = iter(process.stdout.readline, "")

    def wait_for(visits: int) -> None:
        for line in lines:
            print(line.rstrip())
            found = re.match(r" *([\d,]+) visits:", line)
            if found and int(found[1].replace(",", "")) >= visits:
                return

    try:
        dashboard = re.search(r"http://\S+", next(lines))[0]
        password = next(lines).split()[-1]
        people = re.search(r"http://\S+", next(lines))[0]
        yield dashboard, password, people, wait_for
    finally:
        process.send_signal(signal.SIGINT)
        print(process.communicate()[0])


def shoot(page: Page, name: str) -> None:
    """Write a screenshot, if it is small enough for a repository."""
    picture = page.screenshot(path=FIGURES / f"tour-{name}.png", animations="disabled")
    print(f"tour-{name}.png: {len(picture) / 1000:.0f} kB")
    if len(picture) > MOST_BYTES:
        raise SystemExit(f"tour-{name}.png is larger than {MOST_BYTES} bytes")


def begin(browser: Browser, address: str) -> Page:
    """Come to the study with a browser of one's own."""
    page = browser.new_context(viewport=PHONE, locale="en-GB").new_page()
    page.goto(address)
    return page


def press(page: Page) -> None:
    """Press the main button, and wait for the page that follows."""
    with page.expect_navigation():
        page.locator("button.main").click()


def agree(page: Page) -> int:
    """Agree; return how many questions are promised at most."""
    press(page)
    return int(re.search(r"of at most (\d+)", page.locator("h1").inner_text())[1])


def answer(page: Page) -> None:
    """Answer what is on a page, and go on."""
    for field in page.locator("fieldset.field").all():
        field.locator("input").first.check()
    for field in page.locator("input.number").all():
        low = re.search(r"from ([\d.]+)", page.locator("form#answers").inner_text())
        field.fill("44" if low and float(low[1]) >= 18 else "7")
    press(page)


def walk(page: Page, *, shown: bool) -> None:
    """Answer everything, and say how glad one is."""
    while page.locator("form#answers").count():
        answer(page)
    if shown:
        shoot(page, "result")
    answer(page)


def look(page: Page, name: str, at: str = "header") -> None:
    """Look at a part of the dashboard as it is now, its charts drawn."""
    page.reload()
    page.wait_for_selector("figure svg, figure canvas")
    page.wait_for_timeout(1_000)
    page.locator(at).evaluate("place => place.scrollIntoView()")
    shoot(page, name)


def main() -> None:
    """Take all of them."""
    with demo() as (dashboard, password, people, wait_for), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        admin = browser.new_context(viewport=DESK, locale="en-GB").new_page()
        admin.goto(dashboard)
        admin.fill("#password", password)
        press(admin)
        look(admin, "dashboard-first")
        first = begin(browser, people)
        shoot(first, "consent")
        print(f"the first visit: at most {agree(first)} questions")
        shoot(first, "questions")
        walk(first, shown=True)
        wait_for(SHRUNK)
        look(admin, "dashboard")
        for _ in range(TRIES):
            later = begin(browser, people)
            promised = agree(later)
            if promised < 8:
                break
            walk(later, shown=False)
        print(f"a later visit: at most {promised} questions")
        shoot(later, "short")
        walk(later, shown=False)
        look(admin, "people", at="#h-people")
        browser.close()


if __name__ == "__main__":
    main()

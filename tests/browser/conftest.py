"""A real browser, where this machine has one; elsewhere its tests are left out."""

import pytest

from chromium import FOUND

collect_ignore_glob = [] if FOUND else ["test_*.py"]
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
SIZES = {"phone": {"width": 375, "height": 667}, "desktop": {"width": 1280, "height": 800}}


@pytest.fixture(scope="module")
def chromium():
    """The browser, without a screen; no longer than a file of tests, as others have loops too."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (slow to import)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=FOUND, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium):
    """Opens a page in a browser of its own: no cookies of others."""
    contexts = []

    def open_page(size="phone", **settings):
        context = chromium.new_context(viewport=SIZES[size], **settings)
        contexts.append(context)
        context.set_default_timeout(60_000)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()

"""Reports in a real browser: on every width all of them is to be read, in light and in dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from small_reports import NAMES, write_reports

WIDTHS = (375, 800, 1440)
# What is beyond the screen, and not in a box that scrolls; and boxes that scroll without saying so
# to a keyboard.
BEYOND = """() => [...document.querySelectorAll('body *')].filter((one) => {
  const box = one.getBoundingClientRect(), scrolled = one.parentElement.closest('.wide');
  return box.width > 0 && !scrolled && (box.right > innerWidth + 1 || box.left < -1);
}).map((one) => one.outerHTML.slice(0, 80))"""
SCROLLING = """() => [...document.querySelectorAll('body *')].filter((one) =>
  getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1
).map((one) => [one.className, one.tabIndex, getComputedStyle(one).backgroundImage !== 'none'])"""
PICTURES = """() => [...document.images].map((image) =>
  [image.complete && image.naturalWidth > 100, getComputedStyle(image).backgroundColor,
   image.getBoundingClientRect().width])"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    write_reports(folder)
    return folder


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_report_is_cut_or_makes_the_page_scroll_sideways(
    chromium, folder, name, width
):
    """Fails if a table or figure is wider than its screen and does not scroll in its own box."""
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto((folder / name / "report.html").as_uri())
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(BEYOND) == []
    # The one table that is left wide on a phone: it can be reached, and has a shade at its side.
    wide = [["wide", 0, True]] if (name, width) == ("paper", 375) else []
    assert page.evaluate(SCROLLING) == wide
    pictures = page.evaluate(PICTURES)
    assert pictures
    for loaded, background, shown in pictures:
        assert loaded
        assert background == "rgb(255, 255, 255)"  # their ink is dark
        assert shown > 300
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_readable_in_light_and_dark(chromium, folder, name, scheme):
    """Fails if a colour is too faint on its ground, or the page stays white in the dark."""
    context = chromium.new_context(viewport={"width": 800, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto((folder / name / "report.html").as_uri())
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    context.close()

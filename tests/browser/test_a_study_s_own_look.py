"""A study's own name, colours and logo are what people see."""

import pytest

import askless as al
from askless.survey.study import EXAMPLE
from served import served

LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">'
    '<rect width="40" height="20"/></svg>'
)
CHANGES = {"# logo: logo.svg #": "logo: logo.svg #", '"#0b6e4f"': '"#7a1f5c"'}


@pytest.fixture
def address(tmp_path):
    """The example, with a logo and a colour of its own."""
    (tmp_path / "logo.svg").write_text(LOGO)
    path = tmp_path / "study.yaml"
    text = EXAMPLE.read_text()
    for old, new in CHANGES.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text)
    with served(tmp_path, study=al.Study.read(path)) as (address, _):
        yield f"{address}/s/charity"


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_the_logo_is_drawn_by_a_browser_that_keeps_to_the_policy(address, new_page, size):
    """Fails if the page leaves the logo out, or its content policy keeps the browser from it."""
    page = new_page(size)
    page.goto(address)
    drawn = page.eval_on_selector("img.logo", "e => [e.complete, e.naturalWidth, e.naturalHeight]")
    assert drawn == [True, 40, 20]
    box = page.locator("img.logo").bounding_box()
    assert 0 <= box["x"] < page.viewport_size["width"] - box["width"]


def test_the_colour_is_that_of_the_study(address, new_page):
    """Fails if the page has our colour in place of the study's."""
    page = new_page("phone")
    page.goto(address)
    colour = page.eval_on_selector("button.main", "e => getComputedStyle(e).backgroundColor")
    assert colour == "rgb(122, 31, 92)"  # #7a1f5c
    assert page.title().endswith("Which charity suits you?")

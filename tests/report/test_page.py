"""Pages: what is filled in is escaped, what is missing is an error, a file is never half."""

import pytest
from jinja2 import UndefinedError
from matplotlib.figure import Figure

from askless.report import page


def test_markup_in_content_is_escaped():
    template = page._environment().from_string("<p>{{ what }}</p>")
    assert template.render(what="a < b & c") == "<p>a &lt; b &amp; c</p>"


def test_a_page_that_lacks_something_is_not_made():
    with pytest.raises(UndefinedError, match="experiment"):
        page.render("paper.html")


def test_numbers_that_there_are_not_are_dashes():
    assert (page.whole(None), page.decimal(None)) == ("–", "–")
    assert (page.whole(1234.4), page.decimal(0.456), page.decimal(2, 1)) == ("1,234", "0.46", "2.0")


def test_a_figure_has_the_same_bytes_every_time():
    def picture():
        figure = Figure()
        axes = figure.subplots()
        axes.fill_between([0, 1], [0, 1], [1, 2], hatch="/")  # hatches have identifiers
        return page.drawn(figure, "svg")

    assert picture() == picture()
    assert b"<dc:date>" not in picture()


def test_a_file_that_cannot_be_written_is_what_it_was(tmp_path):
    path = tmp_path / "report.html"
    page.write(path, "old")
    with pytest.raises(UnicodeEncodeError):
        page.write(path, "half \ud800")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]

"""The check of the built site sees what is wrong with it, each thing by its page.

What would make these fail: a fault that nobody names, or one that is named where there is none.
"""

import pytest
from builder.check_site import FEWEST_WORDS, problems

WORDS = "word " * FEWEST_WORDS
GOOD = f'<nav><a href="b.html#there">b</a></nav><article><h1 id="top">A</h1>{WORDS}</article>'
OTHER = f'<article><h2 id="there">B</h2><a href="a.html#top">a</a>{WORDS}</article>'
FAULTS = {
    '<a href="c.html">c</a>': "a.html: c.html is not there",
    '<a href="b.html#nowhere">b</a>': "a.html: b.html#nowhere has no such anchor",
    '<img src="https://example.org/x.png" alt="x">': "a.html: fetches https://example.org/x.png",
    '<picture><source srcset="c.png"><img src="b.html" alt="b"></picture>': (
        "a.html: c.png is not there"
    ),
    '<img src="b.html">': "a.html: the image b.html has no text",
}


def built(folder, first):
    (folder / "a.html").write_text(first)
    (folder / "b.html").write_text(OTHER)
    return folder


def test_a_whole_site_has_no_problems(tmp_path):
    assert problems(built(tmp_path, GOOD)) == []
    assert problems(built(tmp_path, GOOD + '<a href="https://example.org">elsewhere</a>')) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_page(tmp_path, fault):
    assert problems(built(tmp_path, GOOD + fault)) == [FAULTS[fault]]


def test_a_page_that_is_only_a_heading_is_no_page(tmp_path):
    said = problems(built(tmp_path, f"<nav>{WORDS}</nav><article><h1 id='top'>A</h1></article>"))
    assert said == ["a.html: has 1 words; write it, or take it out"]


def test_a_style_sheet_that_fetches_is_named(tmp_path):
    built(tmp_path, GOOD)
    (tmp_path / "site.css").write_text('body { background: url("https://example.org/x.png") }')
    assert problems(tmp_path) == ["site.css: fetches from a network"]

"""The site of the docs beyond Markdown: links out of docs/ lead somewhere, formulas are drawn.

What would make these fail: a link out of docs/ that stays as it is or leads beside its file, an
address elsewhere that is touched, a formula that is not drawn, that names its symbols (pages of
many formulas would repeat names), or that cannot be read aloud.
"""

import re
from xml.etree import ElementTree

import pytest

from builder import docs_site

FENCE = re.compile(r"```math\n(.*?)\n *```", re.DOTALL)


@pytest.mark.parametrize(
    ("page", "target", "place"),
    [
        ("start.md", "library.md", "library.md"),
        ("start.md", "../CHANGELOG.md", "changelog.md"),
        ("tutorials/charity.md", "../../examples/charity.yaml", "files/examples/charity.yaml"),
        ("tutorials/charity.md", "../planning.md", "planning.md"),
        ("changelog.md", "docs/maths.md", "maths.md"),
        ("contributing.md", "Makefile", "files/Makefile"),
        ("start.md", "https://example.org/docs", ""),
        ("start.md", "mailto:somebody@example.org", ""),
    ],
)
def test_links_of_the_repository_lead_to_the_place_on_the_site(page, target, place):
    assert docs_site.place_of(page, target) == place


def test_every_page_that_stands_outside_of_docs_is_there():
    assert all((docs_site.ROOT / name).is_file() for name in docs_site.PAGES)


def test_each_formula_is_a_picture_with_its_source_for_who_does_not_see_it():
    drawn = docs_site.mathematics("a < b\n\n\\frac{1}{2}\n")
    box = ElementTree.fromstring(drawn)
    namespace = "{http://www.w3.org/2000/svg}"
    pictures = box.findall(f"{namespace}svg")
    assert [picture.get("aria-label") for picture in pictures] == ["a < b", "\\frac{1}{2}"]
    assert all(picture.get("role") == "img" for picture in pictures)
    assert all(picture.findall(f".//{namespace}path") for picture in pictures)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("z_jz_jᵀ", "z<sub>j</sub>z<sub>j</sub>ᵀ"),
        ("β_min", "β<sub>min</sub>"),
        ("F_{i−1}", "F<sub>i−1</sub>"),
        ("of t^(2/3) rows", "of t<sup>2/3</sup> rows"),
        ("2^r", "2<sup>r</sup>"),
        ("`beta_min`, [a_b](c_d.md#e_f)", "`beta_min`, [a<sub>b</sub>](c_d.md#e_f)"),
        ("```math\na_i^2\n```", "```math\na_i^2\n```"),
    ],
)
def test_indices_of_sentences_stand_below_the_line(written, shown):
    assert docs_site.lifted(written) == shown


def test_formulas_have_the_colour_of_the_text_and_no_names():
    drawn = docs_site.mathematics("\\sqrt{x} + x")
    assert "currentColor" in drawn
    assert not re.search(r"\bid=", drawn)


def test_no_formula_of_the_docs_has_a_command_that_is_not_understood():
    # An unknown command is drawn as its own name with its backslash, which no formula shows.
    texts = [page.read_text(encoding="utf-8") for page in docs_site.ROOT.glob("docs/**/*.md")]
    fences = [fence for text in texts for fence in FENCE.findall(text)]
    formulas = [formula for fence in fences for formula in fence.split("\n\n")]
    assert len(formulas) > 40
    for formula in formulas:
        shown = "".join(docs_site.ziamath.Latex(formula).mathml.itertext())
        assert "\\" not in shown, formula


@pytest.mark.parametrize(
    "said",
    ["0.5676 ± 0.0017", "+0.08 ± 0.06", "-3.6 ± 0.9 (4)", "-0.1 to 1.1", "26,622", "95%", "−0.3"],
)
def test_a_figure_in_a_table_stays_in_one_line(said):
    """Fails if a number is parted from its error; a sentence may be."""
    page = f'<tr><td>6 people of 10 ± 2</td><td style="text-align: right;">{said}</td></tr>'
    shown = docs_site.on_page_content(page)
    assert f'<td class="whole" style="text-align: right;">{said}</td>' in shown
    assert "<td>6 people of 10 ± 2</td>" in shown
    assert '<td class="prose">Words' in docs_site.on_page_content(f"<td>Words{' of it' * 9}</td>")


def test_short_code_and_options_stay_in_one_line():
    long = "askless plan study.yaml --leave-out id [--quiet] non-option"
    page = f"<p><code>survey-bandit</code> <code>{long}</code></p><pre><code>--a\nb</code></pre>"
    shown = docs_site.on_page_content(page)
    assert '<code class="whole">survey-bandit</code>' in shown
    assert 'study.yaml <span class="whole">--leave-out</span> id [<span class="whole">--q' in shown
    assert "non-option</code>" in shown
    assert shown.endswith("<pre><code>--a\nb</code></pre>")

"""The README, the first pages and the examples do what they show."""

import re
import runpy

from matplotlib.image import imread

from doc_pages import ROOT, python_blocks


def test_the_readme_s_ten_lines_work():
    answers = {"age": 30, "donor": True, "cause": "animals"}
    played = []
    (ten_lines,) = python_blocks(ROOT / "README.md")
    names = {"ask_the_person": answers.get, "suggest": played.append}
    exec(ten_lines, names)
    assert played == ["red_cross"]
    assert names["policy"].rows.tolist() == [1, 0, 0]


def test_the_landing_page_has_a_picture_for_telephones():
    """Fails if its letters shrink with a screen of 375 pixels, a fourth of the picture's width."""
    page = (ROOT / "docs" / "index.md").read_text()
    (narrow,) = re.findall(r'<source media="\(max-width: 600px\)" srcset="(.*?)">', page)
    high, wide = imread(ROOT / "docs" / narrow).shape[:2]
    assert wide < 2 * 343  # what a page of 375 pixels leaves for it, at twice the pixels
    assert high > wide


def test_the_start_page_s_code_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    """Fails if a block of the page does not run, or prints anything else than the page shows."""
    page = (ROOT / "docs" / "start.md").read_text()
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", page, flags=re.DOTALL)
    assert len(blocks) == 6
    for code, shown in blocks:
        exec(code, names)
        assert capsys.readouterr().out == shown
    assert names["policy"].short_form().questions == ("newsletter", "media")


def test_the_first_study_keeps_the_three_questions_that_matter(capsys):
    runpy.run_path(str(ROOT / "examples" / "first_study.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "Still asked: age, donor, cause\n" in shown
    assert "Short visits ask 3 of 8 questions: age, donor, cause." in shown
    gone = re.findall(
        r"^(\w+) +(\w+) +visit [\d,]+ \(row [\d,]+\) +\d+ tests show that", shown, re.M
    )
    useful = {("red_cross", "age"), ("msf", "donor"), ("wwf", "cause")}  # `gladness` says so
    assert not useful & set(gone)
    # Of 21 that do not matter most go; an arm that some answers never get keeps that question.
    assert len(gone) >= 18
    assert len(gone) + shown.count(" kept ") == 24


def test_the_interactive_example_prints_what_the_library_page_shows(capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    runpy.run_path(str(ROOT / "examples" / "one_interactive_visit.py"), run_name="__main__")
    shown = capsys.readouterr().out
    page = (ROOT / "docs" / "library.md").read_text()
    printed = page.split("Still to ask, and for which arms:\n")[1].split("```")[0]
    assert printed in shown
    assert "played the same" in shown

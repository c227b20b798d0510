"""The page, tables and data of a finished study say what its Analysis says, and no more."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

import askless as al
from askless.evaluation.analysis_tables import tables_of
from askless.report.analysis_figures import draw_arm_means, draw_effects
from askless.report.analysis_report import write_analysis
from askless.report.analysis_summary import said_of
from page_tables import Page, read

TABLES = {
    "effects",
    "arm_means",
    "contrasts",
    "policy_value",
    "who_gets_what",
    "rule",
    "asked",
    "drops",
}


@pytest.fixture(scope="module")
def written(rich, tmp_path_factory):
    folder = tmp_path_factory.mktemp("analysis")
    return write_analysis(rich, folder, "askless analyse study.yaml visits.csv")


def test_the_page_is_first_and_everything_is_beside_it(written):
    """Fails if a table, a figure or the data is not written, or something else is."""
    names = [file.name for file in written]
    assert names[0] == "report.html"
    figures = {f"{n}.{e}" for n in ("asked", "effects", "arm_means") for e in ("png", "svg")}
    assert set(names) == {
        *("report.html", "analysis.json"),
        *figures,
        *(f"{table}.csv" for table in TABLES),
    }
    assert {file.name for file in written[0].parent.iterdir()} == set(names)


def test_the_page_needs_nothing_else(written):
    """Fails if it fetches a figure, a style or a script from anywhere."""
    page = read(written, "report.html")
    assert set(re.findall(r'(?:src|srcset|href)="([a-z]+):', page)) == {"data"}
    assert not re.findall(r"https?://(?!www\.w3\.org)", re.sub(r"data:[^\"]*", "", page))
    assert "<script" not in page


def test_the_page_shows_each_effect_with_its_sign_and_both_intervals(rich, written):
    """Fails if a sign, an interval or a row is lost, or the two intervals change places."""
    rows = Page(read(written, "report.html")).rows
    shown = [row for row in rows if len(row) == 6 and row[0].startswith(("donor:", "cause:"))]
    assert shown == [
        ["donor: yes - no", "+12.0", "4.0 to 20.0", "-3.0 to 30.0", "3", "yes"],
        ["cause: children - animals", "-31.2", "-40.0 to -22.5", "-3.0 to 30.0", "3", "yes"],
        ["donor: yes - no", "+1.0", "-5.0 to 20.0", "-3.0 to 30.0", "3", "until row 337"],
    ]
    assert ["age: 90 - 18", "–", "–", "-100.0 to 100.0", "0", "yes"] in rows


def test_the_page_shows_means_beside_each_other_or_says_why_there_are_none(rich, written):
    """Fails if a mean stands in the wrong column, or a reason is left out."""
    rows = Page(read(written, "report.html")).rows
    assert ["red_cross", "48.5 (46.0 to 51.0)", "none: too few draws"] in rows
    assert ["wwf less msf", "+15.0 (11.0 to 19.0)"] in rows


def test_a_question_goes_once_all_arms_have_dropped_it(written):
    """Fails if the last drop is not the largest, or visits stand under other arms."""
    rows = Page(read(written, "report.html")).rows
    assert ["donor", "after 7", "after 160", "after 150", "after 160"] in rows


def test_the_page_has_the_assumptions_and_the_methods(rich, written):
    """Fails if a sentence that a paper needs is left out."""
    text = Page(read(written, "report.html")).text
    for sentence in (*rich.assumptions(), rich.methods(), *said_of(rich)):
        assert " ".join(sentence.split()) in text


def test_the_tables_are_tidy_and_say_what_the_rows_say(rich, written):
    """Fails if a column is not snake case, a cell is ragged, or a number is another one."""
    tables = tables_of(rich)
    assert set(tables) == TABLES
    for name, table in tables.items():
        header, *rows = csv.reader(io.StringIO(read(written, f"{name}.csv")))
        assert tuple(header) == table.columns
        assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", column) for column in header)
        assert len(rows) == len(table.rows)
        for cells, row in zip(rows, table.rows, strict=True):
            assert len(cells) == len(header)
            for cell, value in zip(cells, row, strict=True):
                if value is None:
                    assert cell == ""
                elif isinstance(value, bool):
                    assert cell == ("TRUE" if value else "FALSE")  # as R reads it
                elif isinstance(value, int | float):
                    assert float(cell) == value
                else:
                    assert cell == value
    by_name = [
        dict(zip(tables["effects"].columns, row, strict=True)) for row in tables["effects"].rows
    ]
    for row, meant in zip(by_name, rich.effects, strict=True):
        assert (row["low_at_all_times"], row["high_at_all_times"]) == (meant.low, meant.high)
        assert (row["low_at_the_end"], row["high_at_the_end"]) == (meant.end_low, meant.end_high)
    first = tables["asked"].rows[0]
    assert first[:2] == (1, rich.stretches[0].last + 1)
    assert len(tables["policy_value"].rows) == len(rich.values)
    assert len(tables["who_gets_what"].rows) == len(rich.shared.shares)


def test_the_data_is_the_analysis_and_how_it_was_made(rich, written):
    """Fails if a figure of the JSON is not the library's."""
    data = json.loads(read(written, "analysis.json"))
    assert data.pop("command") == "askless analyse study.yaml visits.csv"
    assert data.pop("versions")["askless"] == al.__version__
    assert data == json.loads(json.dumps(rich.to_dict()))


def test_a_study_without_an_epoch_says_why_and_has_no_empty_figure(small, tmp_path):
    """Fails if a chart without a point is drawn, or no reason is given."""
    assert draw_effects(small) is None
    assert draw_arm_means(small) is None
    files = write_analysis(small, tmp_path, "askless analyse study.yaml visits.csv")
    assert not {"effects.png", "arm_means.svg"} & {file.name for file in files}
    page = Page(read(files, "report.html"))
    assert "There is no figure, since there is no estimate" in page.text
    assert "red_cross: the arm was in warm-up to the end." in page.text
    assert "sets price: 0 and explore_floor: 0.1" in page.text
    assert "the last is the one with the number 199 in the file" in page.text
    assert "No two arms can be compared" in page.text


def test_a_folder_keeps_no_figure_of_another_study(rich, small, tmp_path):
    """Fails if figures of what was analysed before stay, or files go that are not ours."""
    (tmp_path / "notes.png").touch()
    before = write_analysis(rich, tmp_path, "askless analyse")
    assert (tmp_path / "effects.svg") in before
    now = write_analysis(small, tmp_path, "askless analyse")
    assert {file.name for file in tmp_path.iterdir()} == {*(f.name for f in now), "notes.png"}
    assert "asked.png" in {file.name for file in now}


def test_nothing_is_written_if_something_cannot_be_shown(small, tmp_path):
    """Fails if a folder or a file is there although the page could not be made."""
    broken = replace(small, stretches=())
    with pytest.raises(IndexError):
        write_analysis(broken, tmp_path / "never", "askless analyse")
    assert not (tmp_path / "never").exists()

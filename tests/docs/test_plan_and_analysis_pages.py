"""The pages for who plans and analyses a study: their code and commands print what they show."""

import re
from pathlib import Path

import pytest

import askless as al
from askless.cli.app import run
from askless.evaluation.analysis_tables import tables_of
from askless.survey.study import EXAMPLE
from doc_pages import ROOT, python_blocks

pytestmark = pytest.mark.slow  # plans and analyses


def test_the_planning_page_s_code_runs(tmp_path, monkeypatch, capsys):
    planning, one_world = python_blocks(ROOT / "docs" / "planning.md")
    monkeypatch.chdir(tmp_path)
    names = {"al": al}
    exec(planning.replace("[500, 2000], worlds=50", "[100, 500], worlds=20"), names)
    assert "people are asked" in capsys.readouterr().out
    exec(one_world.replace("5_000", "2_000"), names)
    assert Path("world.png").stat().st_size > 1_000
    # The page's words about world 3: one question matters, to all three arms.
    assert names["world"].useful.any(axis=0).sum() == 1
    assert names["world"].useful.any(axis=1).all()


def test_the_visits_file_page_runs_and_names_every_column(tmp_path, monkeypatch):
    page = ROOT / "docs" / "visits-file.md"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    names = {}
    for code in python_blocks(page):
        exec(code, names)
    assert names["policy"].to_dict() == names["done"].policy.to_dict()
    header = (tmp_path / "visits.csv").read_text().splitlines()[0].split(",")
    for column in header:
        prefix = column.split(".")[0]
        shown = {"answer": "answer.QUESTION", "propensity": "propensity.ARM"}.get(prefix, column)
        assert f"`{shown}`" in page.read_text(), column


def test_the_analysing_page_shows_what_its_commands_print(tmp_path, monkeypatch, capsys):
    """Fails if the example prints anything else than the page shows."""
    page = (ROOT / "docs" / "analysing.md").read_text()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "charity.yaml").write_text(EXAMPLE.read_text())
    exec(python_blocks(ROOT / "docs" / "analysing.md")[0], {})
    (shown,) = re.findall(r"```text\n\$ (askless analyse .*?)```", page, flags=re.DOTALL)
    command, *lines = shown.strip().splitlines()
    monkeypatch.setattr("sys.argv", command.split())
    assert run() == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert list(filter(None, printed)) == [line.rstrip() for line in lines if line]


def test_the_analysing_page_s_code_runs_and_names_every_table(tmp_path, monkeypatch, capsys):
    """Fails if the page's code does not run, or a table or a column that it names is not there."""
    page = ROOT / "docs" / "analysing.md"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "charity.yaml").write_text(EXAMPLE.read_text())
    names = {}
    for code in python_blocks(page):
        exec(code.replace("1_500", "200"), names)
    assert capsys.readouterr().out.strip().endswith(names["found"].methods())
    tables = tables_of(names["found"])
    for name in tables:
        assert f"`{name}.csv`" in page.read_text(), name
    (in_r,) = re.findall(r"```r\n(.*?)```", page.read_text(), flags=re.DOTALL)
    for column in ("low_at_the_end", "high_at_the_end", "estimate", "answers"):
        assert column in in_r
        assert column in tables["effects"].columns

"""`askless compare --tables`: real people, hard worlds, own files."""

import json

import pytest

from command_line import OF_PEOPLE, askless

pytestmark = pytest.mark.slow  # contests


def test_policies_are_compared_on_tables_families_and_files(tmp_path):
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    (tmp_path / "people.csv").write_text("donor,mail,call\nyes,8,2\nno,3,5\n")
    chosen = ("--tables", "wine,drift,people.csv", "--study", "study.yaml", "--sizes", "40,80")
    few = (*chosen, "--policy", "survey-bandit", "--policy", "lints", "--runs", 2, "--out", "out")
    done = askless("compare", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    *lines, where = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert where.startswith("The report is out/report.html")
    assert lines[0].startswith("SurveyBandit nets most in")
    assert "80 people, means over 3 worlds" in done.stdout
    found = json.loads(askless("compare", *few, "--json", cwd=tmp_path).stdout)
    assert len(found["summary"]) == 2 * 3
    data = json.loads((tmp_path / "out" / "contest.json").read_text())
    assert {row["world"] for row in data["rows"]} == {"wine", "drift", "people"}
    assert "--policy lints --runs 2 --seed 0" in data["command"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--tables", "wnie"), "there is no table 'wnie'; did you mean 'wine'?"),
        (("--tables", "people.csv"), "people.csv: say with --study what its columns mean"),
        (("--tables", "wine", "--sizes", "many"), "--sizes is 'many'"),
        (("--tables", "wine", "--price", "3"), "price is 3; give a number from 0 to 1"),
        (("--tables", "wine", "--policy", "nobody"), "there is no policy 'nobody'"),
        (("--tables", "wine", "--runs", "0"), "runs is 0"),
        (("--tables", "wine", "--horizon", "9"), "--horizon says nothing with --tables"),
        (("--sizes", "9"), "--sizes says nothing without --tables"),
        (("--tables", "wine,wine.csv", "--study", "study.yaml"), "another table is called 'wine'"),
    ],
)
def test_a_comparison_on_tables_that_cannot_be_is_refused_in_one_line(options, complaint, tmp_path):
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    done = askless("compare", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1

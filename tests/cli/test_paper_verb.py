"""`askless paper`: claims first, a report, and nothing made for what cannot be."""

import json

import pytest

from command_line import askless, check_refused


def test_the_paper_prints_json_and_writes_a_report(tmp_path):
    done = askless("paper", "--horizon", 300, "--runs", 2, "--workers", 1, "--json", cwd=tmp_path)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert list(found["figures"]) == [
        "ridge-arms3-betamin0.3",
        "ridge-arms5-betamin0.3",
        "ridge-arms5-betamin0.5",
        "net-arms5-betamin0.7",
        "net-arms5-betamin1.5",
    ]
    for curves in found["figures"].values():
        ridge = curves["Ridge SurveyUCB"]
        assert ridge["settings"]["radius"] == "published_sqrt"
        assert [run["run"] for run in ridge["runs"]] == [0, 1]
        assert ridge["bound"] > ridge["mean"]["regret"]
        assert ridge["slopes"]["theorem"] == 0.5
        assert curves["Epoch SurveyUCB, interactive"]["bound"] is None
    assert [claim["number"] for claim in found["claims"]] == [1, 2, 3, 4, 5, 6, 7]
    assert {claim["verdict"] for claim in found["claims"]} <= {
        "holds",
        "holds in part",
        "does not hold",
    }
    assert (tmp_path / "askless-paper" / "report.html").stat().st_size > 100_000
    assert "report.html" in done.stderr


def test_the_paper_s_tables_fit_a_terminal_and_say_what_is_not_guaranteed(tmp_path):
    """With one visit, nothing has a slope and most regrets are zero."""
    one = ("--horizon", 1, "--runs", 1, "--workers", 1)
    done = askless("paper", *one, "--out", "here", cwd=tmp_path)
    assert done.returncode == 0
    *table, where = done.stdout.splitlines()
    assert max(map(len, table)) <= 80
    assert "here/report.html" in where
    text = " ".join(done.stdout.split())
    assert "no guarantee" in text
    assert "1 run of 1 visit" in text
    assert "verdicts from fewer or shorter runs may differ" in text
    for beginning in ("With beta-min true", "Ridge does badly", "A less conservative"):
        assert beginning in text


def test_the_paper_makes_no_folder_for_what_cannot_be(tmp_path):
    done = askless("paper", "--workers", 0, cwd=tmp_path)
    assert done.returncode == 2
    assert "workers is 0; give a whole number" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_paper_does_not_take_a_file_for_a_folder(tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = askless("paper", "--out", "taken", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "taken is a file; name a folder with --out" in done.stderr
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("paper", "--runs", "0"), "runs is 0"),
        (("paper", "--out", "/dev/null/x"), "not a directory"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    check_refused(askless(*arguments, cwd=tmp_path), message)

"""`askless paper`: claims first, a report, and nothing made for what cannot be."""

import json

import pytest

from command_line import askless, check_refused

pytestmark = pytest.mark.slow  # the paper's experiment


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
    assert {claim["verdict"] for claim in found["claims"]} == {"not judged at this length"}
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
    assert text.startswith("A short run: 1 run of 1 visit; the paper's experiment is 5 runs of")
    assert "It cannot judge the paper's claims" in text
    assert "hold" not in text.partition("The curves")[0]  # no verdict of a run that has none
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


def test_the_first_line_of_a_long_run_counts_the_verdicts(monkeypatch, tmp_path):
    """As if the paper's runs had had 300 visits; fails if a claim is counted wrongly."""
    monkeypatch.setattr("askless.experiments.claims.VISITS", 300)
    long = ("--horizon", 300, "--runs", 1, "--workers", 1)
    first = " ".join(askless("paper", *long, cwd=tmp_path).stdout.split("\nThe paper's")[0].split())
    claims = json.loads(askless("paper", *long, "--json", cwd=tmp_path).stdout)["claims"]
    words = {"hold": "holds", "hold in part": "holds in part", "do not hold": "does not hold"}
    assert first.startswith("Of the paper's 7 claims, in 1 run of 300 visits: ")
    parts = first.rstrip(".").partition("visits: ")[2].split(", ")
    counts = dict(reversed(part.split(" ", 1)) for part in parts)
    for said, verdict in words.items():
        expected = sum(claim["verdict"] == verdict for claim in claims)
        assert int(counts.get(said, 0)) == expected

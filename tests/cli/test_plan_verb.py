"""`askless plan`: a verdict, a table that fits, one report."""

import json
import re

import pytest

import askless as al
from askless.cli.terminal import output
from askless.survey.study import EXAMPLE
from command_line import OF_PEOPLE, askless, check_refused

pytestmark = pytest.mark.slow  # plans


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    (folder / "study.yaml").write_text(EXAMPLE.read_text())
    few = ("--respondents", "200,600", "--worlds", 20, "--workers", 1)
    return folder, askless("plan", "study.yaml", *few, cwd=folder)


def test_a_plan_is_a_table_advice_and_a_report_that_needs_nothing_else(planned):
    folder, done = planned
    assert done.returncode == 0, done.stderr
    *lines, where = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "askless-plan/report.html" in where
    # The verdict comes first; no number is broken.
    first = " ".join(" ".join(lines).split())
    expected = al.plan(al.Study.example(), respondents=[200, 600], worlds=20, workers=1)
    assert first.startswith(expected.advice()[0])
    for way in expected.ways:
        assert sum(line.strip().startswith(way.label) for line in lines) == 2
    forecast = expected.forecast("price 0.2", 600)
    assert f"{forecast.reward.low:.1f}…{forecast.reward.high:.1f}" in done.stdout
    page = (folder / "askless-plan" / "report.html").read_text()
    assert "Plan of the study charity" in page
    assert "askless plan study.yaml --respondents 200,600" in page
    # Self-contained: nothing is fetched from anywhere.
    assert set(re.findall(r'(?:src|srcset|href)="([a-z]+):', page)) == {"data"}
    assert not re.findall(r"https?://(?!www\.w3\.org)", re.sub(r"data:[^\"]*", "", page))
    files = {path.name for path in (folder / "askless-plan").iterdir()}
    assert files == {
        *("report.html", "plan.json"),
        *(f"{name}.{end}" for name in ("course", "pareto") for end in ("png", "svg")),
    }


def test_the_widest_table_of_a_plan_fits_into_80_columns(tmp_path):
    """With costs and with people who give up; fails if a heading or a number is cut."""
    text = EXAMPLE.read_text().replace("name: age,", "name: age, cost: 1.5,")
    (tmp_path / "study.yaml").write_text(text.replace("plan: #", "plan:\n  dropout: 0.02 #"))
    few = ("--respondents", "200", "--worlds", 20, "--workers", 1)
    done = askless("plan", "study.yaml", *few, cwd=tmp_path)
    lines = done.stdout.splitlines()[:-1]
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    headings = next(" ".join(line.split()) for line in lines if "complete" in line)
    assert headings == "a visit a visit complete a visit a person one arm loses"
    row = next(line for line in lines if line.strip().startswith("pilot of 10%"))
    assert len(re.findall(r"-?\d[\d.]*%?", row.replace("pilot of 10%", ""))) == 7


@pytest.mark.parametrize(
    ("width", "missing"),
    [(80, []), (64, ["over"]), (60, ["cost", "over"]), (40, [])],
)
def test_a_narrow_table_does_without_what_one_arm_lacks_before_costs(
    tmp_path, monkeypatch, width, missing
):
    """Fails if costs go where they have room, or are left out of a list, which has room for all."""
    text = EXAMPLE.read_text().replace("name: age,", "name: age, cost: 1.5,")
    (tmp_path / "study.yaml").write_text(text.replace("plan: #", "plan:\n  dropout: 0.02 #"))
    monkeypatch.setattr(output, "_width", width)
    few = ("--respondents", 30, "--worlds", 20, "--workers", 1, "--price", 1)
    done = askless("plan", "study.yaml", *few, cwd=tmp_path)
    table = done.stdout[done.stdout.index("charity: 20") : done.stdout.index("Medians of the")]
    assert [word for word in ("cost", "over", "net") if word not in table] == missing
    said = " ".join(done.stdout.split())
    assert ("what one arm lacks" in said, "lacks and what questions cost" in said) == (
        "over" in missing,
        "cost" in missing,
    )


@pytest.mark.parametrize(
    ("rule", "asks"),
    [
        ("", ("nothing is asked", "asks nothing")),
        (", eligible_if: donor", ("it asks what rules need", "asks what rules need")),
    ],
)
def test_one_arm_for_all_asks_what_rules_need(tmp_path, rule, asks):
    """Fails if the notes say that nothing is asked where the table has a question."""
    text = EXAMPLE.read_text().replace("{name: wwf, ", "{name: wwf" + rule + ", ")
    (tmp_path / "study.yaml").write_text(text)
    few = ("--respondents", "100", "--worlds", 20, "--workers", 1)
    done = askless("plan", "study.yaml", *few, cwd=tmp_path)
    row = next(line for line in done.stdout.splitlines() if line.strip().startswith("one arm for"))
    assert row.split()[4] == ("1.0" if rule else "0.0")
    assert f"finds best; {asks[0]}." in " ".join(done.stdout.split())
    page = " ".join((tmp_path / "askless-plan" / "report.html").read_text().split())
    assert f"<em>One arm for all</em> {asks[1]}:" in page
    assert ("wwf if donor" in page, "everyone for every arm" in page) == (bool(rule), not rule)
    assert "<dt>questions that matter (<code>useful</code>)</dt>" in page


def test_a_plan_s_json_is_what_the_library_says(planned, tmp_path):
    folder, _ = planned
    few = ("--respondents", "200,600", "--worlds", 20, "--workers", 1, "--json")
    done = askless("plan", folder / "study.yaml", *few, cwd=tmp_path)
    found = json.loads(done.stdout)
    expected = al.plan(al.Study.example(), respondents=[200, 600], worlds=20, workers=1).to_dict()
    assert found == json.loads(json.dumps(expected))
    assert len(found["forecasts"]) == 2 * 7
    assert found["verdict"]["respondents"] == 600
    written = json.loads((tmp_path / "askless-plan" / "plan.json").read_text())
    assert written["forecasts"] == found["forecasts"]


def test_a_long_plan_gives_one_sign_of_life_where_there_is_no_bar(tmp_path, monkeypatch):
    """Fails if a log shows nothing for minutes, or a plan of a second says something, too."""
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    few = ("plan", "study.yaml", "--respondents", "30,40", "--worlds", 20, "--workers", 1)
    # 20 worlds of 40 people with two columns, squared: the question's, and the intercept.
    for size, said in ((3_201, ""), (3_200, "askless: playing 20 worlds with up to 40 ")):
        monkeypatch.setattr("askless.cli.plan.LONG", size)
        done = askless(*few, "--json", cwd=tmp_path)
        first, *others = done.stderr.splitlines()[::-1]  # where the report is comes last
        assert "report.html" in first
        assert [line[:41] for line in others] == [said] * bool(said)
    check_refused(askless(*few, "--engine", "moon", cwd=tmp_path), "engine")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--respondents", "many"), "--respondents is 'many'"),
        (("--respondents", "0"), "respondents is 0"),
        (("--respondents", "1,500"), "1,500 is read as 1 and 500; write 1500"),
        (("--respondents", "500,6,000"), "6,000 is read as 6 and 000; write 6000"),
        (("--price", "x"), "--price is 'x'"),
        (("--price", "0"), "above 0"),
        (("--worlds", "3"), "worlds is 3"),
        (("--pilot", "none.csv"), "none.csv"),
        (("--engine", "moon"), "engine"),
        (("--out", "study.yaml"), "is a file"),
    ],
)
def test_a_plan_of_what_cannot_be_planned_is_refused_in_one_line(planned, options, complaint):
    folder, _ = planned
    before = (folder / "study.yaml").read_text()
    done = askless("plan", "study.yaml", *options, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert (folder / "study.yaml").read_text() == before


def test_a_study_s_name_is_printed_as_it_is(tmp_path):
    text = EXAMPLE.read_text().replace("name: charity", 'name: "[/red] [bold]x"', 1)
    (tmp_path / "study.yaml").write_text(text)
    few = ("--respondents", 30, "--worlds", 20, "--workers", 1, "--out", "o[red]ut")
    done = askless("plan", "study.yaml", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "[/red] [bold]x: 20 plausible worlds" in done.stdout
    assert "o[red]ut/report.html" in done.stdout
    assert (tmp_path / "o[red]ut" / "report.html").exists()


def test_a_pilot_with_an_id_is_read_once_the_column_is_left_out(tmp_path):
    """Fails if the option is passed over, or the report's command forgets it."""
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    (tmp_path / "people.csv").write_text("id,donor\n1,yes\n2,no\n")
    few = ("plan", "study.yaml", "--respondents", 30, "--worlds", 20, "--workers", 1)
    given = (*few, "--pilot", "people.csv")
    check_refused(askless(*given, cwd=tmp_path), "leave it out: --leave-out id")
    done = askless(*given, "--leave-out", "id", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "--leave-out id" in (tmp_path / "askless-plan" / "report.html").read_text()
    check_refused(askless(*few, "--leave-out", "id", cwd=tmp_path), "without --pilot")

"""`askless analyse` as people and machines use it: the verdict first, files, clear refusals."""

import csv
import io
import json

import pytest

import askless as al
from askless.report.analysis_summary import said_of
from askless.survey.study import EXAMPLE
from command_line import askless


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A folder with a study, its visits, and visits in which one thing is wrong."""
    folder = tmp_path_factory.mktemp("ended")
    text = EXAMPLE.read_text()
    (folder / "study.yaml").write_text(text)
    (folder / "settings.yaml").write_text(text.replace("beta_min: 20", "beta_min: 20\n  price: 2"))
    other = text.replace("name: age", "name: height").replace("        age: {", "        height: {")
    (folder / "questions.yaml").write_text(other)
    study = al.Study.read(folder / "study.yaml")
    world = al.Prior.of(study).world(3, seed=1)
    done = al.record_visits(al.policy_for(study), world, horizon=200)
    al.write_visits(folder / "visits.csv", done.visits, study)
    header, *rows = csv.reader(io.StringIO((folder / "visits.csv").read_text()))

    def damaged(name, rows):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)

    def changed(column, value):
        at, (first, *others) = header.index(column), rows
        return [header, [*first[:at], value, *first[at + 1 :]], *others]

    (folder / "empty.csv").touch()
    (folder / "semicolons.csv").write_text("\n".join(";".join(row) for row in [header, *rows]))
    (folder / "other.csv").write_text("arm,reward\nwwf,4\n")
    damaged("header.csv", [header])
    at = header.index("learned")  # learned_after is near it, and expected itself
    damaged("no_learned.csv", [[*row[:at], *row[at + 1 :]] for row in [header, *rows]])
    damaged("one_less.csv", [header, *rows[:50], *rows[51:]])
    damaged("no_answer.csv", changed("answer.age", ""))
    damaged("other_arm.csv", changed("arm", "unicef"))
    damaged("too_much.csv", changed("reward", "900"))
    return folder


@pytest.fixture(scope="module")
def done(ended):
    return askless("analyse", "study.yaml", "visits.csv", cwd=ended)


def test_the_verdict_comes_first_and_fits_a_terminal(ended, done):
    """Fails if the first words are not the verdict, or a line is wider than 80 columns."""
    assert (done.returncode, done.stderr) == (0, "")
    *lines, where = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    found = al.analyse(al.Study.read(ended / "study.yaml"), ended / "visits.csv")
    assert " ".join(" ".join(lines).split()).startswith(" ".join(said_of(found)))
    assert "askless-analysis/report.html" in where
    (value,) = [row for row in found.values if row.what == "decisions"]
    (shown,) = [line for line in lines if line.strip().startswith("all decisions")]
    assert shown.split()[2:] == [
        *(f"{value.estimate:.1f}", f"{value.low:.1f}", "to", f"{value.high:.1f}")
    ]


def test_the_report_says_by_which_command_it_was_made(ended, done):
    """Fails if the page or a table is not written where it is said to be."""
    folder = ended / "askless-analysis"
    assert "askless analyse study.yaml visits.csv" in (folder / "report.html").read_text()
    assert (folder / "effects.csv").read_text().startswith("arm,question,answers,estimate,")


def test_json_is_what_the_library_says(ended, tmp_path):
    """Fails if stdout has anything but the analysis as JSON."""
    given = ("analyse", ended / "study.yaml", ended / "visits.csv", "--json", "--out", "there")
    done = askless(*given, cwd=tmp_path)
    found = json.loads(done.stdout)
    expected = al.analyse(al.Study.read(ended / "study.yaml"), ended / "visits.csv")
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert "there/report.html" in done.stderr
    assert "--out there" in (tmp_path / "there" / "report.html").read_text()
    written = json.loads((tmp_path / "there" / "analysis.json").read_text())
    assert written.items() >= found.items()


@pytest.mark.parametrize(
    ("study", "visits", "complaint"),
    [
        ("none.yaml", "visits.csv", "none.yaml: cannot read the file"),
        ("study.yaml", "none.csv", "none.csv: cannot read the file"),
        ("study.yaml", "empty.csv", "empty.csv: the file needs a header and a row"),
        ("study.yaml", "header.csv", "header.csv: the file needs a header and a row"),
        ("study.yaml", "one_less.csv", "the order of learning has gaps"),
        ("study.yaml", "no_answer.csv", "no_answer.csv, line 2, column 'age': the answer is"),
        ("study.yaml", "other_arm.csv", "other_arm.csv, line 2: column 'arm': 'unicef' is no arm"),
        ("study.yaml", "too_much.csv", "the reward 900.0 is outside its range"),
        ("visits.csv", "study.yaml", "visits.csv is a visits file, not a study file; give the"),
        ("study.yaml", "semicolons.csv", "its columns are separated by semicolons; save it with"),
        ("study.yaml", "no_learned.csv", "column 'learned' is missing; there are number, kind"),
        ("study.yaml", "other.csv", "of 30 columns are missing: 'number', 'kind'"),
        ("questions.yaml", "visits.csv", "column 'answer.height' is missing"),
        ("settings.yaml", "visits.csv", "the study cannot be rebuilt from these visits"),
    ],
)
def test_what_cannot_be_analysed_is_one_line_and_nothing_is_written(
    ended, study, visits, complaint
):
    """Fails if bad input gets through, is more than a line, or leaves a folder behind."""
    before = sorted(ended.rglob("*"))
    done = askless("analyse", study, visits, "--out", "never", cwd=ended)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(ended.rglob("*")) == before


@pytest.mark.parametrize("out", ["study.yaml", "study.yaml/below"])
def test_a_folder_that_cannot_be_is_refused(ended, out):
    """Fails if a file is taken for a folder, or the complaint is a traceback."""
    before = (ended / "study.yaml").read_text()
    done = askless("analyse", "study.yaml", "visits.csv", "--out", out, cwd=ended)
    assert (done.returncode, done.stdout) == (2, "")
    assert "study.yaml" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert (ended / "study.yaml").read_text() == before

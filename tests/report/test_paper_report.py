"""The paper's report: files that say what was measured, byte for byte."""

import base64
import csv
import json
import re
from html.parser import HTMLParser

import pytest

from askless.errors import SettingError
from askless.experiments import paper_experiment
from askless.experiments.claims import Claim, Part, judged
from askless.experiments.paper import (
    EPOCH,
    RIDGE,
    Key,
    runs_of,
)
from askless.report import write_paper
from askless.report.paper_report import made_again_by, summary

pytestmark = pytest.mark.slow  # the paper's experiment

HORIZON, RUNS = 250, 2


@pytest.fixture(scope="module")
def done():
    return paper_experiment(HORIZON, RUNS, seed=4, workers=1)


@pytest.fixture(scope="module")
def folder(done, tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "out"
    write_paper(done, folder)
    return folder


def test_two_processes_write_the_same_bytes_as_one(folder, tmp_path):
    write_paper(paper_experiment(HORIZON, RUNS, seed=4, workers=2), tmp_path)
    names = sorted(path.name for path in folder.iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_every_figure_is_there_as_png_svg_and_csv(done, folder):
    for figure in done.figures:
        assert (folder / f"{figure.name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (folder / f"{figure.name}.svg").read_text()
        with (folder / f"{figure.name}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert {row["curve"] for row in rows} == set(figure.curves)
        curve = figure.curves[RIDGE]
        mine = [row for row in rows if (row["curve"], row["run"]) == (RIDGE, "1")]
        assert [float(row["regret"]) for row in mine] == curve.runs.runs[1].regret_at.tolist()
        assert [float(row["bound"]) for row in mine] == curve.bounds[1].tolist()
        assert [int(row["asked"]) for row in mine] == curve.runs.runs[1].asked_at.tolist()
        assert {(row["arms"], float(row["beta_min"])) for row in mine} == {
            (str(curve.key.arms), curve.key.beta_min)
        }
        assert {row["bound"] for row in rows if row["curve"] == EPOCH} == {""}
    others = (folder / "other-curves.csv").read_text().splitlines()
    assert len(others) == 1 + 5 * RUNS * 200


def test_the_json_has_every_curve_and_the_claims(done, folder):
    found = json.loads((folder / "curves.json").read_text())
    assert [Key(c["label"], c["arms"], c["beta_min"]) for c in found["curves"]] == list(done.curves)
    for entry, curve in zip(found["curves"], done.curves.values(), strict=True):
        run = curve.runs.runs[1]
        assert entry["runs"][1]["regret"] == run.regret_at.tolist()
        assert entry["runs"][1]["plays"] == run.plays_at.tolist()
        assert entry["settings"] == curve.runs.settings
        assert bool(entry["figures"]) == (curve.key not in done.others)
    assert found["claims"] == [claim.to_dict() for claim in judged(runs_of(done))]
    assert found["claims"] == summary(done)["claims"]


class Links(HTMLParser):
    """Collects everything that a page refers to, and its text."""

    def __init__(self):
        super().__init__()
        self.tags, self.addresses, self.text = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "srcset")]

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_stands_alone_and_says_what_was_measured(done, folder):
    page = (folder / "report.html").read_text()
    links = Links()
    links.feed(page)
    assert not links.tags & {"script", "link", "iframe", "object"}
    assert not re.search(r"url\(|@import", page)
    assert len(links.addresses) == 12  # six figures, each for narrow screens, too
    for address in links.addresses:
        kind, data = address.split(",")
        assert kind == "data:image/svg+xml;base64"
        assert b"<svg" in base64.b64decode(data)
    text = " ".join(" ".join(links.text).split())
    for claim in judged(runs_of(done)):
        assert claim.text in text
        assert all(part.measured in text for part in claim.so_far)
        assert all(quotation.words in text for quotation in claim.quotations)
        assert all(quotation.where in text for quotation in claim.quotations)
    for curve in done.curves.values():
        assert curve.key.label in text
        assert f"{curve.runs.regret:,.0f}" in text
    assert "not confidence sets" in text
    assert "not the paper's experiment in full" in text
    assert "which is 5 runs of 100,000 visits" in text
    assert text.count("Not judged at this length: it takes 100,000 visits.") == 7
    assert "does not hold" not in text  # 250 visits say nothing against a claim
    assert "claims cannot be judged by runs as short as these" in text
    assert made_again_by(done) in text
    assert f"numpy {al_version('numpy')}" in text


def al_version(name):
    return __import__(name).__version__


def test_the_command_of_the_report_is_that_of_its_settings(done):
    assert made_again_by(done) == "askless paper --horizon 250 --runs 2 --seed 4"


def test_a_file_is_not_a_folder_and_stays_as_it_is(done, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    with pytest.raises(SettingError, match="taken is a file; name a folder"):
        write_paper(done, taken)
    assert taken.read_text() == "mine"


def test_the_first_line_counts_the_verdicts(monkeypatch, done, tmp_path):
    """Fails if the tally is not that of the claims below it."""
    few = Part("so many of so many", 2, 2, holds=True)
    none = Part("none of so many", 0, 2, holds=False)
    said = [(few,), (few, few), (few, none), (none,), (none,), (none, none), (few,)]
    claims = tuple(Claim(i, f"claim {i}", (), parts) for i, parts in enumerate(said, 1))
    monkeypatch.setattr("askless.report.paper_report.judged", lambda _: claims)
    monkeypatch.setattr("askless.report.page.drawn", lambda *_: b"")  # drawing takes long
    page = write_paper(done, tmp_path)[0].read_text()
    counted = "Of the paper&#39;s 7 claims 3 hold, 1 holds in part, 3 do not hold."
    assert counted in " ".join(page.split())

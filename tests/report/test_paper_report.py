"""The paper's experiment: its curves, and files that say what was measured, byte for byte."""

import base64
import csv
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.report import paper_experiment, write_paper
from askless.report.claims import judged
from askless.report.paper import (
    ASKS,
    EPOCH,
    NET,
    NET_NEVER,
    NEVER,
    RIDGE,
    STATED,
    VALID,
    Key,
    runs_of,
)
from askless.report.paper_report import made_again_by, summary

HORIZON, RUNS = 250, 2


@pytest.fixture(scope="module")
def done():
    return paper_experiment(HORIZON, RUNS, seed=4, workers=1)


@pytest.fixture(scope="module")
def folder(done, tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "out"
    write_paper(done, folder)
    return folder


def test_the_figures_have_the_curves_that_the_claims_and_the_reader_need(done):
    shown = {figure.name: set(figure.curves) for figure in done.figures}
    ridge = {RIDGE, RIDGE + ASKS, NEVER, EPOCH, RIDGE + VALID}
    net = {NET, NET + ASKS, RIDGE, NEVER, NET_NEVER, EPOCH, NET + VALID, RIDGE + VALID}
    assert shown == {
        "ridge-arms3-betamin0.3": ridge,
        "ridge-arms5-betamin0.3": ridge,
        "ridge-arms5-betamin0.5": ridge,
        "net-arms5-betamin0.7": net,
        "net-arms5-betamin1.5": net,
    }
    assert list(done.others) == [
        *(Key(NET, 3, 0.7), Key(NET, 3, 1.5)),
        *(Key(NET + STATED, k, at) for k, at in ((5, 0.7), (5, 1.5), (3, 1.5))),
    ]
    never = {id(f.curves[NEVER]) for f in done.figures if f.about.arms == 5}
    assert len(never) == 1  # simulated once, and shown in four figures


def test_curves_have_the_settings_that_are_stated(done):
    published = {"sigma": 1.0, "alpha": 1.0, "delta": 0.1, "b1": 2.0, "coding": "raw"}
    shown = {}  # the page has a row a label: nothing but beta_min may differ within it
    for key, curve in done.curves.items():
        settings = curve.runs.settings
        assert shown.setdefault(key.label, settings | {"beta_min": 0}) == settings | {"beta_min": 0}
        assert settings["beta_min"] == key.beta_min
        assert settings["delta"] == 0.1
        assert len(curve.runs.runs) == RUNS
        if key.label == EPOCH:
            assert (curve.runs.policy, settings["coding"], settings["interactive"]) == (
                "survey-bandit",
                "centred",
                "certified",
            )
            assert curve.bounds is None
        elif key.label.endswith(VALID):
            assert (settings["radius"], settings["coding"], settings["alpha"]) == (
                "valid",
                "centred",
                5.0,
            )
        else:
            is_net = curve.runs.policy == "elastic-net"
            assert is_net == key.label.startswith("Elastic Net")
            assert settings["radius"] == ("published_scaled_sqrt" if is_net else "published_sqrt")
            stated = {"b1": 50.0} if key.label.endswith(STATED) else {}
            assert settings.items() >= (published | stated).items()
            assert settings["b2"] == pytest.approx(50**0.5)
            assert settings["interactive"] == ("certified" if ASKS in key.label else False)


def test_a_curve_is_what_simulate_gives_with_the_lemma_s_bound(done):
    world = al.paper_environment(arms=3)
    policy = al.RidgeSurveyUCB(
        world.survey, arms=world.arms, reward=world.reward, beta_min=0.3, delta=0.1
    )
    expected = al.simulate(policy, world, HORIZON, RUNS, seed=4)
    curve = done.curves[Key(RIDGE + VALID, 3, 0.3)]
    for found, other in zip(curve.runs.runs, expected.runs, strict=True):
        np.testing.assert_array_equal(found.regret_at, other.regret_at)
        np.testing.assert_array_equal(found.asked_at, other.asked_at)
    run = expected.runs[1]
    n, theta = run.plays_at[-1], run.widest_at[-1]
    # p = 51 columns, L² = 1 + 50/4, α = 5
    bound = (theta * np.sqrt(8 * n * 51 * np.log(1 + n * 13.5 / (51 * 5)))).sum()
    assert curve.bounds[1, -1] == pytest.approx(bound)
    assert curve.bound[-1] == pytest.approx(curve.bounds[:, -1].mean())
    assert (curve.bounds >= [run.regret_at for run in curve.runs.runs]).all()


def test_only_valid_sets_with_beta_min_below_the_effects_have_a_guarantee(done):
    safe = {key for key, curve in done.curves.items() if curve.has_guarantee}
    ridge = {Key(RIDGE + VALID, k, at) for k, at in ((3, 0.3), (5, 0.3), (5, 0.5), (5, 0.7))}
    epoch = {Key(EPOCH, k, at) for k, at in ((3, 0.3), (5, 0.3), (5, 0.5), (5, 0.7))}
    assert safe == {*ridge, *epoch, Key(NET + VALID, 5, 0.7)}


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
    assert len(links.addresses) == 6
    for address in links.addresses:
        kind, data = address.split(",")
        assert kind == "data:image/svg+xml;base64"
        assert b"<svg" in base64.b64decode(data)
    text = " ".join(" ".join(links.text).split())
    for claim in judged(runs_of(done)):
        assert claim.text in text
        assert all(part.measured in text for part in claim.parts)
    for curve in done.curves.values():
        assert curve.key.label in text
        assert f"{curve.runs.regret:,.0f}" in text
    assert "not confidence sets" in text
    assert "not the paper's experiment in full" in text
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

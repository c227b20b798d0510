"""The page of a contest has every figure, and calls nobody ours who is not."""

import json

import pytest

from askless.experiments.contesting import contest
from askless.report.contest_report import said_of, write_contest
from contests import BOTH, worlds

pytestmark = pytest.mark.slow  # contests


def test_a_contest_without_ours_calls_nobody_ours(tmp_path):
    played = contest([BOTH[1]], worlds(), tmp_path, sizes=[30], runs=1, workers=1)
    assert said_of(played) == []
    page, *_ = write_contest(played, tmp_path, "askless compare")
    assert "ours" not in page.read_text().split("</style>")[1]
    assert "SurveyBandit" not in page.read_text()


def test_the_report_has_every_figure_and_needs_nothing_else(tmp_path):
    given = {"sizes": [100, 300], "runs": 2, "seed": 5, "price": 0.01, "workers": 1}
    played = contest(BOTH, worlds(), tmp_path / "runs", **given)
    page, *_ = write_contest(played, tmp_path, "askless compare --tables x")
    text = page.read_text()
    assert (
        "http" not in text.split("</style>")[1].replace("http://www.w3.org", "").split("base64")[0]
    )
    for label in played.labels:
        assert label in text
    data = json.loads((tmp_path / "contest.json").read_text())
    assert len(data["rows"]) == 3 * 2 * 2 * 2
    lines = (tmp_path / "runs.csv").read_text().splitlines()
    assert len(lines) == 1 + len(data["rows"])
    for name in ("pareto.png", "pareto.svg", "worlds.png", "worlds.svg"):
        assert (tmp_path / name).stat().st_size > 5_000

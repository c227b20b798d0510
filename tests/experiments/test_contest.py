"""What a contest amounts to: ranks, and who is near the best."""

import numpy as np
import pytest

from askless.experiments.contest import SINGLE, Contest
from askless.report.contest_report import said_of


def made(net):
    """A contest with nets (policies × runs) in one world and size; the last is the single arm."""
    table = np.array(net, dtype=float)[:, None, None, :]
    labels = ["SurveyBandit", *(f"p{i}" for i in range(1, len(net) - 1)), SINGLE]
    nothing = np.zeros_like(table)
    return Contest(
        ["world"],
        labels,
        (100,),
        0.002,
        table,
        nothing,
        nothing,
        nothing,
        np.array([4.0]),
        np.zeros(len(net)),
    )


def test_ranks_and_who_is_near_the_best():
    """Paired: what all runs have in common does not count. The single arm does not compete."""
    luck = np.array([0.0, 0.3, -0.2, 0.1, 0.05])
    noise = np.array([0.01, -0.01, 0.02, -0.02, 0.0])
    close, far = 0.5 + luck + noise - 0.005, 0.5 + luck + noise - 0.05
    played = made([close, 0.5 + luck, far, np.full(5, 0.9)])
    assert played.ranks()[:, 0, 0].tolist() == [2, 1, 3, 1]
    assert played.best().tolist() == [[1]]
    # A difference of 0.005 with a standard error of 0.007; and one of 0.05.
    assert played.near_best()[:3, 0, 0].tolist() == [True, True, False]
    assert "nets most in 0 of 1 cells" in said_of(played)[0]
    assert "of whoever does in 1 more" in said_of(played)[0]
    beaten = made([far, 0.5 + luck, close, np.full(5, 0.9)])
    assert "It is beaten on world at 100." in said_of(beaten)
    few = made([far[:4], (0.5 + luck)[:4], close[:4], np.full(4, 0.9)])
    assert "Another nets more on world at 100." in said_of(few)
    assert "beaten" not in " ".join(said_of(few))
    (row,) = [row for row in beaten.summary() if row["policy"] == "p1"]
    assert (row["net"], row["rank"], row["near_best"]) == pytest.approx((0.55, 1, 1))
    assert row["error"] == pytest.approx(luck.std(ddof=1) / np.sqrt(5))


def test_few_runs_make_nobody_near():
    """Of three runs any difference is within two standard errors by luck: the best alone counts."""
    played = made([[0.4, 0.6, 0.5], [0.5, 0.5, 0.6], [0.9] * 3])
    assert played.near_best()[:2, 0, 0].tolist() == [False, True]
    assert "nobody can say who is near the best; 5 or more can" in said_of(played)[0]

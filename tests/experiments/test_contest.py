"""Contests: figures counted by hand, ranks, who is near the best, and going on after a stop."""

import json

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.experiments.contest import SINGLE, Contest
from askless.experiments.contesting import contest
from askless.experiments.entrants import Entrant, entrants, named_entrant
from askless.report.contest_report import said_of, write_contest

BOTH = [
    Entrant("SurveyBandit", {"name": "survey-bandit"}, {"beta_min": 0.1, "price": 0.01}, True),
    Entrant("linucb", {"name": "linucb"}),
]


def worlds():
    return {"drift": al.family("drift"), "gifts": al.family("heavy-noise")}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contest")
    given = {"sizes": [100, 300], "runs": 2, "seed": 5, "price": 0.01, "workers": 1}
    return contest(BOTH, worlds(), folder, **given), folder, given


def test_figures_are_those_of_single_runs(found):
    """Each by `simulate`, told its own size; rewards as shares of the range."""
    played, _, _ = found
    for w, (name, world) in enumerate(worlds().items()):
        span = world.reward.span
        for s, people in enumerate((100, 300)):
            ours = {"name": "survey-bandit", "beta_min": 0.1 * span, "price": 0.01 * span}
            for k, policy in enumerate((ours | {"planned": people}, {"name": "linucb"})):
                runs = al.simulate(policy, world, people, runs=2, seed=5).runs
                for r, run in enumerate(runs):
                    assert played.reward[k, w, s, r] == pytest.approx(run.reward / people / span), (
                        name
                    )
                    assert played.asked[k, w, s, r] == pytest.approx(run.questions_per_visit)
                    expected = run.reward / people / span - 0.01 * run.questions_per_visit
                    assert played.net[k, w, s, r] == pytest.approx(expected)
                    lost = {drop.question for drop in run.drops if drop.useful}
                    assert played.lost[k, w, s, r] == len(lost)


def test_the_best_single_arm_is_known_beforehand(found):
    """It is the best over all runs; not that of each, which would be luck."""
    played, _, _ = found
    blocks = [next(worlds()["gifts"].respondents(5, run)).rewards[:300] for run in range(2)]
    arm = np.vstack(blocks).mean(axis=0).argmax()
    assert played.labels[-1] == SINGLE
    for run, size, s in ((0, 100, 0), (1, 300, 1)):
        expected = blocks[run][:size, arm].mean() / 100
        assert played.net[-1, 1, s, run] == pytest.approx(expected)


def test_whoever_may_not_get_the_best_single_arm_gets_the_next(tmp_path):
    """Arm b brings 1 to those who may get it, who are few; a brings 0.5, c nothing."""
    survey, count = al.Survey.unit(1), 400
    allowed = np.ones((count, 3), dtype=bool)
    allowed[40:, 1] = False
    world = al.TableEnvironment(
        survey,
        arms=["a", "b", "c"],
        answers=np.c_[np.ones(count), np.linspace(-0.5, 0.5, count)],
        rewards=np.tile([0.5, 1.0, 0.0], (count, 1)),
        reward=(0, 1),
        allowed=allowed,
    )
    played = contest([BOTH[1]], {"w": world}, tmp_path, sizes=[200], runs=1, seed=3, workers=1)
    may = next(world.respondents(3, 0)).allowed[:200, 1].mean()
    assert 0 < may < 0.3
    assert played.reward[-1, 0, 0, 0] == pytest.approx(0.5 + 0.5 * may)
    assert json.loads(json.dumps(list(played.summary()), allow_nan=False))


def test_what_is_there_is_not_played_again(found):
    played, folder, given = found
    files = {path: path.read_bytes() for path in folder.glob("*.jsonl")}
    assert len(files) == 2 * (2 + 1)  # ours at both sizes, the other once
    first, *_ = files
    lines = first.read_text().splitlines(keepends=True)
    first.write_text("".join(lines[:-1]))  # as if stopped before the last run
    again = contest(BOTH, worlds(), folder, **given)
    assert {path: path.read_bytes() for path in folder.glob("*.jsonl")} == files
    np.testing.assert_array_equal(again.net, played.net)


def people(count, changed):
    """A table in which people of later rows bring 1 by every arm, if changed."""
    rewards = np.tile([0.0, 0.5], (count, 1))
    rewards[count // 2 :] = 1.0 if changed else rewards[0]
    answers = np.c_[np.ones(count), np.linspace(-0.5, 0.5, count)]
    survey = al.Survey.unit(1)
    return al.TableEnvironment(
        survey, arms=["a", "b"], answers=answers, rewards=rewards, reward=(0, 1)
    )


@pytest.mark.parametrize(
    ("change", "files"),
    [({}, 1), ({"seed": 6}, 2), ({"runs": 3}, 2), ({"sizes": [30]}, 2), ({"price": 0.5}, 1)],
)
def test_what_has_changed_is_played_anew_and_nothing_is_refused(tmp_path, change, files):
    given = {"sizes": [20], "runs": 2, "seed": 5, "workers": 1}
    contest([BOTH[1]], {"люди": people(50, False)}, tmp_path, **given)
    again = contest([BOTH[1]], {"люди": people(50, False)}, tmp_path, **{**given, **change})
    fresh = contest(
        [BOTH[1]], {"люди": people(50, False)}, tmp_path / "fresh", **{**given, **change}
    )
    assert len(list(tmp_path.glob("*.jsonl"))) == files
    np.testing.assert_array_equal(again.net, fresh.net)


def test_other_people_far_down_a_table_are_other_people(tmp_path):
    """The first 1,024 that are drawn of 200,000 need not show them."""
    given = {"sizes": [20], "runs": 1, "workers": 1}
    for changed in (False, True):
        contest([BOTH[1]], {"w": people(200_000, changed)}, tmp_path, **given)
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


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


def test_a_contest_without_ours_calls_nobody_ours(tmp_path):
    played = contest([BOTH[1]], worlds(), tmp_path, sizes=[30], runs=1, workers=1)
    assert said_of(played) == []
    page, *_ = write_contest(played, tmp_path, "askless compare")
    assert "ours" not in page.read_text().split("</style>")[1]
    assert "SurveyBandit" not in page.read_text()


def test_the_report_has_every_figure_and_needs_nothing_else(found, tmp_path):
    played, _, _ = found
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


def test_every_standard_entrant_plays_a_table_and_a_family(tmp_path):
    given = {"sizes": [40], "runs": 1, "workers": 1}
    played = contest(entrants(0.002), {"wine": al.table("wine"), **worlds()}, tmp_path, **given)
    assert len(played.labels) == 16
    assert np.isfinite(played.net).all()
    assert np.isnan(played.lost[:, 0]).all()  # nobody knows what is useful in wine
    page, *_ = write_contest(played, tmp_path, "askless compare")
    assert page.exists()


def test_an_entrant_by_name_takes_what_fits():
    assert named_entrant("survey-bandit", 0.01).policy(10, 500) == {
        "name": "survey-bandit",
        "beta_min": 1.0,
        "price": 0.1,
        "planned": 500,
    }
    assert named_entrant("lints", 0.01).policy(10, 500) == {"name": "lints"}
    with pytest.raises(SettingError, match="there is no policy 'nobody'"):
        named_entrant("nobody", 0.01)
    with pytest.raises(SettingError, match=r"did you mean 'linucb-noise'\?$"):
        named_entrant("linucb-nois", 0.01)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"sizes": [0]}, "a number of people is 0"),
        ({"sizes": []}, "needs a policy, a world and a number"),
        ({"runs": 0}, "runs is 0"),
        ({"price": 2}, "price is 2; give a number from 0 to 1"),
        ({"entering": [BOTH[1], BOTH[1]]}, "two policies are called the same"),
        ({"worlds": {}}, "needs a policy, a world"),
    ],
)
def test_bad_input_is_refused_before_any_work(tmp_path, given, complaint):
    usual = {"entering": BOTH, "worlds": worlds(), "sizes": [50], "runs": 1, "workers": 1}
    with pytest.raises(SettingError, match=complaint):
        contest(folder=tmp_path / "none", **{**usual, **given})
    assert not list(tmp_path.glob("none/*.jsonl"))

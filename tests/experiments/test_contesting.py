"""Contests are played: figures counted by hand, going on after a stop, and anew after a change."""

import json

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError
from askless.experiments.contest import SINGLE
from askless.experiments.contesting import contest
from contests import BOTH, worlds


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

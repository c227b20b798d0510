"""Logs out of frames and files, and logs that cannot be."""

import numpy as np
import pandas as pd
import pytest

import askless as al
from askless.errors import SettingError
from logged_study import ARMS, GIVEN, STUDY, TEXT, ByAge, frame, world


def test_a_frame_and_its_file_are_the_same_log(tmp_path):
    log = al.LoggedData.from_frame(frame(), STUDY)
    frame().to_csv(tmp_path / "log.csv", index=False)
    frame().to_parquet(tmp_path / "log.parquet")
    people = [{"age": 10, "donor": True, "cause": "x"}, {"age": 50, "donor": False, "cause": None}]
    np.testing.assert_array_equal(log.contexts[:2], [STUDY.survey.encode(p) for p in people])
    assert log.arms.tolist() == [0, 1, 2]
    assert log.chances.tolist() == [0.5, 0.25, 0.2]
    for ending in ("csv", "parquet"):
        read = al.LoggedData.read(tmp_path / f"log.{ending}", STUDY)
        for name in ("contexts", "arms", "rewards", "propensities", "eligible"):
            np.testing.assert_array_equal(getattr(read, name), getattr(log, name))
    some = frame(
        asked=["age", "age;cause", ""], age=[10, 50, None], donor=None, cause=[None, None, None]
    )
    for given in (some, some.convert_dtypes()):  # a skip of cause in the second row
        seen = al.LoggedData.from_frame(given, STUDY)
        assert seen.observed.tolist() == [[True, False, False], [True, False, True], [False] * 3]
        assert seen.contexts[1, -1] == 1


def test_a_visits_file_is_a_log(tmp_path):
    """Late rewards: visits that have not been learned are no rows."""
    policy = al.TSRC(STUDY.survey, **GIVEN, questions=2, seed=1)
    late = al.Delay(10, "random", order="arrival")
    done = al.record_visits(policy, world(), 200, delay=late)
    al.write_visits(tmp_path / "visits.csv", done.visits, STUDY)
    log = al.LoggedData.read(tmp_path / "visits.csv", STUDY)
    learned = [visit.record for visit in done.visits if visit.learned is not None]
    assert 150 < len(learned) < 200
    expected = al.LoggedData.of_visits(learned, STUDY)
    for name in ("contexts", "arms", "rewards", "propensities", "eligible"):
        np.testing.assert_array_equal(getattr(log, name), getattr(expected, name))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"arm": ["mail", "cal", "visit"]}, "row 2, column 'arm': 'cal' is no arm .*'call'"),
        ({"reward": [0, 9, 1]}, "row 2, column 'reward': '9' is no reward from -1 to 3"),
        ({"reward": [0, None, 1]}, "row 2, column 'reward': the reward is missing"),
        ({"age": [1, None, 3]}, "row 2, column 'age': the answer is missing"),
        ({"cause": ["x", "w", "y"]}, "row 2, column 'cause': 'w' is no option"),
        ({"propensity": [0.5, 0, 0.2]}, "row 2: the arm that was played has the propensity 0"),
        ({"propensity": [0.5, 1.5, 0.2]}, "row 2, column 'propensity': '1.5' is no probability"),
        ({"eligible": ["mail", "post", "visit"]}, "column 'eligible': 'post' is none of the study"),
        ({"asked": ["age", "aeg", ""]}, "row 2, column 'asked': 'aeg' is none .*'age'"),
        (
            {
                "propensity.mail": [0.5] * 3,
                "propensity.call": [0.5] * 3,
                "propensity.visit": [1] * 3,
            },
            "row 1: the propensities of the arms that it could get do not sum to 1",
        ),
    ],
)
def test_what_is_wrong_with_a_log_is_said_with_its_place(change, complaint):
    with pytest.raises(SettingError, match=complaint):
        al.LoggedData.from_frame(frame(**change), STUDY)


def test_logs_that_cannot_be_used_are_refused():
    policy = ByAge(STUDY.survey, **GIVEN)
    with pytest.raises(SettingError, match="column 'age' is missing"):
        al.LoggedData.from_frame(frame().drop(columns="age"), STUDY)
    with pytest.raises(SettingError, match="the log is empty"):
        al.LoggedData.from_frame(frame().iloc[:0], STUDY)
    without = al.LoggedData.from_frame(frame().drop(columns="propensity"), STUDY)
    with pytest.raises(SettingError, match="row 1 of the log has no propensity"):
        al.off_policy(policy, without)
    with pytest.raises(SettingError, match=r"row 1 .*add a column 'propensity' .0.333 if"):
        al.replay_log(policy, without)
    log = al.LoggedData.from_frame(frame(), STUDY)
    for given, complaint in (
        ({"clip": 0}, "clip is 0"),
        ({"model": [[1, 2]]}, r"give finite numbers of shape \(3, 3\)"),
    ):
        with pytest.raises(SettingError, match=complaint):
            al.off_policy(policy, log, **given)
    other = al.Uniform(al.Survey.unit(2), **GIVEN)
    with pytest.raises(SettingError, match="the policy's questions are not those"):
        al.off_policy(other, log)
    fewer = al.Uniform(STUDY.survey, arms=ARMS[:2], reward=(-1, 3))
    with pytest.raises(SettingError, match="the policy's arms are not those"):
        al.off_policy(fewer, log)
    wider = al.Uniform(STUDY.survey, arms=ARMS, reward=(-1, 30))
    with pytest.raises(SettingError, match="reward range is not that of the log's study"):
        al.off_policy(wider, log)
    for records, complaint in (
        ([], "no visit has an arm and a reward"),
        (["x"], r"give what visit.record\(\) returns"),
    ):
        with pytest.raises(SettingError, match=complaint):
            al.LoggedData.of_visits(records, STUDY)
    clash = al.Study.parse(TEXT.replace("name: age", "name: asked"))
    with pytest.raises(SettingError, match="'asked' is a question of the study, and a column of"):
        al.LoggedData.from_frame(frame(asked=1), clash)
    twice = pd.concat([frame(), frame()[["propensity"]]], axis=1)
    with pytest.raises(SettingError, match="column 'propensity' is there 2 times"):
        al.LoggedData.from_frame(twice, STUDY)


def test_a_visits_file_of_questions_called_like_its_columns_is_a_log(tmp_path):
    study = al.Study.parse(
        TEXT.replace("name: age", "name: arm").replace("name: donor", "name: kind")
    )
    policy = al.Uniform(study.survey, arms=ARMS, reward=(-1, 3))
    visit = policy.visit(known={"arm": 7, "kind": True, "cause": None})
    policy.learn(visit, 2)
    al.write_visits(tmp_path / "v.csv", [al.LoggedVisit(visit.record(), 0, 1)], study)
    log = al.LoggedData.read(tmp_path / "v.csv", study)
    np.testing.assert_array_equal(log.contexts[0], visit.context())

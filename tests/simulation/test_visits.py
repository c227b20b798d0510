"""Recorded studies, the visits file, and policies rebuilt from it: the same bit for bit."""

import csv

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError, StateError
from askless.policies import as_policy
from askless.simulation.simulate import MIX

TEXT = """
schema: 1
questions:
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: yes_no, name: donor, may_skip: true}
  - {kind: choice, name: cause, options: [children, animals, "art, old"]}
  - {kind: multi, name: media, options: [tv, web]}
  - {kind: yes_no, name: member, always_ask: true}
arms: [{name: mail}, {name: call}, {name: visit}]
reward: {low: -1, high: 3}
policy: {beta_min: 0.5, price: 0.02}
"""
STUDY = al.Study.parse(TEXT)
POLICIES = [
    {"name": "survey-bandit", "beta_min": 0.5, "price": 0.02, "planned": 300},
    {"name": "survey-bandit", "beta_min": 0.5, "price": 0},
    {"name": "epoch", "beta_min": 0.5, "explore_floor": 0.2},
    {"name": "lints"},
    {"name": "tsrc", "questions": 2},
]
DELAYS = [None, al.Delay(15, "random", lost=0.1, deadline=60)]


def world():
    return al.LinearEnvironment(
        STUDY.survey,
        arms=[arm.name for arm in STUDY.arms],
        coefficients={"mail": {"donor": 1.0}, "call": {"age": 1.0}},
        reward=(-1, 3),
        spread=0.5,
        eligible={"visit": 0.5},
    )


def made(settings):
    return as_policy(settings, world())


@pytest.mark.parametrize("settings", POLICIES, ids=lambda s: f"{s['name']}-{s.get('price', '')}")
@pytest.mark.parametrize("delay", DELAYS, ids=["at once", "late"])
def test_a_recorded_study_is_what_simulate_plays(settings, delay):
    """Fails if a visit is asked, decided or learned otherwise, or at another time."""
    policy = made(settings)
    policy._stream = (MIX * 7 + 1) % 2**64  # as in the first run of a simulation with seed 7
    done = al.record_visits(policy, world(), 300, seed=7, delay=delay)
    (run,) = al.simulate(made(settings), world(), 300, seed=7, delay=delay, checkpoints=[300]).runs
    records = [visit.record for visit in done.visits]
    plays = [sum(record.arm == arm for record in records) for arm in done.policy.arms]
    assert plays == run.plays.tolist()
    asked = sum(len(record.asked) for record in records)
    assert asked == pytest.approx(300 * run.questions_per_visit)
    np.testing.assert_array_equal(done.policy.support, run.support)


@pytest.mark.parametrize("settings", POLICIES, ids=lambda s: f"{s['name']}-{s.get('price', '')}")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_policy_is_rebuilt_from_its_visits_file(settings, ending, tmp_path):
    done = al.record_visits(made(settings), world(), 300, seed=3, delay=DELAYS[1])
    path = tmp_path / f"visits.{ending}"
    al.write_visits(path, done.visits, STUDY)
    read = al.read_visits(path, STUDY)
    for before, after in zip(done.visits, read, strict=True):
        plain = before.record.to_dict() | {"outlook": {}, "ruled_out": []}
        assert after.record.to_dict() == plain
        assert (after.learned, after.learned_after) == (before.learned, before.learned_after)
    again = made(settings)
    al.rebuild(again, read)
    assert again.to_dict() == done.policy.to_dict()


def test_the_order_of_learning_is_in_the_file():
    """Late rewards: a visit is learned after others that were decided later."""
    done = al.record_visits(
        made(POLICIES[2]), world(), 300, delay=al.Delay(20, "random", order="arrival")
    )
    learned = [
        (v.learned, v.learned_after, v.record.number) for v in done.visits if v.learned is not None
    ]
    assert sorted(place for place, _, _ in learned) == list(range(len(learned)))
    for _, after, number in learned:
        assert number < after <= 300
    numbers = [number for *_, number in sorted(learned)]
    assert numbers != sorted(numbers)
    assert 200 < len(learned) < 300


def file_with(change, tmp_path):
    """A visits file of 20 visits, with other cells on its sixth line."""
    done = al.record_visits(made(POLICIES[0]), world(), 20)
    path = tmp_path / "visits.csv"
    al.write_visits(path, done.visits, STUDY)
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert lines[4].keys() >= change.keys()
    lines[4] |= change
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
    return path


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"arm": "post"}, "line 6: column 'arm': 'post' is no arm of the study; the arms are"),
        ({"eligible": "maill"}, "line 6: column 'eligible': 'maill' .*did you mean 'mail'"),
        ({"number": "x"}, "line 6: column 'number': 'x' is no whole number"),
        ({"number": ""}, "line 6: .*its number is None"),
        ({"reward": "much"}, "line 6: column 'reward': 'much' is no number"),
        ({"answer.age": "17"}, "line 6, column 'age': '17' is not from 18 to 90"),
        ({"answer.age": ""}, "line 6, column 'age': the answer is missing"),
        ({"asked": "", "known": ""}, r"line 6: .*it answers \['age', .*which it never asked"),
        ({"answered": ""}, "line 6: it has an answer to 'age', which is not among those answered"),
        ({"skipped": "age"}, "line 6: 'age' is no question of the study, or is there twice"),
        ({"propensity.mail": "2"}, "line 6: .*its propensities are"),
        ({"asked": "age;shoe"}, "line 6: "),
    ],
)
def test_what_is_wrong_with_a_visits_file_is_said_with_its_line(change, complaint, tmp_path):
    path = file_with(change, tmp_path)
    with pytest.raises(SettingError, match=complaint):
        al.read_visits(path, STUDY)


def test_files_of_other_studies_and_other_settings_are_refused(tmp_path):
    done = al.record_visits(made(POLICIES[2]), world(), 400)
    path = tmp_path / "visits.csv"
    al.write_visits(path, done.visits, STUDY)
    other = al.Study.parse(TEXT.replace("name: age", "name: years"))
    with pytest.raises(SettingError, match=r"column 'answer.years' is missing"):
        al.read_visits(path, other)
    with pytest.raises(StateError, match="has learned something; give one that is new"):
        al.rebuild(done.policy, done.visits)
    with pytest.raises(StateError, match="order of learning has gaps"):
        al.rebuild(made(POLICIES[2]), done.visits[1:])
    (tmp_path / "none.csv").write_text(path.read_text().splitlines()[0] + "\n")
    with pytest.raises(SettingError, match="needs a header and a row"):
        al.read_visits(tmp_path / "none.csv", STUDY)


@pytest.mark.parametrize(
    ("settings", "other"),
    [
        (POLICIES[2], {"growth": 1.2}),
        (POLICIES[2], {"explore_floor": 0.3}),
        (POLICIES[2], {"seed": 5}),
        (POLICIES[3], {"seed": 5}),
        (POLICIES[4], {"v": 0.9}),
        (POLICIES[0], {"price": 0.05}),
    ],
)
def test_other_settings_than_the_study_s_are_noticed(settings, other):
    done = al.record_visits(made(settings), world(), 400)
    with pytest.raises(
        StateError, match=r"compare its policy's settings .beta_min, price|cannot be"
    ):
        al.rebuild(made(settings | other), done.visits)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_visits_of_every_state_are_read_as_they_were(ending, tmp_path):
    """Open ones, known answers, skips and nothing chosen, an option called none, half-answered."""
    study = al.Study.parse(TEXT.replace("[tv, web]", "[tv, none]").replace("children", "none"))
    policy = al.policy_for(study)
    answers = {"age": 0.1 + 18, "donor": None, "cause": "art, old", "media": [], "member": True}
    begun = [policy.visit(), policy.visit(known={"donor": None, "media": []}), policy.visit()]
    begun[2].answer({"age": 44.123456789, "donor": None})
    done = [policy.visit(known=answers), policy.visit(known=answers | {"media": ["none"]})]
    policy.learn(done[0], True)
    logged = [al.LoggedVisit(visit.record()) for visit in [*begun, *done[1:]]]
    logged.append(al.LoggedVisit(done[0].record(), 0, 5))
    path = tmp_path / f"visits.{ending}"
    al.write_visits(path, logged, study)
    for before, after in zip(logged, al.read_visits(path, study), strict=True):
        plain = before.record.to_dict() | {"outlook": {}, "ruled_out": []}
        assert after.record.to_dict() == plain
        assert after.learned == before.learned


def test_what_no_visits_file_can_hold_is_refused_before_it_is_written(tmp_path):
    done = al.record_visits(made(POLICIES[3]), world(), 5)
    fewer = al.Study.parse(TEXT.replace(", {name: visit}", ""))
    several = al.Study.parse(TEXT.replace("[tv, web]", '["tv;radio", web]'))
    path = tmp_path / "visits.csv"
    for visits, study, complaint in (
        (done.visits, fewer, r"has 'propensity.visit', which the study does not; add it"),
        (done.visits, several, "'tv;radio' has a ';'"),
        ([visit.record for visit in done.visits], STUDY, "give LoggedVisits"),
    ):
        with pytest.raises(SettingError, match=complaint):
            al.write_visits(path, visits, study)
        assert not path.exists()
    with pytest.raises(SettingError, match="there is no folder"):
        al.write_visits(tmp_path / "none" / "visits.csv", done.visits, STUDY)

"""What cannot be analysed, or not from a rebuilt study, is refused in a sentence."""

import dataclasses

import pytest

import askless as al
from askless.errors import AsklessError, SettingError, StateError
from reminders import STUDY, recorded, study_with


def moved(visit):
    return dataclasses.replace(visit, record=dataclasses.replace(visit.record, decided_at=7_000))


@pytest.mark.parametrize(
    ("visits", "message"),
    [
        (lambda _: [], "no visit has got an arm"),
        (lambda done: [dataclasses.replace(v, learned=None, learned_after=None) for v in done],
         "no visit has been learned"),
        (lambda _: ["a visit"], "give LoggedVisits"),
        (lambda done: done[1:], "the study cannot be rebuilt from these visits"),
        (lambda done: done[::-1], "the order of their decisions"),
        (lambda done: [*done[:9], moved(done[9]), *done[10:]], "was decided in state 7"),
    ],
)  # fmt: skip
def test_what_cannot_be_analysed_is_refused_in_one_sentence(short, visits, message):
    """Fails if an empty, foreign or cut study is analysed."""
    study, done, _, _ = short
    with pytest.raises(AsklessError, match=message):
        al.analyse(study, visits(done.visits))


def test_other_settings_and_other_questions_are_refused(short, tmp_path):
    """Fails if a study is analysed with settings that it was not run with."""
    study, done, _, _ = short
    with pytest.raises(StateError, match="cannot be rebuilt"):
        al.analyse(study_with(", price: 0.02, full_floor: 0.2"), done.visits)
    with pytest.raises(SettingError, match="give a Study"):
        al.analyse("study.yaml", done.visits)
    path = tmp_path / "visits.csv"
    al.write_visits(path, done.visits, study)
    assert al.analyse(study, path).to_dict() == al.analyse(study, done.visits).to_dict()
    other = al.Study.parse(STUDY.replace("POLICY", "").replace("worry", "fear"))
    with pytest.raises(SettingError, match="fear"):
        al.analyse(other, path)


def unlearned(policy, visits):
    policy.unlearn(visits[20])


def corrected(policy, visits):
    reward = visits[20].reward
    policy.unlearn(visits[20])
    policy.learn(visits[20], 0.0 if reward > 0.5 else 1.0)


def erased(policy, visits):
    policy.unlearn(visits[20])
    del visits[20]


def retired(policy, visits):
    policy.retire_arm("letter")


@pytest.mark.parametrize("happened", [unlearned, corrected, erased, retired])
def test_a_study_that_was_changed_on_its_way_is_told_that_it_cannot_be_rebuilt(happened):
    """Fails if it is analysed as if nothing had happened, or the settings alone are blamed."""
    study = study_with(", price: 0.01")
    policy, visits = al.policy_for(study), []
    order = {}
    for i, person in enumerate(recorded(study, 120).visits):
        visit = policy.visit()
        answers = {"phone": True, "worry": 3, "region": "north", "ill": False}
        answers |= {name: a for name, a in person.record.answers.items() if a is not None}
        while visit.asks:
            visit.answer({name: answers[name] for name in visit.asks})
        policy.learn(visit, (7 * i) % 10 / 10)
        visits.append(visit)
        order[visit.number] = i
        if i == 80:
            happened(policy, visits)
    logged = [al.LoggedVisit(v.record(), order[v.number], order[v.number] + 1) for v in visits]
    with pytest.raises(StateError, match="unlearned, corrected or erased in mid-study, or an arm"):
        al.analyse(study, logged)

"""Large surveys are made, read and asked with work in proportion to their questions.

Calls are counted, not seconds: four times as many questions may take four times as many calls.
"""

import sys

import pytest

import askless as al
from askless.policies.roster import Roster
from askless.survey import Constants
from sizes import whole

KINDS = (
    lambda name: al.Scale(name, low=0, high=1),
    lambda name: al.YesNo(name, may_skip=True),
    lambda name: al.Choice(name, ["x", "y", "z"]),
    lambda name: al.Multi(name, ["x", "y", "z"]),
)
FEW = whole(750, 200)
ARMS = {"arms": ["a", "b"], "reward": (0, 1)}


def calls_of(task, made):
    """How many functions are called, those of C included."""
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        task(made)
    finally:
        sys.setprofile(None)
    return count


def questions(count):
    return [KINDS[i % 4](f"q{i}") for i in range(count)]


def answers_to(survey):
    kinds = {al.Scale: 0.5, al.YesNo: True, al.Choice: "x", al.Multi: ["x"]}
    return {question.name: kinds[type(question)] for question in survey}


def study_text(count):
    lines = ["schema: 1", "name: large", "arms: [{name: a}, {name: b}]", "policy: {name: uniform}"]
    lines += ["reward: {low: 0, high: 1}", "questions:"]
    return "\n".join([*lines, *(f"  - {{kind: yes_no, name: q{i}}}" for i in range(count))])


def visited(survey):
    """A whole visit, from its start to what it leaves behind."""
    policy = al.Uniform(survey, **ARMS)
    visit = policy.visit()
    visit.answer(answers_to(survey))
    policy.learn(visit, 0.5)
    return policy.to_dict(), visit.to_dict(), policy.visit(visit.to_dict())


def mixed(count):
    return al.Survey(questions(count))


def arm_names(count):
    return [f"a{k}" for k in range(count)]


# What is made beforehand, for so many, and what is done with it.
TASKS = {
    "unit": (int, al.Survey.unit),
    "mixed": (int, mixed),
    "read": (study_text, al.Study.parse),
    "constants": (mixed, lambda survey: Constants.derive(survey, 1.0)),
    "as data": (mixed, lambda survey: al.Survey.from_dict(survey.to_dict())),
    "names": (al.Survey.unit, lambda survey: survey.names_of(survey.asked_of_everyone | True)),
    "places": (al.Survey.unit, lambda survey: [survey.columns_of(name) for name in survey.names]),
    "encoding": (mixed, lambda survey: survey.decode(survey.encode(answers_to(survey)))),
    "same": (mixed, lambda survey: survey.same_columns(al.Survey(list(survey)))),
    "visit": (mixed, visited),
    "bandit": (al.Survey.unit, lambda survey: al.SurveyBandit(survey, **ARMS, beta_min=0.1)),
    "ridge": (mixed, lambda survey: al.RidgeSurveyUCB(survey, **ARMS, beta_min=0.1)),
    "arms": (arm_names, lambda names: Roster(names).eligible(names)),
    "eligible": (arm_names, lambda names: Roster(names).eligible(names)),
}


@pytest.mark.parametrize("name", TASKS)
def test_four_times_as_many_take_four_times_the_calls(name):
    """Fails if anything is done for each question with each other one."""
    make, task = TASKS[name]
    task(make(FEW))  # what is done once, such as imports, is done
    few, many = (calls_of(task, make(n)) for n in (FEW, 4 * FEW))
    assert many <= 4.1 * few + 200


def test_work_that_grows_with_the_square_is_noticed():
    few, many = (calls_of(lambda n: [len("") for _ in range(n * n)], n) for n in (10, 40))
    assert many > 4.1 * few + 200


def test_25_000_questions_are_no_matter():
    """Fails if it takes more memory or time than a machine has, as it once did."""
    survey = al.Survey.unit(25_000)
    policy = al.Uniform(survey, **ARMS)
    assert len(policy.visit().asks) == survey.column_count - 1 == 25_000

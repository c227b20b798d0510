"""Who may get which arm: nobody is left without one, in answers and in contexts alike."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
import rules_by_ast
from askless.errors import SettingError, StudyError
from askless.survey.eligibility import Eligibility
from rule_strategies import rules
from rules_by_ast import ANSWERS, SURVEY
from survey_strategies import refused

STUDY = """schema: 1
questions:
  - {kind: scale, name: age, low: 18, high: 90}
  - {kind: choice, name: region, options: [north, south], may_skip: true}
  - {kind: yes_no, name: donor}
arms:
  - {name: basic}
  - name: senior
    eligible_if: age >= 65 and region == north
reward: {low: 0, high: 1}
policy: {beta_min: 0.2}
"""


def arms_with(texts):
    """Return arms with these rules, or None if a rule makes no sense by itself."""
    arms = [al.Arm(f"arm{k}", eligible_if=text) for k, text in enumerate(texts)]
    try:
        return arms, Eligibility(SURVEY, arms)
    except SettingError as error:
        assert "answers satisfy this rule" in str(error)
        return None


def people_of(eligibility):
    names = SURVEY.names_of(eligibility.questions)
    usual = {name: answers[0] for name, answers in ANSWERS.items()}
    for chosen in itertools.product(*(ANSWERS[name] for name in names)):
        yield usual | dict(zip(names, chosen, strict=True))


@settings(max_examples=150, deadline=None)
@given(st.lists(rules(leaves=3), min_size=1, max_size=4))
def test_somebody_is_left_out_by_the_proof_exactly_if_brute_force_finds_them(texts):
    """Fails if the proof overlooks an answer, a skip or a number between two that rules name."""
    found = arms_with(texts)
    if found is None:
        return
    lost = any(
        not any(rules_by_ast.holds(text, answers) for text in texts)
        for answers in people_of(found[1])
    )
    every = np.ones(len(texts), dtype=bool)
    if lost:
        with refused(SettingError, "would get no arm", "without eligible_if"):
            found[1].check_cover(every)
        with refused(SettingError, "would get no arm"):
            al.Uniform(SURVEY, arms=found[0], reward=(0, 1))
    else:
        found[1].check_cover(every)
        al.Uniform(SURVEY, arms=found[0], reward=(0, 1))
    Eligibility(SURVEY, [*found[0], "open"]).check_cover(np.append(every, True))


@settings(max_examples=100, deadline=None)
@given(st.lists(rules(leaves=3), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_contexts_are_judged_as_the_answers_that_they_were(texts, random):
    """Fails if an answer that a rule names is lost on the grid of columns: 65 of 18 to 90 is."""
    found = arms_with(texts)
    if found is None:
        return
    people = list(people_of(found[1]))
    people = random.sample(people, min(len(people), 60))
    contexts = np.array([SURVEY.encode(answers) for answers in people])
    expected = [[rules_by_ast.holds(text, answers) for text in texts] for answers in people]
    np.testing.assert_array_equal(found[1].allowed(contexts), expected)
    for z, row in zip(contexts, expected, strict=True):
        answers = found[1].decode(z)
        np.testing.assert_array_equal(SURVEY.encode(answers), z)
        assert found[1].open_to(answers).tolist() == row


def test_any_context_is_judged_as_the_answers_that_it_is_decoded_to():
    """Fails if simulated people and the visits that they make see other rules."""
    arms = [
        al.Arm("a", eligible_if="trust == 3 or 30 <= age < 65"),
        al.Arm("b", eligible_if="not (age > 64.99 and media has web)"),
        al.Arm("c"),
    ]
    eligibility, rng = Eligibility(SURVEY, arms), np.random.default_rng(4)
    contexts = np.array([SURVEY.encode(_person(rng)) for _ in range(200)])
    allowed = eligibility.allowed(contexts)
    for z, row in zip(contexts, allowed, strict=True):
        np.testing.assert_array_equal(eligibility.open_to(eligibility.decode(z)), row)
    assert 0 < allowed[:, 0].sum() < 200
    assert 0 < allowed[:, 1].sum() < 200


def _person(rng):
    media = ANSWERS["media"][rng.integers(5)]
    trust = None if rng.random() < 0.2 else float(rng.uniform(1, 7))
    rest = {"region": "north", "donor": True, "media": media}
    return {"age": float(rng.uniform(18, 90)), "trust": trust} | rest


def test_rules_that_tell_too_many_people_apart_need_an_arm_without_one():
    """Fails if a proof takes for ever, or is taken for granted."""
    questions = [al.Multi(f"q{k}", list("abcdefgh")) for k in range(4)]
    said = " and ".join(f"q{k} has {option}" for k in range(4) for option in "abcdefgh")
    survey = al.Survey(questions)
    both = al.Arm("one", eligible_if=said), al.Arm("two", eligible_if=f"not ({said})")
    with refused(SettingError, f"{2**32:,} kinds of people", "leave one arm without"):
        Eligibility(survey, both).check_cover(np.ones(2, dtype=bool))
    Eligibility(survey, [*both, "three"]).check_cover(np.ones(3, dtype=bool))


def test_the_questions_of_rules_are_asked_of_everyone_and_others_are_not():
    """Fails if a policy may leave out what a rule needs, or a study without rules changes."""
    study = al.Study.parse(STUDY)
    assert study.survey.asked_of_everyone.tolist() == [True, True, False]
    policy = al.policy_for(study)
    assert policy.survey.asked_of_everyone.tolist() == [True, True, False]
    plain = al.Study.parse(STUDY.replace("    eligible_if: age >= 65 and region == north\n", ""))
    assert not plain.survey.asked_of_everyone.any()
    assert al.policy_for(plain).roster.rules is None


def test_rules_are_shared_by_copies_and_survive_a_pickle():
    """Fails if a process that a simulation is shared out to has other rules."""
    eligibility = Eligibility(SURVEY, [al.Arm("a"), al.Arm("b", eligible_if="age > 30")])
    again = pickle.loads(pickle.dumps(eligibility))
    assert again == eligibility
    assert again.same_rules(eligibility)
    assert not again.same_rules(Eligibility(SURVEY, ["a", "b"]))
    spaced = Eligibility(SURVEY, [al.Arm("a"), al.Arm("b", eligible_if="30   < age")])
    assert spaced.same_rules(eligibility)


@pytest.mark.parametrize(
    ("rule", "needles"),
    [
        ("agee >= 65", ["line 9", "arms[2].eligible_if", "'agee'", "did you mean 'age'"]),
        ("region == nrth", ["line 9", "'nrth'", "did you mean 'north'"]),
        ("donor > 1", ["line 9", "yes/no"]),
        ("'age >='", ["line 9", "arms[2].eligible_if", "character 7"]),
        ("'__import__(\"os\")'", ["line 9", "character 11"]),
        ("'" + "(" * 300 + "'", ["line 9", "nested more than 20"]),
        ("65", ["line 9", "arms[2].eligible_if"]),
        ("[age]", ["line 9", "arms[2].eligible_if"]),
        ("age < 18", ["line 9", "no answers"]),
    ],
)
def test_a_study_file_names_the_line_of_a_bad_rule(rule, needles):
    """Fails if a bad rule gets through, or its error does not say where it stands."""
    with refused(StudyError, *needles):
        al.Study.parse(STUDY.replace("age >= 65 and region == north", rule))


def test_a_study_that_leaves_somebody_out_is_refused_with_an_example():
    """Fails if someone could come to a visit and find no arm."""
    with refused(StudyError, "line 6", "age 18", "would get no arm", "leave one arm without"):
        al.Study.parse(STUDY.replace("{name: basic}", "{name: basic, eligible_if: age > 40}"))
    skipped = STUDY.replace("{name: basic}", "{name: basic, eligible_if: region == south}")
    with refused(StudyError, "would get no arm"):
        al.Study.parse(skipped.replace("age >= 65 and ", ""))  # who skips the region
    whole = STUDY.replace("{name: basic}", "{name: basic, eligible_if: not region == north}")
    assert al.Study.parse(whole.replace("age >= 65 and ", "")).arms[0].eligible_if


def test_the_cells_of_a_scale_are_its_numbers_and_what_lies_between():
    """Fails if the proof looks at numbers of a scale from one side alone."""
    survey = al.Survey([al.Scale("x", low=0, high=1)])
    for gap in (math.nextafter(0.5, 0), 0.5):
        arms = al.Arm("low", eligible_if=f"x <= {gap!r}"), al.Arm("high", eligible_if="x > 0.5")
        eligibility = Eligibility(survey, arms)
        if gap == 0.5:
            eligibility.check_cover(np.ones(2, dtype=bool))
        else:
            with refused(SettingError, "would get no arm"):
                eligibility.check_cover(np.ones(2, dtype=bool))

"""Rules of arms: read as Python would read them, refused where they cannot be, and never run."""

import itertools

import pytest
from hypothesis import given, settings

import rules_by_ast
from askless.errors import SettingError
from askless.survey.eligibility import SurveyRule
from askless.survey.rule import Rule
from rule_strategies import rules
from rules_by_ast import ANSWERS, SURVEY
from survey_strategies import refused


def everyone(names):
    """Everybody who may differ in these questions; the others are answered in one way."""
    usual = {name: answers[0] for name, answers in ANSWERS.items()}
    for chosen in itertools.product(*(ANSWERS[name] for name in names)):
        yield usual | dict(zip(names, chosen, strict=True))


@settings(max_examples=150, deadline=None)
@given(rules())
def test_a_rule_holds_where_pythons_own_parser_says_so(text):
    """Fails if precedence, a comparison, a range, a list, a quote or a skip is read otherwise.

    Or if a rule is refused that some satisfy and others do not, or one is taken that all or none
    satisfy.
    """
    said = Rule(text)
    people = list(everyone(said.questions))
    expected = [rules_by_ast.holds(text, answers) for answers in people]
    if len(set(expected)) == 1:
        with refused(SettingError, "all answers" if expected[0] else "no answers"):
            SurveyRule(said, SURVEY)
    else:
        rule = SurveyRule(said, SURVEY)
        assert [rule.holds(answers) for answers in people] == expected
        assert set(SURVEY.names_of(rule.questions)) == set(said.questions)


@settings(max_examples=100, deadline=None)
@given(rules())
def test_spaces_do_not_matter_and_a_rule_says_the_same_in_brackets(text):
    """Fails if what a rule says depends on how it is laid out."""
    assert Rule(f"  {text}\n").tree == Rule(text).tree == Rule(f"({text})").tree


@pytest.mark.parametrize(
    ("text", "needles"),
    [
        ("", ["empty", "age >= 65"]),
        ("age >=", ["character 7", "the end", "number"]),
        ("age >= 65 and", ["character 14", "question"]),
        ("and age >= 65", ["character 1", "'and'"]),
        ("age > 65 region == north", ["character 10", "'region'"]),
        ("travel == on foot and donor", ["character 14", 'in quotes, such as "on foot"']),
        ("(age > 65", ["character 10", "add )"]),
        ("age > 65)", ["character 9", "')'"]),
        ("region in north", ["character 11", "list"]),
        ("region in [north", ["character 17", "add ]"]),
        ("age = 65", ["character 5", "write =="]),
        ("age > 65 && donor", ["character 10", "write and"]),
        ("!donor", ["character 1", "write not"]),
        ("age > 18 > 30", ["character 10", "in the middle"]),
        ("18 <= age > 30", ["character 11", "one way"]),
        ("region == 'north", ["character 11", "never closed"]),
        ("age + 1 > 65", ["character 5", "'+'"]),
        ("__import__('os').system('true')", ["character 17", "'.system'"]),
        ("__import__('os')", ["character 11", "'(' stands where"]),
        ("().__class__", ["character 3", "'.__class__'"]),
        ("lambda: 1", ["character 7"]),
        ("age > 65; donor", ["character 9"]),
    ],
)
def test_what_is_no_rule_is_refused_with_the_place_and_the_fix(text, needles):
    """Fails if anything is run or recursed into, or if the error does not say where and what."""
    with refused(SettingError, *needles):
        Rule(text)


@pytest.mark.parametrize(
    ("piece", "times", "needle"),
    [
        ("(", 100, "character 21: the rule is nested more than 20 deep"),
        ("not ", 200, "nested more than 20 deep"),
        ("donor or ", 100_000, "900,005 characters"),
        ("(", 1_000_000, "1,000,005 characters"),
    ],
)
def test_a_huge_rule_is_refused_in_a_short_message(piece, times, needle):
    """Fails if a long or deep rule is recursed into without end, or shown in full."""
    with refused(SettingError, needle) as caught:
        Rule(piece * times + "donor")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", [None, 65, True, ["age > 65"], b"age > 65"])
def test_what_is_no_text_is_refused(text):
    """Fails if something else than a text gets as far as the parser."""
    with refused(SettingError, "give a text"):
        Rule(text)


@pytest.mark.parametrize(
    ("text", "needles"),
    [
        ("agee >= 65", ["character 1", "'agee'", "'age'"]),
        ("__import__ == 1", ["'__import__'", "no question"]),
        ("donor and region == nort", ["character 11", "'nort'", "'north'"]),
        ("region in [north, west]", ["'west'"]),
        ("region > north", ["choice", "has no >"]),
        ("region", ["choice", "cannot stand alone"]),
        ("age", ["scale", "cannot stand alone"]),
        ("age == north", ["no number", "18 to 90"]),
        ("age >= '65'", ["without quotes"]),
        ("age >= 91", ["outside", "18 to 90"]),
        ("age >= 1e999", ["outside"]),
        ("age has web", ["scale", "has no has"]),
        ("donor == 3", ["yes/no", "neither"]),
        ("donor > no", ["yes/no"]),
        ("media == web", ["multi", "media has web"]),
        ("media has radio", ["'radio'"]),
        ("age < 18", ["no answers"]),
        ("age >= 18", ["all answers"]),
        ("donor and not donor", ["no answers"]),
    ],
)
def test_a_rule_that_does_not_fit_the_survey_is_refused(text, needles):
    """Fails if a rule is taken whose question, option, number or kind is not the survey's."""
    with refused(SettingError, *needles):
        SurveyRule(Rule(text), SURVEY)


def test_a_skip_makes_every_comparison_false_and_its_denial_true():
    """Fails if a skipped answer counts as any answer, also in `!=` and `not in`."""
    answers = {"age": 30, "trust": None, "region": None, "donor": None, "media": None}
    tests = (
        "trust != 3",
        "trust <= 6",
        "region != north",
        "region not in [north]",
        "donor",
        "donor == no",
        "media has web",
    )
    for text in tests:
        assert not SurveyRule(Rule(text), SURVEY).holds(answers)
        assert SurveyRule(Rule(f"not ({text})"), SURVEY).holds(answers)

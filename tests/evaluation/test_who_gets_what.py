"""Who gets what: the rule that is shown is the one that decides now, or it is said that none is."""

import dataclasses
import itertools

import numpy as np
import pytest

import askless as al
from askless.evaluation.history import History
from askless.evaluation.small_tree import Test as Told
from askless.evaluation.small_tree import conditions, told_apart
from askless.evaluation.who_gets_what import who_gets_what
from reminders import STUDY, recorded, study_with


def test_a_scale_that_everyone_skips_is_no_obstacle():
    """Fails if an answer that nobody gave is cut in thirds."""
    study = al.Study.parse(
        STUDY.replace("POLICY", ", price: 0").replace(
            "name: worry, low: 1, high: 5", "name: worry, low: 1, high: 5, may_skip: true"
        )
    )
    policy = al.policy_for(study)
    visits = []
    for i in range(12):
        visit = policy.visit()
        while visit.asks:
            answers = {"phone": True, "worry": None, "region": "north", "ill": False}
            visit.answer({name: answers[name] for name in visit.asks})
        policy.learn(visit, 0.5)
        visits.append(al.LoggedVisit(visit.record(), i, i + 1))
    shares = al.analyse(study, visits).shared.shares
    assert {row.answer for row in shares if row.question == "worry"} == {"a skip"}


def test_who_gets_what_finds_a_rule_that_is_known():
    """Fails if shares do not add up, or a rule by one answer is not told in two leaves."""
    study = study_with()
    survey = study.survey
    known = np.zeros((2, survey.column_count))
    known[1, survey.columns_of("phone")] = 0.4  # a message to those who have one
    policy = al.Target(survey, arms=["letter", "message"], reward=(0, 1), coefficients=known)
    history = History(policy)
    done = recorded_by(policy, study, history)
    found = who_gets_what(history, done.policy)
    assert found.people == 200
    assert found.rule.right == pytest.approx(1)
    assert {(leaf.conditions, leaf.arm) for leaf in found.rule.leaves} == {
        (("phone: yes",), "message"),
        (("phone: no",), "letter"),
    }
    assert sum(leaf.share for leaf in found.rule.leaves) == pytest.approx(1)
    answered = [visit.record.answers["phone"] for visit in done.visits]
    groups = itertools.groupby(found.shares, key=lambda row: (row.question, row.answer))
    for (question, answer), rows in groups:
        listed = list(rows)
        assert sum(row.share for row in listed) == pytest.approx(1)
        if question == "phone":
            assert listed[0].people == answered.count(answer == "yes")
            own = {row.arm: row.share for row in listed}["message"]
            assert own == pytest.approx(float(answer == "yes"))


def recorded_by(policy, study, history):
    world = al.Prior.of(study).world(1, seed=2)
    return al.record_visits(policy, world, 200, watch=history)


def test_a_path_says_only_what_later_answers_do_not_imply():
    """Fails if "not centre" stays beside "left", or a bound that still matters goes."""
    party = np.array(["left", "centre", "right"] * 4)
    age = np.arange(12.0)

    def among(option):
        return Told("party", option, party == option)

    young, younger = (Told("age", f"up to {n}", age <= n, f"above {n}") for n in (8, 3))
    path = [(among("centre"), False), (young, True), (among("left"), True), (younger, True)]
    assert conditions(path) == ("party: left", "age: up to 3")
    path = [(among("centre"), False), (young, True), (younger, False)]
    assert conditions(path) == ("party: not centre", "age: up to 8", "age: above 3")


def visited(study, count, **of):
    """A policy that visits have taught, and what was seen of them."""
    policy, rng = al.policy_for(study), np.random.default_rng(3)
    history = History(policy)
    for _ in range(count):
        visit = policy.visit(**of)
        answers = {
            "phone": bool(rng.random() < 0.5),
            "worry": int(rng.integers(1, 6)),
            "region": str(rng.choice(["north", "south", "west"])),
            "ill": bool(rng.random() < 0.5),
        }
        while visit.asks:
            visit.answer({name: answers[name] for name in visit.asks})
        history.decided(policy, visit.record())
        gain = 0.3 if answers["phone"] == (visit.arm == "message") else -0.3
        policy.learn(visit, 0.5 + gain + 0.1 * rng.uniform(-1, 1))
        history.learned(policy, visit)
    return policy, history


@pytest.mark.parametrize("visits", [2, 3])
def test_while_arms_start_there_is_no_rule(visits):
    """Fails if whoever is next in turn, or the only one that is past, is what a rule gives."""
    policy, history = visited(study_with(", price: 0"), visits)
    found = who_gets_what(history, policy)
    assert (found.people, found.shares, found.rule, found.close) == (0, (), None, None)
    assert found.starting == ("letter", "message")[visits - 2 :]
    assert found.warm == ("letter", "message")


def test_an_arm_that_starts_is_left_out():
    """Fails if people are given an arm because it is its turn."""
    text = STUDY.replace("POLICY", "").replace("arms: [", "arms: [{name: visit}, ")
    policy, history = visited(al.Study.parse(text), 40, arms=["letter", "message"])
    assert policy._starter(policy.roster.live, 0) == 0  # the first visit would get it
    history.full[:] = [
        visit._replace(record=dataclasses.replace(visit.record, eligible=policy.arms))
        for visit in history.full
    ]
    found = who_gets_what(history, policy)
    assert found.starting == ("visit",)
    assert {leaf.arm for leaf in found.rule.leaves} == {"letter", "message"}
    assert {row.share for row in found.shares if row.arm == "visit"} == {0.0}
    assert found.close is not None


def test_arms_in_warm_up_are_named():
    """Fails if a tree from a few rows is shown without a word."""
    policy, history = visited(study_with(", price: 0"), 12)
    early = who_gets_what(history, policy)
    assert early.rule is not None
    assert early.warm == ("letter", "message")
    assert early.starting == ()
    policy, history = visited(study_with(", price: 0"), 600)
    assert who_gets_what(history, policy).warm == ()


@pytest.fixture(scope="module")
def short():
    study = study_with(", price: 0.02, full_floor: 0.5")
    history = History(al.policy_for(study))
    return recorded(study, 700, watch=history).policy, history


def test_while_a_short_form_stands_its_rule_is_shown(short):
    """Fails if arms are those of all answers, or shares are of questions that nobody is asked."""
    policy, history = short
    found = who_gets_what(history, policy)
    form = policy.short_form().questions
    assert 0 < len(form) < policy.short_form().of
    assert found.by == "the short form"
    assert {row.question for row in found.shares} == set(form)
    by_form, by_all, weights = [], [], []
    for visit in history.full:
        if not np.isnan(visit.context).any():
            short = policy._of_kind("short")._decide(visit.context, policy.roster.live, 0)
            by_form.append(short.arm)
            by_all.append(policy._scored(visit.context, policy.roster.live).arm)
            weights.append(1 / visit.chance)
    by_form, by_all, weights = np.array(by_form), np.array(by_all), np.array(weights)
    apart = by_form != by_all
    assert 0 < apart.mean() < 1
    assert found.differ == pytest.approx(weights @ apart / weights.sum())
    name = form[0]
    (first, *_) = [row for row in found.shares if row.question == name]
    known = [visit for visit in history.full if not np.isnan(visit.context).any()]
    assert found.people == len(known)  # nobody has dropped a question: full visits have it all
    (test, *_) = told_apart(policy.survey[name], [visit.record.answers for visit in known])
    own = (by_form == policy.arm_index(first.arm)) & test.holds
    assert first.share == pytest.approx(weights @ own / weights[test.holds].sum())


def test_a_close_call_is_one_within_what_scores_add():
    """Fails if every call is close, or none, or closeness is judged by something else."""
    policy, history = visited(study_with(", price: 0"), 300)
    shares = []
    arms = policy._model.arms
    apart = np.array(arms.active_estimate[0])
    for part in (1.0, 0.05, 0.0):  # of what tells the arms apart
        arms.active_estimate[0] = part * apart + (1 - part) * arms.active_estimate[1]
        expected = []
        for visit in history.full:
            if not np.isnan(visit.context).any():
                one, two = sorted(zip(*policy._outlook(visit.context), strict=True), reverse=True)
                spread = ((one[1] - one[0]) ** 2 + (two[1] - two[0]) ** 2) ** 0.5
                expected.append(one[0] - two[0] < spread)
        shares.append(who_gets_what(history, policy).close)
        assert shares[-1] == pytest.approx(np.mean(expected))
    assert (shares[0], shares[2]) == (0, pytest.approx(1))


def test_answers_on_a_scale_are_printed_as_people_would():
    """Fails if ten digits of an answer are shown, or rounding loses somebody."""
    worry = al.Scale("worry", low=1, high=5)
    given = [{"worry": 1 + i / 3} for i in (0, 1, 2, 2)]
    found = list(told_apart(worry, given))
    assert [(test.answer, int(test.holds.sum())) for test in found] == [
        ("1", 1),
        ("1.333", 1),
        ("1.667", 2),
    ]

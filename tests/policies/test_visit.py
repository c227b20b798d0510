"""One respondent's passage: order, parts, refusals, interruptions and races."""

import numpy as np
import pandas as pd
import pytest

import askless as al
from askless.errors import AnswerError, SettingError, VisitError
from visited_survey import ANSWERS, drop
from worlds import random_answers, survey_of


def test_asks_in_survey_order_then_plays(policy):
    visit = policy.visit()
    assert visit.asks == ("age", "donor", "cause", "media")
    visit.answer({"cause": "animals", "age": 30})
    assert visit.asks == ("donor", "media")
    assert not visit.decided
    with pytest.raises(VisitError, match=r"not decided.*donor, media"):
        _ = visit.arm
    visit.answer({"donor": None, "media": []})
    assert visit.asks == ()
    assert (visit.arm, visit.arm_index) == ("red", 0)
    assert visit.answers == {"cause": "animals", "age": 30, "donor": None, "media": []}
    assert visit.asked == ("age", "donor", "cause", "media")


def test_known_answers_are_not_asked_again(policy):
    visit = policy.visit(known={"age": 44, "cause": "children"})
    assert visit.asks == ("donor", "media")
    visit.answer({"donor": False, "media": ["tv"]})
    policy.learn(visit, 10)
    np.testing.assert_array_equal(visit.context(), policy.encode(visit.answers))


def test_everything_known_decides_at_once(policy):
    visit = policy.visit(known=ANSWERS)
    assert visit.asks == ()
    assert visit.arm == "red"
    assert visit.asked == ()


def test_known_answers_that_nobody_needs_are_checked_and_let_go(policy):
    drop(policy, "age")
    visit = policy.visit(known={"age": 44})
    assert visit.answers == {}
    with pytest.raises(AnswerError, match="'age'"):
        policy.visit(known={"age": 444})


def test_only_what_eligible_arms_use_is_asked(policy):
    drop(policy, "age", arms=[1])
    drop(policy, "cause", arms=[1, 2])
    assert policy.visit(arms=["blue"]).asks == ("donor", "media")
    assert policy.visit(arms=["green", "blue"]).asks == ("age", "donor", "media")
    assert policy.visit().asks == ("age", "donor", "cause", "media")


def test_only_eligible_arms_are_played(policy):
    visit = policy.visit(known=ANSWERS, arms=["green", "blue"])
    assert visit.arm == "blue"


def test_always_ask_is_asked_when_no_model_uses_it(policy):
    drop(policy, "media")
    assert policy.asked_now() == ("age", "donor", "cause", "media")
    visit = policy.visit(known={q: a for q, a in ANSWERS.items() if q != "media"})
    assert visit.asks == ("media",)
    visit.answer({"media": ["tv"]})
    policy.learn(visit, 3)
    assert policy.rows.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"age": 17}, "'age'.*17"),
        ({"age": float("nan")}, "'age'.*nan"),
        ({"age": float("inf")}, "'age'.*inf"),
        ({"age": None}, "'age' may not be skipped"),
        ({"cause": "plants"}, "'cause'.*'plants'"),
        ({"colour": "red"}, "no question 'colour'"),
        ({3: "red"}, "no question 3"),
        ({"age": 30, "donor": "yes"}, "'donor'.*'yes'"),
        ({}, "give a dict"),
        (["age"], "give a dict"),
    ],
)
def test_a_refused_answer_leaves_no_trace(policy, answers, message):
    visit = policy.visit()
    before = visit.to_dict()
    with pytest.raises(AnswerError, match=message):
        visit.answer(answers)
    assert visit.to_dict() == before
    assert visit.asks


def test_an_answer_to_what_was_not_asked_is_refused(policy):
    drop(policy, "age")
    visit = policy.visit()
    with pytest.raises(AnswerError, match=r"'age' has not been asked.*donor, cause, media"):
        visit.answer({"age": 30, "donor": True})
    assert visit.answers == {}


def test_a_question_is_answered_once(policy):
    visit = policy.visit()
    visit.answer({"age": 30})
    for again in (30, 31):
        with pytest.raises(AnswerError, match="'age' has been answered"):
            visit.answer({"age": again})
    assert visit.answers == {"age": 30}


def test_a_visit_sees_the_newest_state_and_keeps_answers_to_what_it_showed(policy):
    visit = policy.visit()
    assert visit.asks == ("age", "donor", "cause", "media")
    drop(policy, "age")
    assert visit.asks == ("age", "donor", "cause", "media")  # looking moves nothing
    visit.answer({"donor": True})
    assert visit.asks == ("cause", "media")
    visit.answer({"age": 30, "cause": "animals"})  # it was asked, so the answer is not lost
    assert visit.answers == {"donor": True, "age": 30, "cause": "animals"}


def test_a_drop_can_finish_a_visit(policy):
    visit = policy.visit()
    visit.answer({"donor": True, "cause": "animals", "media": []})
    assert visit.asks == ("age",)
    drop(policy, "age")
    assert not visit.decided  # looking decides nothing
    resumed = policy.visit(visit.to_dict())
    assert resumed.asks == ()
    assert resumed.arm == "red"
    resumed.answer({"age": 30})  # it was asked; kept, and the decision stands
    assert resumed.answers["age"] == 30
    assert resumed.arm == "red"


def test_the_decision_is_recorded_once_with_its_version(policy):
    visit = policy.visit(known=ANSWERS)
    assert (visit.arm, visit.version) == ("red", 0)
    for _ in range(3):
        policy.learn_row(0, policy.encode(ANSWERS), 0)  # red is bad now
    assert policy.visit(known=ANSWERS).arm != "red"
    assert policy.visit(known=ANSWERS).version == 3
    assert (visit.arm, visit.version) == ("red", 0)
    policy.learn(visit, 50)
    assert policy.rows.tolist() == [4, 0, 0]


def test_an_arm_added_later_is_not_for_visits_already_begun(policy):
    visit = policy.visit()
    drop(policy, "age")
    policy.add_arm("late")
    visit.answer({"donor": True})
    assert "age" not in visit.asks  # the new arm's full support is not this visit's business
    visit.answer({"cause": "animals", "media": []})
    assert visit.arm != "late"
    assert set(visit.propensities) == {"red", "blue", "green"}
    assert "age" in policy.visit().asks


def test_an_arm_retired_meanwhile_is_not_played(policy):
    visit = policy.visit(arms=["red", "blue"])
    visit.answer({"age": 30, "donor": True, "cause": "animals"})
    policy.retire_arm("red")
    visit.answer({"media": []})
    assert visit.arm == "blue"


def test_a_visit_whose_arms_are_all_retired_says_so(policy):
    visit = policy.visit(arms=["red"])
    policy.retire_arm("red")
    before = visit.to_dict()
    for move in (visit.answer, lambda _: policy.visit(before)):
        with pytest.raises(VisitError, match="retired"):
            move({"age": 30})
    assert visit.to_dict() == before


def test_eligibility_is_checked(policy):
    with pytest.raises(SettingError, match="no arm is eligible"):
        policy.visit(arms=[])
    with pytest.raises(SettingError, match="no arm 'pink'"):
        policy.visit(arms=["pink"])
    with pytest.raises(SettingError, match="give a list"):
        policy.visit(arms="red")
    policy.retire_arm("red")
    with pytest.raises(SettingError, match=r"no arm is eligible.*blue, green"):
        policy.visit(arms=["red"])
    assert policy.visit(arms=["red", "blue"], known=ANSWERS).arm == "blue"
    assert policy.to_dict()["counters"]["next_number"] == 1  # refused visits take no number


def test_answers_handed_out_are_copies(policy):
    visit = policy.visit(known={"media": ["web"]})
    visit.answers["media"].append("tv")
    visit.answers["age"] = 30
    assert visit.answers == {"media": ["web"]}


def test_looking_at_a_visit_changes_nothing(policy):
    visit = policy.visit(known={"age": 44})
    before = visit.to_dict()
    policy.retire_arm("red")
    drop(policy, "donor")
    drop(policy, "cause")
    drop(policy, "media")
    for _ in range(2):
        assert visit.asks == ("donor", "cause", "media")
        assert (visit.asked, visit.decided) == (("donor", "cause", "media"), False)
        with pytest.raises(VisitError, match="not decided"):
            _ = visit.arm
        visit.explain()
        assert visit.to_dict() == before
    with pytest.raises(VisitError, match="not decided"):
        policy.learn(visit, 5)
    assert visit.to_dict() == before


def test_answers_can_be_revised_until_the_decision(policy):
    visit = policy.visit(known={"age": 44})
    visit.answer({"donor": True})
    visit.revise({"donor": None, "age": 50})
    assert visit.answers == {"age": 50, "donor": None}
    assert visit.asks == ("cause", "media")
    np.testing.assert_array_equal(visit.context(), policy.encode(visit.answers))
    before = visit.to_dict()
    for answers, message in (
        ({"cause": "animals"}, "'cause' has not been answered"),
        ({"age": 51, "donor": "yes"}, "'donor'"),
        ({}, "give a dict"),
        ({"colour": 1}, "'colour'"),
    ):
        with pytest.raises(AnswerError, match=message):
            visit.revise(answers)
        assert visit.to_dict() == before
    resumed = policy.visit(before)
    resumed.revise({"age": 18})
    visit.revise({"age": 18})
    assert resumed.to_dict() == visit.to_dict()
    visit.answer({"cause": "animals", "media": []})
    with pytest.raises(VisitError, match="until then"):
        visit.revise({"age": 20})
    assert visit.answers["age"] == 18


def test_a_revised_answer_decides_as_if_it_had_been_given_at_first():
    survey = survey_of([("scale", 0, False), ("choice", 3, False), ("yes_no", 0, False)])
    rng = np.random.default_rng(3)
    policy = al.RidgeSurveyUCB(
        survey, arms=["a", "b", "c"], reward=(0, 1), beta_min=0, sigma=0.05, interactive=True
    )
    changed = 0
    for _ in range(150):
        first, last = random_answers(survey, rng), random_answers(survey, rng)
        plain, visit = policy.visit(known=last), policy.visit(known={"scale0": first["scale0"]})
        changed += policy.visit(known=first).arm != plain.arm
        visit.revise({"scale0": last["scale0"]})
        while visit.asks:
            question = visit.asks[0]
            visit.answer({question: (first if len(visit.asks) > 1 else last)[question]})
            if visit.asks:
                visit.revise({question: last[question]})
        assert visit.arm == plain.arm
        k = policy.arms.index(visit.arm)
        policy.learn_row(k, policy.encode(last), float(k == int(3 * last["scale0"] % 3)))
    assert changed > 10  # keeping the first answers would have been noticed


def test_known_answers_are_a_dict(policy):
    for known in ([], 0, ["age"]):
        with pytest.raises(AnswerError, match="give a dict"):
            policy.visit(known=known)


@pytest.mark.parametrize("kind", [np.array, pd.Series, pd.Index, iter, set])
def test_the_arms_of_a_visit_may_be_any_iterable(kind):
    policy = al.LinUCB(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    assert policy.visit(arms=kind(["a", "b"])).eligible == ("a", "b")
    assert policy.may_ask(arms=kind(["b"])) == ("x1",)

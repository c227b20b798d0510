"""One respondent's passage: order, parts, refusals, interruptions and races."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askless as al
from askless.errors import AnswerError, AsklessError, SettingError, StateError, VisitError
from worlds import random_answers, survey_of

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["children", "animals"]),
        al.Multi("media", ["tv", "web"], always_ask=True),
    ]
)
ANSWERS = {"age": 30, "donor": True, "cause": "animals", "media": ["web"]}
DECIDED = {"arm": "red", "decided_at": 0, "propensities": {"red": 1.0}}


@pytest.fixture
def policy():
    return al.RidgeSurveyUCB(SURVEY, arms=["red", "blue", "green"], reward=(0, 100), beta_min=5)


def drop(policy, question, arms=None):
    """Let arms lose a question, as learning would."""
    g = policy.survey.index(question)
    for k in range(len(policy.arms)) if arms is None else arms:
        policy._model.arms.support[k, g] = False
        policy._model.arms.dropped_at[k, g] = 1
        policy._model.arms.pack(k)
        policy._model.refresh([k])


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


def test_explains_itself_before_and_after(policy):
    drop(policy, "age", arms=[1])
    drop(policy, "media")
    visit = policy.visit(known={"donor": True})
    before = visit.explain()
    assert before.asks == {
        "age": ("red", "green"),
        "cause": ("red", "blue", "green"),
        "media": (),
    }
    assert "age: red, green" in str(before)
    assert "media: asked of everyone" in str(before)
    visit.answer({"age": 30, "cause": "animals", "media": []})
    after = visit.explain()
    assert after.arm == visit.arm
    upper = policy.ucb(visit.context()) + 50  # centred around the middle of 0 to 100
    assert {arm: pair[1] for arm, pair in after.outlook.items()} == dict(
        zip(policy.arms, upper.tolist(), strict=True)
    )
    assert all(pair[0] == 50 for pair in after.outlook.values())  # nothing learned: the middle
    assert "<- played" in str(after)
    assert "after 3 questions" in str(after)


def test_explaining_a_policy_without_an_outlook():
    policy = al.Uniform(al.Survey.unit(1), arms=["a"], reward=(0, 1))
    assert (
        str(policy.visit(known={"x1": 1}).explain())
        == "Played a after 0 questions (state version 0)"
    )


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.integers(0, 2**32))
def test_an_interrupted_visit_equals_one_that_was_not(seed):
    rng = np.random.default_rng(seed)
    kinds = ["scale", "yes_no", "choice", "multi"]
    survey = survey_of([(str(rng.choice(kinds)), 3, bool(rng.random() < 0.5)) for _ in range(5)])
    policy = al.RidgeSurveyUCB(survey, arms=["a", "b"], reward=(0, 1), beta_min=0.6, sigma=0.02)
    for _ in range(30):
        answers = random_answers(survey, rng)
        twin = copy.deepcopy(policy)
        whole, parted = policy.visit(), twin.visit()
        if whole.asks:
            whole.answer({q: answers[q] for q in whole.asks})
        while asks := parted.asks:
            part = [q for q in asks if rng.random() < 0.5] or asks[:1]
            parted.answer({q: answers[q] for q in part})
            parted = twin.visit(json.loads(json.dumps(parted.to_dict())))
        one, other = whole.to_dict(), parted.to_dict()
        assert one == other | {"answers": other["answers"], "asked": one["asked"]}
        assert set(one["asked"]) == set(other["asked"])
        reward = float(rng.random())
        policy.learn(whole, reward)
        twin.learn(parted, reward)
        assert policy.to_dict() == twin.to_dict()


def test_a_learned_visit_stays_learned_when_resumed(policy):
    visit = policy.visit(known=ANSWERS)
    policy.learn(visit, 25)
    again = policy.visit(visit.to_dict())
    policy.learn(again, 25)
    assert policy.rows.sum() == 1
    with pytest.raises(AsklessError, match="25"):
        policy.learn(again, 26)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a saved visit"),
        ({"version": 1}, "version 1.*older"),
        ({"version": 4}, "version 4.*newer"),
        ({"version": True}, "version True"),
        ({"kind": 3}, "kind is 3"),
        ({"eligible": ["pink"]}, "'pink'"),
        ({"arm": "pink"}, "'pink'"),
        ({"answers": {"colour": 1}}, "'colour'"),
        ({"answers": {"age": 300}}, "'age'"),
        ({"answers": {"cause": "animals"}}, "never asked"),
        (DECIDED | {"reward": 1000}, "1000"),
        ({"answers": None}, "damaged"),
        ({"eligible": ["red"], "arm": "blue"}, "none that it could play"),
        ({"reward": 5}, "reward and no arm"),
        ({"known": "age"}, "damaged"),
        ({"known": ["donor"]}, "damaged"),
        ({"promised": ["donor"]}, "promised"),
        ({"number": -5}, "number is -5"),
        ({"number": 2**70}, "number is"),
        ({"number": float("inf")}, "number is inf"),
        ({"number": "x"}, "damaged"),
        ({"arm": "red"}, "decided at None"),
        (DECIDED | {"propensities": None}, "propensities are None"),
        (DECIDED | {"propensities": {"red": 0, "blue": 1}}, "propensities are"),
        (DECIDED | {"propensities": {"red": "1"}}, "propensities are"),
        (DECIDED | {"propensities": {"red": 0.5}}, "propensities are"),
        (DECIDED | {"propensities": {"red": 0.5, "pink": 0.5}}, "propensities are"),
        ({"propensities": {"red": 1.0}}, "propensities are"),
    ],
)
def test_a_damaged_visit_is_refused(policy, change, message):
    visit = policy.visit()
    visit.answer({"age": 30})
    saved = visit.to_dict() | {"asked": ["age"]}
    with pytest.raises(StateError, match=message):
        policy.visit(saved | change)


def test_a_visit_without_a_part_is_refused(policy):
    saved = policy.visit().to_dict()
    for key in saved:
        with pytest.raises(StateError):
            policy.visit({k: v for k, v in saved.items() if k != key})
    with pytest.raises(StateError, match="not a saved visit"):
        policy.visit(["age"])


def test_a_state_older_than_the_visit_is_noticed(policy):
    old = copy.deepcopy(policy)
    drop(policy, "age")
    visit = policy.visit()
    visit.answer({"donor": True, "cause": "animals"})
    with pytest.raises(VisitError, match=r"still uses age.*newest state"):
        old.visit(visit.to_dict())


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


def test_a_saved_visit_can_be_read_without_its_policy(policy):
    drop(policy, "cause", arms=[1, 2])
    visit = policy.visit(known={"age": 44}, arms=["blue", "green"])
    visit.answer({"donor": None})
    record = al.VisitRecord.read(json.loads(json.dumps(visit.to_dict())))
    assert record == visit.record()
    assert (record.number, record.kind, record.eligible) == (0, "full", ("blue", "green"))
    assert record.promised == ("age", "donor", "media")
    assert (record.known, record.skipped) == (("age",), ("donor",))
    assert (record.unanswered, record.not_reached) == (("media",), ())
    assert (record.arm, record.propensities) == (None, None)
    visit.answer({"media": []})
    record = al.VisitRecord.read(visit.to_dict())
    assert (record.arm, record.propensities) == ("blue", {"blue": 1.0, "green": 0.0})
    assert al.VisitRecord.read(record.to_dict()) == record


def test_explaining_in_raw_coding_shows_rewards_as_they_are():
    policy = al.OFUL(al.Survey.unit(1, coding="raw"), arms=["a"], reward=(0, 2))
    visit = policy.visit(known={"x1": 0.5})
    assert visit.explain().outlook == {"a": (0.0, float(policy.ucb(visit.context())[0]))}


def test_known_answers_are_a_dict(policy):
    for known in ([], 0, ["age"]):
        with pytest.raises(AnswerError, match="give a dict"):
            policy.visit(known=known)


def test_a_saved_visit_takes_no_options(policy):
    with pytest.raises(VisitError, match="alone"):
        policy.visit(policy.visit().to_dict(), known={"age": 30})


class Rewriting(al.Policy):
    """Goes on with the array of probabilities that it has handed out."""

    name = "rewriting"

    def __init__(self, survey, *, arms, reward):
        super().__init__(survey, arms=arms, reward=reward)
        self.chances = np.full(len(self.arms), 1 / len(self.arms))

    def _decide(self, z, mask, number):
        return al.Decision(0, np.zeros(len(mask)), self.chances)

    def _ask(self, z, mask, number):
        self.possible = mask.copy()
        return al.Asked(np.isnan(z[1:]), self.possible)

    def _learn(self, played, rows, ys):
        self.chances[:] = [0.25, 0.75]


def test_what_a_visit_recorded_does_not_change_with_the_arrays_of_its_policy():
    # Fails if a visit keeps an array of the policy's: logged propensities would be later ones.
    policy = Rewriting(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    visit, other = policy.visit(known={"x1": 0.5}), policy.visit()
    policy.possible[:] = False
    assert visit.propensities == {"a": 0.5, "b": 0.5}
    policy.learn(visit, 1)
    assert visit.propensities == visit.to_dict()["propensities"] == {"a": 0.5, "b": 0.5}
    assert other.explain().possible == ("a", "b")


def test_a_hook_that_is_put_on_a_policy_is_checked_as_any_other():
    # Fails if the hooks of our own classes are trusted whatever stands in their place.
    policy = al.RidgeSurveyUCB(al.Survey.unit(1), arms=["a", "b", "c"], reward=(0, 1), beta_min=0.1)
    policy.retire_arm("c")
    policy._decide = lambda z, mask, number: al.Decision(2, np.zeros(3))
    with pytest.raises(al.errors.ContractError, match="an arm that the visit may get"):
        policy.visit(known={"x1": 0.5})


@pytest.mark.parametrize("outlook", [[[0.1] * 2, [0.2] * 2], ((0.1, 0.1), (0.2, 0.2))])
def test_an_outlook_may_be_lists(outlook):
    class Lists(al.Uniform):
        name = "lists"

        def _outlook(self, z):
            return outlook

    visit = Lists(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1)).visit(known={"x1": 0.5})
    assert dict(visit.explain().outlook) == dict.fromkeys("ab", (0.6, 0.7))


@pytest.mark.parametrize("outlook", [[["x"] * 2, ["y"] * 2], [[0.1], [0.2]], "no", 3])
def test_an_outlook_that_is_none_is_a_broken_promise(outlook):
    class Wrong(al.Uniform):
        name = "wrong"

        def _outlook(self, z):
            return outlook

    with pytest.raises(al.errors.ContractError, match="_outlook"):
        Wrong(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1)).visit(known={"x1": 0.5})


@pytest.mark.parametrize("kind", [np.array, pd.Series, pd.Index, iter, set])
def test_the_arms_of_a_visit_may_be_any_iterable(kind):
    policy = al.LinUCB(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    assert policy.visit(arms=kind(["a", "b"])).eligible == ("a", "b")
    assert policy.may_ask(arms=kind(["b"])) == ("x1",)

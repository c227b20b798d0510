"""Visits where arms have rules: what these need is asked first, then arms are left out."""

import json

import numpy as np
import pytest

import askless as al
from askless.errors import AnswerError, SettingError, StateError, VisitError

SURVEY = al.Survey(
    [
        al.YesNo("donor"),
        al.Scale("age", low=18, high=90),
        al.Choice("region", ["north", "south"], may_skip=True),
        al.Scale("income", low=0, high=100),
    ]
)
ARMS = (
    al.Arm("basic"),
    al.Arm("senior", eligible_if="age >= 65 and region == north"),
    al.Arm("rest", eligible_if="not region == north"),
)
SENIOR = {"age": 70, "region": "north"}


def policy_of(kind=al.SurveyBandit, arms=ARMS, **settings):
    given = {} if kind is al.Uniform else {"beta_min": 0.3}
    return kind(SURVEY, arms=arms, reward=(0, 1), **given | settings)


@pytest.mark.parametrize("kind", [al.SurveyBandit, al.EpochSurveyUCB, al.LinUCB, al.Uniform])
def test_a_visit_asks_what_rules_need_then_goes_on_with_the_arms_that_are_left(kind):
    """Fails if anything else is asked before, or an arm stays whose rule does not hold."""
    visit = policy_of(kind).visit()
    assert (visit.kind, visit.asks) == (None, ("age", "region"))
    assert visit.eligible == ("basic", "senior", "rest")
    visit.answer({"region": "north"})
    assert (visit.kind, visit.asks) == (None, ("age",))
    visit.answer({"age": 40})
    assert (visit.kind, visit.eligible) == ("full", ("basic",))
    while visit.asks:
        visit.answer({name: {"donor": True, "income": 5}[name] for name in visit.asks})
    assert visit.arm == "basic"
    assert visit.propensities == {"basic": 1.0}


def test_a_skip_satisfies_no_comparison():
    """Fails if who does not say where they live gets an arm of the north, or none."""
    visit = policy_of().visit()
    visit.answer({"age": 70, "region": None})
    assert visit.eligible == ("basic", "rest")


def test_arms_of_the_caller_and_rules_are_intersected_and_none_left_is_an_error():
    """Fails if one overrules the other, or if a refused answer leaves a trace."""
    policy = policy_of()
    visit = policy.visit(arms=["senior", "rest"])
    visit.answer({"region": "north"})
    before = visit.to_dict()
    with pytest.raises(VisitError, match=r"no arm.*senior, rest.*other arms"):
        visit.answer({"age": 30})
    assert visit.to_dict() == before
    assert (visit.asks, visit.decided) == (("age",), False)
    visit.answer({"age": 65})
    assert visit.eligible == ("senior",)
    number = policy.visit().number
    with pytest.raises(VisitError, match="no arm"):
        policy.visit(known=SENIOR, arms=["rest"])
    assert policy.visit().number == number + 1


def test_known_answers_are_not_asked_and_those_that_nobody_needs_are_let_go():
    """Fails if what is known is asked again, or an answer is kept that no arm left needs."""
    policy = policy_of()
    visit = policy.visit(known=SENIOR | {"income": 5})
    assert (visit.kind, visit.eligible, visit.asks) == ("full", ("basic", "senior"), ("donor",))
    assert set(visit.record().known) == {"age", "region", "income"}
    target = al.Target(
        SURVEY,
        arms=ARMS,
        reward=(0, 1),
        coefficients=np.array([[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0.1], [0] * 7]),
    )
    assert target.visit(known={"income": 5}).answers == {"income": 5}
    visit = target.visit(known={"income": 5, "age": 20, "region": "north"})
    assert visit.answers == {"age": 20, "region": "north"}
    assert (visit.arm, visit.record().known) == ("basic", ("age", "region"))


def test_a_visit_is_resumed_in_every_phase_and_goes_on_as_if_it_had_not_been_put_away():
    """Fails if a saved visit forgets its phase, its first arms or what it could ask."""
    policy = policy_of()
    kept, saved = policy.visit(number=3), policy.visit(number=3)
    for answers in ({"age": 70}, {"region": "south"}, {"donor": True}, {"income": 9}):
        assert json.loads(json.dumps(saved.to_dict())) == kept.to_dict()
        saved = policy.visit(json.loads(json.dumps(saved.to_dict())))
        for visit in (kept, saved):
            visit.answer(answers)
        assert (kept.kind, kept.eligible, kept.asks) == (saved.kind, saved.eligible, saved.asks)
    assert kept.to_dict() == saved.to_dict()
    assert kept.decided
    assert "opening" not in kept.to_dict()


def test_a_revised_answer_opens_and_shuts_arms_until_the_arm_is_decided():
    """Fails if arms stay as they were before a revision, also in a visit that was put away."""
    policy = policy_of()
    visit = policy.visit()
    visit.answer({"age": 70, "region": "north"})
    assert visit.eligible == ("basic", "senior")
    visit = policy.visit(visit.to_dict())
    visit.revise({"region": "south"})
    assert visit.eligible == ("basic", "rest")
    visit.revise({"region": None})
    assert visit.eligible == ("basic", "rest")
    visit.revise({"region": "north", "age": 30})
    assert visit.eligible == ("basic",)
    visit.answer({"donor": False, "income": 1})
    assert visit.arm == "basic"
    with pytest.raises(VisitError, match="decided"):
        visit.revise({"age": 70})


def test_records_without_rules_are_as_ever():
    """Fails if a study without rules stores anything else than before."""
    visit = policy_of(arms=("a", "b")).visit()
    assert visit.kind == "full"
    assert visit.asks == SURVEY.names
    assert "opening" not in visit.to_dict()
    assert all("eligible_if" not in arm for arm in visit._policy.to_dict()["arms"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": None, "arm": "basic", "decided_at": 0}, "kind"),
        ({"eligible": ["basic", "rest"]}, "rule of an arm|did not have"),
        ({"eligible": ["rest"]}, "rule of an arm"),
        ({"opening": {"arms": ["basic"], "promised": ["age"]}}, "did not have"),
        ({"opening": {"arms": "basic"}}, "damaged"),
        ({"opening": 3}, "damaged"),
    ],
)
def test_a_damaged_visit_is_refused(change, message):
    """Fails if a saved visit can smuggle in an arm that its answers do not open."""
    policy = policy_of()
    visit = policy.visit(known=SENIOR)
    with pytest.raises(StateError, match=message):
        policy.visit(visit.to_dict() | change)
    plain = policy_of(arms=("basic", "senior", "rest"))
    with pytest.raises(StateError, match="no arm has a rule"):
        plain.visit(policy.visit().to_dict())


def test_a_policy_is_saved_with_its_rules():
    """Fails if a loaded policy lets somebody have an arm that was not for them."""
    policy = policy_of()
    again = type(policy).from_dict(json.loads(json.dumps(policy.to_dict())))
    assert again.roster.rules.same_rules(policy.roster.rules)
    assert again.visit(known=SENIOR).eligible == ("basic", "senior")


def test_arms_come_and_go_under_the_same_proof():
    """Fails if retiring leaves somebody without an arm, or a new rule needs what few are asked."""
    policy = policy_of()
    with pytest.raises(SettingError, match=r"'basic' cannot be retired.*would get no arm"):
        policy.retire_arm("basic")
    with pytest.raises(SettingError, match=r"'rich'.*'income'.*always_ask"):
        policy.add_arm(al.Arm("rich", eligible_if="income > 50"))
    assert policy.arms == ("basic", "senior", "rest")
    policy.add_arm(al.Arm("north", eligible_if="region == north"))
    assert policy.visit(known=SENIOR).eligible == ("basic", "senior", "north")
    policy.retire_arm("basic")
    assert policy.visit(known=SENIOR).eligible == ("senior", "north")
    assert policy.visit(known={"age": 20, "region": None}).eligible == ("rest",)


def test_an_arm_that_is_retired_under_way_is_not_played():
    """Fails if a visit whose rules came first goes on with an arm that is gone."""
    policy = policy_of()
    visit = policy.visit()
    policy.retire_arm("senior")
    visit.answer(SENIOR)
    assert visit.eligible == ("basic",)


@pytest.mark.parametrize("kind", [al.SurveyBandit, al.EpochSurveyUCB, al.LinUCB])
def test_rows_are_played_by_the_rules(kind):
    """Fails if whoever hands in whole contexts gets arms that visits would not."""
    policy, rng = policy_of(kind), np.random.default_rng(0)
    for arm in range(3):
        rows = [SURVEY.encode({**SENIOR, "donor": True, "income": i}) for i in range(40)]
        policy.learn_rows([arm] * 40, np.array(rows), rng.random(40) * (0.2 + 0.4 * (arm == 2)))
    for age, region in ((70, "north"), (70, "south"), (30, "north"), (30, None)):
        z = SURVEY.encode({"age": age, "region": region, "donor": True, "income": 5})
        may = [
            0,
            *([1] if age == 70 and region == "north" else []),
            *([2] if region != "north" else []),
        ]
        assert policy.play(z) in may


def test_a_row_without_what_rules_need_is_refused():
    """Fails if an unanswered question counts as a skip, though nobody was asked."""
    policy = al.Target(SURVEY, arms=ARMS, reward=(0, 1), coefficients=np.zeros((3, 7)))
    z = SURVEY.encode({"age": 70, "region": "north", "donor": True, "income": 5})
    assert policy.play(z) == 0
    z[SURVEY.columns_of("age")] = np.nan
    with pytest.raises(AnswerError, match=r"'age'.*rule of an arm"):
        policy.play(z)


def test_an_explanation_says_whom_rules_keep_from_what():
    """Fails if nobody can see why a question comes first, or why an arm was out of the question."""
    visit = policy_of().visit()
    said = visit.explain()
    assert said.asks == {"age": ("senior",), "region": ("senior", "rest")}
    assert "asked first what says which arms they may get" in str(said)
    visit.answer({"age": 70, "region": "south"})
    assert visit.explain().barred == ("senior",)
    assert "by their rules: senior" in str(visit.explain())


@pytest.mark.parametrize("name", ["survey-bandit", "epoch", "ridge", "linucb", "uniform"])
def test_policies_with_rules_keep_the_contract(name):
    """Fails if rules break a promise that policies make."""
    policy = policy_of(al.POLICIES[name])
    al.check_policy(policy)

"""Nothing is derived before it is needed, and what is said without the core is what it would say.

What would make these fail: a constructor, a support or a first visit's questions that derive an
arm; a shortcut that asks or rules out anything else than the core; derived numbers that are read
before they have been derived.
"""

import copy
import pickle

import numpy as np
import pytest

import askless as al
from askless.policies.arm_state import ArmState, arrays_of
from askless.policies.first_asks import first_asks
from worlds import random_answers


def fresh_policies():
    """Policies of every kind that have learned nothing, for two arms."""
    survey = al.Survey(
        [
            al.Scale("age", low=18, high=90),
            al.YesNo("donor", may_skip=True),
            al.Choice("cause", ["a", "b", "c"], always_ask=True),
        ]
    )
    given = {"arms": ["red_cross", "wwf"], "reward": (0, 100)}
    useful = {**given, "beta_min": 5}
    yield al.SurveyBandit(survey, **useful)
    yield al.SurveyBandit(survey, **useful, explore=0.1, judge_skips=False)
    yield al.SurveyBandit(survey, **useful, price=0)
    yield al.SurveyBandit(survey, **useful, price=0, grain="question")
    yield al.RidgeSurveyUCB(survey, **useful)
    yield al.RidgeSurveyUCB(survey, **useful, interactive="paper_heuristic")
    yield al.ElasticNetSurveyUCB(survey, **useful, interactive=True)
    yield al.LinUCB(survey, **given)
    yield al.OFUL(survey, **given)
    yield al.Uniform(survey, **given)
    table = [[0, 1, 0, 0, 0, 0, 0], [0, 0, 9, 0, 1, 0, 0]]
    yield al.Target(survey, **given, coefficients=table)


@pytest.mark.parametrize("number", range(11))
def test_a_first_visit_asks_without_deriving_anything(number):
    """A constructor that refreshes its arms factors a matrix for each of them here."""
    (policy,) = [made for i, made in enumerate(fresh_policies()) if i == number]
    policy = type(policy).from_dict(copy.deepcopy(policy).to_dict())
    if policy.name != "target" and getattr(policy, "grain", None) != "question":
        policy.add_arm("msf")
    visit = policy.visit(known={"age": 44})
    visit = policy.visit(visit.to_dict())
    # Also with the grain question: in the start the arm is known, and all that it learns is asked.
    assert visit.asks == ("donor", "cause")
    visit.answer({"donor": None})
    assert visit.asks == ("cause",)
    assert policy.support.all() or policy.name == "target"
    assert set(policy.asked_now()) == {"age", "donor", "cause"} or policy.name == "target"
    assert not np.any(getattr(policy, "rows", 0))
    model = getattr(policy, "_model", None)
    if isinstance(model, ArmState):
        assert "arms" not in vars(model)
        assert not model.learned.root.any()


# -- what is said without the core is what it would say --------------------------------------------


SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90, cost=3),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["a", "b", "c"], cost=0.5),
        al.Multi("media", ["tv", "web"], always_ask=True),
        al.Scale("income", low=0, high=1, always_ask=True),
    ]
)
KINDS = [
    (al.RidgeSurveyUCB, {"radius": "valid"}),
    (al.RidgeSurveyUCB, {"radius": "published"}),
    (al.RidgeSurveyUCB, {"radius": "published_sqrt"}),
    (al.ElasticNetSurveyUCB, {}),
    (al.EpochSurveyUCB, {}),
    (al.EpochSurveyUCB, {"explore": 0.5}),
]
HOW = [("certified", "arm"), ("certified", "question"), ("paper_heuristic", "arm")]


def by_core(policy, z, mask):
    asks, possible = np.empty(len(SURVEY), dtype=bool), np.empty(len(mask), dtype=bool)
    policy._model.arms.ask(mask, z, asks, possible)
    return asks, possible


@pytest.mark.parametrize(("interactive", "grain"), HOW)
@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_it_is_what_the_core_says(kind, settings, interactive, grain):
    if interactive == "paper_heuristic" and "explore" in settings:
        settings = {}
    said = silent = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        policy = kind(
            *(SURVEY,),
            arms=["a", "b", "c", "d"][: rng.integers(1, 5)],
            reward=(0, 1),
            beta_min=0.3,
            interactive=interactive,
            grain=grain,
            **settings,
        )
        if rng.random() < 0.2:
            policy.add_arm("later")  # has a smaller part of delta
        count = len(policy.arms)
        for _ in range(rng.choice([0, 0, 1, 30])):
            z = policy.encode(random_answers(SURVEY, rng))
            policy.learn_row(int(rng.integers(count)), z, float(rng.random()))
        if rng.random() < 0.2:
            support = (rng.random((count, len(SURVEY))) < 0.9).astype(int)
            policy._model.restrict(support)
            policy._model.refresh()
        for _ in range(10):
            mask = rng.random(count) < 0.8
            mask[rng.integers(count)] = True
            given = random_answers(SURVEY, rng)
            z = policy.encode({q: a for q, a in given.items() if rng.random() < rng.random()})
            first = first_asks(SURVEY, policy._model.learned, grain, z, mask)
            if first is None:
                silent += 1
                continue
            said += 1
            asks, possible = by_core(policy, z, mask)
            np.testing.assert_array_equal(first.questions, asks)
            np.testing.assert_array_equal(first.possible, possible)
    assert min(said, silent) > 20


def test_it_says_nothing_where_answers_may_tell_arms_apart():
    """One question at a time, once an arm has learned, or has another part of delta."""
    survey = al.Survey.unit(2)
    given = {"arms": ["a", "b"], "reward": (0, 1), "beta_min": 0.1, "interactive": True}
    learned, grown = (al.RidgeSurveyUCB(survey, **given, grain="question") for _ in range(2))
    learned.learn_row(0, [1, 0.5, -0.5], 1.0)
    grown.add_arm("c")
    for policy in (learned, grown):
        z, mask = survey.nothing_known(), policy.roster.live
        assert first_asks(survey, policy._model.learned, "question", z, mask) is None
        assert first_asks(survey, policy._model.learned, "arm", z, mask) is not None


# -- and derived numbers are there whoever reads them first ----------------------------------------


def policies():
    given = {"arms": ["a", "b"], "reward": (0, 1), "beta_min": 0.1}
    yield al.EpochSurveyUCB(SURVEY, **given, interactive=True)
    yield al.RidgeSurveyUCB(SURVEY, **given)
    yield al.ElasticNetSurveyUCB(SURVEY, **given)
    yield al.LinUCB(SURVEY, arms=["a", "b"], reward=(0, 1))


READERS = {
    "radius": lambda policy: policy.radius,
    "estimate": lambda policy: policy.estimate,
    "effects": lambda policy: policy.evidence(),
    "coefficients": lambda policy: getattr(policy, "coefficients", None),
    "kkt_residual": lambda policy: getattr(policy, "kkt_residual", None),
    "ucb": lambda policy: policy.ucb(
        policy.encode(random_answers(SURVEY, np.random.default_rng(0)))
    ),
    "variance": lambda policy: policy._model.arms.variance.copy(),
    "gram": lambda policy: policy._model.gram(0),
}
WAYS = {
    "made": lambda policy: policy,
    "copied": copy.deepcopy,
    "sent": lambda policy: pickle.loads(pickle.dumps(policy)),
    "loaded": lambda policy: type(policy).from_dict(policy.to_dict()),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rows", [0, 3])
def test_whoever_reads_first_reads_what_has_been_derived(reader, way, rows):
    """`refresh` at once, as it were: the oracle has been derived before anything is read."""
    for early, late in zip(policies(), policies(), strict=True):
        assert "arms" in vars(early._model) or early.radius.all()  # derived now
        for policy in (early, late):
            rng = np.random.default_rng(5)
            for _ in range(rows):
                policy.learn_row(0, policy.encode(random_answers(SURVEY, rng)), 0.5)
        if way == "loaded":
            early._model.refresh()  # as saving does
        found = WAYS[way](late)
        if not (rows and way == "made"):
            assert "arms" not in vars(found._model)
        assert repr(READERS[reader](found)) == repr(READERS[reader](early))
        for name in ("root", "weights", "estimate", "variance", "radius", "log_det", "net_coef"):
            assert getattr(found._model.arms, name).tobytes() == (
                getattr(early._model.arms, name).tobytes()
            )


def test_an_added_arm_changes_no_bit_of_the_others_whether_they_have_been_derived_or_not():
    for early, late in zip(policies(), policies(), strict=True):
        assert early.radius.all()
        for policy in (early, late):
            policy.add_arm("c")
        assert "arms" not in vars(late._model)
        for name, array in arrays_of(late._model.arms).items():
            np.testing.assert_array_equal(getattr(early._model.arms, name), array, err_msg=name)

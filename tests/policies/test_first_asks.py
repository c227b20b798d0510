"""Nothing is compiled before a kernel is needed, and what is said without one is what it would say.

What would make these fail: a constructor, a support or a first visit's questions that call a
kernel; a shortcut that asks or rules out anything else than the kernels; derived numbers that are
read before they have been derived.
"""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from askless.kernels import doors
from askless.kernels.bundles import Arms

import askless as al
from askless.policies.first_asks import first_asks
from worlds import random_answers

FIRST_VISITS = """
import copy, json
import askless as al
from askless.kernels import compiling
from numba.core.event import install_recorder

survey = al.Survey([
    al.Scale("age", low=18, high=90),
    al.YesNo("donor", may_skip=True),
    al.Choice("cause", ["a", "b", "c"], always_ask=True),
])
given = dict(arms=["red_cross", "wwf"], reward=(0, 100))
with install_recorder("numba:compile") as compiled:
    policies = [
        al.SurveyBandit(survey, **given, beta_min=5),
        al.SurveyBandit(survey, **given, beta_min=5, explore=0.1, judge_skips=False),
        al.SurveyBandit(survey, **given, beta_min=5, price=0),
        al.SurveyBandit(survey, **given, beta_min=5, price=0, grain="question"),
        al.RidgeSurveyUCB(survey, **given, beta_min=5),
        al.RidgeSurveyUCB(survey, **given, beta_min=5, interactive="paper_heuristic"),
        al.ElasticNetSurveyUCB(survey, **given, beta_min=5, interactive=True),
        al.LinUCB(survey, **given),
        al.OFUL(survey, **given),
        al.Uniform(survey, **given),
        al.Target(survey, **given, coefficients=[[0, 1, 0, 0, 0, 0, 0], [0, 0, 9, 0, 1, 0, 0]]),
    ]
    asks = []
    for policy in policies:
        policy = type(policy).from_dict(copy.deepcopy(policy).to_dict())
        if policy.name != "target" and getattr(policy, "grain", None) != "question":
            policy.add_arm("msf")
        visit = policy.visit(known={"age": 44})
        visit = policy.visit(visit.to_dict())
        asks.append(visit.asks)
        visit.answer({visit.asks[0]: "b" if visit.asks[0] == "cause" else None})
        asks.append(visit.asks)
        policy.support, policy.asked_now(), getattr(policy, "rows", 0)
print(json.dumps([len(compiled.buffer), len(compiling.KEPT), asks]))
"""


def test_a_first_visit_asks_without_compiling_anything(tmp_path):
    """A constructor that refreshes its arms compiles thirty kernels here."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_VISITS],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    # Also with the grain question: in the start the arm is known, and all that it learns is asked.
    at_once = ['["donor", "cause"]', '["cause"]']
    expected = at_once * 11
    assert done.stdout == f"[0, 0, [{', '.join(expected)}]]\n"
    assert done.stderr == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


# -- what is said without a kernel is what it would say --------------------------------------------


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


def by_kernel(policy, z, mask):
    asks, possible = np.empty(len(SURVEY), dtype=bool), np.empty(len(mask), dtype=bool)
    doors.ask(policy._model.address, mask, z, asks, possible)
    return asks, possible


@pytest.mark.parametrize(("interactive", "grain"), HOW)
@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_it_is_what_the_kernels_say(kind, settings, interactive, grain):
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
            asks, possible = by_kernel(policy, z, mask)
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
        for name in set(Arms._fields) - {"links", "work", "step", "row", "net_work", "block"}:
            a, b = getattr(early._model.arms, name), getattr(late._model.arms, name)
            np.testing.assert_array_equal(a, b, err_msg=name)

"""Compiling ahead: afterwards nothing is left to compile, whatever is done with whichever policy.

What would make these fail: a kernel that warm_up does not come to, one that is compiled again for
other types or orders of memory, or a policy that it changes.
"""

import json
import subprocess
import sys

import pytest

import askless as al
from askless.errors import SettingError
from askless.simulation import warm_up as exported
from askless.simulation.warm_up import WARM, warming

# Both count what numba has at hand: whatever it compiles or loads from its cache comes on top.
AT_HAND = """
import sys
from askless.kernels import compiling

def at_hand():
    kernels = {
        f"{thing.py_func.__module__}.{thing.py_func.__name__}": len(thing.signatures)
        for name, module in list(sys.modules.items()) if name.startswith("askless.kernels.")
        for thing in vars(module).values() if hasattr(thing, "signatures")
    }
    return kernels | {"by address": len(compiling.KEPT)}

def more_than(before):
    return {name: count for name, count in at_hand().items() if count != before.get(name)}
"""
WORK = """
import json, pathlib, tempfile
import numpy as np
import askless as al

al.warm_up()
before = at_hand()
# refresh, radius, drop; three of the net; three ways to ask, and two steps of theirs; an epoch's
# look, fit and activate; the noise
assert before["by address"] == 15, before

mixed = al.Survey([
    al.Scale("age", low=18, high=90), al.YesNo("donor", may_skip=True),
    al.Choice("cause", ["a", "b", "c"]), al.Multi("media", ["tv", "web"], always_ask=True, cost=2),
])
raw = al.Survey.unit(3, coding="raw")
names = ["x", "y", "z"]
path = pathlib.Path(tempfile.mkdtemp()) / "state.json"

def worlds(survey):
    for matter in (0, 1, 3):
        values = np.zeros((3, survey.column_count), order="F")
        values[:, :matter] = 0.1
        values[:, 0] += 0.4 if survey.coding == "raw" else 0.0
        for more in ({}, {"noise": "truncated_normal"}, {"eligible": {"y": 0.5}}):
            yield al.LinearEnvironment(
                survey, arms=names, reward=(0, 1), coefficients=values, spread=0.05, **more)

def policies(survey):
    given = dict(arms=names, reward=(0, 1))
    few = dict(given, beta_min=0.2, sigma=0.05, alpha=0.1)
    yield al.SurveyBandit(survey, **few)
    yield al.SurveyBandit(survey, **few, price=0)
    yield al.SurveyBandit(survey, **few, price=0, grain="question", explore=0.2)
    yield al.EpochSurveyUCB(survey, **few, explore=0.2)
    yield al.EpochSurveyUCB(survey, **few, optimism="valid", explore_floor=0.5)
    yield al.RidgeSurveyUCB(survey, **few)
    yield al.RidgeSurveyUCB(survey, **few, radius="published", interactive="paper_heuristic")
    yield al.ElasticNetSurveyUCB(survey, **few, radius="published_scaled_sqrt")
    yield al.ElasticNetSurveyUCB(survey, **few, interactive=True, grain="question")
    yield al.LinUCB(survey, **given, interactive=True)
    yield al.LinUCB(survey, **given, width="noise")
    yield al.LinUCB(survey, **given, width="noise", interactive=True)
    yield al.OFUL(survey, **given)
    yield al.Uniform(survey, **given)
    yield al.Target(survey, **given, coefficients=np.eye(3, survey.column_count) / 9)

def work(policy, world):
    rng = np.random.default_rng(0)
    for i in range(60):
        z = np.array(next(world.respondents(0, i)).contexts[0])
        answers = policy.survey.decode(z)
        visit = policy.visit(known={"age": 44} if i % 2 and "age" in answers else None)
        while asks := visit.asks:
            visit.explain()
            visit.answer({asks[0]: answers[asks[0]]})
            visit = policy.visit(visit.to_dict())
        visit.explain()
        policy.learn(visit, rng.random())
    for row in (z, z.tolist(), z.astype(np.float32), np.asfortranarray(z), np.c_[z, z][:, 0]):
        policy.play(row)
        policy.learn_row(1, row, 1)
    z.setflags(write=False)
    policy.play(z), policy.learn_row(np.int64(0), z, np.float64(0.5))
    policy.learn_rows([0, 1], np.array([z, z]), [0, 1.0])
    policy.save(path)
    again = al.load(path)
    if hasattr(policy, "effects"):
        policy.ucb(z), policy.evidence(), policy.estimate, policy.radius, again.evidence()
        policy.unlearn(visit), policy.unlearn_row(0, z, 0.5)
        if policy.name not in ("epoch", "survey-bandit"):
            again._learned = type(again._learned)()  # as if it had learned others
            policy.merge(again)
    again.retire_arm("x")
    again.visit(arms=["y"]).asks
    if policy.name != "target":
        again.add_arm("new")
    al.check_policy(policy) if policy.name == "linucb" else None

for survey in (mixed, raw):
    for policy in policies(survey):
        for world in worlds(survey):
            al.simulate(policy, world, 300)
        al.simulate(policy, world, 20, delay=al.Delay(5, "random"))
        work(policy, world)
square = np.diag([1.0, 2.0, 3.0])
al.elastic_net(square, [1, 2, 3], 9, alpha=1, lam=0.1, start=[0, 0, 1])
al.elastic_net(np.asfortranarray(square), np.ones(3), 9, alpha=1, lam=[1, 0, 2])
print(json.dumps(more_than(before)))
"""


def in_a_new_process(code):
    command = [sys.executable, "-W", "ignore", "-c", AT_HAND + code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_afterwards_nothing_is_left_to_compile():
    assert in_a_new_process(WORK) == {}


ONE = """
import copy, json
import askless as al

given = dict(arms=["a", "b"], reward=(0, 1))
policy = al.RidgeSurveyUCB(al.Survey.unit(2), **given, beta_min=0.1)
policy.learn_row(0, [1, 0.25, -0.5], 0.75)
before = policy.to_dict()
al.warm_up(policy)
there = at_hand()
al.warm_up(policy)
assert policy.to_dict() == before
al.RidgeSurveyUCB(al.Survey.unit(9), **given, beta_min=0.3, radius="published").evidence()
print(json.dumps([more_than(there), there["by address"]]))
"""


def test_one_policy_compiles_its_own_kernels_alone_and_does_not_change():
    more, by_address = in_a_new_process(ONE)
    assert more == {}
    assert by_address == 3  # to refresh, for the radius, to drop: no nets, no asking, no epochs


BANDIT = """
import json
import numpy as np
import askless as al

def use(policy, rng):
    for _ in range(40):
        visit, answers = policy.visit(), dict(zip(policy.survey.names, rng.random(3).tolist()))
        while asks := visit.asks:
            visit.explain()
            visit.answer({q: answers[q] for q in asks})
        policy.learn(visit, rng.random())

policy = al.SurveyBandit(al.Survey.unit(3), arms=["a", "b"], reward=(0, 1), beta_min=0.1)
al.warm_up(policy)
before = at_hand()
use(policy, np.random.default_rng(0))
print(json.dumps([more_than(before), policy.rows.tolist()]))
"""


def test_one_survey_bandit_is_warmed_beyond_its_start():
    """Fails if what visits need after the start, where nothing is scored, is left to compile."""
    more, rows = in_a_new_process(BANDIT)
    assert more == {}
    assert min(rows) >= 2


def test_a_second_call_does_nothing(monkeypatch):
    policy = al.Uniform(al.Survey.unit(2), arms=["a"], reward=(0, 1), seed=99)
    al.warm_up(policy)
    monkeypatch.setattr(al.Uniform, "_decide", None)  # whoever calls it fails
    before = set(WARM)
    al.warm_up(policy)
    assert before == WARM


def test_a_policy_of_ones_own_with_retired_arms_is_warmed_too():
    class Own(al.Uniform):
        name = "own"

    policy = Own(al.Survey.unit(1, coding="raw"), arms=["a", "b"], reward=(3, 4))
    policy.retire_arm("a")
    assert list(warming(policy)) == ["own"]
    assert policy.version == 1


def test_what_is_no_policy_is_refused():
    assert exported is al.warm_up
    with pytest.raises(SettingError, match="policy is 'ridge'; give a policy, or nothing"):
        al.warm_up("ridge")

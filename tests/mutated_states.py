"""Saved states changed at random, with checksums that fit: refused, or as good as any other.

Nothing here knows which change is harmless. What is loaded must keep the promises of a policy:
it plays live arms only, its scores are numbers, its sums are sums of squares, supports only shrink,
and it is saved and loaded again to the same bytes.
"""

import copy
import functools
import json
import math
import warnings

import numpy as np

import askless as al
from askless.core.words import PEOPLE
from askless.errors import AsklessError, StateError
from askless.policies import POLICIES
from askless.policies.linear_ucb import LinearUCB
from saved_states import numbers_of, opened, text_of, write

SURVEY = al.Survey(
    [
        al.Scale("age", low=0, high=64),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["x", "y", "z"]),
        al.Multi("media", ["tv", "web"], always_ask=True),
        al.Choice("town", ["m", "n"], may_skip=True),
    ]
)
RAW = al.Survey.unit(4, coding="raw")
STUDY = {"arms": ["a", "b", "c"], "reward": (0, 4)}


def answers(survey, rng):
    """One person's answers."""
    if survey.coding == "raw":
        return {name: float(rng.random()) for name in survey.names}
    return {
        "age": float(rng.integers(0, 65)),
        "donor": [True, False, None][rng.integers(3)],
        "cause": "xyz"[rng.integers(3)],
        "media": [o for o in ("tv", "web") if rng.random() < 0.5],
        "town": ["m", "n", None][rng.integers(3)],
    }


def visited(policy, rng):
    """One visit, from its start to its arm."""
    person, visit = answers(policy.survey, rng), policy.visit()
    while visit.asks:
        visit.answer({question: person[question] for question in visit.asks})
    return visit


def taught(policy, visits, seed=0):
    """A policy after so many visits, one of them corrected, an arm come and an arm gone."""
    rng = np.random.default_rng([20261118, seed])
    for i in range(visits):
        visit = visited(policy, rng)
        person = visit.answers
        old = person.get("age", 0) > 32 or person.get("x1", 0) > 0.5
        reward = 2 + (1 if old else -1) * (visit.arm == "b") + rng.uniform(-0.5, 0.5)
        policy.learn(visit, float(reward))
        if i == visits // 3 and not isinstance(policy, al.PilotThenScreen | al.Target):
            policy.add_arm("late")
        if hasattr(policy, "unlearn") and i in (visits // 2, visits - 1) and visit.kind == "full":
            policy.unlearn(visit)
            if i == visits // 2:
                policy.learn(visit, 1)
    policy.retire_arm("c")
    return policy


MAKERS = {
    "short forms": (
        lambda: al.SurveyBandit(SURVEY, **STUDY, beta_min=1, price=0.05, planned=200),
        400,
    ),
    "a budget": (
        lambda: al.SurveyBandit(SURVEY, **STUDY, beta_min=1, questions=2, planned=200, seed=3),
        300,
    ),
    "no price": (lambda: al.SurveyBandit(SURVEY, **STUDY, beta_min=1, price=0), 250),
    "epochs": (
        lambda: al.EpochSurveyUCB(SURVEY, **STUDY, beta_min=2, growth=1.3, judge_skips=False),
        400,
    ),
    "dropped": (lambda: al.EpochSurveyUCB(SURVEY, **STUDY, beta_min=3, sigma=0.02, b2=0.1), 200),
    "sets": (lambda: al.EpochSurveyUCB(RAW, **STUDY, beta_min=0.5, optimism="valid"), 150),
    "ridge": (
        lambda: al.RidgeSurveyUCB(
            SURVEY, **STUDY, beta_min=2, sigma=0.05, b2=0.1, interactive=True
        ),
        120,
    ),
    "net": (lambda: al.ElasticNetSurveyUCB(SURVEY, **STUDY, beta_min=2, sigma=0.05, b2=0.1), 100),
    "raw": (lambda: al.RidgeSurveyUCB(RAW, **STUDY, beta_min=0.3), 60),
    "linucb": (lambda: al.LinUCB(SURVEY, **STUDY), 60),
    "noise": (lambda: al.LinUCB(SURVEY, **STUDY, width="noise"), 60),
    "oful": (lambda: al.OFUL(SURVEY, **STUDY), 40),
    "lints": (lambda: al.LinTS(SURVEY, **STUDY), 40),
    "epsilon-greedy": (lambda: al.EpsilonGreedy(SURVEY, **STUDY), 40),
    "tsrc": (lambda: al.TSRC(SURVEY, **STUDY, questions=2), 40),
    "wtsrc": (lambda: al.WTSRC(SURVEY, **STUDY, questions=2, window=20), 40),
    "lasso-bandit": (lambda: al.LassoBandit(SURVEY, **STUDY), 40),
    "thresholded-lasso": (lambda: al.ThresholdedLasso(SURVEY, **STUDY, start=3), 40),
    "sparse-ucb": (lambda: al.SparseUCB(SURVEY, **STUDY, size=1), 30),
    "pilot": (lambda: al.PilotThenScreen(SURVEY, **STUDY, planned=200), 20),
    "screened": (lambda: al.PilotThenScreen(SURVEY, **STUDY, planned=150), 60),
    "uniform": (lambda: al.Uniform(SURVEY, **STUDY), 20),
    "target": (
        lambda: al.Target(RAW, **STUDY, coefficients=[[0, 1, 0, 0, 0.5], [1, 0, 0, 0, 0], [0] * 5]),
        10,
    ),
}
# What a study asks for most is tried most.
OFTEN = [*MAKERS, *["short forms"] * 6, "a budget", *["no price"] * 3, *["epochs"] * 3]
OFTEN += ["dropped", "sets", "ridge", "ridge", "net", "raw", "noise"]


@functools.cache
def original(name):
    """The data of a policy, as JSON."""
    make, visits = MAKERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return json.dumps(taught(make(), visits).to_dict())


# -- changes -------------------------------------------------------------------------------------


def places(data, path=()):
    """Every place in nested data."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def pick(rng, things):
    return things[int(rng.integers(len(things)))]


def near_or_far(rng, x):
    """Another number, or no number."""
    x = 0 if x is None or isinstance(x, str | bool | list | dict) else x
    kinds = [
        lambda: x + 1,
        lambda: x - 1,
        lambda: -x,
        lambda: x * (1 + 1e-9),
        lambda: math.nextafter(x, math.inf),
        lambda: x + 1 / 1024,
        lambda: x + 1 / 2**20,
        lambda: x + 0.9,
        lambda: x * 1000,
        lambda: x / 3,
        lambda: 0,
        lambda: 1,
        lambda: 0.5,
        lambda: float(x),
        lambda: int(x),
        lambda: 10**6,
        lambda: -(10**6),
        lambda: 1e18,
        lambda: 1e300,
        lambda: -1e300,
        lambda: 2**63,
        lambda: 10**400,
        lambda: 5e-324,
        lambda: -0.0,
        lambda: float(rng.normal()),
        lambda: int(rng.integers(-3, 400)),
    ]
    return pick(rng, kinds)()


def no_number(rng, x):
    """Something that is no number, or looks like one."""
    return pick(rng, [None, True, False, str(x), "NaN", "x", "", [], [x], {}, [[x]], {"0": x}])


def change_block(rng, text):
    """Another block: a number changed, rows swapped, cut off, or no block at all."""
    numbers = numbers_of(text)
    kind = int(rng.integers(11))
    if kind >= 9:
        return pick(rng, [text[:-4], text + "AAAA", text[4:] + text[:4], "", "x", text.lower()])
    if kind == 0 or not numbers:
        return text_of([*numbers, 0.0])
    i, j = (int(rng.integers(len(numbers))) for _ in range(2))
    if kind == 1:
        numbers[i] = pick(rng, [math.nan, math.inf, -math.inf])
    elif kind == 2:
        numbers[i], numbers[j] = numbers[j], numbers[i]
    elif kind == 3:
        numbers.pop(i)
    elif kind == 4:
        numbers = numbers[::-1]
    elif kind == 5:
        factor = pick(rng, [-1, 0.5, 2, 1e6, 0])
        numbers = [x * factor for x in numbers]
    else:
        for place in rng.integers(len(numbers), size=pick(rng, [1, 1, 1, 5])):
            with_other = near_or_far(rng, numbers[place])
            numbers[place] = min(max(with_other, -1e308), 1e308)
    return text_of(numbers)


def is_block(value):
    """Whether a text is a block of numbers."""
    if not isinstance(value, str) or len(value) < 8:
        return False
    try:
        numbers_of(value)
    except Exception:
        return False
    return True


def change(data, rng):
    """Change one thing of a policy's data."""
    everywhere = list(places(data))
    learned = [path for path in everywhere if path[0] == "state"]
    path = pick(rng, learned if learned and rng.random() < 0.75 else everywhere)
    owner = functools.reduce(lambda part, key: part[key], path[:-1], data)
    key, kind = path[-1], int(rng.integers(12))
    value = owner[key]
    if kind == 0:
        owner.pop(key)
    elif kind == 1:
        owner[key] = no_number(rng, value)
    elif kind == 2 and isinstance(owner, list):
        owner.insert(key, copy.deepcopy(value))
    elif kind == 3:  # two neighbours change places
        keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
        other = pick(rng, keys)
        owner[key], owner[other] = owner[other], owner[key]
    elif kind == 4:
        other = pick(rng, everywhere)
        owner[key] = copy.deepcopy(functools.reduce(lambda part, at: part[at], other, data))
    elif kind == 5 and isinstance(owner, dict):
        owner[pick(rng, ["", "0", "-1", "99", "x", f"{key} "])] = owner.pop(key)
    elif isinstance(value, list) and value and kind < 9:
        owner[key] = pick(rng, [value[:-1], value[1:], value[::-1], value + value, []])
    elif isinstance(value, bool):
        owner[key] = not value
    elif is_block(value):
        owner[key] = change_block(rng, value)
    elif isinstance(value, int | float):
        owner[key] = near_or_far(rng, value)
    elif isinstance(value, str):
        owner[key] = pick(rng, [value + "x", "", "ridge", "raw", "yes_no", 3, value.upper()])
    elif value is None:
        owner[key] = near_or_far(rng, 0)
    else:
        owner[key] = no_number(rng, 0)


def swap_arms(data, rng):
    """Let two arms change what they have learned, or a question its place."""
    arms = data["state"].get("arms") or data["arms"]
    i, j = (int(rng.integers(len(arms))) for _ in range(2))
    arms[i], arms[j] = arms[j], arms[i]


def mutated(seed):
    """A changed state: which policy it was of, and its data."""
    rng = np.random.default_rng([20261117, seed])
    name = OFTEN[seed % len(OFTEN)]
    data = json.loads(original(name))
    if rng.random() < 0.4:  # lists, as older files have them
        data = opened(data)
    if rng.random() < 0.03:
        swap_arms(data, rng)
    for _ in range(pick(rng, [1, 1, 1, 1, 2, 3])):
        change(data, rng)
    return name, data


# -- what must be so -----------------------------------------------------------------------------


def judge(seed, path):
    """Load a changed state from a file; returns whether it was refused. Else all is well."""
    _, data = mutated(seed)
    try:
        write(path, data)
    except (ValueError, TypeError, OverflowError):  # no JSON is like that
        return "not written"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            policy = al.load(path)
        except StateError as error:
            assert str(path) in str(error), error
            return "refused"
        as_good(policy, path, np.random.default_rng(seed))
    return "loaded"


def as_good(policy, path, rng):
    """Whether a loaded policy keeps every promise."""
    assert type(policy) in POLICIES.values()
    policy.save(path)
    saved = path.read_text()
    al.load(path).save(path)
    assert path.read_text() == saved
    support = policy.support
    look(policy, rng)
    for _ in range(4):
        visit = meet(policy, rng)
        assert not (policy.support & ~support).any()
        support = policy.support
        if rng.random() < 0.3 and hasattr(policy, "unlearn") and visit is not None:
            try:
                policy.unlearn(visit)
            except AsklessError as error:
                assert "cannot be unlearned" in str(error), error
    look(policy, rng)
    policy.save(path)
    saved = path.read_text()
    al.load(path).save(path)
    assert path.read_text() == saved


def meet(policy, rng):
    """Let one person come, and learn the visit; returns it."""
    if policy._next_number >= 2**63 - 1:  # every number has been given: it says so
        return None
    visit = policy.visit()
    while visit.asks:
        visit.answer({q: some_answer(policy.survey[q], rng) for q in visit.asks})
    assert visit.arm in policy.live_arms
    assert abs(sum(visit.propensities.values()) - 1) < 1e-9
    assert str(visit.explain())
    policy.learn(visit, float(rng.uniform(policy.reward.low, policy.reward.high)))
    return visit


def some_answer(question, rng):
    """An answer that fits, whatever the question has become."""
    if question.may_skip and rng.random() < 0.3:
        return None
    if isinstance(question, al.Scale):
        return min(question.high, question.low + rng.random() * (question.high - question.low))
    if isinstance(question, al.YesNo):
        return bool(rng.random() < 0.5)
    if isinstance(question, al.Choice):
        return pick(rng, question.options)
    return [option for option in question.options if rng.random() < 0.5]


def look(policy, rng):
    """Look at everything: scores are numbers, sums are sums of squares, retired arms stay out."""
    row = policy.encode({q.name: some_answer(q, rng) for q in policy.survey})
    live = policy.roster.live
    assert live[policy.play(row)]
    if not isinstance(policy, LinearUCB):
        return
    scores = policy.ucb(row)
    assert np.isfinite(scores[live]).all() and (scores[~live] == -np.inf).all()
    assert np.isfinite(policy.estimate).all() and np.isfinite(policy.radius).all()
    for k in range(len(policy.arms)):
        gram = policy._model.gram(k)
        least = np.linalg.eigvalsh(gram)[0]
        assert least >= -1e-9 * max(1.0, np.trace(gram))
        assert gram[0, 0] == policy._model.learned.n[k] >= 0
    if policy.has_epochs:
        look_at_rows(policy)
    for effect in policy.effects():
        if effect.low is not None:  # a policy without sets says no ends
            assert -policy.reward.span <= effect.low <= effect.high <= policy.reward.span
    assert len(policy.evidence()) == len(policy.arms) * len(policy.survey)
    if isinstance(policy, al.SurveyBandit) and policy.price > 0:
        assert str(policy.short_form())


def look_at_rows(policy):
    """The rows of epochs and the people of the ring are ones that the survey can encode."""
    model, contexts = policy._model, []
    for k in range(len(policy.arms)):
        own = model.learned.columns[k, : model.learned.size[k]]
        rows, rewards = model.rows_of(k)
        contexts += list(np.full((len(rows), policy.survey.column_count), np.nan))
        for context, row in zip(contexts[len(contexts) - len(rows) :], rows, strict=True):
            context[own] = row
        low = policy.reward.low / policy.reward.span if policy.survey.coding == "raw" else -0.5
        assert ((rewards > low - 1e-3) & (rewards < low + 1.001)).all()
    if isinstance(policy, al.SurveyBandit) and policy._short is not None:
        contexts += list(policy._short.shorts.ring[: policy._short.shorts.counts[PEOPLE]])
    for context in contexts:
        read = policy.survey.check_row(context)  # by the core, which refuses what is no answer
        assert np.array_equal(read, context, equal_nan=True)

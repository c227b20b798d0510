"""The table of hooks is the truth; what is overridden has no compiled loop; streams are apart."""

import functools
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import askless as al
from askless.policies.hooks import HOOKS, Hooks

PAGE = Path(__file__).parents[2] / "docs" / "own-policy.md"
SETTINGS = {"arms": ["a", "b"], "reward": (0, 1), "beta_min": 0.2}


def test_the_table_and_the_docs_have_every_hook_with_its_arguments():
    written = dict(
        re.findall(r"^\| `(_\w+\([\w, ]*\))` \| (.*?) \|", PAGE.read_text(), re.MULTILINE)
    )
    for name, returns in HOOKS.items():
        arguments = list(inspect.signature(getattr(Hooks, name)).parameters)[1:]
        assert written[f"{name}({', '.join(arguments)})"] == returns
    own = {name for name in vars(Hooks) if name.startswith("_") and not name.startswith("__")}
    assert own - {"_stream", "_key", "_abc_impl"} == set(HOOKS)


def overriding(kind, name):
    """A subclass that does the same by a method or property of its own."""
    inherited = inspect.getattr_static(kind, name)
    if isinstance(inherited, property):
        own = property(inherited.fget)
    else:
        own = functools.partialmethod(inherited) if name == "_ask" else _wrapped(inherited)
    return type("Own", (kind,), {"name": "own", name: own})


def _wrapped(method):
    def own(self, *given, **named):
        return method(self, *given, **named)

    return own


class Draws(al.Policy):
    """A mixin that draws the last arm half of the time."""

    def _drawn(self, decision, mask, number):
        last = np.flatnonzero(mask)[-1]
        chances = decision.chances() / 2
        chances[last] += 0.5
        arm = int(last) if self.rng(number).random() < 0.5 else decision.arm
        return decision._replace(arm=arm, propensities=chances)


@pytest.mark.parametrize("bases", [(al.LinUCB, Draws), (Draws, al.LinUCB)])
def test_a_mixin_is_seen_on_either_side(bases):
    mixed = type("Mixed", bases, {"name": "mixed"})
    policy = mixed(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    assert policy.player() is None
    al.check_policy(policy)
    z = np.array([1.0, 0.25])
    policy.learn_rows([0, 1] * 30, [z] * 60, [1, 0] * 30)  # the first arm wins
    played = set()
    for _ in range(60):  # one arm alone with probability 2^-59
        played.add(policy.play(z))
        policy.learn_row(0, z, 1)
    assert played == {0, 1}


@pytest.mark.parametrize("kind", [al.RidgeSurveyUCB, al.EpochSurveyUCB, al.SurveyBandit])
@pytest.mark.parametrize(
    "name",
    [
        *(name for name in HOOKS if name != "_player"),
        "_share",
        "_begin",
        "learn_rows",
        "support",
        "rng",
    ],
)
def test_whoever_overrides_anything_has_no_compiled_loop(kind, name):
    survey = al.Survey.unit(2)
    assert kind(survey, **SETTINGS).player() is not None
    assert overriding(kind, name)(survey, **SETTINGS).player() is None


def test_what_changes_nothing_keeps_the_loop():
    class Named(al.SurveyBandit):
        """Ours by another name, with something of its own."""

        name = "named"

        def __init__(self, survey, **settings):
            super().__init__(survey, **settings)
            self.note = "mine"

        def __repr__(self):
            return "Named"

        def summary(self):
            return self.rows.sum()

    policy = Named(al.Survey.unit(2), **SETTINGS)
    assert policy.player() is not None
    policy._decide = lambda *given: None
    assert policy.player() is None


def test_an_overridden_hook_is_what_rows_go_through_too():
    class Last(al.LinUCB):
        name = "last"
        seen = 0

        def _decide(self, z, mask, number):
            return al.Decision(int(np.flatnonzero(mask)[-1]), np.where(mask, 0.0, -np.inf))

        def _learn(self, played, rows, ys):
            type(self).seen += len(played)

    policy = Last(al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    z = np.array([1.0, 0.25])
    assert policy.play(z) == 1
    policy.learn_row(0, z, 0.5)
    assert (Last.seen, policy.rows.tolist()) == (1, [0, 0])


def test_streams_of_visits_runs_and_seeds_are_apart_and_come_again():
    def policy(seed, stream=0):
        made = al.Uniform(al.Survey.unit(1), arms=["a"], reward=(0, 1), seed=seed)
        made._stream = stream
        return made

    keys = [(seed, stream, number) for seed in (0, 1) for stream in (0, 1) for number in (0, 1, 2)]
    drawn = {key: policy(*key[:2]).rng(key[2]).integers(2**63, size=200) for key in keys}
    words = np.concatenate(list(drawn.values()))
    assert len(np.unique(words)) == len(words)  # of 2,400 in 2^63, two are the same in 1 of 1e12
    for key, numbers in drawn.items():
        again = policy(*key[:2]).rng(key[2]).integers(2**63, size=200)
        np.testing.assert_array_equal(numbers, again)
    coins = policy(0).coins(0, 50)
    np.testing.assert_array_equal(policy(0).coins(20, 10), coins[20:30])
    assert coins.shape == (50, 4)
    raw = {float(n) for n in policy(0).rng(0).random(1_000)}
    assert not raw & set(coins.ravel().tolist())

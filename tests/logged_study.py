"""A study of three arms, policies whose propensities are known, and logs of them."""

import numpy as np
import pandas as pd

import askless as al
from askless.environments.base import first_respondents

TEXT = """
schema: 1
questions:
  - {kind: scale, name: age, low: 0, high: 100}
  - {kind: yes_no, name: donor}
  - {kind: choice, name: cause, options: [x, y, z], may_skip: true}
arms: [{name: mail}, {name: call}, {name: visit}]
reward: {low: -1, high: 3}
policy: {beta_min: 0.5}
"""
STUDY = al.Study.parse(TEXT)
ARMS = [arm.name for arm in STUDY.arms]
GIVEN = {"arms": ARMS, "reward": (-1, 3)}


def world(number=0):
    return al.LinearEnvironment(
        STUDY.survey,
        arms=ARMS,
        coefficients={"mail": {"donor": 1.2}, "call": {"age": -1.0}, "visit": {"cause = y": 0.8}},
        reward=(-1, 3),
        spread=0.7,
        eligible={"visit": 0.6},
        number=number,
    )


class ByAge(al.Policy):
    """Asks the age alone; plays call to the young, most of the time, else mail."""

    name = "by-age"

    def _may_ask(self, mask):
        return np.array([True, False, False])

    def _decide(self, z, mask, number):
        chances = np.array([0.2, 0.8, 0.0]) if z[1] < 0 else np.array([0.9, 0.1, 0.0])
        arm = int(self.rng(number).choice(3, p=chances))
        return al.Decision(arm, np.zeros(3), chances)


class Uneven(al.Policy):
    """Draws arms by the answer to one question, with propensities that are never small."""

    name = "uneven"

    def _decide(self, z, mask, number):
        raw = np.where(mask, [3.0, 1.0, 2.0] if z[2] > 0 else [1.0, 2.0, 1.0], 0.0)
        chances = raw / raw.sum()
        return al.Decision(int(self.rng(number).choice(3, p=chances)), np.zeros(3), chances)


class Visits(al.Policy):
    """Asks nothing; plays visit to whoever may get it."""

    name = "visits"

    def _may_ask(self, mask):
        return np.zeros(3, dtype=bool)

    def _decide(self, z, mask, number):
        return al.Decision(2 if mask[2] else 0, np.zeros(3))


def log_of(logger, count, run=0):
    done = al.record_visits(logger, world(), count, seed=11, run=run)
    return al.LoggedData.of_visits([visit.record for visit in done.visits], STUDY)


def drawn(count, run):
    """A log of Uneven, many rows at once."""
    (block,) = first_respondents(world(), 11, run, count)
    raw = np.where(block.contexts[:, [2]] > 0, [3.0, 1.0, 2.0], [1.0, 2.0, 1.0]) * block.allowed
    chances = raw / raw.sum(axis=1, keepdims=True)
    luck = np.random.default_rng([run, 1]).random((count, 1))
    arms = (luck > chances.cumsum(axis=1)).sum(axis=1)
    rewards = block.rewards[np.arange(count), arms]
    return al.LoggedData(STUDY, block.contexts, arms, rewards, chances, block.allowed)


def frame(**change):
    """A log of three decisions."""
    given = {
        "age": [10, 50, 90],
        "donor": [True, False, True],
        "cause": ["x", None, "y"],
        "arm": ["mail", "call", "visit"],
        "reward": [0, 2.5, -1],
        "propensity": [0.5, 0.25, 0.2],
    }
    return pd.DataFrame(given | change)

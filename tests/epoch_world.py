"""A world whose respondents and rewards a policy and its dense oracle both see, visit by visit."""

import math

import numpy as np

import askless as al
from naive_epoch import NaiveEpoch
from worlds import random_answers, random_arm, survey_of

SCALES = [("scale", 1, False)] * 5
EVERY = [
    ("scale", 1, False),
    ("yes_no", 1, False),
    ("choice", 5, False),
    ("multi", 3, False),
    ("scale", 1, True),
    ("choice", 3, True),
    ("yes_no", 1, True),
    ("multi", 2, True),
]
CHOICES = [("choice", 5, False), ("scale", 1, False), ("choice", 3, True)]
RAW = [("raw", 1, False)] * 4


def grid(values):
    return np.round(np.asarray(values) * 1024) / 1024


def as_given(_, answers):
    return answers


def correlated(rng, answers):
    """Scales that share half of their variance."""
    common = rng.random()
    return {q: (a + common) / 2 if isinstance(a, float) else a for q, a in answers.items()}


def without_the_last_option(_, answers):
    """Nobody chooses the first question's last option."""
    return answers | {"choice0": "o0" if answers["choice0"] == "o4" else answers["choice0"]}


def twins(_, answers):
    """The second scale is the first one again: A is singular, and neither effect is estimable."""
    return answers | {"scale1": answers["scale0"]}


class World:
    """Respondents with answers bent by `change`; useful questions have an effect of 0.5 R."""

    def __init__(self, questions, arms, *, change=as_given, reward=(10, 12), noise=0.05, seed=0):
        self.questions, self.arms, self.noise, self.change = questions, arms, noise, change
        self.survey = survey_of(questions)
        self.centred = al.Survey(self.survey.questions)
        self.reward = (0, 1) if self.survey.coding == "raw" else reward
        self.rng = np.random.default_rng([seed, len(questions)])
        self.truth = []
        for _ in range(arms):
            effects = np.zeros(len(questions))
            effects[self.rng.integers(len(questions))] = 0.5
            self.truth.append(0.9 * random_arm(self.centred, self.rng, effects))

    def policy(self, **settings):
        names = [f"arm{k}" for k in range(self.arms)]
        return al.EpochSurveyUCB(self.survey, arms=names, reward=self.reward, **settings)

    def pair(self, **settings):
        """The policy, and the oracle with the same settings, every default written down."""
        policy = self.policy(**settings)
        raw = self.survey.coding == "raw"
        own = {"delta": 0.1 if raw else 0.05, "alpha": 1.0 if raw else 5.0}
        own |= {"sigma": (self.reward[1] - self.reward[0]) / 2}
        own |= {"b2": math.hypot(max(map(abs, self.reward)), np.ptp(self.reward))} if raw else {}
        return policy, NaiveEpoch(
            self.survey, self.questions, self.arms, self.reward, **(own | settings)
        )

    def answers(self):
        return self.change(self.rng, random_answers(self.survey, self.rng))

    def reward_of(self, arm, answers):
        """Noise of two points, `noise` of the range apart from the mean."""
        mean = float(self.centred.encode(answers) @ self.truth[arm])
        if self.noise == 0.5:
            share = float(self.rng.random() < mean + 0.5)
        else:
            share = np.clip(mean + self.rng.choice([-1, 1]) * self.noise, -0.5, 0.5) + 0.5
        return float(self.reward[0] + (self.reward[1] - self.reward[0]) * share)


def blocks_of(p, rows, *, warm_rows=0):
    """With which row numbers an arm's blocks end, and how many of them are warm-up (5.1, 8.7).

    For an arm that tests nothing, or whose tests would need `warm_rows` five times over.
    """
    ends, n, border = [], max(2, math.floor(0.3 * p)), max(3 * p, warm_rows)
    fewest = max(2 * p, math.ceil(1.5 * p) + 5)
    while n <= rows:
        ends.append(n)
        n += max(1, n // 10) if n < border else max(fewest, n // 2)
    return ends, 1 + sum(end < border for end in ends)  # the first that is over it is one still


def learn(world, policy, count, rng):
    """Play and learn by oneself."""
    for _ in range(count):
        answers = random_answers(world.survey, rng)
        z = world.survey.encode({q: answers[q] for q in policy.asked_now()})
        arm = policy.play(z)
        mean = float(world.centred.encode(answers) @ world.truth[arm])
        share = min(max(mean + rng.uniform(-0.1, 0.1), -0.5), 0.5) + 0.5
        policy.learn_row(arm, z, world.reward[0] + share * (world.reward[1] - world.reward[0]))


def through(visit, answers):
    """Answer whatever a visit asks, until it asks no more."""
    while asks := visit.asks:
        visit.answer({q: answers[q] for q in asks})
    return visit

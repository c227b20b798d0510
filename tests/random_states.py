"""Policies with random surveys that have learned, and one visit more."""

import numpy as np

import askless as al
from worlds import random_answers, survey_of

KINDS = ["scale", "yes_no", "choice", "multi"]


def random_policy(seed, visits):
    rng = np.random.default_rng(seed)
    survey = survey_of([(str(rng.choice(KINDS)), 3, bool(rng.random() < 0.5)) for _ in range(4)])
    kind = al.ElasticNetSurveyUCB if seed % 3 == 0 else al.RidgeSurveyUCB
    policy = kind(survey, arms=["a", "b"], reward=(-1, 0.7), beta_min=1, sigma=0.03, delta=0.1)
    for i in range(visits):
        step(policy, rng)
        if i == visits // 2:
            policy.add_arm("late")
        if i == visits - 1:
            policy.retire_arm("b")
    return policy, rng


def step(policy, rng):
    visit = policy.visit(known=random_answers(policy.survey, rng))
    policy.learn(visit, float(rng.uniform(-1, 0.7)))
    return visit.arm

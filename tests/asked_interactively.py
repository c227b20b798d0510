"""Interactive policies that have learned, and visits to them."""

import numpy as np

import askless as al
from epoch_world import through
from worlds import mixed_world, random_answers

GRAINS = ["arm", "question"]


def made(kind, world, **settings):
    given = {"beta_min": 0.2, "sigma": 0.1, "alpha": 1.0} | settings
    return kind(world.survey, arms=world.arms, reward=world.reward, **given)


def grown(grain="arm", visits=300, **settings):
    """A policy that has learned, with everything a survey can have."""
    world = mixed_world(5)
    policy = made(al.RidgeSurveyUCB, world, interactive=True, grain=grain, **settings)
    rng = np.random.default_rng(3)
    for _ in range(visits):
        answers = random_answers(world.survey, rng)
        visit = through(policy.visit(), answers)
        expected = world.coefficients[visit.arm_index] @ policy.encode(answers)
        policy.learn(visit, float(expected + rng.uniform(-0.2, 0.2)))
    return policy, rng

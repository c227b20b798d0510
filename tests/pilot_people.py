"""A study with a pilot: its survey, its people, and a policy that has met them."""

import numpy as np

import askless as al

SURVEY = al.Survey(
    [
        *(al.Scale(f"x{i}", low=0, high=1, cost=0.1 * (i + 1)) for i in range(6)),
        al.Choice("cause", ["a", "b", "c"], may_skip=True),
        al.YesNo("member", always_ask=True),
    ]
)
ARMS = ["red", "green", "blue", "grey"]
USEFUL = {"red": {"x0"}, "green": {"cause"}, "blue": {"x0", "x3"}, "grey": set()}


def world(**settings):
    """Rewards from 0 to 1; `USEFUL` questions move them by .6, noise by .1 at most."""
    table = np.zeros((4, SURVEY.column_count))
    table[0, SURVEY.columns_of("x0")] = 0.6
    table[1, SURVEY.columns_of("cause")] = [0.3, -0.3, 0, 0]
    table[2, SURVEY.columns_of("x0")], table[2, SURVEY.columns_of("x3")] = -0.3, 0.3
    table[3, 0] = 0.05
    given = {"skips": 0.2, "spread": 0.1} | settings
    return al.LinearEnvironment(SURVEY, arms=ARMS, reward=(0, 1), coefficients=table, **given)


def made(**settings):
    given = {"arms": ARMS, "reward": (0, 1), "planned": 1_000} | settings
    return al.PilotThenScreen(SURVEY, **given)


def played(policy, block):
    """Let people through real visits; return them."""
    visits = []
    for z, rewards in zip(block.contexts, block.rewards, strict=True):
        visit, answers = policy.visit(), SURVEY.decode(z)
        while visit.asks:
            visit.answer({question: answers[question] for question in visit.asks})
        policy.learn(visit, float(rewards[visit.arm_index]))
        visits.append(visit)
    return visits


def people(count, seed=0, **settings):
    return next(world(**settings).respondents(seed, 0)).first(count)


def after_pilot(**settings):
    policy = made(**settings)
    played(policy, people(policy.pilot))
    return policy

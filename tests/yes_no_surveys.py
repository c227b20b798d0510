"""Policies with short forms whose questions are all a yes or a no, and people who answer them."""

import numpy as np

import askless as al


def yes_no_policy(**settings):
    survey = al.Survey([al.YesNo(f"q{i}") for i in range(6)])
    made = {"arms": ["a", "b", "c"], "reward": (0, 1), "beta_min": 0.1} | settings
    return al.SurveyBandit(survey, **made)


def played(policy, count, *, seed=5):
    """The policy after so many people, for whom q0 decides between the first two arms."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yes = dict(zip(policy.survey.names, (rng.random(6) < 0.5).tolist(), strict=True))
        visit = policy.visit()
        while visit.asks:
            visit.answer({q: yes[q] for q in visit.asks})
        policy.learn(visit, float(rng.random() < (0.8 if yes["q0"] == visit.arm_index else 0.3)))
    return policy

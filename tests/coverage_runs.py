"""Runs that look at every step whether a confidence set holds the truth."""

import math

import numpy as np

from worlds import random_answers

SURVEYS = {
    "multi": [("multi", 2, False), ("choice", 2, True)],
    "scales": [("scale", 1, False)] * 4,
    "choice": [("choice", 3, False), ("scale", 1, False), ("yes_no", 1, False)],
    "skips": [("scale", 1, True), ("yes_no", 1, False), ("scale", 1, False)],
}


def play_through(policy, truth, rng, visits, noise, shrink):
    """Play visits with rewards of mean ± noise; did a confidence set ever miss the truth?

    Two-point noise is as wild as its σ allows (without a noise: rewards of 0 and 1); answers are
    correlated by a halo. `shrink` makes the mutant: every radius that the policy plays and drops
    with is multiplied by it. The reward range starts at 0; the truth is in its units.
    """
    survey, state = policy.survey, policy._model.arms
    state.radius[:] *= shrink
    missed = False
    for _ in range(visits):
        answers = random_answers(survey, rng)
        if rng.random() < 0.3:
            end = rng.random() < 0.5
            for question in survey:
                if question.kind in ("scale", "yes_no"):
                    answers[question.name] = end if question.kind == "yes_no" else float(end)
        z = survey.encode(answers)
        k = policy.play(z)
        mean, luck = policy.reward.middle + z @ truth[k], rng.random()
        reward = float(luck < mean) if noise is None else mean + noise * (1 - 2 * (luck < 0.5))
        policy.learn_row(k, z, reward)
        state.radius[k] *= shrink
        kept = state.columns[k, : state.size[k]]
        gram = policy._model.gram(k)
        error = truth[k][kept] - state.estimate[k, : len(kept)]
        distance = math.sqrt(error @ gram @ error + policy.alpha * error @ error)
        missed |= distance > state.radius[k] or bool(np.delete(truth[k], kept).any())
    return missed

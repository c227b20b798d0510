"""Small worlds for tests: surveys of every kind, random answers, arms with known parameters."""

import functools

import numpy as np

import askless as al


def survey_of(questions):
    """A survey from a list of (kind, number of options, may be skipped)."""
    made = []
    for i, (kind, options, skip) in enumerate(questions):
        name, names = f"{kind}{i}", [f"o{j}" for j in range(options)]
        if kind in ("scale", "raw"):
            made.append(al.Scale(name, low=0, high=1, may_skip=skip))
        elif kind == "yes_no":
            made.append(al.YesNo(name, may_skip=skip))
        elif kind == "choice":
            made.append(al.Choice(name, names, may_skip=skip))
        else:
            made.append(al.Multi(name, names, may_skip=skip))
    coding = "raw" if any(kind == "raw" for kind, _, _ in questions) else "centred"
    return al.Survey(made, coding=coding)


def random_answers(survey, rng, *, skips=0.2):
    """An answer to every question."""
    answers = {}
    for question in survey:
        if question.may_skip and rng.random() < skips:
            answers[question.name] = None
        elif question.kind == "scale":
            answers[question.name] = float(rng.uniform(question.low, question.high))
        elif question.kind == "yes_no":
            answers[question.name] = bool(rng.random() < 0.5)
        elif question.kind == "choice":
            answers[question.name] = str(rng.choice(question.options))
        else:
            answers[question.name] = [o for o in question.options if rng.random() < 0.5]
    return answers


def values_of(question):
    """Extreme encoded values of a centred question, the skip point included."""
    points = question.extremes()
    if not question.may_skip:
        return points
    skip = np.zeros((1, question.width))
    skip[0, -1] = 1.0
    return np.vstack([np.hstack([points, np.zeros((len(points), 1))]), skip])


def random_arm(survey, rng, effects):
    """Parameters in which question g has the effect effects[g], the mean staying within ±½.

    Choices sum to zero, as in maths 1.1.
    """
    beta = np.zeros(survey.column_count)
    low = high = 0.0
    for question, effect in zip(survey, effects, strict=True):
        if effect > 0:
            raw = rng.normal(size=question.width)
            reach = values_of(question) @ raw
            raw *= effect / (reach.max() - reach.min())
            reach = values_of(question) @ raw
            low, high = low + reach.min(), high + reach.max()
            beta[survey.columns_of(question.name)] = raw
    assert high - low <= 1
    beta[0] = rng.uniform(-0.5 - low, 0.5 - high)
    for question in survey:
        if question.kind == "choice":
            columns = survey.columns_of(question.name)
            mean = beta[columns][: question.own_width].mean()
            beta[columns] -= mean
            beta[0] += mean
    return beta


QUESTIONS = [
    ("scale", 0, False),
    ("yes_no", 0, False),
    ("choice", 3, False),
    ("scale", 0, True),
    ("multi", 2, False),
    ("yes_no", 0, True),
    ("choice", 4, True),
    ("scale", 0, False),
]


@functools.cache
def mixed_world(arms):
    """Respondents of every kind of question; a few questions matter, in a few arms."""
    rng = np.random.default_rng(arms)
    survey = survey_of(QUESTIONS)
    effects = np.zeros((arms, len(QUESTIONS)))
    for k in range(arms):
        effects[k, rng.choice(len(QUESTIONS), size=2, replace=False)] = 0.25 if k < 3 else 0.02
    table = np.array([random_arm(survey, rng, row) for row in effects])
    table[3:, 0] -= 0.15  # arms that are never the best
    return al.LinearEnvironment(
        survey,
        arms=[f"arm{k}" for k in range(arms)],
        coefficients=2 * 0.6 * table,
        reward=(-1, 1),
        spread=0.2,
        skips=0.15,
    )


def small_sets(policy, radius):
    """Settings with which confidence sets are so small that arms are discarded in mixed worlds."""
    if policy == "ridge":
        return {"sigma": 0.1, "alpha": 1.0}
    return {"sigma": 1e-4, "alpha": 0.01} if radius == "valid" else {"sigma": 0.01, "alpha": 0.1}

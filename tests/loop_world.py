"""A small world in which every loop is held beside real visits: all kinds of questions, skips."""

import numpy as np

import askless as al
from worlds import survey_of

QUESTIONS = [
    ("scale", 1, False),
    ("yes_no", 1, True),
    ("choice", 3, False),
    ("multi", 2, False),
    ("scale", 1, False),
    ("yes_no", 1, False),
]


def world_of(eligible=None):
    """Two questions matter, each to one arm; a third arm is better without them."""
    survey = survey_of(QUESTIONS)
    table = np.zeros((4, survey.column_count))
    table[0, -1], table[1, -2], table[3, 0] = 0.5, -0.5, -0.1
    return al.LinearEnvironment(
        survey,
        arms=["a", "b", "c", "d"],
        coefficients=table,
        reward=(10, 11),
        spread=0.1,
        skips=0.2,
        **({} if eligible is None else {"eligible": eligible}),
    )

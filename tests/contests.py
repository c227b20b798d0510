"""Who plays against whom, in which worlds, where tests hold a contest."""

import askless as al
from askless.experiments.entrants import Entrant

BOTH = [
    Entrant("SurveyBandit", {"name": "survey-bandit"}, {"beta_min": 0.1, "price": 0.01}, True),
    Entrant("linucb", {"name": "linucb"}),
]


def worlds():
    return {"drift": al.family("drift"), "gifts": al.family("heavy-noise")}

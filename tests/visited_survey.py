"""A survey of every kind of question, answers to it, and questions that arms lose."""

import askless as al

SURVEY = al.Survey(
    [
        al.Scale("age", low=18, high=90),
        al.YesNo("donor", may_skip=True),
        al.Choice("cause", ["children", "animals"]),
        al.Multi("media", ["tv", "web"], always_ask=True),
    ]
)
ANSWERS = {"age": 30, "donor": True, "cause": "animals", "media": ["web"]}


def drop(policy, question, arms=None):
    """Let arms lose a question, as learning would."""
    g = policy.survey.index(question)
    for k in range(len(policy.arms)) if arms is None else arms:
        policy._model.arms.support[k, g] = False
        policy._model.arms.dropped_at[k, g] = 1
        policy._model.arms.pack(k)
        policy._model.refresh([k])

"""Two studies of reminders, played and analysed: one with short forms, one without."""

import pytest

import askless as al
from askless.evaluation.history import History
from reminders import recorded, study_with


@pytest.fixture(scope="package")
def short():
    study = study_with(", price: 0.02, full_floor: 0.5, explore_floor: 0.4")
    delay = al.Delay(10, "random", lost=0.1, deadline=60)
    history = History(al.policy_for(study))
    done = recorded(study, 1_200, delay=delay, watch=history)
    return study, done, history, al.analyse(study, done.visits)


@pytest.fixture(scope="package")
def full():
    study = study_with(", price: 0")
    history = History(al.policy_for(study))
    done = recorded(study, 800, watch=history)
    return study, done, history, al.analyse(study, done.visits)

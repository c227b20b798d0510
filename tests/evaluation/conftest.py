"""Two studies of reminders, played and analysed; plans of a small study and of one people leave."""

import pytest

import askless as al
from askless.evaluation.history import History
from reminders import recorded, study_with
from sizes import whole
from small_plans import LEAVING, SMALL


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


@pytest.fixture(scope="package")
def small():
    study = al.Study.parse(SMALL)
    return al.plan(study, respondents=[400, 1500], worlds=whole(400, 100), seed=0, workers=2)


@pytest.fixture(scope="package")
def leaving():
    """Plans of people who give up, the second of worlds that the first has not seen."""
    study = al.Study.parse(LEAVING)
    worlds = whole(400, 100)
    return [
        al.plan(study, respondents=[400], prices=(), worlds=worlds, seed=seed, workers=2)
        for seed in (0, 1)
    ]

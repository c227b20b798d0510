"""Epochs as data: what no epoch can have left behind is refused, each for its own reason."""

import json

import pytest

import askless as al
from askless.core.words import BY_ELLIPSOID, BY_EPOCHS, MOST_ROWS
from askless.errors import StateError
from mutated_states import original
from saved_states import opened

NAN = float("nan")


def data_of(name):
    return opened(json.loads(original(name)))


def refused(data, reason):
    with pytest.raises(StateError, match=rf"the state of arm .* cannot be: .*{reason}"):
        al.EpochSurveyUCB.from_dict(data)


def first_row(epoch):
    return epoch["rows"][0]


def side_of(epoch, passed):
    """A side of a test that has passed, or has not, of a question that is kept."""
    return next(
        (d, side)
        for d, pair in enumerate(epoch["passed"])
        for side, flag in enumerate(pair)
        if flag == passed and epoch["logs"][d][side] != 0
    )


def set_log(epoch, passed, value):
    d, side = side_of(epoch, passed)
    epoch["logs"][d][side] = value


def flip(epoch):
    d, side = side_of(epoch, 0)
    epoch["passed"][d][side] = 1


CHANGES = {
    "counts are none": [
        lambda e: e.update(held=float(e["held"])),
        lambda e: e.update(ended=True),
        lambda e: e.update(need=2**53),
        lambda e: e.update(moment="0"),
    ],
    "counts cannot be": [
        lambda e: e.update(held=e["held"] + 1),
        lambda e: e.update(need=e["held"]),
        lambda e: e.update(need=MOST_ROWS + 1),
        lambda e: e.update(warm=2),
        lambda e: e.update(warm=1),
        lambda e: e.update(tested=e["ended"] + 1),
        lambda e: e.update(ended=0, tested=0, warm=1),
    ],
    "rows that are not there": [
        lambda e: e.update(moment=0.5),
        lambda e: e.update(squares=0.25),
        lambda e: e.update(squares=None),
    ],
    "on their grid": [
        lambda e: first_row(e).__setitem__(1, 0.1),
        lambda e: first_row(e).__setitem__(1, 0.75),
        lambda e: e["rewards"].__setitem__(0, 1e-6),
        lambda e: e["rewards"].__setitem__(0, 0.75),
    ],
    "hold answers": [lambda e: first_row(e).__setitem__(slice(4, 7), [1.0, 1.0, 0.0])],
    "rows are not all known": [lambda e: first_row(e).__setitem__(1, NAN)],
    "by which test": [
        lambda e: e["test"].__setitem__(0, BY_EPOCHS),
        lambda e: e["test"].__setitem__(0, 0.0),
        lambda e: e["test"].pop(),
    ],
    "tests are no numbers": [
        lambda e: e["passed"][0].__setitem__(0, 2),
        lambda e: e["logs"][0].__setitem__(0, NAN),
    ],
    "pace": [
        lambda e: e["pace"][0].__setitem__(0, -1e-9),
        lambda e: e["pace"][0].__setitem__(1, float("inf")),
    ],
    "does not follow from their evidence": [
        flip,
        lambda e: set_log(e, 0, 50.0),
    ],
    "sums of effects": [
        lambda e: e["signed"][0].__setitem__(23, 99.0),
        lambda e: e["signed"][0].__setitem__(0, -1.0),
        lambda e: e["signed"][0].__setitem__(5, 1e300),
    ],
}


@pytest.mark.parametrize(
    ("reason", "change"), [(r, c) for r, several in CHANGES.items() for c in several]
)
def test_an_epoch_that_cannot_be_is_refused_for_its_own_reason(reason, change):
    """Fails if a check is left out, or something else is said of it."""
    data = data_of("no price") | {"policy": "epoch"}
    for setting in ("price", "questions", "planned", "full_floor"):
        del data["settings"][setting]
    del data["state"]["short_form"]
    al.EpochSurveyUCB.from_dict(data)
    arms = data["state"]["arms"]
    epoch = next(a["epoch"] for a in arms if a["epoch"]["tested"] and a["epoch"]["held"])
    assert not any(epoch["test"])
    change(epoch)
    refused(data, reason)


def test_skips_that_are_not_judged_have_passed():
    data = data_of("epochs")
    assert data["settings"]["judge_skips"] is False
    al.EpochSurveyUCB.from_dict(data)
    data["settings"]["judge_skips"] = True
    refused(data, "does not follow from their evidence")
    data = data_of("epochs")
    for arm in data["state"]["arms"]:
        arm["epoch"]["passed"] = [[0, 0] for _ in arm["epoch"]["passed"]]
    refused(data, "judges skips")


def test_drops_go_with_their_tests_and_their_evidence():
    """Fails if a question is taken for dropped that no test has passed."""
    data = data_of("dropped")
    al.EpochSurveyUCB.from_dict(data)
    k, g = next(
        (k, g)
        for k, arm in enumerate(data["state"]["arms"])
        for g in map(int, arm["dropped"])
        if arm["epoch"]["test"][g] == BY_ELLIPSOID
    )
    arm = data["state"]["arms"][k]
    arm["epoch"]["test"][g] = BY_EPOCHS
    refused(data, "tests have not passed")
    arm["epoch"]["test"][g] = BY_ELLIPSOID
    arm["dropped"][str(g)][3] = 3.001
    refused(data, "effect is not small")


def test_a_policy_that_drops_nothing_has_no_tests():
    data = data_of("no price")
    data["settings"]["beta_min"] = 0
    passed = data["state"]["arms"][0]["epoch"]["passed"]
    for arm in data["state"]["arms"]:
        arm["epoch"]["passed"] = [[0, 0] for _ in passed]
    al.SurveyBandit.from_dict(data)
    data["state"]["arms"][0]["epoch"]["passed"][0][0] = 1
    with pytest.raises(StateError, match="has tested questions, which the policy does not"):
        al.SurveyBandit.from_dict(data)


def test_rows_that_were_let_go_have_sums_that_can_be():
    """Fails if an arm without questions may have any sums of its epoch."""
    data = data_of("dropped")
    arm = next(a for a in data["state"]["arms"] if len(a["dropped"]) == 5)
    al.EpochSurveyUCB.from_dict(data)
    epoch = arm["epoch"]
    epoch.update(held=4, need=10, rows=[], rewards=[], moment=1.0, squares=0.25)
    al.EpochSurveyUCB.from_dict(data)
    for damage, reason in (
        ({"moment": 1.5}, "no sums of squares"),
        ({"moment": 3.0}, "leave their range"),
        ({"squares": 2.0}, "cannot be"),
        ({"squares": 0.1}, "grid"),
        ({"moment": 0.1}, "grid"),
        ({"squares": "x"}, "no numbers"),
    ):
        epoch.update({"moment": 1.0, "squares": 0.25} | damage)
        refused(data, reason)

"""Short forms as data: what no policy can have left behind is refused, each for its own reason."""

import json

import pytest

import askless as al
from askless.core.words import (
    ASKED,
    BETS,
    CAUTION,
    COST,
    FLOOR,
    FORM,
    FULL_VISITS,
    LOSS,
    NEXT,
    OLDEST,
    PEOPLE,
    PRICE,
    SIZE,
    STANDS,
    VISITS,
    WHOLE_WIDTH,
    WITHDRAWN,
)
from askless.errors import StateError
from mutated_states import original
from saved_states import opened


@pytest.fixture
def data():
    return opened(json.loads(original("short forms")))


def put(part, place, value):
    return lambda form: form[part].__setitem__(place, value)


def arm(part, change):
    """Change the first arm that has short visits."""

    def changes(form):
        own = next(a for a in form["arms"] if a["rows"])
        own[part] = change(own[part])

    return changes


def with_first(value):
    return lambda numbers: [value, *numbers[1:]]


def with_corner(value):
    return lambda table: [[value, *table[0][1:]], *table[1:]]


CHANGES = {
    "are none": [
        put("counts", VISITS, "400"),
        put("counts", VISITS, 400.0),
        put("counts", STANDS, True),
        put("numbers", PRICE, "0.1"),
        put("numbers", PRICE, True),
        lambda f: f["counts"].pop(),
        lambda f: f["numbers"].append(0.0),
        lambda f: f["form"].pop(),
        lambda f: f["arms"].pop(),
        lambda f: f.update(caution=0),
        lambda f: f.update(caution=1.5),
        lambda f: f.update(start_value=None),
        lambda f: f.update(path=[[0, 0.1], [0, 0.2]]),
        lambda f: f.update(path=[[99, 0.1]]),
        lambda f: f.update(path=[[0]]),
        lambda f: f.update(path=[[True, 0.1]]),
    ],
    "do not go together": [
        put("counts", STANDS, 2),
        put("counts", FORM, 0),
        put("counts", SIZE, 1),
        put("counts", FULL_VISITS, 10**6),
        put("counts", OLDEST, 499),
        put("counts", PEOPLE, 1),
        put("counts", WITHDRAWN, 10**6),
        put("counts", NEXT, 10**6),
        put("counts", ASKED, 6),
        lambda f: f.update(form=[0] * len(f["form"])),
        lambda f: f.update(form=[2 * flag for flag in f["form"]]),
        put("numbers", FLOOR, 0.5),
        put("numbers", CAUTION, 0),
        put("numbers", PRICE, 0.3),
        put("numbers", WHOLE_WIDTH, 1e6),
        put("numbers", COST, 99.0),
        put("numbers", COST, -1.0),
        put("numbers", BETS, 0.5),
        put("numbers", BETS + 1, 1e6),
        put("numbers", BETS + 2, 0.0),
        put("numbers", LOSS, 0.5),
        put("numbers", LOSS, 1e6),
        put("numbers", LOSS + 1, 1e6),
        put("numbers", LOSS + 2, -1.0),
    ],
    "people that cannot have come": [
        lambda f: f["ring"].pop(),
        lambda f: f["ring"][0].__setitem__(0, 0.5),
        lambda f: f["ring"][0].__setitem__(1, 0.1),
        lambda f: f["ring"][0].__setitem__(1, None),
        lambda f: f["may"][0].__setitem__(0, 2),
    ],
    "projection": [
        lambda f: f["projection"].pop(),
        lambda f: f["projection"][0].__setitem__(0, 1e10),
    ],
    "counts of short visits": [
        arm("rows", lambda rows: rows + 10**6),
        arm("rows", float),
        arm("renewed", lambda rows: -1),
    ],
    "width": [arm("width", lambda width: 0.6), arm("width", lambda width: True)],
    "of its short visits, its sums do not count": [arm("rows", lambda rows: rows - 1)],
    "of its short visits, its sums of rewards": [arm("moment", with_first(1e6))],
    "of its short visits, its": [arm("gram", with_corner(-1.0))],
    "have told it": [
        arm("told", with_first(-1e6)),
        arm("tells", with_first(1e6)),
        arm("told", with_first(float("nan"))),
    ],
    "prior": [arm("prior", with_corner(-1.0)), arm("prior", with_corner(0.0))],
    "short models are no numbers": [
        arm("pull", with_first(1e31)),
        arm("estimate", with_first(float("nan"))),
        arm("whole_estimate", with_first(float("inf"))),
    ],
    "spread": [arm("spread", with_corner(-1.0))],
    "root": [arm("whole_root", with_first(-1.0)), arm("whole_root", with_first(25.0))],
}


@pytest.mark.parametrize(
    ("reason", "change"), [(r, c) for r, several in CHANGES.items() for c in several]
)
def test_a_short_form_that_cannot_be_is_refused_for_its_own_reason(data, reason, change):
    """Fails if a check is left out, or something else is said of it."""
    al.SurveyBandit.from_dict(data)
    form = data["state"]["short_form"]
    assert form["counts"][STANDS] and form["counts"][SIZE] > 1
    change(form)
    with pytest.raises(StateError, match=reason):
        al.SurveyBandit.from_dict(data)


def test_a_price_and_a_short_form_go_together(data):
    form, data["state"]["short_form"] = data["state"]["short_form"], None
    with pytest.raises(StateError, match="short form and no price"):
        al.SurveyBandit.from_dict(data)
    plain = opened(json.loads(original("no price")))
    plain["state"]["short_form"] = form
    with pytest.raises(StateError, match="short form and no price"):
        al.SurveyBandit.from_dict(plain)

"""What `print` shows of evidence and effects: a table that fits a terminal, of a list like any."""

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import askless as al

NAMES = [f"how_many_years_since_the_last_visit_{i}" for i in range(15)]


def learned(visits, beta_min=0.3, names=NAMES):
    """Two arms; the last question alone matters."""
    survey = al.Survey([al.YesNo(name) for name in names])
    arms = ["a letter by mail", "a call in the evening"]
    policy = al.EpochSurveyUCB(survey, arms=arms, reward=(0, 1), beta_min=beta_min)
    rng = np.random.default_rng(5)
    for i in range(visits):
        z = survey.encode({name: bool(rng.random() < 0.5) for name in names})
        policy.learn_row(i % 2, z, 0.5 + 0.4 * z[-1] + rng.uniform(-0.1, 0.1))
    return policy


@pytest.mark.parametrize("visits", [0, 40, 400, 3_000])
@pytest.mark.parametrize("kind", ["evidence", "effects"])
def test_a_print_is_a_table_that_fits_a_terminal(visits, kind):
    """Fails if fields are printed as Python has them, a line is too long, or all are shown."""
    rows = getattr(learned(visits), kind)()
    head, *lines = str(rows).splitlines()
    assert len(rows) == 2 * 15
    assert head.split()[:2] == ["arm", "question"]
    assert max(map(len, [head, *lines])) <= 80
    assert len([line for line in lines if line.startswith("a ")]) == 20
    assert any(line.startswith("and 10 more") and "DataFrame" in line for line in lines)


def test_what_has_the_largest_estimate_is_among_what_is_shown():
    """Fails if the first twenty are shown: the question that matters is the last of its arm."""
    names = [f"q{i}" for i in range(15)]
    policy = learned(1_000, names=names)
    for text in (str(policy.evidence()), str(policy.effects())):
        assert text.count(" q14 ") == 2


def test_the_states_of_questions_are_told_apart():
    """Fails if a dropped question is shown as kept, or tests are counted that have passed."""
    policy = learned(3_000, names=["useless", "useful"])
    rows, text = policy.evidence(), str(policy.evidence())
    gone = [row for row in rows if not row.kept]
    assert {row.question for row in gone} == {"useless"}
    for row in gone:
        assert f"dropped after {row.dropped_at:,} visits" in text
    for row in rows:
        if row.kept:
            (way,) = row.directions
            still = (way.below < 1) + (way.above < 1)
            (line,) = [x for x in text.splitlines() if x.startswith(row.arm) and "useful" in x]
            assert line.endswith((f"{still} of 2 tests open", "no say now"))


def test_no_effect_is_shown_as_larger_than_the_rewards_are_apart():
    """Fails if what the set has, which is several times the range at first, is shown."""
    policy = learned(100)
    rows = policy.evidence()
    assert max(row.high for row in rows) > 1
    assert all("may be up to 1, the whole reward range" in r.reason for r in rows if r.high > 1)
    tables = [line.split("  ") for line in str(rows).splitlines()[1:21]]
    assert max(float([cell for cell in line if cell.strip()][3]) for line in tables) == 1


def test_a_notebook_shows_the_table_too():
    """Fails if a cell that ends with the rows shows their fields."""
    shown = []
    rows = learned(50).effects()
    rows._repr_pretty_(SimpleNamespace(text=shown.append), cycle=False)
    assert shown == [str(rows)]


def test_rows_are_a_list_like_any_other():
    """Fails if rows cannot be compared, sent to a process, copied or cut as lists are."""
    for rows in (learned(50).evidence(), learned(50).effects()):
        assert isinstance(rows, list)
        assert rows == list(rows)
        sent = pickle.loads(pickle.dumps(rows))
        assert sent == rows == copy.deepcopy(rows)
        assert str(sent) == str(rows)
        assert rows[:3] == [rows[0], rows[1], rows[2]]
        assert repr(rows) == repr(list(rows))

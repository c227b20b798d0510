"""Visits, summaries and counters of a study that were changed are found."""

import json

import pytest
from sqlalchemy import delete, insert, select, update

from askless.storage import verify
from askless.storage.summaries import COUNTS
from askless.storage.tables import studies, summaries, visits

OF_VISITS = {
    "status": "waiting",
    "started": 5.0,
    "kind": "silly",
    "arm": "fax",
    "decided": 5_000,
    "decided_at": 5.0,
    "asked": 17,
    "reward": 0.98765,
    "learned": 5_000,
    "learned_after": 5_000,
    "block": 5_000,
    "record": "{}",
    "token": "",
}


@pytest.mark.parametrize("column", OF_VISITS)
def test_a_changed_visit_is_found(copied, column):
    """Fails if any column of a visit can be changed without being noticed."""
    with copied.writing() as connection:
        here = visits.c.own == "person 20"
        assert connection.execute(select(visits.c.status).where(here)).scalar() == "learned"
        connection.execute(update(visits).where(here).values({column: OF_VISITS[column]}))
        connection.execute(
            update(visits).where(visits.c.own == "person 21").values({column: None})
            if visits.c[column].nullable
            else select(1)
        )
    found = verify(copied, "small")
    number = 7 + 20
    assert any(f"visit {number}" in finding for finding in found.findings), found.findings
    if visits.c[column].nullable and column != "record":
        assert any(f"visit {number + 1}: its {column} is None" in one for one in found.findings)


def test_a_changed_record_of_an_open_visit_is_found(copied):
    """Fails if what somebody has answered can be changed while questions are open."""
    with copied.writing() as connection:
        here = visits.c.own == "half 1"
        record = json.loads(connection.execute(select(visits.c.record).where(here)).scalar())
        record["answers"] = dict.fromkeys(record["answers"])
        connection.execute(update(visits).where(here).values(record=json.dumps(record)))
    (finding,) = verify(copied, "small").findings
    assert finding.endswith("its record is not what it has done")


def test_a_visit_that_is_gone_or_too_many_is_found(copied):
    """Fails if rows of visits are not counted."""
    with copied.writing() as connection:
        connection.execute(delete(visits).where(visits.c.own == "person 20"))
    found = verify(copied, "small").findings
    assert "visit 27 is not in the table of visits" in found
    with copied.writing() as connection:
        row = {"study": 1, "number": 5_000, "token": "x", "status": "open", "started": 1.0}
        connection.execute(insert(visits), row)
        connection.execute(insert(visits), {**row, "number": 5_001, "token": "y"})
    found = verify(copied, "small").findings
    assert any("the table of visits has" in finding for finding in found)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("span", ["day", "hundred"])
def test_a_changed_summary_is_found(copied, name, span):
    """Fails if a count is not compared, or a sum may be off by more than rounding."""
    with copied.writing() as connection:
        connection.execute(
            update(summaries)
            .where(summaries.c.span == span, summaries.c.arm == "")
            .values({name: summaries.c[name] + (1e-6 if name in ("reward", "squares") else 1)})
        )
    found = verify(copied, "small").findings
    assert found
    assert all(f"summary of {span}" in one and f"its {name} is" in one for one in found)


def test_a_summary_that_is_gone_or_too_many_is_found(copied):
    """Fails if only the rows that are there are compared, or only those that should be."""
    with copied.writing() as connection:
        connection.execute(delete(summaries).where(summaries.c.arm == "mail"))
        connection.execute(
            insert(summaries),
            {"study": 1, "span": "day", "start": 5, "arm": "", **dict.fromkeys(COUNTS, 2)},
        )
    found = verify(copied, "small").findings
    assert any("day 5, arm (all)" in finding for finding in found)
    assert any("arm mail" in finding for finding in found)


@pytest.mark.parametrize(
    ("counter", "value"),
    [
        ("serial", studies.c.serial - 1),
        ("serial", studies.c.serial + 1),
        ("visits", studies.c.visits + 1),
        ("visits", studies.c.visits - 1),
        ("decided", studies.c.decided + 1),
        ("learned", studies.c.learned - 1),
        ("at", studies.c.at + 1),
        ("paused", True),
        ("file", studies.c.file + "\n"),
    ],
)
def test_a_changed_counter_is_found(copied, counter, value):
    """Fails if a counter of the study is not one that follows."""
    with copied.writing() as connection:
        connection.execute(update(studies).values({counter: value}))
    found = verify(copied, "small").findings
    assert any(f"studies.{counter}" in finding for finding in found), found

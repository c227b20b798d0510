"""What the columns of an export mean: every one of them, in the study's own words."""

import csv
import json

import askless as al
from askless.storage import Database
from askless.storage.codebook import EVENTS, STATUSES, codebook, in_words
from askless.storage.exporting import export
from askless.storage.replica import APPLIED, FOLLOWS
from live_visits import open_live, play


def test_every_column_and_code_is_described(tmp_path):
    """Fails if a file has a column, a status, an event, an arm or an option that its codebook does
    not name."""
    database = Database(tmp_path / "study.db")
    play(open_live(database), 120)
    export(database, "charity", tmp_path / "out", with_ids=True)
    database.close()
    book = json.loads((tmp_path / "out" / "codebook.json").read_text())
    words = (tmp_path / "out" / "codebook.md").read_text()
    for name, columns in book["tables"].items():
        with (tmp_path / "out" / name).open(newline="") as file:
            header, *rows = csv.reader(file)
        assert header == [column["name"] for column in columns]
        for at, column in enumerate(columns):
            assert f"| `{column['name']}` | " in words
            assert column["text"]
            found = {row[at] for row in rows} - {""}
            if column.get("kind") == "multi" or column["name"] == "eligible":
                found = {part for cell in found for part in cell.split(";")}
            if "codes" in column:
                assert found <= {code["code"] for code in column["codes"]}
            if "low" in column:
                assert all(column["low"] <= float(cell) <= column["high"] for cell in found)
            if any(row[at] == "" for row in rows) and column["name"].startswith("answer."):
                assert column["missing"]


def test_the_study_s_words_are_there():
    """Fails if texts, labels, ends or ways of being missing are not those of the study."""
    book = codebook(al.Study.example(), "csv", {"visits": 3})
    columns = {column["name"]: column for column in book["tables"]["visits.csv"]}
    assert columns["answer.age"]["text"] == "How old are you?"
    assert (columns["answer.age"]["low"], columns["answer.age"]["high"]) == (18, 90)
    assert "skipped" not in columns["answer.age"]["missing"]
    assert "skipped" in columns["answer.children"]["missing"]
    assert {"code": "wwf", "label": "Suggest the WWF"} in columns["arm"]["codes"]
    assert columns["answer.media"]["codes"][-1]["code"] == ""
    assert set(book["missing"]) >= {"not asked", "skipped", "not yet answered", "erased", "lost"}
    assert "id" not in columns
    assert "--with-ids" in in_words(book)


def test_words_cannot_break_the_table():
    """Fails if a text with bars, breaks or markup leaves its cell."""
    text = """
schema: 1
questions: [{kind: yes_no, name: "a|b", text: "one | two\\nthree <b>"}]
arms: [{name: x}, {name: y}]
reward: {low: 0, high: 1}
policy: {beta_min: 0.1}
"""
    (line,) = [
        line
        for line in in_words(codebook(al.Study.parse(text), "csv", {})).splitlines()
        if "answer.a" in line
    ]
    assert "one \\| two three &lt;b>" in line
    assert line.replace("\\|", "").count("|") == 6


def test_every_event_and_status_has_its_words():
    """Fails if a kind of event that a replica knows has no description."""
    assert {*APPLIED, *FOLLOWS} <= set(EVENTS)
    assert "erased" not in STATUSES  # such visits have no row

"""The page from the paper to the code misses nothing of the paper, and what it names is there.

Fails if a numbered item of the paper has no row or two, or if a function, section, test or command
that a row names does not exist.
"""

import importlib
import json
import re
from collections import Counter
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from askless.cli.app import app as command_line
from askless.experiments.paper import FIGURES, NET
from askless.experiments.quotations import QUOTATIONS
from command_line import askless

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "paper-to-code.md"
LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
# How many items of each kind the paper numbers, appendix included.
NUMBERED = {
    "Algorithm": 3,
    "Assumption": 2,
    "Claim": 7,  # our numbers (maths 7)
    "Corollary": 1,
    "Definition": 5,
    "Equation": 9,
    "Figure": 10,
    "Lemma": 9,
    "Observation": 1,
    "Theorem": 2,
}
# What it has besides, without a number.
OTHERS = {
    "Target policy and regret",
    "Ridge SurveyUCB",
    "Elastic Net SurveyUCB",
    "Implementation of ridge",
    "Implementation of the elastic net",
    "Implementation of interactive surveys",
}


class Row(NamedTuple):
    """A row of the page."""

    item: str
    section: str
    what: str
    code: str
    maths: str
    tests: str
    command: str


SECTIONS = [
    *("1", "2", "2.1", "2.2", "3", "4", "4.1", "4.2", "4.3", "5", "6", "6.1", "6.2", "7", "8", "9"),
    *("10", "A", "B", "B.1", "B.2", "B.3", "C", "D", "E", "F", "G", "G.1", "G.2", "G.3"),
]


def rows():
    """Return the rows of the page's tables: item, section, code, maths, tests and command."""
    found = []
    for line in PAGE.read_text().splitlines():
        if not line.startswith("| **"):
            continue
        first, code, maths, last = line.removeprefix("| ").removesuffix(" |").split(" | ")
        item, section, what = re.fullmatch(r"\*\*(.+?)\*\* \((.+?)\): (.+)", first).groups()
        tests, command = re.fullmatch(r"(.+); `(.+)`", last).groups()
        found.append(Row(item, section, what, code, maths, tests, command))
    return found


ROWS = rows()
NAMES = [row.item for row in ROWS]


def test_every_numbered_item_of_the_paper_has_one_row():
    items = Counter()
    for name in NAMES:
        if name in OTHERS:
            items[name] += 1
            continue
        kind, numbers = re.fullmatch(r"([A-Z][a-z]+?)s? (\d+(?:, \d+)*)", name).groups()
        items.update(f"{kind} {number}" for number in numbers.split(", "))
    expected = {f"{kind} {i}" for kind, many in NUMBERED.items() for i in range(1, many + 1)}
    assert items == Counter(expected | OTHERS)


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_what_a_row_names_is_there(row):
    assert re.split(r"; Figures?", row.section)[0] in SECTIONS
    code = LINK.findall(row.code)
    assert code
    for name, target in code:
        file = (PAGE.parent / target).resolve()
        assert file.is_relative_to(ROOT / "src")
        names = name.strip("`")
        if file.suffix == ".py":
            module = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
            assert reduce(getattr, names.split("."), importlib.import_module(module)).__doc__
        else:  # in C++, a function that the file has
            assert re.search(rf"^\S.*\b{names}\(", file.read_text(), flags=re.MULTILINE)
    sections = LINK.findall(row.maths)
    assert sections
    headings = (ROOT / "docs" / "maths.md").read_text()
    for section, target in sections:  # where the anchor leads, test_docs.py looks
        assert target.startswith("maths.md#")
        assert re.search(rf"^#+ {re.escape(section)}\.? ", headings, flags=re.MULTILINE)
        assert target.split("#")[1].startswith(section.replace(".", "") + "-")
    tests = LINK.findall(row.tests)
    assert tests
    for _, target in tests:
        assert "def test_" in (PAGE.parent / target).read_text()


def test_figures_are_files_of_the_report():
    named = [name for row in ROWS for name in re.findall(r"`((?:ridge|net)-\S+)`", row.code)]
    assert named == [
        f"{'net' if labels[0] == NET else 'ridge'}-arms{arms}-betamin{at:g}"
        for arms, at, labels in FIGURES
    ]


def test_claims_have_the_sections_of_their_quotations():
    for row in ROWS:
        if row.item.startswith("Claim "):
            quotations = QUOTATIONS[int(row.item.split()[1])]
            where = "; ".join(quotation.where for quotation in quotations)
            assert row.section == where.replace("Section ", "")


def test_every_command_is_one(tmp_path):
    """Runs what simulates, briefly; looks up the others, which take longer."""
    commands = {row.command for row in ROWS}
    targets = re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    verbs = typer.main.get_command(command_line).commands
    for command in commands:
        program, verb, *options = command.split()
        assert (program, verb in (targets if program == "make" else verbs)) in (
            ("make", True),
            ("askless", True),
        )
        if verb == "simulate":
            done = askless(verb, *options, "--horizon", 60, "--runs", 1, "--json", cwd=tmp_path)
            assert done.returncode == 0, done.stderr
    assert any("simulate" in command for command in commands)


def test_the_commands_drop_what_matters_to_no_arm_where_the_page_says_so(tmp_path):
    """Fails if a reader who runs a row's command sees no question go, or a useful one."""
    shown = {row.command for row in ROWS if "simulate" in row.command}
    drops = [c for c in shown if "target" not in c]
    for command in drops:
        done = askless(*command.split()[1:], "--runs", 1, "--json", cwd=tmp_path)
        (run,) = json.loads(done.stdout)["runs"]
        wide = "elastic-net" in command and "--radius published" in command
        everything = [f"x{i}" for i in range(1, 6)]
        if "--arms 3" in command:
            assert run["questions_left"] == (everything if wide else ["x1", "x2"]), command
        assert run["useful_dropped"] == 0, command
    assert sum("--arms 3" in command for command in drops) == 5

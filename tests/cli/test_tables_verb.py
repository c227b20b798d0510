"""`askless tables`: the list, without the data."""

import json
import subprocess
import sys

import askless as al
from command_line import askless


def test_tables_are_listed():
    found = json.loads(askless("tables", "--json").stdout)
    assert found == json.loads(json.dumps([table.to_dict() for table in al.TABLES.values()]))
    shown = askless("tables")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.strip().startswith("16 tables")
    for name, table in al.TABLES.items():
        low, high = table.reward
        numbers = f"{table.people:,} {table.questions} {len(table.arms)} {low:,} to {high:,}"
        (row,) = [row for row in shown.stdout.splitlines() if row.startswith(f" {name} ")]
        assert " ".join(row.split()).endswith(numbers)


def test_listing_tables_needs_no_data():
    code = "import sys; sys.modules.update(dict.fromkeys(['statsmodels', 'causaldata', 'sklearn']))"
    code += "; sys.argv = ['askless', 'tables']; from askless.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "anes96-vote" in done.stdout

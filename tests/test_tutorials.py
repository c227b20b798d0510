"""The tutorials are true: run again, they print and draw what their pages show.

What would make these fail: an output that is another one now, a figure that is, a block that does
not run, a page that is written when it was only to be compared.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # whole studies

ROOT = Path(__file__).parent.parent
BUILDER = ROOT / "builder" / "tutorials.py"
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))

WRITTEN = """# Numbers

```text title="two.txt"
2
```

```python
from pathlib import Path

two = int(Path("two.txt").read_text())
Path("made").mkdir()
Path("made/figure.png").write_bytes(bytes([two]))
```

It prints the sum.

```python
print(two + two, "  ")
```

```sh
cat two.txt | tr 2 5
echo to stderr >&2
```

![A figure](figures/numbers/made/figure.png)
"""
# Each output stands after its block, without blanks at the ends of lines.
RUN = WRITTEN.replace('"  ")\n```\n', '"  ")\n```\n\n```text\n4\n```\n').replace(
    ">&2\n```\n", ">&2\n```\n\n```text\n5\nto stderr\n```\n"
)


@pytest.fixture
def builder():
    """The module that `make tutorials` runs."""
    spec = importlib.util.spec_from_file_location("tutorials", BUILDER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "numbers.md"
    path.write_text(WRITTEN)
    return path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_prints_and_draws_what_it_shows(page):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(BUILDER), "--check", page.stem],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_outputs_and_figures_are_written_once_and_then_stay(builder, page):
    builder.write(page)
    figure = page.parent / "figures" / "numbers" / "made" / "figure.png"
    assert page.read_text() == RUN
    assert figure.read_bytes() == b"\2"
    assert list(builder.differences(page)) == []
    builder.write(page)
    assert page.read_text() == RUN


def test_the_first_difference_is_named_and_nothing_written(builder, page):
    builder.write(page)
    wrong = RUN.replace("```text\n4\n", "```text\n3\n").replace("\n5\nto", "\n6\nto")
    page.write_text(wrong)
    line = wrong.splitlines().index("3") + 1
    assert next(builder.differences(page)) == f"numbers.md, line {line}, is '3', and now '4'"
    assert page.read_text() == wrong


def test_figures_that_are_others_missing_or_shown_nowhere_are_named(builder, page):
    builder.write(page)
    folder = page.parent / "figures" / "numbers"
    (folder / "made" / "figure.png").write_bytes(b"\3")
    (folder / "old.png").write_bytes(b"")
    assert list(builder.differences(page)) == [
        "numbers.md: figures/numbers/old.png is shown nowhere",
        "numbers.md: figures/numbers/made/figure.png is drawn otherwise now",
    ]
    (folder / "made" / "figure.png").unlink()
    assert "figure.png is not there" in next(builder.differences(page))
    builder.write(page)
    assert [path.name for path in folder.rglob("*.png")] == ["figure.png"]


@pytest.mark.parametrize(("before", "is_same"), [(b"3.9.1", True), (b"3.10.0", False)])
def test_a_figure_of_another_matplotlib_is_not_compared(builder, before, is_same):
    old = b"Software\0Matplotlib version" + before + b", then pixels"
    new = b"Software\0Matplotlib version3.10.0, then other pixels"
    assert builder._is_same(old, new) is is_same
    assert not builder._is_same(b"no release", new)


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ("```sh\nls nowhere\n```\n", r"numbers.md, line 3: exit code \d+\n.*nowhere"),
        ("```python\nimport os; print(os.getcwd())\n```\n", "line 3: it prints the folder"),
        ("```sh\naskless-is-not-there &\n```\n", "line 3: no answer"),
        ("![A](figures/other/a.png)\n", "figures/other/a.png is not in figures/numbers"),
        ("![A](figures/numbers/a.png)\n", "nothing has made a.png"),
    ],
)
def test_a_page_that_cannot_be_run_is_refused(builder, page, block, complaint):
    page.write_text(f"# Broken\n\n{block}")
    with pytest.raises(builder.BrokenError, match=complaint):
        builder.write(page)
    assert page.read_text() == f"# Broken\n\n{block}"


def test_an_error_of_python_names_the_line_of_the_page(builder, page):
    page.write_text("# Broken\n\n```python\nfine = 1\nfine / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as raised:
        builder.write(page)
    assert raised.traceback[-1].lineno == 4  # counted from 0

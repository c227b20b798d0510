"""docs/new-policy.md, tried: two files and one line are a policy that everything knows."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "new-policy.md").read_text()
OURS = "src/askless/policies/ours.py"
# An installed askless must not be found first.
ALONE = """\
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]
"""
STUDY = """\
schema: 1
questions: [{kind: yes_no, name: donor}]
arms: [{name: red}, {name: blue}]
reward: {low: 0, high: 1}
policy:
  name: explore-first
  each: EACH
"""


def steps():
    """Return the example's files and its line: where each goes, and its text."""
    place = r"^\*\*.*?`((?:src|tests)/[\w/]+\.py)`"
    found = re.findall(rf"{place}.*?```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    assert [path for path, _ in found] == [
        "src/askless/policies/rivals/explore_first.py",
        "tests/policies/rivals/test_explore_first.py",
        OURS,
    ]
    return dict(found)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the project with the example in its place, and in the reference."""
    tree = tmp_path_factory.mktemp("project")
    unwanted = shutil.ignore_patterns("__pycache__")
    for folder in ("src/askless", "tests", "builder", "docs"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=unwanted)
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, tree / name)
    core = Path(find_spec("askless.core._core_any").origin).parent
    for built in core.glob("_*"):
        if built.suffix in (".so", ".pyd"):
            shutil.copy(built, tree / "src/askless/core" / built.name)
    (tree / "src/sitecustomize.py").write_text(ALONE)
    reference = tree / "docs/reference/rivals.md"
    reference.write_text(f"{reference.read_text()}\n::: askless.ExploreFirst\n")
    for path, text in steps().items():
        before = (tree / path).read_text() if path == OURS else ""
        if text not in before:  # whoever tries the example in this tree has it already
            (tree / path).write_text(before + text)
    assert steps()[OURS].count("\n") == 1
    return tree


@pytest.fixture(scope="module")
def run(tree):
    """Run Python there."""
    place = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}

    def run(*arguments, code=0, cwd=tree):
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=cwd, env=place, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_its_own_tests_pass_and_those_that_go_through_every_policy_take_it_up(run):
    found = run(
        *("-m", "pytest", "-v", "-p", "no:cacheprovider"),
        *("-k", "ExploreFirst or explore-first or explore_first"),
        *("tests/policies/rivals/test_explore_first.py", "tests/checks/test_contract.py"),
        *("tests/policies/test_described.py", "tests/docs/test_references.py"),
        *("src/askless/policies/rivals/explore_first.py",),
    )
    passed = re.findall(r"::(\w+|askless[\w.]+)(?:\[.*\])? PASSED", found)
    assert sorted(passed) == [
        "askless.policies.rivals.explore_first.ExploreFirst",
        "test_a_count_that_cannot_be_is_refused",
        "test_a_default_is_what_the_policy_says_of_itself",
        "test_a_policy_s_docstring_names_every_setting",
        "test_every_policy_of_ours_is_in_the_reference",
        "test_file_schema_and_constructor_take_what_the_description_takes",
        "test_it_plays_as_a_plain_loop_does",
        "test_our_policies_keep_the_contract",
    ]


def test_study_files_know_it_and_say_on_which_line_its_setting_is_wrong(run, tree):
    study = tree / "study.yaml"
    study.write_text(STUDY.replace("EACH", "7"))
    shown = json.loads(run("-m", "askless", "check", "study.yaml", "--json"))
    assert (shown["policy"], shown["settings"]["each"]) == ("explore-first", 7)
    study.write_text(STUDY.replace("EACH", "0"))
    said = run("-m", "askless", "check", "study.yaml", code=2)
    assert "line 7, policy.each: 0 is too small; give at least 1" in " ".join(said.split())
    study.write_text(STUDY.replace("each: EACH", "eahc: 3"))
    said = run("-m", "askless", "check", "study.yaml", code=2)
    assert "unknown key 'eahc'; did you mean 'each'?" in " ".join(said.split())


def test_the_command_line_plays_it_with_its_setting_as_an_option(run):
    few = ("--arms", 3, "--features", 2, "--horizon", 60, "--runs", 1, "--json")
    played = ("-m", "askless", "simulate", "--policy", "explore-first")
    found = json.loads(run(*played, "--each", 20, *few))
    assert found["settings"]["each"] == 20
    assert found["runs"][0]["plays"] == [20, 20, 20]
    assert found["runs"][0]["questions_per_visit"] == 0
    said = run(*played, "--each", "often", *few, code=2)
    assert "--each is 'often'; give a whole number from 1 to 1000000" in " ".join(said.split())
    rows = json.loads(run("-m", "askless", "compare", "--policy", "explore-first", *few))
    assert {row["curve"] for row in rows} == {"explore-first"}


def test_the_docs_and_the_schema_follow(run, tree):
    run("builder/settings_tables.py", "--check", code=1)
    run("builder/settings_tables.py")
    page = (tree / "docs/study-file.md").read_text()
    assert "| `explore-first` | `al.ExploreFirst` | Plays every arm `each` times" in page
    assert "| `each` | `explore-first` | How often each arm is played first. |" in page
    schema = json.loads((tree / "docs/study.schema.json").read_text())
    assert schema["$defs"]["ExploreFirstSection"]["properties"]["each"]["default"] == 20


def test_it_passes_the_checks_of_the_code(run, tree):
    ours = ["src/askless/policies/rivals/explore_first.py", OURS, "tests/policies/rivals"]
    run("-m", "ruff", "check", "--no-cache", *ours)
    run("-m", "ruff", "format", "--no-cache", "--check", *ours)


def test_al_has_it_by_its_name(run):
    code = "import askless as al; print(al.ExploreFirst.name, 'ExploreFirst' in al.__all__)"
    assert run("-c", code).split() == ["explore-first", "True"]

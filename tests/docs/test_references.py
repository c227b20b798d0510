"""Everything there is, is documented: links, sections, settings, keys, names and verbs."""

import inspect
import re
import subprocess
import sys

import pytest
import typer

import askless as al
from askless.cli.app import app as command_line
from askless.policies.building import settings_of
from askless.survey.study_file import RewardSection, StudyFile, shape
from command_line import askless
from doc_pages import PAGES, ROOT

NAMING_POLICIES = ("policies", "rivals")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", page.read_text()):
        linked = (page.parent / target) if target else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(), flags=re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
            assert anchor[1:] in slugs, anchor


def test_every_section_of_the_maths_that_code_cites_is_there():
    headings = set(
        re.findall(r"^#+ (\d+(?:\.\d+)?)\.? ", (ROOT / "docs/maths.md").read_text(), re.MULTILINE)
    )
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    for source in sources:
        for cited in re.findall(r"maths ((?:\d+(?:\.\d+)?(?:, | and )?)+)", source.read_text()):
            assert set(re.findall(r"\d+(?:\.\d+)?", cited)) <= headings, (source, cited)


@pytest.mark.parametrize("forget", ["", "epsilon", "must be given"])
def test_the_schema_and_the_tables_of_settings_are_those_of_the_policies(tmp_path, forget):
    """Fails if `make settings` would write anything else, or would not notice."""
    (tmp_path / "builder").mkdir()
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    script = tmp_path / "builder" / "settings_tables.py"
    for name in (script.name, "study_file_reference.py", "command_line_reference.py"):
        (tmp_path / "builder" / name).write_text((ROOT / "builder" / name).read_text())
    for name in (
        "study.schema.json",
        "study-file.md",
        "reference/study-file.md",
        "reference/command-line.md",
    ):
        text = (ROOT / "docs" / name).read_text()
        (tmp_path / "docs" / name).write_text(text.replace(forget, "") if forget else text)
    command = [sys.executable, str(script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == ("run make settings" in done.stderr) == bool(forget)


def test_the_pages_name_every_key_and_setting():
    page = (ROOT / "docs/study-file.md").read_text()
    keys = {f.alias or name for name, f in StudyFile.model_fields.items()}
    for section in (RewardSection, *shape().policies.values()):
        keys |= set(section.model_fields)
    for key in keys:
        assert f"`{key}`" in page, key
    library = (ROOT / "docs/library.md").read_text()
    for setting in (*settings_of(al.EpochSurveyUCB), "lam"):
        assert f"`{setting}`" in library


@pytest.mark.parametrize("kind", al.POLICIES.values())
def test_a_policy_s_docstring_names_every_setting(kind):
    documented = [name for above in kind.__mro__ for name in _parameters(above.__doc__ or "")]
    for setting in settings_of(kind):
        assert setting in documented, (kind.__name__, setting)


@pytest.mark.parametrize("kind", al.POLICIES.values())
def test_every_policy_of_ours_is_in_the_reference(kind):
    """Fails if one is added whose class nobody finds there: these pages are written by hand."""
    pages = [(ROOT / "docs" / "reference" / f"{name}.md").read_text() for name in NAMING_POLICIES]
    assert sum(f"::: askless.{kind.__name__}\n" in page for page in pages) == 1


def _parameters(docstring):
    """Return the names of a numpydoc section `Parameters`."""
    _, _, rest = inspect.cleandoc(docstring).partition("Parameters\n----------\n")
    section = re.split(r"\n\n\w+\n-+\n", rest)[0]
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    return [name for line in lines for name in re.findall(r"\w+", line.split(":")[0])]


def test_public_names_are_documented():
    for name in al.__all__:
        thing = getattr(al, name)
        if isinstance(thing, type) or callable(thing):
            assert thing.__doc__, name
    assert re.fullmatch(r"\d+\.\d+\.\d+", al.__version__)


def test_the_reference_of_the_command_line_has_every_option_in_the_order_of_the_help():
    """Fails if a verb, an argument, an option or a default is left out, or stands elsewhere."""
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    sections = {part.split("\n")[0]: part for part in re.split(r"\n#{3,4} ", page)[1:]}
    help_text = askless("--help", cwd=ROOT).stdout
    verbs = re.findall(r"^  ([a-z]+)  +[A-Z]", help_text, flags=re.MULTILINE)
    top = [name for name in sections if name.count(" ") == 1]
    assert top == [f"askless {verb}" for verb in verbs]
    for verb, command in typer.main.get_command(command_line).commands.items():
        for name, one in getattr(command, "commands", {"": command}).items():
            section = sections[f"askless {verb} {name}".strip()]
            rows = [line for line in section.splitlines() if line.startswith("| `")]
            options = [given for given in one.params if given.opts[0].startswith("-")]
            arguments = [given for given in one.params if given not in options]
            assert len(rows) == len(one.params)
            for given, row in zip(arguments + options, rows, strict=True):
                assert given.opts[0] in (row if given in options else row.lower())
                if type(given.default) in (int, float, str) and given.default != "":
                    assert row.endswith(f"| `{given.default}` |")


def test_every_verb_has_a_row_and_a_section_in_the_command_line_page():
    """Fails if a verb, or an option of one for live studies, is not on the page."""
    page = (ROOT / "docs" / "command-line.md").read_text()
    headings = re.findall(r"^## (.*)$", page, flags=re.MULTILINE)
    for verb, command in typer.main.get_command(command_line).commands.items():
        assert any(f"askless {verb}" in heading.split(", ") for heading in headings), verb
        assert re.search(rf"^\| `askless {verb}\b", page, flags=re.MULTILINE), verb
        if verb not in ("serve", "key", "verify", "erase", "export", "backup", "restore"):
            continue
        section = next(part for part in page.split("\n## ") if f"askless {verb}" in part[:40])
        for one in getattr(command, "commands", {verb: command}).values():
            for option in (name for given in one.params for name in given.opts if name[0] == "-"):
                assert f"`{option}" in section, (verb, option)

"""The docs are true: their code runs, their links lead somewhere, what they cite is there."""

import inspect
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import typer

import askless as al
from askless.cli.app import app as command_line
from askless.cli.app import run
from askless.cli.tables import tables as list_tables
from askless.evaluation.analysis_tables import tables_of
from askless.policies.building import build_policy, settings_of
from askless.storage import Database, LiveStudy, Start
from askless.storage.keys import SCOPES
from askless.survey.study import EXAMPLE
from askless.survey.study_file import RewardSection, StudyFile, shape
from command_line import askless
from pretend_service import KEY, PERSON, PretendService
from served import served

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def python_blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


def test_the_readme_s_ten_lines_work():
    answers = {"age": 30, "donor": True, "cause": "animals"}
    played = []
    (ten_lines,) = python_blocks(ROOT / "README.md")
    names = {"ask_the_person": answers.get, "suggest": played.append}
    exec(ten_lines, names)
    assert played == ["red_cross"]
    assert names["policy"].rows.tolist() == [1, 0, 0]


def test_the_start_page_s_code_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    """Fails if a block of the page does not run, or prints anything else than the page shows."""
    page = (ROOT / "docs" / "start.md").read_text()
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", page, flags=re.DOTALL)
    assert len(blocks) == 6
    for code, shown in blocks:
        exec(code, names)
        assert capsys.readouterr().out == shown
    assert names["policy"].short_form().questions == ("newsletter", "media")


def test_the_planning_page_s_code_runs(tmp_path, monkeypatch, capsys):
    planning, one_world = python_blocks(ROOT / "docs" / "planning.md")
    monkeypatch.chdir(tmp_path)
    names = {"al": al}
    exec(planning.replace("[500, 2000], worlds=50", "[100, 500], worlds=20"), names)
    assert "people are asked" in capsys.readouterr().out
    exec(one_world.replace("5_000", "2_000"), names)
    assert Path("world.png").stat().st_size > 1_000
    # The page's words about world 3: one question matters, to all three arms.
    assert names["world"].useful.any(axis=0).sum() == 1
    assert names["world"].useful.any(axis=1).all()


def test_the_library_page_s_own_policy_keeps_the_contract(catalogue):
    pages = python_blocks(ROOT / "docs" / "library.md")
    (own,) = [block for block in pages if "class BestOnAverage" in block]
    names = {}
    exec(own, names)
    assert catalogue["best_on_average"] is names["BestOnAverage"]
    policy = names["BestOnAverage"](al.Survey.unit(1), arms=["a", "b"], reward=(0, 1))
    for reward in (0.1, 0.9):
        policy.learn_row(policy.play([1, 0.5]), [1, 0.5], reward)
    assert policy.play([1, 0.5]) == 1
    (part,) = [block for block in pages if "class Screening" in block]
    exec(part, names)
    visit = names["Screening"](al.Survey.unit(3), arms=["a", "b"], reward=(0, 1)).visit()
    assert visit.asks == ("x1",)
    visit.answer({"x1": 0.9})
    assert visit.asks == ("x2", "x3")
    (described,) = [block for block in pages if "class Leans" in block]
    exec(described, names)
    study = al.Study(al.Survey.unit(1), (al.Arm("a"), al.Arm("b")), al.RewardRange(0, 1))
    leans = build_policy(names["Leans"], study, {"rate": 1}, "leans")
    assert leans._settings() == {"rate": 1.0, "seed": 0}
    assert leans.visit(known={"x1": 1}).arm == "a"
    with pytest.raises(al.errors.SettingError, match="rate is 2; give a number from 0 to 1"):
        names["Leans"](al.Survey.unit(1), arms=["a"], reward=(0, 1), rate=2)


def test_the_library_page_s_comparison_runs(tmp_path, monkeypatch, capsys):
    (code,) = [b for b in python_blocks(ROOT / "docs" / "library.md") if "al.compare(" in b]
    monkeypatch.chdir(tmp_path)
    names = {"al": al}
    exec(code.replace("horizon=10_000, runs=3", "horizon=1_500, runs=2"), names)
    assert list(names["found"].runs) == ["linucb", "survey-bandit", "uniform"]
    assert "mean of 2 runs, up to" in capsys.readouterr().out
    assert Path("comparison.png").stat().st_size > 1_000


def test_the_library_page_s_pilot_is_read_and_simulated(tmp_path, monkeypatch):
    page = ROOT / "docs" / "library.md"
    (file,) = re.findall(r"```text\n(age,donor.*?)```", page.read_text(), flags=re.DOTALL)
    (code,) = [block for block in python_blocks(page) if "PilotAnswers" in block]
    monkeypatch.chdir(tmp_path)
    Path("pilot.csv").write_text(file)
    names = {"al": al}
    exec(code, names)
    people = [
        {"age": 34, "donor": True, "media": ["tv", "web"]},
        {"age": 61, "donor": None, "media": []},
        {"age": 45, "donor": False, "media": ["web"]},
    ]
    expected = {tuple(names["survey"].encode(person)) for person in people}
    block = next(names["world"].respondents(0, 0))
    assert set(map(tuple, block.contexts)) == expected


def test_the_library_page_s_own_environment_and_table_are_simulated(capsys):
    page = ROOT / "docs" / "library.md"
    (own,) = [block for block in python_blocks(page) if "class Shop" in block]
    names = {}
    exec(own.replace("5_000", "1_000"), names)
    reward, regret = map(float, capsys.readouterr().out.split())
    assert names["runs"].runs[0].plays.sum() == 1_000
    assert 30 < reward < 100
    assert regret > 0
    (code,) = [block for block in python_blocks(page) if "al.TableEnvironment(" in block]
    names = {"al": al, "survey": al.Survey([al.Scale("age", low=18, high=90), al.YesNo("donor")])}
    exec(code, names)
    al.check_environment(names["world"])


def test_the_first_study_keeps_the_three_questions_that_matter(capsys):
    runpy.run_path(str(ROOT / "examples" / "first_study.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "Still asked: age, donor, cause\n" in shown
    assert "Short visits ask 3 of 8 questions: age, donor, cause." in shown
    gone = re.findall(
        r"^(\w+) +(\w+) +visit [\d,]+ \(row [\d,]+\) +\d+ tests show that", shown, re.M
    )
    useful = {("red_cross", "age"), ("msf", "donor"), ("wwf", "cause")}  # `gladness` says so
    assert not useful & set(gone)
    # Of 21 that do not matter most go; an arm that some answers never get keeps that question.
    assert len(gone) >= 18
    assert len(gone) + shown.count(" kept ") == 24


def test_the_interactive_example_prints_what_the_library_page_shows(capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    runpy.run_path(str(ROOT / "examples" / "one_interactive_visit.py"), run_name="__main__")
    shown = capsys.readouterr().out
    page = (ROOT / "docs" / "library.md").read_text()
    printed = page.split("Still to ask, and for which arms:\n")[1].split("```")[0]
    assert printed in shown
    assert "played the same" in shown


def test_the_tables_page_is_what_the_command_prints_and_its_code_runs(capsys):
    page = ROOT / "docs" / "tables.md"
    list_tables(markdown=True)
    assert page.read_text().endswith(f"\n\n{capsys.readouterr().out}")
    (code,) = python_blocks(page)
    exec(code.replace("10_000", "2_000"), {})
    reward, asked = map(float, capsys.readouterr().out.split())
    assert 0.7 < reward < 1  # everyone for Clinton: 0.58
    assert asked <= 9


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
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


def test_the_visits_file_page_runs_and_names_every_column(tmp_path, monkeypatch):
    page = ROOT / "docs" / "visits-file.md"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.yaml").write_text(EXAMPLE.read_text())
    names = {}
    for code in python_blocks(page):
        exec(code, names)
    assert names["policy"].to_dict() == names["done"].policy.to_dict()
    header = (tmp_path / "visits.csv").read_text().splitlines()[0].split(",")
    for column in header:
        prefix = column.split(".")[0]
        shown = {"answer": "answer.QUESTION", "propensity": "propensity.ARM"}.get(prefix, column)
        assert f"`{shown}`" in page.read_text(), column


def test_the_library_page_s_log_is_judged(tmp_path, monkeypatch, capsys):
    (code,) = [b for b in python_blocks(ROOT / "docs" / "library.md") if "al.off_policy(" in b]
    monkeypatch.chdir(tmp_path)
    study = al.Study.example()
    world = al.Prior.of(study).world(0, seed=1)
    policy = al.policy_for(study)
    drawn = al.record_visits("uniform", world, horizon=200)
    al.write_visits("log.csv", drawn.visits, study)
    exec(code, {"al": al, "study": study, "policy": policy})
    value, low, high = map(float, capsys.readouterr().out.split())
    assert low < value < high


def test_the_analysing_page_shows_what_its_commands_print(tmp_path, monkeypatch, capsys):
    """Fails if the example prints anything else than the page shows."""
    page = (ROOT / "docs" / "analysing.md").read_text()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "charity.yaml").write_text(EXAMPLE.read_text())
    exec(python_blocks(ROOT / "docs" / "analysing.md")[0], {})
    (shown,) = re.findall(r"```text\n\$ (askless analyse .*?)```", page, flags=re.DOTALL)
    command, *lines = shown.strip().splitlines()
    monkeypatch.setattr("sys.argv", command.split())
    assert run() == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert list(filter(None, printed)) == [line.rstrip() for line in lines if line]


def test_the_analysing_page_s_code_runs_and_names_every_table(tmp_path, monkeypatch, capsys):
    """Fails if the page's code does not run, or a table or a column that it names is not there."""
    page = ROOT / "docs" / "analysing.md"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "charity.yaml").write_text(EXAMPLE.read_text())
    names = {}
    for code in python_blocks(page):
        exec(code.replace("1_500", "200"), names)
    assert capsys.readouterr().out.strip().endswith(names["found"].methods())
    tables = tables_of(names["found"])
    for name in tables:
        assert f"`{name}.csv`" in page.read_text(), name
    (in_r,) = re.findall(r"```r\n(.*?)```", page.read_text(), flags=re.DOTALL)
    for column in ("low_at_the_end", "high_at_the_end", "estimate", "answers"):
        assert column in in_r
        assert column in tables["effects"].columns


def test_the_calling_page_shows_its_examples_and_its_python_runs(monkeypatch):
    """Fails if the page and what `make calling` runs differ, or what was not run is not marked."""
    page = (ROOT / "docs" / "calling.md").read_text()
    for example in ("calling.sh", "calling.R"):
        assert (ROOT / "examples" / example).read_text() in page
    for tool in ("Qualtrics", "LimeSurvey", "oTree", "formr"):
        assert f"## {tool}\n\n*Not run here;" in page
    service, played = PretendService(), []
    plain = al.Client
    monkeypatch.setattr(
        al, "Client", lambda *given: plain(*given, transport=service.transport()), raising=False
    )
    code, otree = python_blocks(ROOT / "docs" / "calling.md")
    names = {"address": "http://127.0.0.1:1", "key": KEY, "suggest": played.append}
    exec(code, {**names, "ask_the_person": PERSON.get})
    assert played == ["red_cross"]
    assert list(service.rewards.values()) == [25]
    compile(otree, "otree", "exec")
    monkeypatch.setenv("ASKLESS_ADDRESS", "http://127.0.0.1:1")
    monkeypatch.setenv("ASKLESS_STUDY", "charity")
    monkeypatch.setenv("ASKLESS_KEY", KEY)
    runpy.run_path(str(ROOT / "examples" / "calling.py"), run_name="__main__")
    assert len(service.rewards) == 2


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


def test_every_call_of_the_service_is_in_the_docs(tmp_path):
    """Fails if the service has a call that no page names, or the table one that is not there."""
    with served(tmp_path) as (address, _):
        schema = httpx.get(f"{address}/openapi.json").json()
    calls = {
        f"{method.upper()} {path}" for path, found in schema["paths"].items() for method in found
    }
    page = (ROOT / "docs" / "serving.md").read_text()
    named = set(re.findall(r"^\| `([A-Z]+ /\S+)` \|", page, flags=re.MULTILINE))
    assert named == calls | {"GET /openapi.json"}
    for route, scope in re.findall(r"^\| `[A-Z]+ (/\S+)` \| (\w+) \|", page, flags=re.MULTILINE):
        assert (scope == "none") == ("/v1/" not in route)
        assert scope in {*SCOPES, "none"}
    for scope, what in SCOPES.items():
        assert f"| `{scope}` | {what.split(',')[0]}" in page


def test_the_serving_page_s_python_runs(tmp_path):
    """Fails if the loop, the pause or the retirement of the page do not work on a real service."""
    code, changing = python_blocks(ROOT / "docs" / "serving.md")
    played = []
    with served(tmp_path) as (address, key):
        names = {"key": key, "admin_key": key, "suggest": played.append}
        names["ask_the_person"] = PERSON.get
        for block in (code, changing):
            exec(block.replace("http://127.0.0.1:8000", address), names)
        with al.Client(address, "charity", key) as client:
            kinds = [event.kind for event in client.events()]
    assert played == ["red_cross"]
    assert [kind for kind in kinds if kind in ("rewarded", "paused", "resumed", "retired")] == [
        "rewarded",
        "paused",
        "resumed",
        "retired",
    ]


def test_the_serving_page_s_commands_run(tmp_path, monkeypatch, new_address):
    """Fails if a verb of the page is refused; what `serve` would run is looked at, not run."""
    page = (ROOT / "docs" / "serving.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("askless")]
    services, said = [], {}
    monkeypatch.setattr("askless.service.serve", services.append)
    for line in lines:
        words = shlex.split(line.split(" >")[0], comments=True)[1:]
        words = [said["key"] if word == "KEY" else word for word in words]
        if any("postgresql://" in word for word in words):
            address = new_address("postgresql")
            words = [address if "postgresql://" in word else word for word in words]
        done = askless(*words, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
        if words[:2] == ["key", "new"]:
            said["key"] = done.stdout.split("_")[1]
        if words[0] == "serve" and len(services) == 1:
            database = Database(tmp_path / "charity.db")
            LiveStudy(database, "charity").run([Start(own="person 7")])
            database.close()
    assert [service.workers for service in services] == [1, 2]
    assert {line.split()[1] for line in lines} == {
        *("init", "serve", "key", "verify", "erase", "export", "backup", "restore")
    }

"""The pages for who simulates, compares and brings policies of their own: their code runs."""

import re
from pathlib import Path

import pytest

import askless as al
from askless.cli.tables import tables as list_tables
from askless.policies.building import build_policy
from doc_pages import ROOT, python_blocks

pytestmark = pytest.mark.slow  # comparisons and worlds


def test_the_own_policy_page_s_policies_keep_the_contract(catalogue):
    pages = python_blocks(ROOT / "docs" / "own-policy.md")
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
    (kinds,) = [block for block in pages if "class AsksSome" in block]
    exec(kinds, names)
    asks_some = names["AsksSome"](al.Survey.unit(5), arms=["a", "b"], reward=(0, 1))
    asked = set()
    for t in range(40):
        visit = asks_some.visit()
        asked.add(visit.asks)
        x1 = 0.9 if t % 4 < 2 else 0.1
        visit.answer({name: x1 if name == "x1" else 0.5 for name in visit.asks})
        asks_some.learn(visit, 0.9 if x1 > 0.5 else 0.1)
    assert len(asked) > 5  # of 10 pairs
    assert {len(pair) for pair in asked} == {2}
    assert asks_some.along[:, 1].any()  # it has learned by what it asked
    (described,) = [block for block in pages if "class Leans" in block]
    exec(described, names)
    study = al.Study(al.Survey.unit(1), (al.Arm("a"), al.Arm("b")), al.RewardRange(0, 1))
    leans = build_policy(names["Leans"], study, {"rate": 1}, "leans")
    assert leans._settings() == {"rate": 1.0, "seed": 0}
    assert leans.visit(known={"x1": 1}).arm == "a"
    with pytest.raises(al.errors.SettingError, match="rate is 2; give a number from 0 to 1"):
        names["Leans"](al.Survey.unit(1), arms=["a"], reward=(0, 1), rate=2)


def test_the_simulating_page_s_first_world_is_simulated():
    first = python_blocks(ROOT / "docs" / "simulating.md")[0]
    names = {}
    exec(first.replace("100_000", "1_000"), names)
    assert [sum(run.plays) for run in names["runs"].runs] == [1_000] * 5
    effects = names["world"].useful  # age matters to a, donor to b, and nothing else
    assert effects.tolist() == [[True, False], [False, True]]


def test_the_simulating_page_s_comparison_runs(tmp_path, monkeypatch, capsys):
    (code,) = [b for b in python_blocks(ROOT / "docs" / "simulating.md") if "al.compare(" in b]
    monkeypatch.chdir(tmp_path)
    names = {"al": al}
    exec(code.replace("horizon=10_000, runs=3", "horizon=1_500, runs=2"), names)
    assert list(names["found"].runs) == ["linucb", "survey-bandit", "uniform"]
    assert "mean of 2 runs, up to" in capsys.readouterr().out
    assert Path("comparison.png").stat().st_size > 1_000


def test_the_simulating_page_s_pilot_is_read_and_simulated(tmp_path, monkeypatch):
    page = ROOT / "docs" / "simulating.md"
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


def test_the_simulating_page_s_own_environment_and_table_are_simulated(capsys):
    page = ROOT / "docs" / "simulating.md"
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


def test_the_simulating_page_s_log_is_judged(tmp_path, monkeypatch, capsys):
    (code,) = [b for b in python_blocks(ROOT / "docs" / "simulating.md") if "al.off_policy(" in b]
    monkeypatch.chdir(tmp_path)
    study = al.Study.example()
    world = al.Prior.of(study).world(0, seed=1)
    policy = al.policy_for(study)
    drawn = al.record_visits("uniform", world, horizon=200)
    al.write_visits("log.csv", drawn.visits, study)
    exec(code, {"al": al, "study": study, "policy": policy})
    value, low, high = map(float, capsys.readouterr().out.split())
    assert low < value < high


def test_the_tables_page_is_what_the_command_prints_and_its_code_runs(capsys):
    page = ROOT / "docs" / "tables.md"
    list_tables(markdown=True)
    assert page.read_text().endswith(f"\n\n{capsys.readouterr().out}")
    (code,) = python_blocks(page)
    exec(code.replace("10_000", "2_000"), {})
    reward, asked = map(float, capsys.readouterr().out.split())
    assert 0.7 < reward < 1  # everyone for Clinton: 0.58
    assert asked <= 9

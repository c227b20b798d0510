"""Files of people as worlds: the three forms, and what is wrong with a file."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import askless as al
from askless.errors import SettingError

STUDY = al.Study.parse("""
schema: 1
questions:
  - {kind: scale, name: age, low: 0, high: 100}
  - {kind: yes_no, name: donor, may_skip: true}
  - {kind: choice, name: cause, options: [children, animals]}
  - {kind: multi, name: media, options: [tv, web]}
arms: [{name: mail}, {name: call}]
reward: {low: 0, high: 10}
policy: {beta_min: 1}
""")
HEADER = "id,age,donor,cause,media"
PEOPLE = ["1,50,yes,children,tv;web", "2,25,,animals,none", "3,75,no,children,web"]


def file_of(folder, *more, header="", rows=PEOPLE):
    """A CSV file, with some columns more."""
    lines = [HEADER + header, *(row + own for row, own in zip(rows, more, strict=True))]
    path = folder / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def everyone(world):
    """Contexts and rewards of the people, each once."""
    block = next(world.respondents(0, 0))
    seen = {tuple(z): rewards for z, rewards in zip(block.contexts, block.rewards, strict=True)}
    return {z: seen[z] for z in sorted(seen)}


def test_a_column_for_every_arm_is_what_it_brings(tmp_path):
    world = al.read_table(file_of(tmp_path, ",1,9", ",0,10", ",5,2.5", header=",mail,call"), STUDY)
    survey = STUDY.survey
    people = [
        {"age": 50, "donor": True, "cause": "children", "media": ["tv", "web"]},
        {"age": 25, "donor": None, "cause": "animals", "media": []},
        {"age": 75, "donor": False, "cause": "children", "media": ["web"]},
    ]
    expected = {
        tuple(survey.encode(p)): r for p, r in zip(people, ([1, 9], [0, 10], [5, 2.5]), strict=True)
    }
    found = everyone(world)
    assert found.keys() == expected.keys()
    for z, rewards in found.items():
        np.testing.assert_array_equal(rewards, expected[z])
    al.check_environment(world)


def test_the_right_arm_brings_the_largest_reward(tmp_path):
    world = al.read_table(file_of(tmp_path, ",mail", ",call", ",mail", header=",arm"), STUDY)
    assert sorted(map(tuple, everyone(world).values())) == [(0, 10), (10, 0), (10, 0)]


@pytest.mark.parametrize("ends", [True, False])
def test_an_experiment_is_modelled(tmp_path, ends):
    """Calls are better for donors, mail for others; the models must say so, and keep the means."""
    rng, lines = np.random.default_rng(1), []
    for i in range(1_200):
        donor, arm = bool(rng.integers(2)), ["mail", "call"][i % 2]
        level = 0.8 if donor == (arm == "call") else 0.2
        reward = 10 * float(rng.random() < level) if ends else 10 * level * rng.random()
        yes = "yes" if donor else "no"
        lines.append(f"{i},{rng.integers(101)},{yes},animals,none,{arm},{reward}")
    lines[0] = lines[0].replace("animals", "children")
    path = tmp_path / "people.csv"
    path.write_text("\n".join([HEADER + ",arm,reward", *lines]))
    with pytest.warns(UserWarning, match="everybody answers media alike"):
        world = al.read_table(path, STUDY)
    block = next(world.respondents(0, 0))
    donors = block.contexts[:, STUDY.survey.columns_of("donor").start] > 0
    better = block.expected[:, 1] - block.expected[:, 0]
    assert (better[donors] > 1).mean() > 0.95
    assert (better[~donors] < -1).mean() > 0.95
    if ends:
        assert set(np.unique(block.rewards)) == {0, 10}
    al.check_environment(world)


def test_an_arm_that_always_brings_the_same_keeps_doing_so(tmp_path):
    """Calls always bring the most, mail the least: a classifier sees one class in each."""
    lines = [
        f"{i},{i % 101},yes,animals,none,{'mail,0' if i % 2 else 'call,10'}" for i in range(200)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([HEADER + ",arm,reward", *lines]))
    with pytest.warns(UserWarning, match="everybody answers"):
        world = al.read_table(path, STUDY)
    block = next(world.respondents(0, 0))
    assert np.unique(block.rewards, axis=0).tolist() == [[0, 10]]
    assert np.unique(block.expected, axis=0).tolist() == [[0, 10]]


def test_parquet_is_read_as_csv_is(tmp_path):
    table = pa.table(
        {
            "age": [50.0, 25.0, 75.0],
            "donor": [True, None, False],
            "cause": ["children", "animals", "children"],
            "media": [["tv", "web"], [], ["web"]],
            "mail": [1, 0, 5],
            "call": [9.0, 10.0, 2.5],
            "when": ["x", "y", "z"],
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    found = everyone(al.read_table(tmp_path / "people.parquet", STUDY))
    csv = al.read_table(file_of(tmp_path, ",1,9", ",0,10", ",5,2.5", header=",mail,call"), STUDY)
    assert found.keys() == everyone(csv).keys()
    pq.write_table(
        table.set_column(0, "age", pa.array([50.0, None, 175.0])), tmp_path / "b.parquet"
    )
    with pytest.raises(SettingError) as caught:
        al.read_table(tmp_path / "b.parquet", STUDY)
    first, second = str(caught.value).splitlines()
    assert re.search(r"b.parquet, row 2, column 'age': the answer is missing", first)
    assert re.search(r"row 3, column 'age': '175' is not from 0 to 100", second)
    pq.write_table(table.slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(SettingError, match=r"none.parquet: there are no rows in the file"):
        al.read_table(tmp_path / "none.parquet", STUDY)
    (tmp_path / "c.parquet").write_text("no")
    with pytest.raises(SettingError, match=r"c.parquet: cannot read the file as Parquet"):
        al.read_table(tmp_path / "c.parquet", STUDY)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("animals", "animls"), "line 3, column 'cause': 'animls' is no option.*'animals'"),
        (("2,25", "2,"), "line 3, column 'age': the answer is missing"),
        (("cause", "casue"), "column 'cause' is missing; did you mean 'casue'"),
        ((",call", ",phone"), "column 'call' is missing"),
        ((",10", ",11"), "line 3, column 'call': '11' is no reward from 0 to 10"),
        ((",10", ","), "line 3, column 'call': the reward is missing; fill it in"),
        (("id,", "age,"), "column 'age' is there 2 times"),
        (("3,75", "75"), "line 4: the row has 6 cells, the header 7"),
        ((",mail,call", ",post,phone"), "no column says what arms bring"),
        ((",10", ",0_1"), "line 3, column 'call': '0_1' is no reward"),
        (("id,", "arm,"), "a column for every arm and a column 'arm'; leave out 'arm' if"),
        ((HEADER, ""), "4 of 6 columns are missing: 'age', 'donor', 'cause', 'media'; is it"),
        ((HEADER, HEADER.replace("age", "agee")), "'age' is missing; did you mean 'agee'"),
        # What is expected itself was not meant.
        ((HEADER, HEADER.replace("media,", "").replace("media", "x")), "is missing; there are id"),
        (
            (HEADER, HEADER.replace("age", "agee").replace("donor", "doner")),
            r"2 of 6 .*: 'age' \(did you mean 'agee'\?\), 'donor' \(did you mean 'doner'\?\); is",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path, change, complaint):
    path = file_of(tmp_path, ",1,9", ",0,10", ",5,2", header=",mail,call")
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    with pytest.raises(SettingError, match=complaint):
        al.read_table(path, STUDY)


def test_an_arm_that_is_none_and_too_few_people(tmp_path):
    path = file_of(tmp_path, ",mail,1", ",cal,2", ",call,3", header=",arm,reward")
    with pytest.raises(
        SettingError, match="line 3, column 'arm': 'cal' is no arm of the study; did you mean"
    ):
        al.read_table(path, STUDY)
    path = file_of(tmp_path, ",mail,1", ",call,2", ",call,3", header=",arm,reward")
    with pytest.raises(SettingError, match=r"1 people got the arm 'mail'; .* takes 50"):
        al.read_table(path, STUDY)


def test_every_rival_lives_with_a_constant_column(tmp_path):
    rows = ["1,50,yes,children,tv", "2,50,no,animals,tv", "3,50,no,children,tv"]
    path = file_of(tmp_path, ",mail", ",call", ",mail", header=",arm", rows=rows)
    with pytest.warns(UserWarning, match="everybody answers age, media alike"):
        world = al.read_table(path, STUDY)
    for name, kind in al.POLICIES.items():
        if name != "target":
            needed = (
                {"beta_min": 1}
                if name in ("survey-bandit", "epoch", "ridge", "elastic-net")
                else {}
            )
            needed |= {"planned": 60} if kind is al.PilotThenScreen else {}
            runs = al.simulate({"name": name, **needed}, world, 60)
            assert 0 <= runs.reward_per_visit <= 10

"""Sweeps: the same lines on every engine and after interruptions; other files are left alone."""

import json
import os
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

import askless as al
from askless.errors import SettingError, StateError
from askless.simulation import engines
from askless.simulation.engines import Engine
from own_policies import TEXT, played_in_turn, rotates

FILE = """
horizon: 400
runs: 3
seed: 7
environments:
  - {name: paper, arms: [2, 3], features: 4}
policies:
  - {name: epoch, beta_min: [0.5, 0.9], explore: 0.1}
  - {name: linucb}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sweep.yaml"
    path.write_text(FILE)
    return path


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def askless(*arguments):
    command = [sys.executable, "-c", "import sys; from askless.cli import main; sys.exit(main())"]
    command += [str(argument) for argument in arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_sweep_is_its_grid_and_each_line_a_run_of_simulate(file, tmp_path):
    """Fails if a combination is missing or another run is played than `simulate` plays."""
    sweep = al.read_sweep(file)
    assert len(sweep) == 2 * 3 * 3
    sweep.run(tmp_path / "out.jsonl", workers=1)
    header, *rows = lines(tmp_path / "out.jsonl")
    assert header["format"] == "askless.sweep"
    assert len(rows) == 18
    at = dropped = 0
    for arms in (2, 3):
        world = al.paper_environment(arms=arms, features=4)
        made = {"arms": world.arms, "reward": world.reward}
        for policy in (
            al.EpochSurveyUCB(world.survey, beta_min=0.5, explore=0.1, **made),
            al.EpochSurveyUCB(world.survey, beta_min=0.9, explore=0.1, **made),
            al.LinUCB(world.survey, **made),
        ):
            for run in al.simulate(policy, world, 400, runs=3, seed=7, checkpoints=20).runs:
                row = rows[at]
                assert (row["environment"], row["run"]) == (f"arms {arms}, features 4", run.index)
                assert row["policy"]["name"] == policy.name
                assert row["regret_at"] == run.regret_at.tolist()
                assert row["asked_at"] == run.asked_at.tolist()
                assert row["cost_at"] == run.cost_at.tolist()
                assert row["plays"] == run.plays.tolist()
                assert row["drops"] == [
                    [d.visit, int(d.arm[3:]) - 1, int(d.question[1:]) - 1, d.row, d.useful]
                    for d in run.drops
                ]
                dropped += len(row["drops"])
                at += 1
    assert dropped > 0
    frame = al.sweep_frame(tmp_path / "out.jsonl")
    assert len(frame) == 18
    assert frame["drops"].map(len).sum() == dropped
    assert set(frame["policy"]) == {"epoch", "linucb"}


def test_a_sweep_without_a_file_has_the_lines_of_one(file, tmp_path):
    """Each policy is made once, however many runs start from it; other processes make their own."""
    sweep, played = al.read_sweep(file), []
    sweep.run(tmp_path / "out.jsonl", workers=1)
    for workers in (1, 2):
        rows = sweep.play(workers=workers, progress=played.append)
        assert json.loads(json.dumps(rows)) == lines(tmp_path / "out.jsonl")[1:]
    assert sum(played) == 2 * len(sweep) * 400


def test_a_policy_is_made_once_for_all_worlds_that_it_fits(catalogue):
    made = []

    @al.register
    class Counted(al.LinUCB):
        name = "counted"

        def __init__(self, survey, *, arms, reward):
            made.append(reward)
            super().__init__(survey, arms=arms, reward=reward)

    survey = al.Survey.unit(2)

    def world(number, high=1.0):
        given = {"arms": ["a", "b"], "reward": (0, high), "number": number, "spread": 0.1}
        return al.LinearEnvironment(survey, coefficients={"a": {"x1": 0.2 * high}}, **given)

    worlds = {"0": world(0), "1": world(1), "other": world(0, 2.0)}
    sweep = al.Sweep([{"name": "counted"}], worlds, horizon=50, runs=3)
    rows = sweep.play(workers=1)
    assert [(reward.low, reward.high) for reward in made] == [(0, 1), (0, 2)]
    for row in rows:
        runs = al.simulate("linucb", worlds[row["environment"]], 50, runs=3, checkpoints=20).runs
        assert row["regret_at"] == runs[row["run"]].regret_at.tolist()


def test_whoever_knows_the_world_is_made_for_each(tmp_path):
    """Fails if `target` plays in one world what is best in another that has the same survey."""
    survey = al.Survey.unit(1)
    worlds = {
        arm: al.LinearEnvironment(
            survey,
            arms=["a", "b"],
            reward=(0, 1),
            spread=0.1,
            coefficients={arm: {"constant": 0.2}},
        )
        for arm in ("a", "b")
    }
    rows = al.Sweep([{"name": "target"}], worlds, horizon=30).play(workers=1)
    assert [row["plays"] for row in rows] == [[30, 0], [0, 30]]


def test_worlds_that_differ_in_who_may_get_what_or_in_number_are_told_apart(tmp_path):
    """Fails if a file of one world would be gone on with in another."""
    survey = al.Survey([al.YesNo("member", cost=0.3), al.YesNo("donor", cost=2)])

    def sweep(**settings):
        world = al.LinearEnvironment(
            survey,
            arms=["a", "b"],
            reward=(0, 1),
            spread=0.1,
            coefficients={"a": {"member": 0.3}},
            **settings,
        )
        return al.Sweep([{"name": "linucb"}], {"mine": world}, horizon=200, checkpoints=2)

    # The last two shares bar nobody among the first thousand.
    worlds = ({}, {"number": 1}, {"number": 2}, {"eligible": {"a": 0.5}}, {"eligible": {"b": 0.5}})
    worlds += ({"eligible": {"a": 0.5}, "number": 1},)
    worlds += ({"eligible": {"a": 1 - 1e-12}}, {"eligible": {"a": 1 - 1e-13}})
    prints = {json.dumps(sweep(**settings).header()) for settings in worlds}
    assert len(prints) == len(worlds)
    assert sweep(eligible={"a": 1}).header() == sweep().header()
    out = tmp_path / "out.jsonl"
    sweep(eligible={"a": 0.5}).run(out, workers=1)
    with pytest.raises(StateError, match="results of another sweep"):
        sweep(eligible={"a": 0.6}).run(out, workers=1)
    assert lines(out)[1]["cost_at"] == pytest.approx([100 * 2.3, 200 * 2.3])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "dask", "ray"])
def test_every_engine_writes_the_same_bytes(file, tmp_path, engine):
    """A real cluster on this machine. Fails if a result depends on where or how it was played."""
    al.read_sweep(file).run(tmp_path / "alone.jsonl", workers=1)
    out = tmp_path / "out.jsonl"
    done = askless("sweep", file, "--out", out, "--engine", engine, "--workers", 2, "--json")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
    table = json.loads(done.stdout)
    assert [row["runs"] for row in table] == [3] * 6


SCRIPT = """
import sys

if __name__ == "__main__":
    al.register(Rotates)
    sweep = al.Sweep(
        [{"name": "rotates", "step": [1, 2]}, {"name": "theirs:Rotates", "step": 2}],
        {"w": al.paper_environment(arms=3, features=2)},
        horizon=40,
        runs=2,
    )
    sweep.run("alone.jsonl", workers=1)
    sweep.run("out.jsonl", engine=sys.argv[1], workers=2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "dask", "ray"])
def test_every_engine_plays_policies_of_one_s_own(tmp_path, engine):
    """Fails if a class that only the script knows does not travel to the processes that play it."""
    (tmp_path / "script.py").write_text(TEXT + SCRIPT)
    (tmp_path / "theirs.py").write_text(TEXT.replace('"rotates"', '"theirs"'))
    command = [sys.executable, "script.py", engine]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out.jsonl"
    assert out.read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
    header, *rows = lines(out)
    assert header["policies"] == [
        {"name": "rotates", "step": 1},
        {"name": "rotates", "step": 2},
        {"name": "theirs:Rotates", "step": 2},
    ]
    world = al.paper_environment(arms=3, features=2)
    for row in rows:
        assert row["plays"] == played_in_turn(world, 40, row["policy"]["step"])


def test_settings_that_cannot_be_written_down_are_refused(catalogue):
    al.register(rotates())
    for step in (np.zeros(2), float("nan"), {1}):
        with pytest.raises(SettingError, match="that can be written down as JSON"):
            al.Sweep([{"name": "rotates", "step": step}], {"w": al.paper_environment(2, 2)}, 5)


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_where_it_was(file, tmp_path):
    """Fails if a line is lost, written twice, or differs after a restart."""
    long = FILE.replace("runs: 3", "runs: 40").replace("400", "3000")
    file.write_text(long)
    out = tmp_path / "out.jsonl"
    command = "import askless as al; al.read_sweep({!r}).run({!r}, workers=1)"
    running = subprocess.Popen([sys.executable, "-c", command.format(str(file), str(out))])
    while not out.exists() or out.read_bytes().count(b"\n") < 20:
        assert running.poll() is None
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    broken = out.read_bytes()
    assert broken.endswith(b"\n")
    assert 20 <= broken.count(b"\n") < 1 + 2 * 3 * 40
    sweep = al.read_sweep(file)
    played = []
    sweep.run(out, workers=1, progress=played.append)
    assert sum(played) == len(sweep) * 3000
    assert played[0] == (broken.count(b"\n") - 1) * 3000
    sweep.run(tmp_path / "alone.jsonl", workers=2)
    assert out.read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
    sweep.run(out, workers=1)  # nothing is left to do
    assert out.read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


def test_other_files_and_broken_ones_are_refused_and_left_as_they_are(file, tmp_path):
    sweep, out = al.read_sweep(file), tmp_path / "out.jsonl"
    sweep.run(out, workers=1)
    whole = out.read_bytes()
    first, second, *_ = whole.splitlines(keepends=True)
    other = al.Sweep(sweep.policies, sweep.environments, 400, runs=3, seed=8)
    for content, chosen, message in (
        (whole, other, "results of another sweep; name another file"),
        (b"hello\n", sweep, "not results of a sweep"),
        (b"\xff\xfe\n", sweep, "not results of a sweep"),
        (first[:-30], sweep, "not results of a sweep"),
        (b'{"format": "diary"}\n', sweep, "not results of a sweep"),
        (whole[:-30], sweep, "line 19: the line is not complete; remove it"),
        (first + second + second, sweep, "line 3: this run is not the sweep's next"),
        (whole + second, sweep, "more runs than the sweep"),
    ):
        out.write_bytes(content)
        with pytest.raises(StateError, match=message):
            chosen.run(out, workers=1)
        assert out.read_bytes() == content
    with pytest.raises(StateError, match="cannot write the file"):
        sweep.run(tmp_path / "nowhere" / "out.jsonl", workers=1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: linucb", "name: frobnicate", "no policy 'frobnicate'; choose survey-bandit"),
        ("beta_min: [0.5, 0.9]", "betamin: 1", "policy 'epoch' has no setting 'betamin'"),
        ("beta_min: [0.5, 0.9]", "beta_min: 9", "policy 'epoch': beta_min is 9"),
        ("beta_min: [0.5, 0.9]", "beta_min: []", "'beta_min' of a sweep is an empty list"),
        ("name: paper", "name: moon", "there is no environment 'moon'; choose paper"),
        ("features: 4", "feature: 4", "unknown key 'feature'; did you mean 'features'"),
        ("features: 4", "people: 4", "unknown key 'people'; the keys are name, arms, features, c"),
        ("horizon: 400", "horizon: 0", "horizon is 0"),
        ("horizon: 400", "", "there is no horizon"),
        ("runs: 3", "run: 3", "unknown key 'run'"),
        ("policies:", "policies: epoch\nseed2:", "unknown key 'seed2'"),
        ("{name: linucb}", "linucb", "a policy of a sweep is 'linucb'; give {name: linucb}"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused(file, old, new, message):
    assert old in FILE
    file.write_text(FILE.replace(old, new))
    with pytest.raises(SettingError, match=message) as caught:
        al.read_sweep(file)
    assert str(file) in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--engine", "abacus"), "engine is 'abacus'; choose local, dask, ray"),
        (("--workers", "0"), "workers is 0"),
        (("--address", "tcp://127.0.0.1:9"), "choose the engine dask or ray"),
        (
            ("--engine", "dask", "--address", "tcp://127.0.0.1:9"),
            "no Dask scheduler answers at tcp",
        ),
        (("--engine", "ray", "--address", "127.0.0.1:9"), "no Ray cluster answers at 127.0.0.1:9"),
        (("--engine", "ray", "--address", "moon"), "no Ray cluster answers at moon"),
    ],
)
def test_an_engine_that_cannot_be_is_refused_in_one_line(file, tmp_path, options, message):
    out = tmp_path / "out.jsonl"
    done = askless("sweep", file, "--out", out, *options)
    assert done.returncode == 2
    assert done.stdout == ""
    complaints = [line for line in done.stderr.splitlines() if line.startswith("askless: ")]
    assert len(complaints) == 1
    assert message in complaints[0]
    assert not out.exists()


@pytest.mark.parametrize("threads", [True, False])
def test_only_a_few_runs_wait_at_a_time(threads):
    """Fails if all calls are made up at once: memory would grow with the number of runs."""
    drawn = []

    def calls():
        for i in range(10_000):
            drawn.append(i)
            yield (i,)

    with Engine.open("local", address=None, workers=2) as engine:
        results = engine.results(abs, calls(), threads=threads)
        for i in range(3 * 2 * 16):  # whole portions, so that none is cancelled
            assert next(results) == i
            assert len(drawn) <= i + 1 + 2 * 16
        results.close()


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_an_address_where_something_else_listens_is_refused(engine, monkeypatch):
    """Fails if it is left to the clients of Dask and Ray, which wait for ever or for minutes."""
    monkeypatch.setattr(engines, "PATIENCE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        given = f"tcp://{address}" if engine == "dask" else address
        with (
            pytest.raises(SettingError, match=f"answers at {given}: what is there says nothing"),
            Engine.open(engine, address=given, workers=1),
        ):
            pass

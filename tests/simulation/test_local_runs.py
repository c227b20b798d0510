"""Runs shared out on this machine: the same bytes by one worker, by threads and by processes."""

import dataclasses
import os
import sys
import threading
import warnings

import numpy as np
import pytest

import askless as al
from askless.policies import policy_of
from askless.simulation.batch import simulate_all
from askless.simulation.local_runs import may_share_threads, shared_out
from own_policies import rotates
from worlds import mixed_world

DRIVERS = ("simulate", "batch", "sweep")
PAPER = al.paper_environment(arms=3, features=7)
LIMITED = al.LinearEnvironment(
    PAPER.survey,
    arms=PAPER.arms,
    reward=PAPER.reward,
    coefficients=PAPER.coefficients,
    spread=0.5,
    eligible={"arm1": 0.6},
)
COMPILED = [
    {"name": "linucb"},
    {"name": "linucb", "width": "noise"},
    {"name": "ridge", "beta_min": 0.3, "sigma": 0.1, "alpha": 1.0},
    {"name": "elastic-net", "beta_min": 0.3, "sigma": 0.05, "radius": "ridge"},
    {"name": "epoch", "beta_min": 0.3},
    {"name": "survey-bandit", "beta_min": 0.3, "price": 0},
    {"name": "survey-bandit", "beta_min": 0.3},
]


@pytest.fixture
def processes(monkeypatch):
    """Processes for everybody."""
    for driver in DRIVERS:
        module = sys.modules[f"askless.simulation.{driver}"]
        monkeypatch.setattr(module, "may_share_threads", lambda *_: False)


def in_bytes(all_runs):
    """Every number of the runs, to the last bit."""
    return [
        {
            part.name: value.tobytes() if isinstance(value, np.ndarray) else value
            for part in dataclasses.fields(run)
            for value in [getattr(run, part.name)]
        }
        for runs in all_runs
        for run in runs.runs
    ]


def tasks(policies):
    """Each policy in three worlds, whose people differ in all that a world can have."""
    worlds = (PAPER, LIMITED, mixed_world(3))
    return [(policy_of(policy, world), world) for policy in policies for world in worlds]


def alone(given, horizon):
    return in_bytes([al.simulate(policy, world, horizon, 2, seed=3) for policy, world in given])


def test_threads_play_what_one_worker_plays():
    """Fails if runs share anything that one of them changes: 42 of them, four at a time."""
    given = tasks(COMPILED)
    assert all(may_share_threads(policy, world) for policy, world in given)
    assert in_bytes(simulate_all(given, 3_000, 2, seed=3, workers=4)) == alone(given, 3_000)
    several = [al.simulate(policy, world, 3_000, 2, 3, workers=2) for policy, world in given]
    assert in_bytes(several) == alone(given, 3_000)


@pytest.mark.slow
@pytest.mark.usefixtures("processes")
def test_processes_play_what_one_worker_plays():
    given = tasks(COMPILED)
    assert in_bytes(simulate_all(given, 1_500, 2, seed=3, workers=2)) == alone(given, 1_500)


def test_policies_and_worlds_in_python_have_processes():
    """A policy of one's own, a world of one's own, rewards that come late: the same bytes too."""

    world = mixed_world(3)
    own = rotates()(world.survey, arms=world.arms, reward=world.reward)
    assert not may_share_threads(own, world)
    ridge = policy_of(COMPILED[2], world)
    world.respondents = world.respondents  # somebody else's, for all that is known
    assert not may_share_threads(ridge, world)
    late, paper = al.Delay(20, "random"), policy_of(COMPILED[0], PAPER)
    one, two = (
        in_bytes([al.simulate(paper, PAPER, 300, 3, delay=late, workers=n)]) for n in (1, 2)
    )
    assert one == two
    mixed = [(paper, PAPER), (policy_of({"name": "uniform"}, PAPER), PAPER)]
    assert in_bytes(simulate_all(mixed, 200, 3, seed=3, workers=2)) == in_bytes(
        [al.simulate(policy, place, 200, 3, seed=3) for policy, place in mixed]
    )


def sweep(*policies):
    return al.Sweep(
        policies=policies,
        environments={"paper": PAPER, "limited": LIMITED, "mixed": mixed_world(3)},
        horizon=400,
        runs=2,
    )


def test_a_sweep_writes_the_same_file_with_threads(tmp_path):
    shown = list(warnings.filters)
    for workers in (1, 3):
        sweep(*COMPILED).run(tmp_path / f"{workers}.jsonl", workers=workers)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "3.jsonl").read_bytes()
    assert list(warnings.filters) == shown


@pytest.mark.usefixtures("processes")
def test_a_sweep_writes_the_same_file_with_processes(tmp_path):
    for workers in (1, 2):
        sweep(*COMPILED).run(tmp_path / f"{workers}.jsonl", workers=workers)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def where(meeting):
    """Say in which process and thread a call is worked on, once another one is, too."""
    meeting.wait(60)
    return os.getpid(), threading.get_ident()


def test_threads_work_at_the_same_time_in_this_process():
    met = threading.Barrier(2)
    found = list(shared_out(where, [(met,), (met,)], 2, threads=True))
    assert {process for process, _ in found} == {os.getpid()}
    assert len({thread for _, thread in found}) == 2


def test_processes_are_others():
    found = set(shared_out(os.getpid, [()] * 4, 2, threads=False))
    assert os.getpid() not in found


@pytest.mark.parametrize("threads", [True, False])
def test_what_goes_wrong_in_a_run_is_said(threads):
    with pytest.raises(ZeroDivisionError):
        list(shared_out(divmod, [(1, 1), (1, 0)], 2, threads=threads))

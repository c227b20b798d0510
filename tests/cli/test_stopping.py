"""Ctrl-C: one line that says how far it was and how to go on, exit code 130, nothing lost."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from command_line import OF_PEOPLE

SWEEP = """
horizon: 2000
runs: 4
environments: [{name: paper, arms: 3, features: 5}]
policies: [{name: uniform}, {name: uniform, seed: 1}]
"""
LONG = ("--horizon", "30000000")
BEGINS_AGAIN = "nothing of it is kept, and the same command begins again"


def started(folder, *arguments):
    """Run the command line in a group of its own, as a shell does."""
    command = [sys.executable, "-m", "askless", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, text=True, start_new_session=True, **pipes)


def interrupted(process):
    """Press Ctrl-C, which the whole group gets; return what was said, and the exit code."""
    os.killpg(process.pid, signal.SIGINT)
    said, complained = process.communicate()
    return said, complained, process.returncode


def wait_until(true, process):
    while not true():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_sweep_says_what_is_kept_and_goes_on(tmp_path, workers):
    """Fails if a run is lost or miscounted, if something else is printed, or it begins again."""
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    out = tmp_path / "sweep.jsonl"
    process = started(tmp_path, "sweep", "sweep.yaml", "--workers", workers)
    wait_until(lambda: out.exists() and out.read_text().count("\n") >= 2, process)
    said, complained, code = interrupted(process)
    lines = out.read_text().splitlines()
    done = len(lines) - 1
    assert 1 <= done < 8
    assert (said, code) == ("", 130)
    (line,) = complained.splitlines()
    assert re.fullmatch(
        rf"askless: stopped after [\d,]+ of 16,000 visits; {done} of 8 runs are in sweep\.jsonl,"
        " and the same command goes on from there",
        line,
    )
    again, complained = started(tmp_path, "sweep", "sweep.yaml", "--json").communicate()
    assert complained.strip() == "All runs are in sweep.jsonl"
    assert [row["runs"] for row in json.loads(again)] == [4, 4]
    assert out.read_text().splitlines()[: len(lines)] == lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        (("simulate", "--policy", "linucb", *LONG), BEGINS_AGAIN),
        (("simulate", "--policy", "linucb", *LONG, "--workers", "2"), BEGINS_AGAIN),
        (("compare", "--policy", "linucb", *LONG), BEGINS_AGAIN),
        (("paper", *LONG, "--workers", "1"), BEGINS_AGAIN),
        (("plan", "study.yaml", "--respondents", "900000", "--workers", "1"), BEGINS_AGAIN),
        (
            ("compare", "--tables", "drift", "--sizes", "3000000", "--policy", "linucb"),
            "finished runs are in askless-compare/runs, and the same command goes on from there",
        ),
    ],
)
def test_ctrl_c_is_one_line_and_exit_code_130(tmp_path, arguments, end):
    """In a terminal, once the bar is there; fails on a traceback, on silence, on another code."""
    (tmp_path / "study.yaml").write_text(OF_PEOPLE)
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "askless", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "200", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while b"visits/s" not in shown:
        shown += os.read(ours, 65_536)
    os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(OSError):  # so a terminal ends whose process is gone
        while more := os.read(ours, 65_536):
            shown += more
    os.close(ours)
    assert (process.communicate()[0], process.returncode) == (b"", 130)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).split("\r")
    said = [line.strip() for line in lines if "━" not in line and line.strip()]
    assert len(said) == 1, said
    assert re.fullmatch(rf"askless: stopped after [\d,]+ of [\d,]+ visits[^;]*; {end}", said[0])

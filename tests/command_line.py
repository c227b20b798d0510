"""The command line as people use it, within this process or in one of its own."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from unittest import mock

from askless.cli.app import run

OF_PEOPLE = (
    "schema: 1\nquestions: [{kind: yes_no, name: donor}]\narms: [{name: mail}, {name: call}]\n"
    "reward: {low: 0, high: 10}\npolicy: {beta_min: 1}\n"
)


def askless(*arguments, cwd=None):
    """Run the command line within this process: starting another one takes a second or two."""
    said, complained, path = io.StringIO(), io.StringIO(), list(sys.path)
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.object(sys, "argv", ["askless", *map(str, arguments)]),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
    ):
        try:
            code = run()
        finally:
            sys.path[:] = path
    return subprocess.CompletedProcess(arguments, code, said.getvalue(), complained.getvalue())


def askless_anew(*arguments, cwd=None):
    """Run it as a person does, in a process of its own."""
    command = [sys.executable, "-m", "askless", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def check_refused(done, message):
    """Bad input is one line on stderr, and nothing else."""
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("askless: ")
    assert message.lower() in line.lower()

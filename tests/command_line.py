"""The command line as people use it, within this process."""

import contextlib
import io
import subprocess
import sys
from unittest import mock

from askless.cli.app import run


def askless(*arguments, cwd):
    """Run the command line within this process."""
    said, complained, path = io.StringIO(), io.StringIO(), list(sys.path)
    with (
        contextlib.chdir(cwd),
        mock.patch.object(sys, "argv", ["askless", *map(str, arguments)]),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
    ):
        try:
            code = run()
        finally:
            sys.path[:] = path
    return subprocess.CompletedProcess(arguments, code, said.getvalue(), complained.getvalue())

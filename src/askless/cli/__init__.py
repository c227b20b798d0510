"""The command line: one thin file a verb."""

import os
import sys
import threading

STOPPED = 130  # what shells say of Ctrl-C


def main() -> None:
    """Run `askless`; bad input is one clear line on stderr and exit code 2."""
    try:
        from askless.cli.app import run  # noqa: PLC0415 (an extra)
    except ModuleNotFoundError as error:
        print(  # noqa: T201
            f"askless: the command line needs {error.name}; run: pip install 'askless[cli]'"
            " (in a clone: pip install '.[cli]')",
            file=sys.stderr,
        )
        sys.exit(2)
    except KeyboardInterrupt:  # while it is loaded
        print("askless: stopped", file=sys.stderr)  # noqa: T201
        sys.exit(STOPPED)
    code = run()
    if code == STOPPED and threading.active_count() > 1:
        # Threads still play their runs, and nothing can be put down under them: leave as it is.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)

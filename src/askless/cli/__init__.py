"""The command line: one thin file a verb."""

import sys


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
    sys.exit(run())

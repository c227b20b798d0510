"""How much of a large test is played: reduced in `make test`, whole in `make long`."""

import os

LONG = bool(os.environ.get("ASKLESS_LONG"))


def whole(size, reduced):
    """The size of a test in `make long`, or the reduced one that is enough to notice a slip."""
    return size if LONG else reduced

"""Ends with one line where Python is too old, before anything is installed; runs on every one."""

import sys

NEEDED = (3, 11)  # requires-python of pyproject.toml


def refusal(version):  # noqa: ANN001, ANN201 (older ones have no annotations)
    """Return why a version of Python will not do; nothing if it will."""
    if tuple(version[:2]) >= NEEDED:
        return ""
    found = ".".join(map(str, version[:3]))
    least = ".".join(map(str, NEEDED))
    return (
        "askless needs Python {0} or newer, and this is {1}; name one, as in"  # noqa: UP032
        " make ready PYTHON=python{0} or python{0} -m pip install .".format(least, found)
    )


if refusal(sys.version_info):
    sys.exit(refusal(sys.version_info))

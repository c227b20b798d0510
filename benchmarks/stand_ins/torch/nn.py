"""An empty stand-in, as the package's."""

from torch import __getattr__  # noqa: F401

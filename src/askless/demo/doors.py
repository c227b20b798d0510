"""Where a demo can be looked at: the addresses of its pages, and who may open them."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from askless.storage import Database
from askless.storage.keys import make_key

__all__ = ["Doors", "open_doors"]


class Doors(NamedTuple):
    """How to come in.

    Attributes
    ----------
    key : str
        By which simulated people call.
    """

    study: str
    key: str

    def lines(self, address: str) -> list[str]:
        """Say where to look."""
        return [f"The API: {address}/v1/studies/{quote(self.study, safe='')}"]


def open_doors(database: Database, study: str) -> Doors:
    """Make what it takes to come in, for this demo alone."""
    key = make_key(database, study, ["serve", "reward", "export"], name="simulated people")
    return Doors(study, key)

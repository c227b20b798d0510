"""Where a demo can be looked at: the addresses of its pages, and who may open them."""

from __future__ import annotations

import secrets
from typing import NamedTuple
from urllib.parse import quote

from askless.storage import Database
from askless.storage.admins import ADMIN, set_password
from askless.storage.keys import make_key
from askless.survey import Study

__all__ = ["Doors", "open_doors"]


class Doors(NamedTuple):
    """How to come in.

    Attributes
    ----------
    study : str
        The study's name.
    key : str
        By which simulated people call.
    password : str
        By which the administrator signs in to the dashboard.
    pages : bool
        Whether people can answer in a browser.
    """

    study: str
    key: str
    password: str
    pages: bool

    def lines(self, address: str) -> list[str]:
        """Say where to look."""
        study = quote(self.study, safe="")
        lines = [
            f"The dashboard:   {address}/dashboard/{study}",
            f"                 sign in as {ADMIN} with the password {self.password}",
        ]
        return [*lines, f"What people see: {address}/s/{study}"] if self.pages else lines


def open_doors(database: Database, study: Study) -> Doors:
    """Make what it takes to come in, for this demo alone."""
    password = secrets.token_urlsafe(9)
    set_password(database, study.name, password)
    key = make_key(database, study.name, ["serve", "reward", "export"], name="simulated people")
    return Doors(study.name, key, password, study.pages is not None)

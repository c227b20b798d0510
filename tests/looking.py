"""A dashboard with somebody at it: a study that people have visited, and a plain browser."""

import re
from contextlib import contextmanager

import httpx

import askless as al
from askless.storage import Database
from askless.storage.admins import set_password
from live_visits import TEXT, open_live, play
from served import served

PASSWORD = "correct horse battery"


@contextmanager
def visited(folder, visits, text=TEXT):
    """Serve a study that people have visited; give its address."""
    database = Database(str(folder / "study.db"))
    live = open_live(database, text)
    play(live, visits)
    set_password(database, live.name, PASSWORD)
    database.close()
    with served(folder, study=al.Study.parse(text)) as (address, _):
        yield address


class Somebody(httpx.Client):
    """A browser without JavaScript: keeps cookies, fills in forms as pages have them."""

    def __init__(self, address, study="charity"):
        super().__init__(base_url=address, timeout=30, verify=False)  # it is plain http
        self.home = f"/dashboard/{study}"

    def form(self, path, **fields):
        """Send the form of a page, with its hidden field."""
        page = self.get(f"{self.home}/sign-in" if path == "sign-in" else self.home)
        (token, *_) = re.findall(r'name="form" value="([0-9a-f]{64})"', page.text)
        return self.post(f"{self.home}/{path}", data={"form": token, **fields})

    def sign_in(self, password=PASSWORD, name="admin"):
        return self.form("sign-in", name=name, password=password)

    def news(self):
        return self.get(f"{self.home}/news").json()

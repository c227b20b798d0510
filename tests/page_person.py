"""Somebody with a plain browser: pages are read, forms are filled in and sent as they stand."""

from contextlib import contextmanager
from html.parser import HTMLParser
from unittest import mock

import httpx

from askless.errors import StorageError
from askless.service.app import create_app
from askless.storage import LiveStudy

ANSWERS = {  # to the example study, by question
    "a0": "44",
    "a1": "1",
    "a2": "2",
    "a3": "5",
    "a4": "0",
    "a5": "1",
    "a6": ["0", "2"],
    "a7": "-",
}
GIVEN = {
    "age": 44,
    "donor": True,
    "cause": "climate",
    "income": 5,
    "newsletter": False,
    "region": "south",
    "media": ["friends", "tv"],
    "children": None,
}


@contextmanager
def database_away(app):
    """While it lasts, the study's database answers nobody."""

    async def fails(_):
        raise StorageError("the database does not answer")

    with mock.patch.object(app.state.keeper.offices["charity"].desk, "ask", fails):
        yield


class Paper(HTMLParser):
    """What a page has: its forms with their fields, its links, its headings."""

    def __init__(self, response):
        super().__init__()
        self.status, self.headers, self.text = response.status_code, response.headers, response.text
        self.path = response.url.path
        self.forms, self.links, self.html, self.values = {}, {}, {}, {}
        self.heading, self._open, self._form, self._href = "", "", None, None
        self.feed(response.text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self._open = tag
        if tag == "html":
            self.html = given
        elif tag == "form":
            self._form = self.forms.setdefault(given["action"].rsplit("/", 1)[-1], {})
            self._form[""] = given["action"]
        elif tag == "a":
            self._href = given["href"]
        elif tag == "input":
            self.values[given.get("id", "")] = given.get("value", "")
            if self._form is not None and given.get("name"):
                ticks = given["type"] in ("radio", "checkbox")
                if not ticks or "checked" in given:
                    self._form.setdefault(given["name"], []).append(given["value"])

    def handle_endtag(self, tag):
        self._open = ""
        if tag == "form":
            self._form = None

    def handle_data(self, data):
        if self._open == "h1":
            self.heading += data
        elif self._open == "a":
            self.links[data] = self._href

    @property
    def asks(self):
        """The names of the questions' inputs on it."""
        return [f"a{i}" for i in self.forms.get("answers", {}).get("on", [])]


class PagePerson:
    """Goes through a study's pages; `other` is another browser of the same service."""

    def __init__(self, client, study="charity"):
        self.client, self.study, self.root = client, study, f"/s/{study}"
        self.page = None

    def get(self, at="", **settings):
        whole = at.startswith(("/", "http"))
        between = "" if not at or at.startswith("?") else "/"
        address = at if whole else f"{self.root}{between}{at}"
        self.page = Paper(self.client.get(address, **settings))
        return self.page

    def send(self, form, page=None, **fields):
        """Send a form of a page; fields are put in, None takes one out."""
        filled = {**(page or self.page).forms[form], **fields}
        action = filled.pop("")
        data = {name: value for name, value in filled.items() if value is not None}
        self.page = Paper(self.client.post(action, data=data))
        return self.page

    def agree(self):
        self.get()
        return self.send("consent")

    def answer(self, page=None, **changes):
        """Answer what the page asks."""
        page = page or self.page
        return self.send("answers", page, **{n: {**ANSWERS, **changes}[n] for n in page.asks})

    def decide(self):
        """Go on to the arm."""
        while self.page.asks:
            self.answer()
        return self.page


def page_client(address, **settings):
    """A browser: it keeps its cookies and follows where it is sent, by plain http."""
    # Certificates would be read for nothing, which takes longer than most tests.
    return httpx.Client(base_url=address, follow_redirects=True, verify=False, **settings)


def served_app(database, study, **rates):
    """The application for a study that is put into a database."""
    live = LiveStudy.open(database, study)
    return create_app(database, [live.name], **{"key_rate": 0, "address_rate": 0, **rates})

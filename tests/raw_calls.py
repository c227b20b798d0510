"""A live study called over plain HTTP, and its journal beside it to see what calls have changed."""

import json
from contextlib import contextmanager

import httpx
from sqlalchemy import select

from askless.storage.tables import metadata
from served import served

PERSON = {
    "age": 44,
    "donor": True,
    "cause": "climate",
    "income": 5,
    "newsletter": False,
    "region": "north",
    "media": ["web"],
    "children": None,
}


class Raw:
    """Calls a study, and says what came back as it came."""

    def __init__(self, address, key, database=None, study="charity"):
        self.http = httpx.Client(base_url=address, timeout=60, verify=False)  # it is plain http
        self.key, self.database, self.study = key, database, study

    def __call__(self, method, path, body=None, *, key=None, headers=None, **more):
        """Call an address of the study; one that begins with // is one of the service."""
        path = (
            path.removeprefix("/") if path.startswith("//") else f"/v1/studies/{self.study}{path}"
        )
        headers = {"Authorization": f"Bearer {key or self.key}"} | dict(headers or {})
        if body is not None:
            more["content"] = body if isinstance(body, bytes) else json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        return self.http.request(method, path, headers=headers, **more)

    def done(self, *call, **more):
        """Return what a call says that is not refused."""
        response = self(*call, **more)
        assert response.is_success, response.text
        return response.json()

    def start(self, own=None, **more):
        return self.done("POST", "/visits", {"id": own, **more})

    def decided(self, own=None, person=PERSON):
        """Somebody comes and answers everything that is asked."""
        seen = self.start(own)
        while seen["asks"]:
            asked = {question["name"]: person[question["name"]] for question in seen["asks"]}
            seen = self.done("POST", f"/visits/{seen['visit']}/answers", {"answers": asked})
        return seen

    def paid(self, own=None, reward=25, person=PERSON):
        """Somebody comes, answers everything and brings a reward."""
        visit = self.decided(own, person)["visit"]
        return self.done("POST", f"/visits/{visit}/reward", {"reward": reward})

    def rows(self, *tables):
        """Everything that tables of the database hold."""
        with self.database.reading() as connection:
            return {
                table.name: [tuple(row) for row in connection.execute(select(table))]
                for table in metadata.sorted_tables
                if not tables or table.name in tables
            }


@contextmanager
def raw(folder, database, **how):
    """A service on this machine, called in plain HTTP."""
    with served(folder, database=database, **how) as (address, key):
        study = how["study"].name if how.get("study") else "charity"
        calls = Raw(address, key, database, study)
        with calls.http:
            yield calls


def is_refusal(response, status=None):
    """Whether an answer is an error in the one shape."""
    if status is not None and response.status_code != status:
        return False
    said = response.json()
    return (
        "application/json" in response.headers["content-type"]
        and list(said) == ["error"]
        and set(said["error"]) == {"code", "message"}
        and all(isinstance(word, str) and word for word in said["error"].values())
    )

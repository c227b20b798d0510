"""Whose word is taken for who calls and whether by https: the named web servers', nobody else's."""

import urllib.request

import pytest

import askless as al
from askless.service import Service, serving
from askless.storage import Database, LiveStudy


@pytest.mark.parametrize(
    ("proxy", "believed"),
    [(None, True), ("10.0.0.1", False), ("10.0.0.1,127.0.0.0/8", True)],
)
def test_cookies_are_those_of_https_only_where_the_web_server_is_believed(
    tmp_path, monkeypatch, proxy, believed
):
    """Fails if a stranger can claim https, or the web server of this machine cannot."""
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)  # notes are this run's own
    address = str(tmp_path / "study.db")
    database = Database(address)
    database.migrate()
    LiveStudy.open(database, al.Study.example())
    database.close()
    service = Service(address, ("charity",), port=0, proxy=proxy, quiet=True)
    with serving(service) as where:
        request = urllib.request.Request(
            f"{where}/dashboard/charity/sign-in", headers={"X-Forwarded-Proto": "https"}
        )
        with urllib.request.urlopen(request) as response:
            (cookie,) = response.headers.get_all("Set-Cookie")
    assert cookie.startswith("__Host-") == ("; Secure" in cookie) == believed

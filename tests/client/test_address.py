"""A key goes to the address that was given, and only where nobody can read it on the way."""

import httpx
import pytest

import askless as al
from askless.client.address import Address, part
from askless.errors import SettingError
from pretend_service import KEY


@pytest.mark.parametrize(
    "address",
    ["http://study.example.org", "http://10.0.0.7:8000", "http://127.0.0.1.example.org"],
)
def test_keys_do_not_travel_in_the_open(clients, address):
    """Fails if plain http to another machine is taken without being asked for."""
    with pytest.raises(SettingError, match="https://, or, in a network of your own, plain_http"):
        clients(address, "charity", KEY)
    assert clients(address, "charity", KEY, plain_http=True)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8000", "http://localhost", "http://[::1]:80", "https://a.org"]
)
def test_this_machine_and_https_are_fine(clients, address):
    """Fails if a usual address is refused."""
    assert clients(address, "charity", KEY)


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ("https://a.org", "https://a.org/v1/studies/my%20study/visits"),
        ("https://a.org/", "https://a.org/v1/studies/my%20study/visits"),
        ("https://a.org:8443/askless/", "https://a.org:8443/askless/v1/studies/my%20study/visits"),
    ],
)
def test_paths_follow_the_address(given, at):
    """Fails behind a proxy that hands a folder on, or with a slash at the end."""
    assert Address.of(given, "my study").at("/visits") == at


@pytest.mark.parametrize(
    "address",
    [
        "",
        "study.example.org",
        "ftp://a.org",
        "https://",
        "https://ada:secret@a.org",
        7,
        None,
        "https://a.org?key=secret",
        "https://a.org#secret",
        "http://a.org:port",
    ],
)
def test_what_is_no_address_is_refused(clients, address):
    """Fails if it is taken, or if a password in it is shown."""
    with pytest.raises(SettingError, match="give") as refused:
        clients(address, "charity", KEY)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["", ".", "..", "a\nb", "a\x00", 7, None, "x" * 1001])
def test_a_name_never_leads_elsewhere(name):
    """Fails if a token can point to another address of the service."""
    with pytest.raises(SettingError, match="the visit is no name"):
        part(name, "the visit")


def test_a_token_with_a_slash_stays_one_part():
    """Fails if a token can name a visit's answers, or a query."""
    assert part("../pause?a#b", "the visit") == "..%2Fpause%3Fa%23b"


@pytest.mark.parametrize("key", ["", "ask key", "ask_\n", "ask_ü", None, b"ask_secret"])
def test_a_broken_key_is_refused_unseen(clients, key):
    """Fails if a key that does not fit a header is sent, or shown."""
    with pytest.raises(SettingError, match="the key") as refused:
        clients("https://a.org", "charity", key)
    assert "ask_" not in str(refused.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"timeout": 0},
        {"timeout": float("nan")},
        {"timeout": "10"},
        {"timeout": True},
        {"retries": -1},
        {"retries": 1.5},
        {"retries": True},
        {"retries": 101},
    ],
)
def test_settings_are_checked(clients, settings):
    """Fails if a client that could not work is made."""
    with pytest.raises(SettingError, match=next(iter(settings))):
        clients("https://a.org", "charity", KEY, **settings)


def test_a_key_does_not_follow_a_redirect(clients):
    """Fails if the key is sent where a redirect points."""
    asked = []

    def elsewhere(request):
        asked.append(str(request.url.host))
        return httpx.Response(307, headers={"Location": "http://evil.example.org/"})

    client = clients("https://a.org", "charity", KEY, transport=httpx.MockTransport(elsewhere))
    with pytest.raises(al.errors.ServiceError, match="307"):
        client.visit()
    assert asked == ["a.org"]


def test_a_key_for_this_machine_goes_to_no_proxy(monkeypatch):
    """Fails if a proxy of the environment sees what is sent to this machine."""
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example.org:3128")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with al.Client("http://127.0.0.1:8000", "charity", KEY) as client:
        assert not client._http._mounts

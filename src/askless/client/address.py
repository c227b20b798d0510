"""Where a live study is, and whether a key may travel there."""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from askless.errors import SettingError, shown

__all__ = ["Address", "check_key", "check_retries", "check_timeout", "part"]

MOST_RETRIES = 100
LONGEST_NAME = 1000  # characters, more than any name has


@dataclass(frozen=True)
class Address:
    """A service, and a study of it.

    >>> Address.of("http://127.0.0.1:8000/", "charity").at("/visits")
    'http://127.0.0.1:8000/v1/studies/charity/visits'
    """

    service: str
    study: str
    loopback: bool

    @classmethod
    def of(cls, service: Any, study: Any, *, plain_http: bool = False) -> Address:
        """Check an address; refuse one to which a key would travel for everyone to read."""
        url = _url(service)
        loopback = _is_loopback(url.host)
        if url.scheme == "http" and not (loopback or plain_http):
            raise SettingError(
                f"the address begins with http://, so that anyone between here and {url.host} could"
                " read the key and every answer; give one that begins with https://, or, in a"
                " network of your own, plain_http=True"
            )
        root = str(url.copy_with(path=url.path.rstrip("/") or "/")).rstrip("/")
        return cls(root, part(study, "the study"), loopback)

    def at(self, path: str) -> str:
        """Return where something of the study is."""
        return f"{self.service}/v1/studies/{self.study}{path}"


def _url(service: Any) -> httpx.URL:
    try:
        url = httpx.URL(service)
    except (httpx.InvalidURL, TypeError):
        raise SettingError(
            "the address is no web address; give one such as https://study.example.org"
        ) from None
    if url.userinfo or url.query or url.fragment:  # not shown: there may be a password in it
        raise SettingError(
            "the address has a password, a ? or a # in it; give only what comes before, such as"
            " https://study.example.org"
        )
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingError(
            f"the address is {shown(service)}; give one such as https://study.example.org"
        )
    return url


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def part(name: Any, what: str) -> str:
    """Return a name as a part of an address; it can never lead elsewhere."""
    named = isinstance(name, str) and name.strip(".") and name.isprintable()
    if not named or len(name) > LONGEST_NAME:
        raise SettingError(f"{what} is no name that a service gives; give it as it was given")
    return quote(name, safe="")


def check_key(key: Any) -> str:
    """Return a key that fits into a header; what it is never stands in a message."""
    if not isinstance(key, str) or not key or not key.isascii() or not key.isprintable():
        raise SettingError("the key is not one that askless has made; copy it whole")
    if " " in key:
        raise SettingError("the key has a space in it; copy it without what stands around it")
    return key


def check_timeout(timeout: Any) -> float:
    """Return how many seconds an answer may take."""
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise SettingError(f"timeout is {shown(timeout)}; give a number of seconds")
    if not (math.isfinite(timeout) and timeout > 0):
        raise SettingError(f"timeout is {timeout}; give a number of seconds above 0")
    return float(timeout)


def check_retries(retries: Any) -> int:
    """Return how often a call is made again."""
    whole = isinstance(retries, int) and not isinstance(retries, bool)
    if not whole or not 0 <= retries <= MOST_RETRIES:
        raise SettingError(
            f"retries is {shown(retries)}; give a whole number from 0 to {MOST_RETRIES}"
        )
    return int(retries)

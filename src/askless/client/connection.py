"""What both clients are told, checked once: where the study is, the key, and how long to wait."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx

from askless.client.address import Address, check_key, check_retries, check_timeout
from askless.client.call import Call

__all__ = ["Connection"]


@dataclass(frozen=True)
class Connection:
    """A study, and the key by which it is called."""

    address: Address
    key: str = field(repr=False)
    timeout: float
    retries: int

    @classmethod
    def of(
        cls, address: Any, study: Any, key: Any, timeout: Any, retries: Any, *, plain_http: bool
    ) -> Connection:
        """Check what a caller gives."""
        where = Address.of(address, study, plain_http=plain_http)
        return cls(where, check_key(key), check_timeout(timeout), check_retries(retries))

    def http(self) -> dict[str, Any]:
        """Return the settings of an HTTP client."""
        # A key goes to the address that was given and nowhere else: not where a redirect points,
        # nor to a proxy on the way to this very machine.
        return {
            "timeout": self.timeout,
            "follow_redirects": False,
            "trust_env": not self.address.loopback,
        }

    def request(self, call: Call[Any]) -> dict[str, Any]:
        """Return a call as an HTTP request."""
        headers = {"Accept": "application/json"}
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if call.of_study:
            headers["Authorization"] = f"Bearer {self.key}"
        url = self.address.at(call.path) if call.of_study else self.address.service + call.path
        timeout = httpx.Timeout(self.timeout, read=max(self.timeout, call.seconds))
        sent = {"headers": headers, "content": call.body, "timeout": timeout}
        return {"method": call.method, "url": url, **sent}

"""Who may call what: keys are looked up, their scopes and the pace of calls are checked."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import IPv6Address, IPv6Network
from typing import Annotated

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from askless.service.aside import aside
from askless.service.desk import Desk
from askless.service.errors import Refusal
from askless.service.limits import Buckets
from askless.service.shapes import Texts
from askless.storage import Database
from askless.storage.keys import Key, find_key

__all__ = ["Keeper", "Office", "address_of", "may"]

REMEMBERED = 5.0  # seconds for which a key is not looked up again: a revoked one ends by then
MOST_REMEMBERED = 1_000

bearer = HTTPBearer(
    auto_error=False,
    scheme_name="key",
    description="A key of the study, made by `askless key new`; what it may do, its scopes say.",
)


class Office:
    """A study that is served: its desk, and its words."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.live = desk, desk.live
        self.texts = Texts(desk.live.study)


class Keeper:
    """Lets callers in.

    Parameters
    ----------
    database : Database
        Where the keys are.
    offices : mapping
        The studies that are served, by name.
    key_rate, address_rate : float
        Calls a second that a key, or an address, may make; 0 for no limit.
    """

    def __init__(
        self,
        database: Database,
        offices: Mapping[str, Office],
        *,
        key_rate: float,
        address_rate: float,
    ) -> None:
        self.database, self.offices = database, offices
        self._keys, self._addresses = Buckets(key_rate), Buckets(address_rate)
        self._known: OrderedDict[bytes, tuple[Key, float]] = OrderedDict()

    async def admit(self, address: str, presented: str | None, study: str, scope: str) -> Office:
        """Return the study for which a key is good; refuse the caller otherwise."""
        self.pace(address)
        key = None if presented is None else await self._find(presented)
        if key is None or not key.stands(time.time()):
            raise Refusal(
                401, "key", "a key of this study is needed: send Authorization: Bearer KEY"
            )
        _hold(self._keys.wait(key.id))
        office = self.offices.get(study)
        if office is None or key.study != study:  # which studies there are is nobody else's matter
            raise Refusal(404, "not_found", "there is no such study for this key")
        if not key.allows(scope):
            raise Refusal(403, "scope", f"this key is not for that; it needs the scope {scope}")
        return office

    def pace(self, address: str) -> None:
        """Refuse an address that calls too often."""
        _hold(self._addresses.wait(address))

    async def _find(self, presented: str) -> Key | None:
        name = hashlib.sha256(presented.encode()).digest()  # so that no key lies in memory
        now = time.monotonic()
        known = self._known.get(name)
        if known is not None and now - known[1] < REMEMBERED:
            return known[0]
        key = await aside(find_key, self.database, presented)
        self._known.pop(name, None)
        if key is not None:
            self._known[name] = key, now
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
        return key


def _hold(seconds: int) -> None:
    if seconds:
        raise Refusal(429, "too_many", f"too many calls; wait for {seconds} s", retry_after=seconds)


def address_of(request: Request) -> str:
    """Return from where somebody calls; of IPv6 the network, of which one caller has all."""
    host = request.client.host if request.client else ""
    if ":" not in host:
        return host
    try:
        whole = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    near = whole.ipv4_mapped or IPv6Network((whole, 64), strict=False).network_address
    return str(near)


def may(scope: str) -> Callable[..., Awaitable[Office]]:
    """Return what a route depends on that needs a scope."""

    async def admitted(
        request: Request,
        study: str,
        credentials: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)],
    ) -> Office:
        keeper: Keeper = request.app.state.keeper
        presented = None if credentials is None else credentials.credentials
        return await keeper.admit(address_of(request), presented, study, scope)

    return admitted

"""Who sits at a dashboard: signing in, sessions, and forms that only our pages can send."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from urllib.parse import parse_qsl

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response

from askless.service.aside import aside
from askless.service.dashboard.problems import home
from askless.service.errors import Refusal
from askless.service.keeper import Keeper, Office, address_of
from askless.service.limits import Buckets
from askless.service.web import cookie, form_token, is_form_token, leave_cookie, see_other
from askless.storage.admins import SESSION, find_session, sign_in, sign_out

__all__ = ["Door", "Seat", "office_of", "read_form", "seat_of"]

TRIES, AT_ONCE = 0.1, 5.0  # sign-ins a second of an address, and how many may come at once
STALE = "this form is too old, or not from this page; go back, load the page again and retry"
MOST_FIELDS = 20


@dataclass(frozen=True)
class Seat:
    """Somebody who is signed in to a study's dashboard."""

    office: Office
    admin: str
    secret: str

    @property
    def token(self) -> str:
        """What forms carry."""
        return form_token(self.secret)


def office_of(request: Request, study: str) -> Office:
    """Return the study of an address; refuse who asks too often."""
    keeper: Keeper = request.app.state.keeper
    keeper.pace(address_of(request))
    office = keeper.offices.get(study)
    if office is None:
        raise Refusal(404, "not_found", "there is nothing at this address")
    return office


def _cookie(office: Office) -> str:
    return f"askless_admin_{office.live.id}"  # one a study: signing in here keeps the others


async def seat_of(request: Request, study: str) -> Seat | Response:
    """Return who is signed in, or the way to the door."""
    office = office_of(request, study)
    secret = cookie(request, _cookie(office))
    if secret is not None:
        database = office.live.database
        admin = await aside(find_session, database, study, secret)
        if admin is not None:
            return Seat(office, admin, secret)
    return see_other(f"{home(study)}/sign-in")


async def read_form(request: Request, secret: str | None) -> dict[str, str]:
    """Return a form's fields; refuse one that was not made for whoever has the secret."""
    try:
        fields = parse_qsl(
            (await request.body()).decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Refusal(400, "bad_request", "the form cannot be read") from None
    form = dict(fields)
    if secret is None or not is_form_token(secret, form.get("form", "")):
        raise Refusal(403, "form", STALE)
    return form


class Door:
    """Lets people sign in and out; slowly, so that nobody can try many passwords."""

    FORM = "askless_door"

    def __init__(self) -> None:
        self._tries = Buckets(TRIES, burst=AT_ONCE)
        self._one: CapacityLimiter | None = None

    def offer(self, request: Request) -> tuple[str, str]:
        """Return the secret of a form for somebody who has none yet, and what the form carries."""
        secret = cookie(request, self.FORM) or secrets.token_urlsafe(32)
        return secret, form_token(secret)

    def leave(self, request: Request, response: Response, secret: str) -> Response:
        """Leave the secret of the form in a cookie."""
        leave_cookie(request, response, self.FORM, secret, seconds=3600)
        return response

    async def enter(self, request: Request, study: str) -> Response | None:
        """Sign somebody in; None if name or password are wrong."""
        office = office_of(request, study)
        form = await read_form(request, cookie(request, self.FORM))
        wait = self._tries.wait(address_of(request))
        if wait:
            raise Refusal(
                429, "too_many", f"too many tries; wait for {wait} seconds", retry_after=wait
            )
        if self._one is None:
            self._one = CapacityLimiter(1)  # each takes 64 MB for a moment
        given = form.get("name", ""), form.get("password", "")
        database = office.live.database
        secret = await aside(sign_in, database, study, *given, limiter=self._one)
        if secret is None:
            return None
        response = see_other(home(study))
        leave_cookie(request, response, _cookie(office), secret, seconds=SESSION)
        return response

    async def leave_seat(self, request: Request, seat: Seat) -> Response:
        """Sign somebody out."""
        await read_form(request, seat.secret)
        live = seat.office.live
        await aside(sign_out, live.database, live.name, seat.secret)
        response = see_other(f"{home(live.name)}/sign-in")
        leave_cookie(request, response, _cookie(seat.office), "", seconds=0)
        return response

"""Ways to a study's pages: personal links, invitations, links for later; and another language.

Looking at a link changes nothing, since programs look at links before people do; its button does.
"""

from __future__ import annotations

import re

from fastapi import APIRouter, Request
from starlette.responses import Response

from askless.service.aside import aside
from askless.service.pages.person import DAYS, Happened, Person
from askless.storage.links import LinkError, exchange

__all__ = ["coming"]

coming = APIRouter(include_in_schema=False, default_response_class=Response)
SECRET = re.compile(r"[A-Za-z0-9_-]{20,64}")
HERE = re.compile(r"|back/\d{1,6}|reward|[riw]/[A-Za-z0-9_-]{20,64}")  # where a switch leads back


def _secret(value: str) -> str:
    if not SECRET.fullmatch(value):
        raise LinkError("unknown")
    return value


async def _button(person: Person, kind: str, secret: str, what: str) -> Response:
    """Show the button of a link that leads somewhere."""
    at = f"{kind}/{_secret(secret)}"
    return person.page("link.html", at=at, what=what)


@coming.get("/r/{secret}")
async def personal(request: Request, study: str, secret: str) -> Response:
    """Show the button of a personal link."""
    person = Person.at(request, study)
    await person.link(_secret(secret), "resume")
    return await _button(person, "r", secret, "resume")


@coming.post("/r/{secret}")
async def resume(request: Request, study: str, secret: str) -> Response:
    """Let this browser go on with a visit."""
    person = Person.at(request, study)
    await person.form()
    await person.link(_secret(secret), "resume")
    person.becomes(secret)
    return person.on()


@coming.get("/i/{secret}")
async def invitation(request: Request, study: str, secret: str) -> Response:
    """Show the button of an invitation."""
    person = Person.at(request, study)
    link = await person.link(_secret(secret), "invite")
    if link.used is not None and not await _is_mine(person, secret):
        raise LinkError("used")
    return await _button(person, "i", secret, "invite")


@coming.post("/i/{secret}")
async def use(request: Request, study: str, secret: str) -> Response:
    """Exchange an invitation, once, for a secret of this browser."""
    person = Person.at(request, study)
    await person.form()
    live, own = person.study.live, person.derived(f"invite {_secret(secret)}")
    await aside(lambda: exchange(live.database, live.id, secret, own, days=DAYS))
    person.becomes(own)
    return person.on()


async def _is_mine(person: Person, code: str) -> bool:
    """Whether it was this browser that used an invitation."""
    try:
        await person.link(person.derived(f"invite {code}"), "resume")
    except LinkError:
        return False
    return True


@coming.get("/w/{secret}")
async def follow(request: Request, study: str, secret: str) -> Response:
    """Show the button of a link for later."""
    person = Person.at(request, study)
    await person.link(_secret(secret), "reward")
    return await _button(person, "w", secret, "follow_open")


@coming.post("/w/{secret}")
async def open_follow(request: Request, study: str, secret: str) -> Response:
    """Let this browser answer the question that was left for later."""
    person = Person.at(request, study)
    await person.form()
    await person.link(_secret(secret), "reward")
    person.keep("follow", secret)
    return person.on("reward")


@coming.post("/language")
async def language(request: Request, study: str) -> Response:
    """Go on in another language, on the same page."""
    person = Person.at(request, study)
    form = await person.form()
    wanted, at = form.get("language"), form.get("at")
    if wanted not in person.pages.spoken:
        raise Happened("unreadable", 422)
    person.keep_language(str(wanted))
    return person.on(at if isinstance(at, str) and HERE.fullmatch(at) else "")


@coming.post("/leave")
async def leave(request: Request, study: str) -> Response:
    """Let this browser forget the person; what was sent stays."""
    person = Person.at(request, study)
    await person.form()
    person.forget()
    return person.page("left.html")

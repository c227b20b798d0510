"""What went wrong, or another way than expected: each has a page that says so, in plain words."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from askless.errors import StorageError
from askless.service.errors import RETRY_AFTER, Refusal, refused
from askless.service.pages.person import Happened, Person
from askless.storage import PausedError, StoppedError
from askless.storage.links import LinkError

__all__ = ["page_of"]

BY_STATUS = {404: "no_page", 405: "no_page", 429: "too_many", 503: "storage"}


def page_of(request: Request, error: BaseException) -> Response:
    """Return the page that tells somebody of an error."""
    told = _told(error)
    person = Person(request, request.scope["path"].split("/")[2])  # also where no route was found
    at = "/".join(part for part in (person.root, told.at) if part)
    response = person.page(
        "happened.html",
        told.status,
        what=told.what,
        button=told.button if person.office is not None else "",
        to=at,
    )
    if told.retry_after is not None:
        response.headers["Retry-After"] = str(told.retry_after)
    return response


def _told(error: BaseException) -> Happened:
    if isinstance(error, Happened):
        return error
    if isinstance(error, LinkError):
        return Happened(f"link_{error.reason}", 404 if error.reason == "unknown" else 410)
    if isinstance(error, StoppedError):
        return Happened("stopped", 409, button="")
    if isinstance(error, PausedError):
        return Happened("paused", 409, button="try_again")
    if isinstance(error, StorageError):
        return Happened("storage", 503, button="try_again", retry_after=RETRY_AFTER)
    refusal = refused(error)
    if isinstance(error, HTTPException) and not isinstance(error, Refusal):  # the framework's own
        refusal = Refusal(error.status_code, "", "")
    what = BY_STATUS.get(refusal.status, "internal" if refusal.status >= 500 else "unreadable")
    button = "try_again" if refusal.status in (429, 500, 503) else "go_on"
    return Happened(what, refusal.status, button=button, retry_after=refusal.retry_after)

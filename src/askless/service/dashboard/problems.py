"""Errors of the dashboard as pages: what happened, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from starlette.responses import Response

from askless.service.dashboard.assets import assets
from askless.service.web import show

if TYPE_CHECKING:
    from askless.service.errors import Refusal

__all__ = ["PREFIX", "home", "is_page", "problem"]

PREFIX = "/dashboard/"


def is_page(path: str) -> bool:
    """Whether an address is one of the dashboard."""
    return f"{path}/".startswith(PREFIX)


def home(study: str) -> str:
    """Return the address of a study's dashboard."""
    return f"{PREFIX}{quote(study, safe='')}"


def problem(path: str, refusal: Refusal) -> Response:
    """Return an error as a page."""
    study = unquote(path.removeprefix(PREFIX).split("/")[0])
    back = home(study) if study and refusal.status != 404 else None
    message = refusal.message[:1].upper() + refusal.message[1:]
    content = {"message": message, "back": back, "status": refusal.status, "assets": assets}
    response = show("dashboard/problem.html", content, refusal.status)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response

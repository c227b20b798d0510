"""Errors of the dashboard as pages: what happened, and the way back."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from askless.service.dashboard.assets import assets
from askless.service.errors import refused
from askless.service.web import show

__all__ = ["PREFIX", "home", "problem"]

PREFIX = "/dashboard/"


def home(study: str) -> str:
    """Return the address of a study's dashboard."""
    return f"{PREFIX}{quote(study, safe='')}"


def problem(request: Request, error: BaseException) -> Response:
    """Return an error as a page."""
    refusal = refused(error)
    study = request.scope["path"].removeprefix(PREFIX).split("/")[0]
    back = home(study) if study and refusal.status != 404 else None
    message = refusal.message[:1].upper() + refusal.message[1:]
    content = {"message": message, "back": back, "assets": assets}
    response = show("dashboard/problem.html", content, refusal.status)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response

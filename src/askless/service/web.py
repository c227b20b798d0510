"""What pages for people share: templates, headers that keep strangers out, cookies, forms."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

__all__ = ["HERE", "cookie", "form_token", "is_form_token", "leave_cookie", "see_other", "show"]

HERE = Path(__file__).parent
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,  # the words of a study are text, never markup
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def show(template: str, content: Mapping[str, Any], status: int = 200) -> Response:
    """Return a page."""
    return HTMLResponse(templates.get_template(template).render(content), status, HEADERS)


def see_other(address: str) -> Response:
    """Send a browser on after a form, so that a reload sends nothing again."""
    return RedirectResponse(address, 303, HEADERS)


# -- cookies -------------------------------------------------------------------------------------


def _name(request: Request, name: str) -> str:
    """Return a cookie's name: over https one that no other host can set."""
    return f"__Host-{name}" if request.url.scheme == "https" else name


def cookie(request: Request, name: str) -> str | None:
    """Return the value of a cookie of ours."""
    return request.cookies.get(_name(request, name))


def leave_cookie(
    request: Request, response: Response, name: str, value: str, *, seconds: int | None
) -> None:
    """Leave a cookie that scripts and other sites do not see.

    0 seconds take it away; with None it goes when the browser is closed.
    """
    response.set_cookie(
        _name(request, name),
        value,
        max_age=seconds,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",  # "strict" would lose whoever comes by a link
    )


# -- forms ---------------------------------------------------------------------------------------


def form_token(secret: str) -> str:
    """Return what a form carries so that only pages of ours can send it (CSRF)."""
    return hmac.new(secret.encode(), b"askless form", hashlib.sha256).hexdigest()


def is_form_token(secret: str, token: str) -> bool:
    """Whether a form was made for whoever has this secret in a cookie."""
    return hmac.compare_digest(form_token(secret).encode(), token.encode())

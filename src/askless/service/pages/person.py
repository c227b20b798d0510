"""Whoever sits at a browser: their language, their cookies, the visit that these lead to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
from functools import cache
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from askless.service.aside import aside
from askless.service.keeper import Keeper, Office, address_of
from askless.service.pages.look import look_of
from askless.service.pages.speech import chosen_by, speech_in
from askless.service.web import cookie, form_token, is_form_token, leave_cookie, see_other, show
from askless.storage import NotFoundError, See, Seen
from askless.storage.links import Link, LinkError, find_link
from askless.survey.pages import AMONG_US, LANGUAGES, Pages, Words

__all__ = ["DAYS", "Happened", "Person", "derived"]

DAYS = 90  # for which a browser, or a personal link, finds its visit
FORM, LANGUAGE = "askless-form", "askless-language"
LEADS = {"visit": "resume", "follow": "reward"}  # which links' secrets lie in which cookie


log = logging.getLogger("askless.service")


@cache  # by the scheme alone: whoever calls says which host it is
def _warn(scheme: str) -> None:
    """Note once that what people send can be read on its way."""
    if scheme != "https":
        log.warning("pages are served over plain http; put a proxy with https before them")


class Happened(Exception):  # noqa: N818 (it is an answer)
    """Something that is told on a page of its own: a key of the words, and a status.

    `at` is where the page's button leads, below the study's address, `button` what it says.
    """

    def __init__(
        self,
        what: str,
        status: int,
        *,
        button: str = "go_on",
        at: str = "",
        retry_after: int | None = None,
    ) -> None:
        super().__init__(what)
        self.what, self.status, self.button, self.at = what, status, button, at
        self.retry_after = retry_after


def derived(secret: str, purpose: str) -> str:
    """Return a secret that follows from another, and does not lead back to it."""
    made = hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()


class Person:
    """A request to a study's pages.

    Attributes
    ----------
    office : Office or None
        The study; None where there is no such one, or it has no pages.
    pages : Pages
        How the study looks.
    words : Words
        The study's words in the person's language.
    secret : str or None
        By which the browser finds its visit.
    """

    def __init__(self, request: Request, study: str) -> None:
        self.request = request
        keeper: Keeper = request.app.state.keeper
        office = keeper.offices.get(study)
        has_pages = office is not None and office.live.study.pages is not None
        self.office = office if has_pages else None
        self.root = f"/s/{quote(study, safe='') or '-'}"
        spoken = tuple(LANGUAGES) if self.office is None else self.pages.spoken
        accepted = request.headers.get("accept-language", "")
        language = cookie(request, LANGUAGE)
        if language not in spoken:
            language = chosen_by(accepted, ["en", *spoken] if self.office is None else spoken)
        self.speech, self.say = speech_in(language), speech_in(language).say
        self.words = self._words(language)
        self._form = cookie(request, FORM)
        self._fresh = self._form is None
        self._form_secret = self._form or secrets.token_urlsafe(32)
        self._kept: list[tuple[str, str, int | None]] = []

    @classmethod
    def at(cls, request: Request, study: str) -> Person:
        """Return who asks for a page of a study; refuse who asks too often, or for no study."""
        person = cls(request, study)
        keeper: Keeper = request.app.state.keeper
        keeper.pace(address_of(request))
        if request.url.hostname not in AMONG_US:
            _warn(request.url.scheme)
        if person.office is None:
            raise Happened("unknown_study", 404, button="")
        return person

    @property
    def pages(self) -> Pages:
        """How the study looks."""
        found = None if self.office is None else self.office.live.study.pages
        return found or Pages()

    @property
    def study(self) -> Office:
        """The study, which there is."""
        assert self.office is not None
        return self.office

    def _words(self, language: str) -> Words:
        if self.office is None:
            return Words()
        study = self.office.live.study
        return self.pages.words(language, study.survey, study.arms)

    @property
    def title(self) -> str:
        """What the study is called, for people."""
        return self.words.title or (self.office.live.name if self.office else "askless")

    def let_go(self) -> None:
        """Let the browser forget the visit of somebody else who sat here before."""
        for what in ("visit", "follow"):
            self.keep(what, "", seconds=0)

    def becomes(self, secret: str) -> None:
        """Let the browser be that of a visit; what it keeps of somebody else is forgotten."""
        if secret != self.secret:
            for what in ("follow", "return"):
                self.keep(what, "", seconds=0)
        self.keep("visit", secret)

    # -- cookies ---------------------------------------------------------------------------------

    def _name(self, what: str) -> str:
        return f"askless-{what}-{self.study.live.id}"

    def kept(self, what: str) -> str | None:
        """Return what this browser keeps for the study."""
        return None if self.office is None else cookie(self.request, self._name(what))

    def keep(self, what: str, value: str, *, seconds: int | None = DAYS * 86_400) -> None:
        """Let the browser keep something; 0 seconds: forget it, None: until it is closed."""
        self._kept.append((self._name(what), value, seconds))

    def keep_language(self, language: str) -> None:
        """Let the browser keep its language."""
        self._kept.append((LANGUAGE, language, DAYS * 86_400))

    def forget(self) -> None:
        """Let the browser forget the person, and what their secrets follow from."""
        for what in ("visit", "follow", "return"):
            self.keep(what, "", seconds=0)
        self._form_secret, self._fresh = secrets.token_urlsafe(32), True

    @property
    def secret(self) -> str | None:
        """By which the browser finds its visit."""
        return self.kept("visit")

    def derived(self, purpose: str) -> str:
        """Return a secret that only this browser gets, always the same for a purpose."""
        return derived(self._form_secret, purpose)

    # -- answers ---------------------------------------------------------------------------------

    def page(self, template: str, status: int = 200, at: str = "", **content: Any) -> Response:
        """Return a page in the person's language; `at` is its address, below the study's."""
        shared = {
            "say": self.say,
            "speech": self.speech,
            "speeches": [speech_in(language) for language in self.pages.spoken],
            "title": self.title,
            "root": self.root,
            "at": at,
            "look": f"{self.root}/{look_of(self.pages)}",
            "known": self.office is not None,
            "logo": self.pages.logo,
            "token": form_token(self._form_secret),
            "personal": None,
        }
        return self._with_cookies(show(template, {**shared, **content}, status))

    def on(self, at: str = "") -> Response:
        """Send the browser on to another page of the study."""
        return self._with_cookies(see_other(self.root + (f"/{at}" if at else "")))

    def _with_cookies(self, response: Response) -> Response:
        kept = [*self._kept]
        begins = any(name == self._name("visit") and value for name, value, _ in self._kept)
        if self._fresh or begins:
            # Before somebody has agreed nothing outlasts the browser but what they chose there, a
            # language or to use an invitation; then forms must not expire.
            kept.append((FORM, self._form_secret, DAYS * 86_400 if begins else None))
        for name, value, seconds in kept:
            leave_cookie(self.request, response, name, value, seconds=seconds)
        return response

    async def form(self) -> FormData:
        """Return what a form of ours has sent; refuse one that is not for this browser."""
        form = await self.request.form()
        token = form.get("token")
        if self._form is None or not isinstance(token, str):
            raise Happened("form", 403)
        if not token.isascii() or not is_form_token(self._form, token):
            raise Happened("form", 403)
        return form

    # -- the visit -------------------------------------------------------------------------------

    async def link(self, secret: str, *kinds: str) -> Link:
        """Return the link of a secret; refuse one that leads nowhere."""
        live = self.study.live
        return await aside(lambda: find_link(live.database, live.id, secret, *kinds))

    async def visit(self, kept: str = "visit") -> Seen | None:
        """Return the visit to which a cookie leads, as it stands; None where there is none."""
        secret = self.kept(kept)
        if not secret:
            return None
        try:
            link = await self.link(secret, LEADS[kept])
            found: Seen | None = None
            if link.token is not None:
                found = await self.study.desk.ask(See(link.token))
            return found
        except NotFoundError:
            return None
        except LinkError as error:
            if error.reason == "expired" and kept == "follow":
                raise
            return None  # it was erased, or is too old: this browser may begin anew

    def personal(self) -> str | None:
        """Return the link by which this person comes back on any device."""
        return None if self.secret is None else self.address(f"r/{self.secret}")

    def address(self, at: str) -> str:
        """Return the whole address of a page."""
        url = self.request.url
        return f"{url.scheme}://{url.netloc}{self.root}/{at}"

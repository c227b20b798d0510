"""The addresses of a study's pages: agree, answer, go back, see the arm, say what it brought."""

from __future__ import annotations

import secrets
import time

from fastapi import APIRouter, Request
from sqlalchemy import select
from starlette.responses import Response

from askless.errors import StorageError
from askless.service.aside import aside
from askless.service.desk import Look
from askless.service.pages.asking import answer, back_page, question_page
from askless.service.pages.coming import coming
from askless.service.pages.fields import Field, Typed, read_reward, reward_field
from askless.service.pages.look import stylesheet
from askless.service.pages.person import DAYS, Happened, Person, derived
from askless.service.pages.sending_back import Return
from askless.storage import ConflictError, Consent, Database, Reward, Seen
from askless.storage.links import DAY, LinkError, add_link, digest_of
from askless.storage.signing import signing_secret
from askless.storage.tables import studies

__all__ = ["pages"]

pages = APIRouter(prefix="/s/{study}", include_in_schema=False, default_response_class=Response)


@pages.get("")
@pages.get("/")
async def home(request: Request, study: str) -> Response:
    """Show where a person stands: the consent, a question, or the arm."""
    person = Person.at(request, study)
    if "return" in request.query_params:
        return await _comes_from_a_tool(person)
    seen = await person.visit()
    if seen is None:
        return await _consent_page(person)
    if seen.arm is None:
        return question_page(person, seen)
    return await _result_page(person, seen)


def _kept_return(person: Person) -> Return | None:
    return Return.unpacked(person.pages, person.kept("return"))


def _way_back(person: Person) -> Return | None:
    """Return where the person is sent at last; None where the tool sent somebody else, or none."""
    back = _kept_return(person)
    return back if back is not None and back.is_of(person.secret) else None


async def _comes_from_a_tool(person: Person) -> Response:
    """Keep where to send the browser at last; from then on the address is the plain one.

    Whom the tool calls by another name is somebody else, at a browser that several people use.
    """
    asked = person.request.query_params
    back = Return.checked(person.pages, asked.get("return"), asked.get("id", ""))
    if back is None:
        raise Happened("no_return", 400)
    before, secret = _way_back(person), person.secret
    if secret is not None and back.own != (before.own if before is not None else ""):
        person.let_go()
        secret = None
    if secret is not None and await _has_begun(person):
        person.keep("return", back.bound(secret).packed())
    else:
        person.keep("return", back.packed(), seconds=None)  # nobody has agreed to more
    return person.on()


async def _has_begun(person: Person) -> bool:
    """Whether the browser's visit is there; yes where nobody can say, so that no way is lost."""
    try:
        return await person.visit() is not None
    except StorageError:
        return True


@pages.get("/look.css")
async def look(request: Request, study: str) -> Response:
    """Return the stylesheet; browsers keep it."""
    person = Person(request, study)
    headers = {"Cache-Control": "public, max-age=86400", "X-Content-Type-Options": "nosniff"}
    return Response(stylesheet(person.pages), 200, headers, "text/css")


# -- consent -------------------------------------------------------------------------------------


async def _consent_page(person: Person, *, changed: bool = False) -> Response:
    live = person.study.live
    paused, stopped = await aside(_is_closed, live.database, live.id)
    if stopped:
        raise Happened("stopped", 409, button="")
    if paused:
        raise Happened("paused", 409, button="try_again")
    if person.pages.invited and not await _is_invited(person):
        raise Happened("invited", 403, button="")
    most = await person.study.desk.ask(Look(lambda _page, replica: len(replica.policy.asked_now())))
    text = _consent_text(person)
    return person.page(
        "consent.html",
        409 if changed else 200,
        consent=text,
        digest=digest_of(text),
        ticket=secrets.token_urlsafe(16),
        changed=changed,
        most=most,
        returns=_comes_anew(_kept_return(person)),
    )


def _comes_anew(back: Return | None) -> bool:
    """Whether a tool has sent whoever begins now."""
    return back is not None and not back.of


def _consent_text(person: Person) -> str:
    return person.words.consent.strip() or person.say("consent_default")


async def _is_invited(person: Person) -> bool:
    if person.secret is None:
        return False
    try:
        await person.link(person.secret, "resume")
    except LinkError:
        return False
    return True


def _is_closed(database: Database, study: int) -> tuple[bool, bool]:
    """Whether nobody new can come for now, and for good."""
    with database.reading() as connection:
        now = select(studies.c.paused, studies.c.stopped).where(studies.c.id == study)
        paused, stopped = connection.execute(now).one()
        return bool(paused), bool(stopped)


@pages.post("/consent")
async def consent(request: Request, study: str) -> Response:
    """Begin the visit of somebody who has agreed."""
    person = Person.at(request, study)
    form = await person.form()
    if await person.visit() is not None:
        return person.on()  # a second click, or another tab
    text = digest_of(_consent_text(person))
    if form.get("text") != text:
        return await _consent_page(person, changed=True)
    secret = person.secret
    if secret is None or not await _is_invited(person):
        # The same for both of two clicks, and another one whenever the page is opened anew.
        secret = person.derived(f"visit {form.get('ticket')}")
    language, until = person.speech.language, time.time() + DAYS * DAY
    await person.study.desk.ask(
        Consent(digest_of(secret), language, text, until, invited=person.pages.invited)
    )
    person.keep("visit", secret)
    back = _kept_return(person)
    if back is not None and (_comes_anew(back) or back.is_of(secret)):
        person.keep("return", back.bound(secret).packed())
    elif back is not None:  # of somebody whose visit is no longer there
        person.keep("return", "", seconds=0)
    return person.on()


# -- questions -----------------------------------------------------------------------------------


@pages.get("/back/{place}")
async def back(request: Request, study: str, place: int) -> Response:
    """Show a page of answers that can still be changed."""
    person = Person.at(request, study)
    return back_page(person, await person.visit(), place)


@pages.post("/answers")
async def answers(request: Request, study: str) -> Response:
    """Take the answers of one page."""
    person = Person.at(request, study)
    return await answer(person, await person.form())


# -- the arm and what it brought -----------------------------------------------------------------


async def _result_page(
    person: Person,
    seen: Seen,
    *,
    typed: Typed | None = None,
    problem: str = "",
    status: int = 200,
    follows: bool = False,
) -> Response:
    """Show the arm of a visit; `follows`: to who came by the link for later, and no more."""
    asked, live = person.pages.reward, person.study.live
    open_now = asked is not None and seen.reward is None
    # The way back has all answers in it; a link for later shows none.
    back = None if follows else _way_back(person)
    if back is not None and not (open_now and asked is not None and asked.when == "now"):
        secret = await aside(signing_secret, live.database, live.name)
        return person.page("return.html", to=back.after(live.name, seen, secret))
    field, follow = None, None
    if open_now and asked is not None:
        if asked.when == "now" or follows:
            range_, text = live.study.reward, person.words.reward
            field = reward_field(asked, text, range_, person.say, typed or Typed(), problem)
        elif person.secret is not None:
            follow = person.address(f"w/{await _follow_link(person, seen)}")
    return _page(person, seen, status, field=field, follow=follow, follows=follows)


def _page(
    person: Person,
    seen: Seen | None,
    status: int,
    *,
    field: Field | None,
    follows: bool,
    follow: str | None = None,
    unsaved: bool = False,
) -> Response:
    """Return the page of the arm; without the arm where nobody can say now which it was."""
    return person.page(
        "result.html",
        status,
        arm=None if seen is None else person.words.arms[seen.arm or ""],
        field=field,
        follows=follows,
        follow=follow,
        rewarded=seen is not None and seen.reward is not None,
        personal=None if follows else person.personal(),
        thanks=person.words.thanks.strip() or person.say("thanks_default"),
        unsaved=unsaved,
    )


async def _follow_link(person: Person, seen: Seen) -> str:
    """Return the secret of the link for later: it shows the arm, and none of the answers."""
    live, secret = person.study.live, derived(person.secret or "", "askless reward")

    def keep() -> None:
        with live.database.writing() as connection:
            add_link(connection, live.id, digest_of(secret), "reward", seen.number, until=None)

    await aside(keep)
    return secret


@pages.get("/reward")
async def later(request: Request, study: str) -> Response:
    """Show the reward question to who came by the link for later."""
    person = Person.at(request, study)
    seen = await person.visit("follow")
    if seen is None or seen.arm is None:
        raise Happened("link_unknown", 404)
    return await _result_page(person, seen, follows=True)


@pages.post("/reward")
async def reward(request: Request, study: str) -> Response:
    """Take the reward."""
    person = Person.at(request, study)
    form = await person.form()
    asked, range_ = person.pages.reward, person.study.live.study.reward
    # The form says for whom it was: one browser may have a visit and another one's link for later.
    follows = form.get("follows") == "yes"
    if asked is None:
        raise Happened("no_visit", 409)
    typed, value, problem = read_reward(asked, range_, form, person.say)
    seen: Seen | None = None
    try:
        seen = await person.visit("follow" if follows else "visit")
        if seen is None:
            raise Happened("no_visit", 409)
        if seen.arm is None:
            raise Happened("too_early", 409)
        if value is None:
            return await _result_page(
                person, seen, typed=typed, problem=problem, status=422, follows=follows
            )
        await person.study.desk.ask(Reward(seen.visit, value))
    except ConflictError:
        raise Happened("other_reward", 409, at="reward" if follows else "") from None
    except StorageError:
        # Nothing is looked up for it: where a look has just failed, another one would too.
        field = reward_field(asked, person.words.reward, range_, person.say, typed, "")
        page = _page(person, seen, 503, field=field, follows=follows, unsaved=True)
        page.headers["Retry-After"] = "5"
        return page
    return person.on("reward" if follows else "")


pages.include_router(coming)

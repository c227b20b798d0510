"""The addresses of the dashboard: its page, what is new, its tables, signing in and actions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from askless.service.aside import aside
from askless.service.dashboard.actions import ACTIONS, operation_of
from askless.service.dashboard.assets import assets
from askless.service.dashboard.glance import glance
from askless.service.dashboard.picture import Picture, picture_of
from askless.service.dashboard.problems import home
from askless.service.dashboard.seats import Door, Seat, office_of, read_form, seat_of
from askless.service.desk import Look, policy_now
from askless.service.errors import Refusal
from askless.service.web import HEADERS, see_other, show, templates
from askless.storage.admins import has_admin
from askless.storage.overview import read_overview
from askless.storage.replica import dumped

__all__ = ["dashboard"]

PARTS = ("verdict", "figures", "form", "rewards", "events", "state")  # renewed while one looks
NEWS = 5  # seconds between two looks

dashboard = APIRouter(prefix="/dashboard/{study}", include_in_schema=False)


async def _picture(seat: Seat, *, whole: bool = False) -> Picture:
    """Put a picture together; a whole one has every effect, of which there may be many."""
    live, desk = seat.office.live, seat.office.desk
    seen = await desk.ask(Look(glance))
    if whole and seen.effects is not None:
        policy = await desk.ask(Look(policy_now))
        effects = await aside(policy.effects)
        seen = replace(seen, effects=[dict(row) for row in effects])
    overview = await aside(read_overview, live.database, live.id)
    return await aside(picture_of, live.study, overview, seen)


def _content(seat: Seat, picture: Picture) -> dict[str, Any]:
    return {
        "assets": assets,
        "home": home(seat.office.live.name),
        "picture": picture,
        "token": seat.token,
        "admin": seat.admin,
        "every": NEWS,
    }


@dashboard.get("")
async def page(request: Request, study: str) -> Response:
    """Show the dashboard."""
    seat = await seat_of(request, study)
    if isinstance(seat, Response):
        return seat
    assets.bundle.prepare()
    picture = await _picture(seat)
    content = _content(seat, picture) | {"done": request.query_params.get("done") in ACTIONS}
    return await aside(show, "dashboard/page.html", content)


@dashboard.get("/news")
async def news(request: Request, study: str) -> Response:
    """Say what the page shows now: parts of it, and the rows of its charts."""
    seat = await seat_of(request, study)
    if isinstance(seat, Response):
        raise Refusal(401, "session", "you are no longer signed in; load the page again")
    picture = await _picture(seat)
    content = _content(seat, picture)

    def written() -> bytes:
        parts = {
            name: templates.get_template(f"dashboard/parts/{name}.html").render(content)
            for name in PARTS
        }
        table = templates.get_template("dashboard/parts/table.html")
        for name, chart in picture.charts.items():
            parts[f"table-{name}"] = table.render(content | {"chart": chart})
        drawn = {name: chart.as_data() for name, chart in picture.charts.items() if chart.spec}
        return dumped({"parts": parts, "charts": drawn}).encode()

    return Response(await aside(written), 200, HEADERS, "application/json")


@dashboard.get("/tables/{name}.csv")
async def table(request: Request, study: str, name: str) -> Response:
    """Save the table of a chart."""
    seat = await seat_of(request, study)
    if isinstance(seat, Response):
        return seat
    picture = await _picture(seat, whole=name.startswith("effects-"))
    chart = picture.charts.get(name)
    if chart is None:
        raise Refusal(404, "not_found", "there is no such table")
    saved = {"Content-Disposition": f'attachment; filename="{chart.name}.csv"'}
    return Response(chart.as_csv(), 200, HEADERS | saved, "text/csv; charset=utf-8")


# -- signing in and out --------------------------------------------------------------------------


@dashboard.get("/sign-in")
async def ask_in(request: Request, study: str) -> Response:
    """Show the door."""
    assets.bundle.prepare()  # by the time that somebody has typed, it is there
    return await _door(request, study)


async def _door(request: Request, study: str, *, wrong: bool = False) -> Response:
    office = office_of(request, study)
    there = await aside(has_admin, office.live.database, study)
    door: Door = request.app.state.door
    secret, token = door.offer(request)
    content = {
        "assets": assets,
        "home": home(study),
        "study": study,
        "token": token,
        "wrong": wrong,
        "has_admin": there,
        "plain": request.url.scheme == "http",
    }
    return door.leave(
        request, show("dashboard/sign_in.html", content, 401 if wrong else 200), secret
    )


@dashboard.post("/sign-in")
async def enter(request: Request, study: str) -> Response:
    """Sign in."""
    door: Door = request.app.state.door
    return await door.enter(request, study) or await _door(request, study, wrong=True)


@dashboard.post("/sign-out")
async def leave(request: Request, study: str) -> Response:
    """Sign out."""
    seat = await seat_of(request, study)
    if isinstance(seat, Response):
        return seat
    door: Door = request.app.state.door
    return await door.leave_seat(request, seat)


# -- actions -------------------------------------------------------------------------------------


@dashboard.post("/{action}")
async def act(request: Request, study: str, action: str) -> Response:
    """Pause, resume or stop the study, retire an arm, change the price."""
    seat = await seat_of(request, study)
    if isinstance(seat, Response):
        return seat
    form = await read_form(request, seat.secret)
    await seat.office.desk.ask(operation_of(action, form))
    return see_other(f"{home(study)}?done={action}#actions")

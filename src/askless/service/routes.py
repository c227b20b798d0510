"""The calls of the API: each takes what was sent to the study's desk and says what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from askless.errors import StorageError
from askless.policies.linear_ucb import LinearUCB
from askless.service.aside import aside
from askless.service.desk import Look, policy_now
from askless.service.errors import ErrorShape
from askless.service.keeper import Keeper, Office, address_of, may
from askless.service.shapes import (
    Answers,
    Changed,
    Effects,
    Events,
    Health,
    NewVisit,
    PriceGiven,
    RewardGiven,
    Summary,
    VisitShape,
)
from askless.service.vacuum import Vacuum
from askless.storage import (
    Answer,
    Erase,
    NotFoundError,
    Operation,
    Pause,
    Reprice,
    Retire,
    Revise,
    Reward,
    See,
    Start,
    Stop,
)
from askless.storage.journal import Page, list_events
from askless.storage.replica import Replica, dumped
from askless.storage.summaries import SPANS, read_spans

__all__ = ["api", "health"]

MOST_EVENTS, MOST_SPANS = 1_000, 1_000
HEALTHY = 5.0  # seconds
SAYS = {
    400: "The body is not JSON.",
    401: "No key, or one that is forged, expired or revoked.",
    403: "The key lacks the scope.",
    404: "There is no such thing for this key.",
    409: "It is in conflict with what was said before, comes too early, or the study is paused.",
    413: "The body is too large.",
    415: "The body is not sent as JSON.",
    422: "Something that was sent does not fit.",
    429: "Too many calls.",
    503: "The database does not answer: try again.",
}


def _may_say(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ErrorShape, "description": SAYS[status]} for status in statuses}


def _gives(model: type, status: int = 200) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": model}}


ALWAYS = _may_say(400, 401, 403, 404, 422, 429, 503)
CHANGES = ALWAYS | _may_say(409, 413, 415)

api = APIRouter(prefix="/v1/studies/{study}", responses=ALWAYS, default_response_class=Response)
health = APIRouter()

Serving = Annotated[Office, Depends(may("serve"))]
Rewarding = Annotated[Office, Depends(may("reward"))]
Exporting = Annotated[Office, Depends(may("export"))]
Administering = Annotated[Office, Depends(may("admin"))]
Token = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{24}$", description="A visit, as `POST visits` named it.")
]


def said(content: Mapping[str, Any], status: int = 200) -> Response:
    """Return an answer; nobody on the way keeps it."""
    body = dumped(content).encode()
    return Response(body, status, {"Cache-Control": "no-store"}, "application/json")


async def _visit(office: Office, operation: Operation) -> Response:
    seen = await office.desk.ask(operation)
    return said(office.texts.visit(seen), 201 if seen.new else 200)


# -- visits --------------------------------------------------------------------------------------


@api.post(
    "/visits",
    status_code=201,
    responses=CHANGES | _gives(VisitShape, 201) | _gives(VisitShape),
    tags=["visits"],
)
async def start(office: Serving, body: NewVisit) -> Response:
    """Start a visit, or (200) return the one of the person with this id."""
    return await _visit(office, Start(body.id, body.known, body.arms))


@api.get("/visits/{visit}", responses=_gives(VisitShape), tags=["visits"])
async def see(office: Serving, visit: Token) -> Response:
    """See a visit as it stands."""
    return await _visit(office, See(visit))


@api.post("/visits/{visit}/answers", responses=CHANGES | _gives(VisitShape), tags=["visits"])
async def answer(office: Serving, visit: Token, body: Answers) -> Response:
    """Answer any part of what a visit asks; the same again changes nothing."""
    return await _visit(office, Answer(visit, body.answers))


@api.patch("/visits/{visit}/answers", responses=CHANGES | _gives(VisitShape), tags=["visits"])
async def revise(office: Serving, visit: Token, body: Answers) -> Response:
    """Change answers, until the arm is decided."""
    return await _visit(office, Revise(visit, body.answers))


@api.post("/visits/{visit}/reward", responses=CHANGES | _gives(VisitShape), tags=["visits"])
async def reward(office: Rewarding, visit: Token, body: RewardGiven) -> Response:
    """Give a decided visit its reward, now or later; the same again changes nothing."""
    return await _visit(office, Reward(visit, body.reward))


@api.delete("/visits/{visit}", responses=CHANGES | _gives(Changed), tags=["visits"])
async def erase(request: Request, office: Administering, visit: Token) -> Response:
    """Erase a respondent for good, and what was learned from them; again: no change."""
    erased = await office.desk.ask(Erase(visit))
    vacuum: Vacuum = request.app.state.vacuum
    await vacuum.done()  # until then bytes are left
    return said({"changed": erased.was != "erased"})


# -- the study -----------------------------------------------------------------------------------


@api.get("/summary", responses=_gives(Summary), tags=["study"])
async def summary(
    office: Exporting,
    span: Annotated[str, Query(pattern=f"^({'|'.join(SPANS)})$")] = "day",
    last: Annotated[int, Query(ge=0, le=MOST_SPANS, description="How many days, hundreds.")] = 100,
) -> Response:
    """Say how far the study is: counts, what is still asked, sums by day or by hundred visits."""
    found = await office.desk.ask(Look(_summary))
    live = office.live
    spans = await aside(read_spans, live.database, live.id, span, last)
    return said({"study": live.name, **found, "spans": spans})


def _summary(page: Page, replica: Replica) -> dict[str, Any]:
    policy, names = replica.policy, replica.policy.survey.names
    form = replica.form
    return {
        "paused": page.paused,
        "stopped": page.stopped,
        "visits": page.visits,
        "decided": page.decided,
        "learned": page.learned,
        "waiting": len(replica.queue.waiting),
        "events": page.before,
        "questions": list(names),
        "arms": list(policy.live_arms),
        "support": {arm: list(policy.needs(arm)) for arm in policy.arms},
        "form": None if form is None else list(form),
        "asked_now": list(policy.asked_now()),
    }


@api.get("/effects", responses=_gives(Effects), tags=["study"])
async def effects(office: Exporting) -> Response:
    """Say what answers bring each arm, with intervals."""
    policy = await office.desk.ask(Look(policy_now))
    if not isinstance(policy, LinearUCB):
        raise NotFoundError(f"the policy {office.live.study.policy} estimates no effects")

    def found() -> Response:
        return said({"effects": [dict(row) for row in policy.effects()]})

    return await aside(found)


@api.get("/events", responses=_gives(Events), tags=["study"])
async def events(
    office: Exporting,
    after: Annotated[int, Query(ge=0, le=2**53, description="The last event you have.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_EVENTS)] = 100,
) -> Response:
    """Read the journal on from an event, in its order, without gaps."""
    live = office.live
    found = await aside(list_events, live.database, live.id, after, limit)
    last = found[-1]["serial"] if len(found) == limit else None
    return said({"events": found, "next": last})


@api.get(
    "/metrics",
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    tags=["study"],
)
async def metrics(request: Request, office: Exporting) -> Response:
    """Counts and times, as Prometheus reads them."""
    counts = await office.desk.ask(Look(_counts))
    text = request.app.state.measures.text(office.live.name, counts)
    return Response(text, media_type="text/plain; version=0.0.4")


def _counts(page: Page, replica: Replica) -> dict[str, float]:
    return {
        "events": page.before,
        "visits": page.visits,
        "visits_decided": page.decided,
        "visits_learned": page.learned,
        "visits_waiting": len(replica.queue.waiting),
        "questions_asked": len(replica.policy.asked_now()),
        "paused": page.paused,
    }


@api.post("/pause", responses=CHANGES | _gives(Changed), tags=["study"])
async def pause(office: Administering) -> Response:
    """Take no new visits; those that have begun go on."""
    return said({"changed": await office.desk.ask(Pause(paused=True))})


@api.post("/resume", responses=CHANGES | _gives(Changed), tags=["study"])
async def resume(office: Administering) -> Response:
    """Take new visits again."""
    return said({"changed": await office.desk.ask(Pause(paused=False))})


@api.post("/stop", responses=CHANGES | _gives(Changed), tags=["study"])
async def stop(office: Administering) -> Response:
    """End the study: no new visits, ever; those under way finish, and rewards are taken."""
    return said({"changed": await office.desk.ask(Stop())})


@api.post("/price", responses=CHANGES | _gives(Changed), tags=["study"])
async def price(office: Administering, body: PriceGiven) -> Response:
    """Change what asking one question may cost; a short form that stands is chosen anew by it."""
    return said({"changed": await office.desk.ask(Reprice(body.price))})


@api.post("/arms/{arm:path}/retire", responses=CHANGES | _gives(Changed), tags=["study"])
async def retire(office: Administering, arm: str) -> Response:
    """Play an arm no more; rewards that are still to come are learned."""
    return said({"changed": await office.desk.ask(Retire(arm))})


# -- the service ---------------------------------------------------------------------------------


@health.get("/health", responses=_gives(Health) | _may_say(429, 503), tags=["service"])
async def is_well(request: Request) -> Response:
    """Whether the service and its database answer; needs no key."""
    keeper: Keeper = request.app.state.keeper
    keeper.pace(address_of(request))
    if not await aside(keeper.database.is_newest, seconds=HEALTHY):
        raise StorageError("the tables of the database are not those of this askless")
    return said({"status": "ok"})

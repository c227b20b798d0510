"""The application put together: studies of one database, their desks, and the API before them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from anyio import to_thread
from fastapi import FastAPI

from askless import __version__
from askless.service import dashboard
from askless.service.desk import Desk
from askless.service.errors import answer_errors
from askless.service.gate import Gate
from askless.service.keeper import Keeper, Office
from askless.service.limits import ADDRESS_RATE, KEY_RATE
from askless.service.measures import Measures
from askless.service.names import check_name
from askless.service.pages import Happened, page_of, pages
from askless.service.routes import api, health
from askless.service.vacuum import Vacuum
from askless.storage import Database, LiveStudy

__all__ = ["create_app"]


def create_app(
    database: Database,
    studies: Sequence[str],
    *,
    key_rate: float = KEY_RATE,
    address_rate: float = ADDRESS_RATE,
) -> FastAPI:
    """Return the application that serves studies of a database (ASGI).

    Parameters
    ----------
    database : Database
        It is closed when the application ends.
    studies : sequence of str
        The names of studies that are in it.
    key_rate, address_rate : float
        Calls a second that each key, and each address, may make; 0 for no limit.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     _ = LiveStudy.open(database, al.Study.example())
    ...     app = create_app(database, ["charity"])
    ...     database.close()
    >>> [path for path in app.openapi()["paths"] if "answers" in path]
    ['/v1/studies/{study}/visits/{visit}/answers']
    """
    measures = Measures()
    offices = {name: Office(Desk(_live(database, name), measures)) for name in studies}

    @asynccontextmanager
    async def working(_: FastAPI) -> AsyncIterator[None]:
        for office in offices.values():
            office.desk.start()
        yield
        for office in offices.values():
            await to_thread.run_sync(office.desk.close)
        database.close()

    app = FastAPI(
        title="askless",
        version=__version__,
        description="Start a visit, answer what it asks, play its arm, give its reward.",
        lifespan=working,
        docs_url=None,  # its page would load from a network
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.keeper = Keeper(database, offices, key_rate=key_rate, address_rate=address_rate)
    app.state.measures = measures
    app.state.vacuum = Vacuum(database)
    app.state.door = dashboard.Door()
    faces = {"/s/": page_of, "/dashboard": dashboard.problem}
    answer_errors(app, faces, [Happened])
    app.add_middleware(Gate, measures=measures, studies=list(offices), faces=faces)
    for router in (api, health, pages, dashboard.dashboard, dashboard.files):
        app.include_router(router)
    _describe_errors(app)
    return app


def _live(database: Database, name: str) -> LiveStudy:
    check_name(name)
    return LiveStudy(database, name)


def _describe_errors(app: FastAPI) -> None:
    """Leave the framework's own shape of errors, which is never sent, out of the description."""
    made = app.openapi

    def described() -> dict[str, Any]:
        schema = made()
        for name in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(name, None)
        return schema

    app.openapi = described  # type: ignore[method-assign]

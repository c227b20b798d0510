"""`askless serve STUDY`: hold a study for people and for programs that call it over HTTP."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from askless.cli.live import file_of
from askless.cli.terminal import messages, output
from askless.errors import SettingError
from askless.survey import Study

if TYPE_CHECKING:
    from askless.service import Service
    from askless.storage import Database


def serve(
    study: Annotated[
        Path | None, typer.Argument(help="The study file; with --demo the example's if left out.")
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="ADDRESS",
            help="Where the study lives: a file, or postgresql://…; left out, NAME.db in this"
            " folder.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            help="Where to listen; 0 is any that is free. Left out: 8000, and with --demo, if that"
            " is taken, any."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes; several need PostgreSQL.")] = 1,
    key_rate: Annotated[
        float | None, typer.Option(help="Calls a second that a key may make; 0: no limit.")
    ] = None,
    address_rate: Annotated[
        float | None, typer.Option(help="Calls a second from one address; 0: no limit.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for every call.")] = False,
    proxy: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESSES",
            help="Web servers before it whose X-Forwarded-For and -Proto are believed, separated by"
            " commas; left out, this machine.",
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Let simulated people come; leave nothing behind.")
    ] = False,
    pace: Annotated[
        float | None, typer.Option(help="Demo: people a second, at most; left out, 20.")
    ] = None,
    visits: Annotated[
        int | None,
        typer.Option(
            help="Demo: end after so many. Left out: Ctrl-C ends it; without a terminal, 300 short"
            " visits or 1,500 in all."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Demo: which plausible world, and which people.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Demo: keep its database as NAME.db in this folder.")
    ] = False,
) -> None:
    """Serve a study: visits, answers, arms and rewards over HTTP, kept in a database."""
    only = {"--pace": pace, "--visits": visits, "--seed": seed, "--keep": keep or None}
    if demo:
        from askless.cli.demo import demonstrate  # noqa: PLC0415 (so that help comes at once)

        if workers != 1:
            raise SettingError(f"workers is {workers}; a demo has one")
        demonstrate(study, db, host, port, pace, visits, seed, keep=keep)
        return
    for option, given in only.items():
        if given is not None:
            raise SettingError(f"{option} is for --demo; leave it out, or add --demo")
    if study is None:
        raise SettingError("which study? give its file, or --demo to look at the example")
    read = Study.read(study)
    from askless.service import Service  # noqa: PLC0415 (so that help comes at once)
    from askless.service import serve as run  # noqa: PLC0415
    from askless.service.serving import check_free  # noqa: PLC0415

    rates = {"key_rate": key_rate, "address_rate": address_rate}
    service = Service(
        address=file_of(read.name) if db is None else db,
        studies=(read.name,),
        host=host,
        port=8000 if port is None else port,
        workers=workers,
        quiet=quiet,
        proxy=proxy,
        **{name: rate for name, rate in rates.items() if rate is not None},
    )
    check_free(host, service.port)  # before anything is made
    _begin(read, service)
    run(service)


def _begin(study: Study, service: Service) -> None:
    """Put the study into its database, or go on with it; say where it can be found."""
    from askless.service.serving import base_of  # noqa: PLC0415 (so that help comes at once)
    from askless.storage import Database, LiveStudy  # noqa: PLC0415
    from askless.storage.admins import has_admin  # noqa: PLC0415

    database = Database(service.address)
    try:
        database.migrate()
        LiveStudy.open(database, study)
        _show_first_key(database, study.name)
        admin = has_admin(database, study.name)
    finally:
        database.close()
    where = database.url.render_as_string(hide_password=True)
    _say(f"study {study.name!r} in {where}; Ctrl-C stops it")
    if service.port:  # else nobody knows yet which one is free
        base, name = base_of(service.host, service.port), quote(study.name, safe="")
        if study.pages is not None:
            _say(f"people answer at {base}/s/{name}")
        if admin:
            _say(f"dashboard at {base}/dashboard/{name}")
    if not admin:
        same = shlex.quote(where) if database.sqlite else "postgresql://…"
        _say(
            "nobody can sign in to the dashboard yet; set a password, also while it runs:"
            f" askless admin password {shlex.quote(study.name)} --db {same}"
        )


def _show_first_key(database: Database, study: str) -> None:
    """Make a key for a study that has none, and show it this once."""
    from askless.storage.keys import list_keys, make_key  # noqa: PLC0415 (so that help comes at once)

    if list_keys(database, study):
        return
    key = make_key(database, study, ["admin"], name="the first key")
    output.print(
        f"The first key of this study, for everything; it is shown this once:\n\n  {key}\n",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _say(what: str) -> None:
    messages.print(f"askless: {what}", markup=False, highlight=False, soft_wrap=True)

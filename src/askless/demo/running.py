"""A demo from beginning to end: a database, a service, people who come, what they have shown."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from askless.client import AsyncClient
from askless.client.summary import Summary
from askless.demo.doors import Doors, open_doors
from askless.demo.people import people_of
from askless.demo.sending import Sender, check_pace
from askless.demo.story import Story
from askless.errors import SettingError
from askless.service import Service, serving
from askless.storage import Database, LiveStudy
from askless.storage.live_study import study_names
from askless.survey import Study

__all__ = ["Demo", "View", "play"]

PACE = 20.0  # visits a second: the short form of the example comes within seconds
SEED = 3  # a world of the example in which three questions matter, and much
ENOUGH = 300  # short visits after which a demo that nobody watches has shown what it can
MOST = 1_500  # visits of such a demo, if short ones do not come
LOOK = 0.5  # seconds between two looks at the study
WILD = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # where to call what listens everywhere


@dataclass(frozen=True)
class Demo:
    """What is to be shown.

    Attributes
    ----------
    study : Study
        What is served.
    address : str or None
        Of a database that is kept; None for one that is gone afterwards.
    host, port : str, int or None
        Where to listen; None: 8000, or any port that is free.
    pace : float
        How many simulated people come a second, at most.
    visits : int or None
        After how many of them it ends.
    watched : bool
        Whether it goes on until it is stopped, if nothing is said about visits.
    seed : int
        Which world, and which people.
    """

    study: Study
    address: str | None = None
    host: str = "127.0.0.1"
    port: int | None = None
    pace: float = PACE
    visits: int | None = None
    watched: bool = False
    seed: int = SEED

    def __post_init__(self) -> None:
        check_pace(self.pace)
        if self.visits is not None and self.visits < 1:
            raise SettingError(f"visits is {self.visits}; give after how many to end, from 1 on")
        if self.seed < 0:
            raise SettingError(f"seed is {self.seed}; give a whole number from 0 on")

    def is_enough(self, sender: Sender, seen: Summary | None) -> bool:
        """Whether it has shown what it can."""
        if self.visits is not None:
            return sender.sent >= self.visits
        if self.watched:
            return False
        short = 0 if seen is None else sum(span.short for span in seen.spans if span.arm is None)
        return short >= ENOUGH or sender.sent >= MOST


class View:
    """What can be seen of a demo while it goes on."""

    def __init__(self, sender: Sender, lines: list[str]) -> None:
        self.sender, self.lines = sender, lines
        self.seen: Summary | None = None


def play(demo: Demo, show: Callable[[View], None]) -> Story:
    """Play a demo until it has shown enough, or is told to stop (Ctrl-C, SIGTERM).

    Parameters
    ----------
    demo : Demo
        What is to be shown.
    show : callable
        Told twice a second how far it is.
    """
    next(people_of(demo.study, demo.seed))  # refuses a study without a plausible world
    with _told_to_stop() as stop, _database(demo) as database:
        LiveStudy.open(database, demo.study)
        doors = open_doors(database, demo.study)
        port = 8000 if demo.port is None else demo.port
        service = Service(
            address=database.url.render_as_string(hide_password=False),
            studies=(demo.study.name,),
            host=demo.host,
            port=port,
            key_rate=0,  # everyone comes from one address, with one key
            address_rate=0,
            quiet=True,
        )
        with serving(service, or_any=demo.port is None) as address:
            sender = asyncio.run(_let_people_come(demo, doors, address, show, stop))
        return Story.of(sender, database, demo.study)


@contextmanager
def _database(demo: Demo) -> Iterator[Database]:
    """Open the database that is kept, or a new one in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="askless-demo-") as folder:
        database = Database(demo.address or str(Path(folder) / "demo.db"))
        try:
            database.migrate()
            with database.reading() as connection:
                if demo.study.name in study_names(connection):
                    raise SettingError(
                        f"the database has a study {demo.study.name!r} already, and simulated"
                        " people are not to be mixed with those who came; give another --db"
                    )
            yield database
        finally:
            database.close()


class Stop:
    """Whether somebody wants an end, told to whoever asks to be."""

    def __init__(self) -> None:
        self._wanted = False
        self._tell: list[Callable[[], Any]] = []

    def __call__(self, _: int, __: FrameType | None) -> None:
        """Take a signal."""
        self._wanted = True
        for tell in self._tell:
            tell()

    def tell(self, what: Callable[[], Any]) -> None:
        """Call this once an end is wanted."""
        self._tell.append(what)
        if self._wanted:
            what()


@contextmanager
def _told_to_stop() -> Iterator[Stop]:
    """Take Ctrl-C and SIGTERM as the wish for an end, so that nothing is left behind."""
    stop = Stop()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _let_people_come(
    demo: Demo, doors: Doors, address: str, show: Callable[[View], None], stop: Stop
) -> Sender:
    loop = asyncio.get_running_loop()
    at = address.replace(f"//{demo.host}:", f"//{WILD.get(demo.host, demo.host)}:")
    async with AsyncClient(at, demo.study.name, doors.key, plain_http=True) as client:
        sender = Sender(client, people_of(demo.study, demo.seed), demo.pace)
        view = View(sender, doors.lines(address))

        async def look() -> None:
            while True:
                view.seen = await client.summary()
                show(view)
                await asyncio.sleep(LOOK)

        async def send() -> None:
            await sender.send(lambda: demo.is_enough(sender, view.seen))
            while demo.watched and demo.visits is None:  # the study was stopped; it can be seen
                await asyncio.sleep(LOOK)

        looking, sending = asyncio.create_task(look()), asyncio.create_task(send())
        stop.tell(lambda: loop.call_soon_threadsafe(sending.cancel))
        try:
            with suppress(asyncio.CancelledError):
                done, _ = await asyncio.wait(
                    [looking, sending], return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    task.result()
        finally:
            for task in (looking, sending):
                task.cancel()
            await asyncio.gather(looking, sending, return_exceptions=True)
        show(view)
        return sender

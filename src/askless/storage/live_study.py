"""A study in a database: operations in, one transaction after the other, and a policy beside it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from askless.errors import (
    AsklessError,
    SettingError,
    StateError,
    StorageError,
    StudyError,
    meant,
    shown,
)
from askless.policies import policy_for
from askless.storage.database import Database
from askless.storage.journal import Page, records_of
from askless.storage.operations import OfVisit, Operation, Start
from askless.storage.replica import Replica, Snapshot, dumped
from askless.storage.tables import events, snapshots, studies
from askless.storage.write_points import reached
from askless.survey import Study

__all__ = ["LiveStudy", "difference", "find_study", "load_replica", "study_names"]

log = logging.getLogger("askless.storage")
UNTRIED = "the database does not answer; nothing was written, try again"
LONGEST_NAME = 200  # as the columns of tables have them


class LiveStudy:
    """One study of a database, as one process sees it.

    `run` is for one thread at a time. Any number of processes may hold the same study: what one
    writes the others read before they go on.

    Parameters
    ----------
    database : Database
        Where it is.
    name : str
        How it is called there.
    clock : callable
        Says the time, in seconds since 1970.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Answer, Reward, Start
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     (seen,) = live.run([Start(own="person 1", arms=["wwf"])])
    ...     person = {"age": 44, "donor": True, "cause": "climate", "income": 5}
    ...     person |= {"newsletter": False, "region": "north", "media": ["web"], "children": None}
    ...     (seen,) = live.run([Answer(seen.visit, person)])
    ...     (paid,) = live.run([Reward(seen.visit, 60)])
    ...     database.close()
    >>> seen.arm, paid.status
    ('wwf', 'rewarded')
    """

    def __init__(
        self, database: Database, name: str, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.database, self.name, self._clock = database, name, clock
        with database.reading() as connection:
            self.id, text = find_study(connection, name)
        self.study = read_study(text, name)
        self.policy_seconds = 0.0  # spent in deciding and learning
        self._replica: Replica | None = None

    @classmethod
    def open(
        cls, database: Database, study: Study, *, clock: Callable[[], float] = time.time
    ) -> LiveStudy:
        """Go on with a study, or begin it; refuse one that has begun with other settings."""
        text = _text_of(study)
        _check_lengths(study)
        policy_for(study)  # refuses what it cannot run with
        try:
            _take_file(database, study, text, clock)
        except IntegrityError:  # somebody else has just begun it
            _take_file(database, study, text, clock)
        return cls(database, study.name, clock=clock)

    # -- operations ------------------------------------------------------------------------------

    def run(
        self, operations: Sequence[Operation], answered: Callable[[list[Any]], None] | None = None
    ) -> list[Any]:
        """Do operations in one transaction; an error takes the place of what was refused.

        Parameters
        ----------
        operations : sequence of Operation
            They see the state before all of them, and what the ones before them have written.
        answered : callable, optional
            Told the outcomes as soon as they are safe in the database, before they are learned.
        """
        if len(operations) > 1 and any(operation.alone for operation in operations):
            return self._one_by_one(operations, answered)
        try:
            return self._run(operations, answered)
        except StorageError:
            raise
        except Exception:
            self._replica = None  # whatever it was, memory must not differ from the journal
            if len(operations) <= 1:
                raise
        return self._one_by_one(operations, answered)

    def _one_by_one(
        self, operations: Sequence[Operation], answered: Callable[[list[Any]], None] | None
    ) -> list[Any]:
        """Do each by itself: one that fails in an unforeseen way takes no other with it.

        Where the database no longer answers, the rest are not tried; what is done stays done.
        """
        outcomes: list[Any] = []
        for operation in operations:
            try:
                outcomes += self._run([operation], None)
            except StorageError as error:
                not_tried = len(operations) - len(outcomes) - 1
                outcomes += [error, *[StorageError(UNTRIED)] * not_tried]
                break
            except Exception as error:
                self._replica = None
                outcomes.append(error)
        if answered is not None:
            answered(outcomes)
        return outcomes

    def _run(
        self, operations: Sequence[Operation], answered: Callable[[list[Any]], None] | None
    ) -> list[Any]:
        with self.database.writing() as connection:
            page = Page(connection, self.id, self._clock())
            reached("journal locked")
            replica = self._caught_up(page, connection)
            page.look_up(
                [op.token for op in operations if isinstance(op, OfVisit)],
                [op.own for op in operations if isinstance(op, Start) and op.own is not None],
                [follow.visit for follow in replica.follows if follow.visit is not None],
            )
            page.note(replica.follows)
            if replica.snapshot is not None:
                page.keep(replica.snapshot)
            begun = time.perf_counter()
            try:
                outcomes = [_outcome(operation, page, replica) for operation in operations]
            finally:
                if page.erases:  # whatever comes of it: the next one begins with what is kept
                    self._replica = None
            self.policy_seconds += time.perf_counter() - begun
            page.write()
            reached("before the commit")
        reached("after the commit")
        replica.snapshot = None
        if answered is not None:
            answered(outcomes)
            reached("answered")
        if not page.erases:
            begun = time.perf_counter()
            self._learn(replica, page)
            self.policy_seconds += time.perf_counter() - begun
        reached("applied")
        return outcomes

    def _learn(self, replica: Replica, page: Page) -> None:
        """Apply what has been written; where that fails, it is done all the same."""
        try:
            replica.take(page.events)
        except Exception as error:
            # Raised from here, operations would be run again that are in the journal already. The
            # next transaction begins anew from there, and fails before it writes anything.
            log.error("what was written cannot be learned: %s", type(error).__name__)
            self._replica = None

    def _caught_up(self, page: Page, connection: Connection) -> Replica:
        """Return the replica, at the end of the journal."""
        if self._replica is None or not page.follow(self._replica):
            self._replica = load_replica(connection, self.id, self.study)
            page.follow(self._replica)
        return self._replica

    @property
    def pending(self) -> bool:
        """Whether something followed from what was applied that is not in the journal yet."""
        return self._replica is not None and bool(self._replica.follows)

    def look(self, at: Callable[[Replica], Any]) -> Any:
        """Return what can be seen of the newest state; nothing is written."""
        with self.database.writing() as connection:
            page = Page(connection, self.id, self._clock())
            return at(self._caught_up(page, connection))


def _outcome(operation: Operation, page: Page, replica: Replica) -> Any:
    try:
        return operation.run(page, replica)
    except (StorageError, StateError):
        raise
    except AsklessError as error:
        return error


def load_replica(
    connection: Connection, study_id: int, study: Study, *, base: bool = False
) -> Replica:
    """Return a replica at the newest snapshot, or at the one from which the journal begins."""
    wanted = select(snapshots.c.serial, snapshots.c.body, snapshots.c.digest).where(
        snapshots.c.study == study_id
    )
    if base:
        wanted = wanted.where(snapshots.c.base)
    row = connection.execute(wanted.order_by(snapshots.c.serial.desc()).limit(1)).one_or_none()
    if row is None:
        return Replica(study)
    return Replica.load(
        study, Snapshot(*row), lambda numbers: records_of(connection, study_id, numbers)
    )


# -- the study and its file ----------------------------------------------------------------------


def find_study(connection: Connection, name: str, *, hold: bool = False) -> tuple[int, str]:
    """Return a study's place in the database and its file; refuse one that is not there.

    Whoever holds its row writes alone until the transaction ends.
    """
    wanted = select(studies.c.id, studies.c.file).where(studies.c.name == name)
    row = connection.execute(wanted.with_for_update() if hold else wanted).one_or_none()
    if row is None:
        there = study_names(connection)
        known = meant(name, there, "it has") if there else "; it has none yet"
        raise SettingError(f"the database has no study {name!r}{known}")
    return row.id, row.file


def study_names(connection: Connection) -> list[str]:
    """Return the names of all studies that a database has."""
    return list(connection.execute(select(studies.c.name).order_by(studies.c.name)).scalars())


def _text_of(study: Study) -> str:
    if study.located is None or not study.located.text:
        raise SettingError("a live study needs its study file; read it with askless.Study.read")
    return study.located.text


def _check_lengths(study: Study) -> None:
    """Refuse names that the columns of a database, or calls over HTTP, have no room for."""
    named = [("the study", study.name), *(("an arm", arm.name) for arm in study.arms)]
    for what, name in named:
        if len(name) > LONGEST_NAME:
            raise StudyError(
                f"{what} is called {shown(name, 60)}, of {len(name):,} characters; in a live study"
                f" names have {LONGEST_NAME} at most: put what people read into text"
            )


def _take_file(database: Database, study: Study, text: str, clock: Callable[[], float]) -> None:
    """Begin a study with its file, or go on with it."""
    with database.writing() as connection:
        row = connection.execute(
            select(studies.c.id, studies.c.file).where(studies.c.name == study.name)
        ).one_or_none()
        if row is None:
            _begin(connection, study, text, clock())
        elif row.file != text:
            _change_file(connection, row.id, study, read_study(row.file, study.name), text)


def read_study(text: str, name: str) -> Study:
    """Return a study from the file that the database has."""
    try:
        return Study.parse(text, source=f"the file of study {name!r} in the database")
    except StudyError as error:
        raise StateError(str(error)) from None


def _begin(connection: Connection, study: Study, text: str, at: float) -> None:
    """Write a new study, and its first event."""
    made = connection.execute(
        insert(studies).values(
            name=study.name,
            file=text,
            created=at,
            serial=1,
            visits=0,
            decided=0,
            learned=0,
            at=at,
            paused=False,
        )
    )
    (of,) = made.inserted_primary_key or (0,)
    connection.execute(insert(events).values(_settings(of, 1, 0, at, text)))


def _settings(study: int, serial: int, page: int, at: float, text: str) -> dict[str, Any]:
    body = dumped({"file": text})
    return {
        "study": study,
        "serial": serial,
        "page": page,
        "at": at,
        "kind": "settings",
        "visit": None,
        "body": body,
    }


def _change_file(connection: Connection, of: int, study: Study, before: Study, text: str) -> None:
    """Take a file whose words have changed; refuse one that would be another study."""
    differs = difference(study, before)
    if differs:
        raise StudyError(
            f"study {study.name!r} has begun with other {differs}; give its file as it was (texts"
            " may change), or give the new study another name"
        )
    page = Page(connection, of, 0.0)
    page.append("settings", None, {"file": text})
    page.write()
    connection.execute(update(studies).where(studies.c.id == of).values(file=text))


def difference(new: Study, old: Study) -> str:
    """Say what of a study is not as it was; nothing where only its words differ."""
    parts: dict[str, list[Any]] = {
        "questions": [
            [{**q.meaning(), "cost": q.cost, "always_ask": q.always_ask} for q in s.survey]
            for s in (new, old)
        ],
        "coding": [s.survey.coding for s in (new, old)],
        "arms": [[_bare(arm) for arm in s.arms] for s in (new, old)],
        "reward": [(s.reward.low, s.reward.high, s.window, s.silence) for s in (new, old)],
        "policy": [(s.policy, dict(s.settings)) for s in (new, old)],
    }
    return ", ".join(name for name, (mine, theirs) in parts.items() if mine != theirs)


def _bare(arm: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(arm).items() if name != "text"}

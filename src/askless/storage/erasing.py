"""Takes a respondent out of a live study: what they said and did, and what was learned from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import select

from askless.errors import AsklessError, SettingError, StateError
from askless.policies.linear_ucb import LinearUCB
from askless.storage.database import Database
from askless.storage.journal import Page, VisitRow
from askless.storage.links import digest_of
from askless.storage.live_study import LiveStudy
from askless.storage.operations import NotFoundError, Operation
from askless.storage.replica import Replica
from askless.storage.summaries import DAY
from askless.storage.tables import links, visits

__all__ = ["Erase", "Erased", "erase"]


@dataclass(frozen=True, slots=True)
class Erased:
    """What became of a visit that was to be erased.

    Attributes
    ----------
    number : int
        Its number in the study, which stays.
    was : str
        Its status before, see `VisitRow`; erased: nothing was left to do.
    unlearned : bool
        Whether a row was taken out of what the policy has learned.
    """

    number: int
    was: str
    unlearned: bool = False


@dataclass(frozen=True, slots=True)
class Erase(Operation):
    """Erase a visit, by its token or by the caller's own name for the person; again: no change.

    The policy's sums lose the row exactly, supports and what tests concluded stay. The bytes are
    gone from the files once the database is vacuumed.
    """

    token: str | None = None
    own: str | None = None
    alone: ClassVar[bool] = True  # what is before it can no longer be replayed

    def run(self, page: Page, replica: Replica) -> Erased:
        """Return what was done."""
        row = self._row(page)
        if row.status == "erased":
            return Erased(row.number, "erased")
        was, learned = row.status, row.learned is not None
        if learned and not isinstance(replica.policy, LinearUCB):
            raise SettingError(
                f"policy {replica.policy.name!r} cannot take out again what it has learned, so"
                " this visit cannot be erased alone; nothing is changed"
            )
        page.erases = True
        try:
            self._take_out(page, replica, row)
        except AsklessError as error:
            raise StateError(f"visit {row.number} cannot be taken out: {error}") from None
        page.tally.moved(page.record(row), None)
        _uncount(page, row)
        page.empty(row)
        page.unlink(row)
        _blank(row)
        page.change(row)
        replica.position += 1
        snapshot = replica.as_snapshot()
        page.append("erased", row.number, {"digest": snapshot.digest})
        page.keep(snapshot, base=True)
        return Erased(row.number, was, learned)

    def _row(self, page: Page) -> VisitRow:
        if (self.token is None) == (self.own is None):
            raise SettingError("whom to erase? give the visit, or the caller's own id")
        if self.own is not None:
            row = page.by_own(self.own)
        else:
            row = page.by_token(str(self.token)) or page.by_token(token_after(str(self.token)))
        if row is None:
            raise NotFoundError("there is no such visit in this study")
        return row

    @staticmethod
    def _take_out(page: Page, replica: Replica, row: VisitRow) -> None:
        """Bring the replica to the end of the page, without the visit."""
        policy = replica.policy
        replica.take(page.events)  # what has just been noted
        if row.number in replica.queue.waiting:
            replica.queue.forget(row.number)
        elif row.learned is not None:
            assert isinstance(policy, LinearUCB)
            said = next(event.body for event in page.events_of(row) if event.kind == "learned")
            lesson = {"reward": said["reward"], "learned_in": said["block"]}
            policy.unlearn(policy.visit(page.record(row) | lesson))


def token_after(token: str) -> str:
    """Return how an erased visit is called: whoever asks again for it to be erased is told so."""
    return f"erased-{hashlib.sha256(token.encode()).hexdigest()[:32]}"


def _uncount(page: Page, row: VisitRow) -> None:
    page.tally.started(row, -1)
    if row.decided is not None:
        page.tally.decided(row, -1)
    if row.reward is not None:
        page.tally.rewarded(row, row.reward, -1)


def _blank(row: VisitRow) -> None:
    """Leave of a visit its number and its day."""
    row.token, row.status, row.started = token_after(row.token), "erased", row.started // DAY * DAY
    row.own = row.record = row.kind = row.arm = None
    row.decided = row.asked = row.learned = row.learned_after = row.block = None
    row.decided_at = row.reward = None


def erase(
    database: Database,
    name: str,
    *,
    visit: str | None = None,
    own: str | None = None,
    link: str | None = None,
    later: bool = False,
) -> Erased:
    """Erase a respondent from a study and its database; other processes may go on with it.

    Parameters
    ----------
    database : Database
        Where the study is.
    name : str
        How it is called there.
    visit : str, optional
        The visit, as callers know it.
    own : str, optional
        Or the caller's own name for the person.
    link : str, optional
        Or the personal link that pages show.
    later : bool
        Leave it to a later `Database.vacuum` to overwrite the bytes: it takes the time of copying
        the database.

    Examples
    --------
    >>> import tempfile, askless as al
    >>> from askless.storage import Database, LiveStudy, Start
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/study.db")
    ...     database.migrate()
    ...     live = LiveStudy.open(database, al.Study.example())
    ...     (seen,) = live.run([Start(own="person 1")])
    ...     done, again = [erase(database, live.name, visit=seen.visit) for _ in range(2)]
    ...     database.close()
    >>> done.was, again.was
    ('open', 'erased')
    """
    live = LiveStudy(database, name)
    outcome = _erased(live, visit, own, link)
    # Also where an erasure before this one had no time for it, which has left no id to find.
    if not later and isinstance(outcome, Erased | NotFoundError):
        database.vacuum()
    if isinstance(outcome, Exception):
        raise outcome
    assert isinstance(outcome, Erased)
    return outcome


def _erased(live: LiveStudy, visit: str | None, own: str | None, link: str | None) -> Any:
    """Return what came of an erasure, or why it was refused."""
    if link is not None:
        visit = _visit_of(live, link)
        if visit is None:
            return NotFoundError("this link leads to no visit of this study")
    (outcome,) = live.run([Erase(visit, own)])
    return outcome


def _visit_of(live: LiveStudy, link: str) -> str | None:
    """Return how callers name the visit to which a personal link leads."""
    secret = link.rstrip("/").rsplit("/", 1)[-1]
    named = (
        select(visits.c.token)
        .join(links, (links.c.study == visits.c.study) & (links.c.visit == visits.c.number))
        .where(links.c.study == live.id, links.c.digest == digest_of(secret))
    )
    with live.database.reading() as connection:
        token: str | None = connection.execute(named).scalar()
    return token

"""How far a live study is, as the service says it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Span", "Summary"]


@dataclass(frozen=True)
class Span:
    """Counts and sums of a day, or of a hundred visits.

    Attributes
    ----------
    start : int
        Days since 1970, or the number of the hundred.
    arm : str or None
        Of which arm; None for all together.
    started, decided, rewarded, late : int
        Visits that have got so far.
    full, short, checks : int
        Decided visits by their kind.
    asked : int
        Questions that were put.
    reward, squares : float
        Sums of rewards, and of their squares.
    asked_short : int
        Of `asked`: in short visits.
    """

    start: int
    arm: str | None
    started: int
    decided: int
    full: int
    short: int
    checks: int
    asked: int
    rewarded: int
    late: int
    reward: float
    squares: float
    asked_short: int = 0


@dataclass(frozen=True)
class Summary:
    """How far a study is.

    Attributes
    ----------
    study : str
        Its name.
    paused, stopped : bool
        Whether it takes no new visits, for now or for good.
    visits, decided, learned : int
        How many have got so far.
    waiting : int
        Decided visits whose reward is still to come or to be learned.
    events : int
        Lines of the journal.
    questions, arms : tuple of str
        All questions, and the arms in play.
    support : dict
        Per arm, the questions that its model still uses.
    form : tuple of str or None
        The short form, where one stands.
    asked_now : tuple of str
        What a full visit asks now, at most.
    spans : tuple of Span
        Counts by days and by hundreds of visits.
    """

    study: str
    paused: bool
    stopped: bool
    visits: int
    decided: int
    learned: int
    waiting: int
    events: int
    questions: tuple[str, ...]
    arms: tuple[str, ...]
    support: dict[str, tuple[str, ...]]
    form: tuple[str, ...] | None
    asked_now: tuple[str, ...]
    spans: tuple[Span, ...]

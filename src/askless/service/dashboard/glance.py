"""What the policy in memory says of itself, for the dashboard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askless.policies import SurveyBandit
from askless.policies.linear_ucb import LinearUCB
from askless.policies.short_forms import ShortForm
from askless.storage.journal import Page
from askless.storage.replica import Replica

__all__ = ["MOST_EFFECTS", "Glance", "glance"]

MOST_EFFECTS = 60  # rows of an arm: some studies have tens of thousands, and people look again


@dataclass(frozen=True)
class Glance:
    """A study at one moment, as whoever serves it knows it.

    Attributes
    ----------
    state : str
        running, paused or stopped.
    at : float
        The moment.
    visits, decided, learned, waiting, events : int
        How many there are.
    oldest : float or None
        When the visit was decided that waits for its reward for longest.
    live : tuple of str
        The arms in play.
    asked : tuple of str
        What a full visit asks now, at most.
    effects : list of dict or None
        See `askless.Effect`, the largest of each arm; None where the policy estimates none.
    form : ShortForm or None
        What short visits ask, where there may be some.
    price : float or None
        What asking one question may cost; None where it cannot be changed.
    """

    state: str
    at: float
    visits: int
    decided: int
    learned: int
    waiting: int
    events: int
    oldest: float | None
    live: tuple[str, ...]
    asked: tuple[str, ...]
    effects: list[dict[str, Any]] | None
    form: ShortForm | None
    price: float | None


def glance(page: Page, replica: Replica) -> Glance:
    """Look at a study; nothing is written, and nobody has to wait for long."""
    policy, form, price = replica.policy, None, None
    if isinstance(policy, SurveyBandit) and policy._short is not None:
        form = policy.short_form()
        price = policy.price if policy.settings.questions is None else None
    effects = None
    if isinstance(policy, LinearUCB):
        effects = [dict(row) for row in policy.effects(most=MOST_EFFECTS)]
    state = "stopped" if page.stopped else "paused" if page.paused else "running"
    return Glance(
        state=state,
        at=page.at,
        visits=page.visits,
        decided=page.decided,
        learned=page.learned,
        waiting=len(replica.queue.waiting),
        events=page.before,
        oldest=_oldest(page, replica),
        live=tuple(policy.live_arms),
        asked=tuple(policy.asked_now()),
        effects=effects,
        form=form,
        price=price,
    )


def _oldest(page: Page, replica: Replica) -> float | None:
    waiting = replica.queue.waiting
    return page.by_numbers(waiting[:1])[0].decided_at if waiting else None

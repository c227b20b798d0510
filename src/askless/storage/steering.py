"""What can be done to a whole study while it runs: each is one step, safe to be repeated."""

from __future__ import annotations

from dataclasses import dataclass

from askless.errors import ConflictError, SettingError
from askless.policies import SurveyBandit
from askless.storage.journal import Page
from askless.storage.operations import Operation, eligible
from askless.storage.replica import Replica

__all__ = ["Pause", "Reprice", "Retire", "Stop", "Tick"]


@dataclass(frozen=True, slots=True)
class Pause(Operation):
    """Take no new visits, or take them again."""

    paused: bool

    def run(self, page: Page, replica: Replica) -> bool:  # noqa: ARG002
        """Return whether that was a change."""
        if page.stopped:
            raise ConflictError("the study has been stopped, for good; it takes no new visits")
        if page.paused == self.paused:
            return False
        page.paused = self.paused
        page.append("paused" if self.paused else "resumed", None, {})
        return True


@dataclass(frozen=True, slots=True)
class Stop(Operation):
    """End the study: no new visits, ever; those under way finish, and rewards are taken."""

    def run(self, page: Page, replica: Replica) -> bool:  # noqa: ARG002
        """Return whether that was a change."""
        if page.stopped:
            return False
        page.stopped = True
        page.append("stopped", None, {})
        return True


@dataclass(frozen=True, slots=True)
class Reprice(Operation):
    """Change what asking one question may cost, in reward units."""

    price: float

    def run(self, page: Page, replica: Replica) -> bool:
        """Return whether that was a change."""
        policy = replica.policy
        if not isinstance(policy, SurveyBandit):
            raise SettingError(f"policy {policy.name!r} has no price to change")
        price = policy.check_price(self.price)
        doubt = policy.doubt_price(price)
        if doubt is not None:
            raise SettingError(f"price is {price:g}: {doubt}", "price")
        said = [event.body["price"] for event in page.events if event.kind == "priced"]
        if price == (said[-1] if said else policy.settings.price):
            return False
        page.append("priced", None, {"price": price})
        return True


@dataclass(frozen=True, slots=True)
class Retire(Operation):
    """Play an arm no more; rewards that are still to come are learned."""

    arm: str

    def run(self, page: Page, replica: Replica) -> bool:
        """Return whether that was a change."""
        policy = replica.policy
        arm = eligible(policy.arms, policy.arms, [self.arm])[0]
        gone = {event.body["arm"] for event in page.events if event.kind == "retired"}
        if arm not in policy.live_arms or arm in gone:
            return False
        if not policy.roster.may_retire(arm, *gone):
            raise ConflictError(
                f"arm {arm!r} is the last one, if only for some people; the study needs one for"
                " everyone"
            )
        page.append("retired", None, {"arm": arm})
        return True


@dataclass(frozen=True, slots=True)
class Tick(Operation):
    """Let time pass: what has waited for its whole window is given up.

    So is whoever was erased at the head of a line: those behind, with their rewards, move up.
    """

    def run(self, page: Page, replica: Replica) -> bool:
        """Return whether anything is due by now."""
        if not replica.queue.is_due(at=page.at):
            return False
        page.append("ticked", None, {})
        return True

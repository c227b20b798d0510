"""What an administrator can do from the dashboard: forms become operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from askless.service.errors import Refusal
from askless.storage import Operation, Pause, Reprice, Retire, Stop

__all__ = ["ACTIONS", "operation_of"]

Form = Mapping[str, str]
# As the page shows it, or with a comma; 1,000 may be one or a thousand.
PRICE = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15}|,(?![0-9]{3}$)[0-9]{1,15})?(e[+-]?[0-9]{1,2})?")


def _sure(form: Form, what: str) -> None:
    if form.get("sure") != "yes":
        raise Refusal(422, "sure", f"{what} cannot be undone; tick the box if you mean it")


def _retire(form: Form) -> Operation:
    _sure(form, "to retire an arm")
    return Retire(form.get("arm", ""))


def _stop(form: Form) -> Operation:
    _sure(form, "to stop the study")
    return Stop()


def _reprice(form: Form) -> Operation:
    price = form.get("price", "").strip()
    if not PRICE.fullmatch(price):
        raise Refusal(
            422,
            "setting",
            "the price is no number such as 0.25; give what asking one question may cost",
        )
    return Reprice(float(price.replace(",", ".")))


ACTIONS: dict[str, Callable[[Form], Operation]] = {
    "pause": lambda _: Pause(paused=True),
    "resume": lambda _: Pause(paused=False),
    "retire": _retire,
    "stop": _stop,
    "price": _reprice,
}


def operation_of(action: str, form: Form) -> Operation:
    """Return what a form asks for; refuse what is none of ours."""
    if action not in ACTIONS:
        raise Refusal(404, "not_found", "there is nothing at this address")
    return ACTIONS[action](form)

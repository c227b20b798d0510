"""Who enters a contest: policies with settings that fit a range of rewards and a study's size."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askless.errors import SettingError
from askless.policies import SurveyBandit, policy_class
from askless.policies.building import settings_of

__all__ = ["BETA_MIN", "OURS", "Entrant", "entrants", "named_entrant", "slug"]

BETA_MIN = 0.1  # of the reward range
OURS = "SurveyBandit"


@dataclass(frozen=True)
class Entrant:
    """A policy of a contest.

    Attributes
    ----------
    label : str
        How tables and figures call it.
    settings : mapping
        Its name and settings.
    scaled : mapping
        Settings in units of the reward range: they are multiplied by its length.
    planned : bool
        Whether it is told for how many people the study is planned.
    """

    label: str
    settings: Mapping[str, Any]
    scaled: Mapping[str, float] = field(default_factory=dict)
    planned: bool = False

    def policy(self, span: float, people: int) -> dict[str, Any]:
        """Return name and settings for a range of this length and a study of this size."""
        scaled = {name: value * span for name, value in self.scaled.items()}
        told = {"planned": people} if self.planned else {}
        return {**self.settings, **scaled, **told}


def entrants(price: float, beta_min: float = BETA_MIN) -> list[Entrant]:
    """Return the standard contest: ours at a price of a question, and all rivals.

    The price and `beta_min` are shares of the range.
    """
    drops = {"beta_min": beta_min}
    ours = {"name": SurveyBandit.name}
    pilot = {"name": "pilot-then-screen"}
    return [
        Entrant(OURS, ours, {**drops, "price": price}, planned=True),
        Entrant("SurveyBandit, price 0", {**ours, "price": 0}, drops),
        Entrant("Ridge SurveyUCB", {"name": "ridge"}, drops),
        Entrant("LinUCB, noise", {"name": "linucb", "width": "noise"}),
        Entrant("LinUCB, Li 2010", {"name": "linucb"}),
        Entrant("LinTS", {"name": "lints"}),
        Entrant("epsilon-greedy", {"name": "epsilon-greedy"}),
        Entrant("TSRC", {"name": "tsrc"}),
        Entrant("WTSRC", {"name": "wtsrc"}),
        Entrant("LASSO Bandit", {"name": "lasso-bandit"}),
        Entrant("Thresholded Lasso", {"name": "thresholded-lasso"}),
        Entrant("Sparse UCB", {"name": "sparse-ucb", "size": 1}),
        Entrant("pilot of 10%", {**pilot, "share": 0.1}, planned=True),
        Entrant("pilot of 20%", {**pilot, "share": 0.2}, planned=True),
        Entrant("uniform", {"name": "uniform"}),
    ]


def named_entrant(name: str, price: float, beta_min: float = BETA_MIN) -> Entrant:
    """Return one of the standard contest, or a policy by its name, or as module:Class.

    Names are those of policies, which stand for the first entrant of that policy that has no
    further settings, and labels as `slug` has them: linucb-noise, pilot-of-10%. Others get what
    fits of the standard settings.
    """
    standing = entrants(price, beta_min)
    for entrant in standing:
        if slug(entrant.label) == name:
            return entrant
    for entrant in standing:
        if entrant.settings == {"name": name}:
            return entrant
    kind = policy_class(name, beside=[slug(entrant.label) for entrant in standing])
    taken = settings_of(kind)
    standard = {"beta_min": beta_min, "price": price}
    scaled = {key: value for key, value in standard.items() if key in taken}
    for key in taken:
        if taken[key].needed and key not in standard:
            raise SettingError(f"policy {name!r} needs {key!r}, which a contest cannot give it")
    return Entrant(name, {"name": name}, scaled, planned="planned" in taken)


def slug(name: str) -> str:
    """Return a name as a part of a file's name, or of a command."""
    return re.sub(r"[^a-z0-9.%]+", "-", name.lower()).strip("-")

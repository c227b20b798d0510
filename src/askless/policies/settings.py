"""The settings of a UCB policy, checked against each other, with the defaults of maths 1.3."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from askless.core.arrays import Floats
from askless.core.words import (
    BY_ARM,
    BY_QUESTION,
    CERTIFIED,
    EVERYTHING,
    FIXED,
    NET_ESTIMATES,
    NET_PUBLISHED,
    NET_PUBLISHED_SQRT,
    NET_SCALED,
    NET_SCALED_SQRT,
    NET_SELECTS,
    NET_VALID,
    NO_NET,
    NOISE,
    OWN,
    PAPER_HEURISTIC,
    PUBLISHED,
    PUBLISHED_SQRT,
    SCALED,
    UNIFORM,
    VALID,
    Rule,
)
from askless.errors import SettingError
from askless.policies.shared_settings import GROWTH, OPTIMISM, default_delta
from askless.survey import Constants, RewardRange, Survey
from askless.survey.policy_descriptions import Taken
from askless.survey.reward import check_beta_min

__all__ = ["RADII", "Settings", "check_price"]

LAM_SELECTS = 0.3  # where a net only selects, any multiple is safe; this is near the usual lasso's
LEAST_PRICE = 1e-9  # of a question, of the reward range, if it is not 0
SET_PART = 0.1  # of an arm's share of delta, where the tests have the rest (maths 5.1)

RADII = {
    "valid": VALID,
    "published": PUBLISHED,
    "published_sqrt": PUBLISHED_SQRT,
    "li2010": FIXED,
    "noise": NOISE,
}
# Of the elastic net: the form, what the net is for, its penalties (maths 3.2).
NET_RADII = {
    "valid": (NET_VALID, NET_ESTIMATES, OWN),
    "published": (NET_PUBLISHED, NET_ESTIMATES, UNIFORM),
    "published_sqrt": (NET_PUBLISHED_SQRT, NET_ESTIMATES, UNIFORM),
    "published_scaled": (NET_SCALED, NET_ESTIMATES, SCALED),
    "published_scaled_sqrt": (NET_SCALED_SQRT, NET_ESTIMATES, SCALED),
    "ridge": (VALID, NET_SELECTS, OWN),
}
SETS = ("valid", "ridge")  # the radii that hold at all times, whatever is dropped
ASKING = {False: EVERYTHING, "certified": CERTIFIED, "paper_heuristic": PAPER_HEURISTIC}
GRAINS = {None: BY_ARM, "arm": BY_ARM, "question": BY_QUESTION}


class Settings:
    """Checked settings of a UCB policy, as given: `None` where the default holds.

    An attribute each; `radius` also where the policy calls it otherwise.
    """

    interactive: str | bool
    grain: str | None
    explore: float
    explore_floor: float
    judge_skips = True  # of policies that have no such setting
    seed = 0

    def __init__(self, checked: Mapping[str, Any]) -> None:
        vars(self).update(checked)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this policy has no setting {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def check(
        cls,
        given: Mapping[str, Any],
        taken: Mapping[str, Taken],
        reward: RewardRange,
        called: str = "radius",
    ) -> Settings:
        """Refuse a value that cannot be, by its description, then by the others and the range.

        `called` is the setting that chooses the radius; its first word is the default.
        """
        checked = {name: taken[name].check(value, name) for name, value in given.items()}
        if checked[called] is None:
            words: Any = taken[called].setting
            checked[called] = words.words[0]
        radius = checked["radius"] = checked[called]
        check_beta_min(checked["beta_min"], reward)
        if checked["alpha"] is not None and radius == "noise":
            raise SettingError(
                "with the width 'noise' the penalty follows from it; leave alpha out", "alpha"
            )
        if checked.get("lam") is not None and radius.startswith("published"):
            raise SettingError(f"radius {radius!r} has a lambda of its own; leave lam out", "lam")
        interactive, grain = checked["interactive"], checked["grain"]
        checked["interactive"], checked["grain"] = _check_interactive(interactive, grain)
        check_price(checked.get("price"), checked.get("questions"), reward)
        return cls(checked)

    @property
    def learning(self) -> Settings:
        """The same without what decides only how much is asked; arms do not depend on it."""
        return Settings(vars(self) | {"interactive": False, "grain": None})

    def resolve(
        self,
        survey: Survey,
        reward: RewardRange,
        *,
        unions: bool,
        net: bool = False,
        epochs: bool = False,
    ) -> Resolved:
        """Fill in the defaults: from the coding, the survey and the reward range (maths 1.2, 1.3).

        `unions` says whether the set must hold for every support, or for the full one only; `net`
        whether the radius is one of the elastic net's; `epochs` whether models change only at the
        ends of epochs.
        """
        form, use, penalty = NET_RADII[self.radius] if net else (RADII[self.radius], NO_NET, OWN)
        raw = survey.coding == "raw"
        own = vars(self)  # not every policy has all of them
        optimism, lam = own.get("optimism", OPTIMISM), own.get("lam")
        derived = Constants.derive(survey, reward.span)
        if raw and epochs:  # the paper's constants are not of the reward range
            furthest = max(abs(reward.low), abs(reward.high))
            derived = replace(
                derived,
                sigma=reward.span / 2,
                b1=furthest + reward.span,
                b2=math.hypot(furthest, reward.span),
            )
        alpha = 5.0 if self.radius in ("valid", "ridge") and not raw else 1.0
        resolved = Constants(
            sigma=derived.sigma if self.sigma is None else self.sigma,
            b1=derived.b1 if self.b1 is None else self.b1,
            b2=derived.b2 if self.b2 is None else self.b2,
            l2=derived.l2,
            l_inf=derived.l_inf,
        )
        delta = default_delta(survey) if self.delta is None else self.delta
        alpha = alpha if self.alpha is None else self.alpha
        rule = Rule(
            form=form,
            net=use,
            penalty=penalty,
            interactive=ASKING[self.interactive],
            grain=GRAINS[self.grain],
            epochs=int(epochs),
            by_sets=int(optimism == "valid"),
            payback=int(own.get("payback", True)),
            judge_skips=int(self.judge_skips),
            start=max(2, 3 * survey.column_count // 10),
            optimism=0.0 if isinstance(optimism, str) else optimism,
            set_part=SET_PART if epochs else 1.0,
            growth=GROWTH if own.get("growth") is None else own["growth"],
            multiple=(LAM_SELECTS if use == NET_SELECTS else 1.0) if lam is None else lam,
            b2=resolved.b2,
            alpha=alpha,
            sigma=resolved.sigma,
            beta_min=self.beta_min if unions else 0.0,
            span=reward.span,
            norm=resolved.l2,
            ridge_bias=math.sqrt(alpha) * resolved.b2,
            b1=resolved.b1,
            sharp_bias=int(not raw and self.b2 is None),
            plain=int(survey.plain),
            low=reward.low,
            high=reward.high,
            raw=int(survey.coding == "raw"),
            fixed=reward.span * (1.0 + math.sqrt(math.log(2.0 / delta) / 2.0)),
            log_supports=log_supports(len(survey)) if unions else np.zeros(len(survey) + 1),
        )
        return Resolved(delta, resolved, rule)


def check_price(price: float | None, questions: float | None, reward: RewardRange) -> None:
    """Refuse a price that the range cannot have, or a budget beside a price."""
    if price is not None and price > reward.span:
        raise SettingError(
            f"price is {price:g}; give what asking one question may cost, in reward units: from"
            f" 0 to {reward.span:g}, the length of the range",
            "price",
        )
    if price is not None and 0 < price < LEAST_PRICE * reward.span:
        raise SettingError(
            f"price is {price:g}, less than a billionth of the reward range; give 0 for no"
            " short visits",
            "price",
        )
    if price is not None and questions is not None:
        raise SettingError(
            "price and questions both say how short to be; give one of them", "questions"
        )


def _check_interactive(interactive: Any, grain: str | None) -> tuple[str | bool, str | None]:
    """Return how and in which portions an interactive survey asks; `False` asks everything."""
    interactive = "certified" if interactive is True else interactive
    if grain is None:
        return interactive, "arm" if interactive else None
    if not interactive:
        raise SettingError(
            "grain is a setting of interactive surveys; set interactive too", "grain"
        )
    if interactive == "paper_heuristic" and grain != "arm":
        raise SettingError(
            "the paper's heuristic asks all questions of an arm; leave grain out", "grain"
        )
    return interactive, grain


@dataclass(frozen=True)
class Resolved:
    """Settings with every default filled in."""

    delta: float
    constants: Constants
    rule: Rule


def log_supports(m: int) -> Floats:
    """Return ln((m + 1) C(m, h)) for h = 0, …, m: the price of all supports (maths 2.1)."""
    factorials = np.array([math.lgamma(h + 1) for h in range(m + 1)])
    binomials = factorials[m] - factorials - factorials[::-1]
    return np.asarray(np.log(m + 1) + binomials, dtype=np.float64)

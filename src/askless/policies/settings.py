"""The settings of every UCB policy, checked in one place, with the defaults of maths 1.3."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln

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
from askless.errors import SettingError, shown
from askless.survey import Constants, RewardRange, Survey
from askless.survey.names import check_number
from askless.survey.reward import check_beta_min

__all__ = ["RADII", "Settings", "check_planned", "check_seed"]

SMALLEST = 1e-100  # of a setting; beyond it squares leave the floats
LAM_SELECTS = 0.3  # where a net only selects, any multiple is safe; this is near the usual lasso's
EXPLORE = 0.02  # of epochs, unless given (maths 8.6)
FULL_FLOOR = 0.02  # the smallest share of full visits (maths 9.1)
LEAST_PRICE = 1e-9  # of a question, of the reward range, if it is not 0
MOST_PEOPLE = 10**15
SET_PART = 0.1  # of an arm's share of delta, where the tests have the rest (maths 5.1)
MOST_OPTIMISM = 100.0
GROWTH, MOST_GROWTH = 1.5, 3  # of epochs (maths 5.1)
SMALLEST_ALPHA = 1e-12  # with less of a penalty, columns that repeat each other drown in rounding

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
INTERACTIVE = {"certified": CERTIFIED, "paper_heuristic": PAPER_HEURISTIC}
GRAINS = {"arm": BY_ARM, "question": BY_QUESTION}


@dataclass(frozen=True)
class Settings:
    """Checked settings of a UCB policy, as given: `None` where the default holds."""

    beta_min: float
    radius: str
    delta: float | None = None
    alpha: float | None = None
    sigma: float | None = None
    b1: float | None = None
    b2: float | None = None
    lam: float | None = None
    growth: float | None = None
    optimism: float | str = 1.0
    payback: bool = True
    explore: float = EXPLORE
    explore_floor: float = 0.0
    seed: int = 0
    judge_skips: bool = True
    interactive: str | bool = False
    grain: str | None = None
    price: float | None = None
    questions: float | None = None
    planned: int | None = None
    full_floor: float = FULL_FLOOR

    @classmethod
    def check(
        cls, *, reward: RewardRange, radii: tuple[str, ...], called: str = "radius", **given: Any
    ) -> Settings:
        """Refuse a value that cannot be.

        `radii` are the names that the policy knows, and what it is `called` that they name.
        """
        radius = radii[0] if given[called] is None else given[called]
        if not isinstance(radius, str) or radius not in radii:
            raise SettingError(
                f"{called} is {shown(radius)}; choose {' or '.join(map(repr, radii))}"
            )
        beta_min = check_beta_min(given["beta_min"], reward)
        checked: dict[str, float | None] = {}
        for name in ("delta", "alpha", "sigma", "b1", "b2", "lam"):
            value = given.get(name)
            if value is not None:
                value = check_number(value, name)
                if value <= 0:
                    raise SettingError(f"{name} is {value:g}; give a number above 0")
                least = SMALLEST_ALPHA if name == "alpha" else SMALLEST
                if not least <= value <= 1 / SMALLEST:
                    raise SettingError(f"{name} is {value:g}; give one from {least:g} to 1e100")
            checked[name] = value
        if checked["delta"] is not None and checked["delta"] >= 1:
            raise SettingError(f"delta is {checked['delta']:g}; give a number between 0 and 1")
        if checked["alpha"] is not None and radius == "noise":
            raise SettingError(
                "with the width 'noise' the penalty follows from it; leave alpha out"
            )
        if checked["lam"] is not None and radius.startswith("published"):
            raise SettingError(f"radius {radius!r} has a lambda of its own; leave lam out")
        interactive, grain = _check_interactive(given["interactive"], given["grain"])
        return cls(
            beta_min=beta_min,
            radius=radius,
            interactive=interactive,
            grain=grain,
            growth=_check_growth(given.get("growth")),
            optimism=_check_optimism(given.get("optimism", 1.0)),
            payback=check_flag("payback", given.get("payback", True)),
            explore=_check_share("explore", given.get("explore", EXPLORE)),
            explore_floor=_check_share("explore_floor", given.get("explore_floor", 0.0)),
            seed=check_seed(given.get("seed", 0)),
            judge_skips=check_flag("judge_skips", given.get("judge_skips", True)),
            **_check_price(given.get("price"), given.get("questions"), reward),
            planned=None if given.get("planned") is None else check_planned(given["planned"]),
            full_floor=_check_share("full_floor", given.get("full_floor", FULL_FLOOR)),
            **checked,
        )

    @property
    def learning(self) -> Settings:
        """The same without what decides only how much is asked; arms do not depend on it."""
        return replace(self, interactive=False, grain=None)

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
        delta = (0.1 if raw else 0.05) if self.delta is None else self.delta
        alpha = alpha if self.alpha is None else self.alpha
        rule = Rule(
            form=form,
            net=use,
            penalty=penalty,
            interactive=INTERACTIVE[str(self.interactive)] if self.interactive else EVERYTHING,
            grain=GRAINS[self.grain or "arm"],
            epochs=int(epochs),
            by_sets=int(self.optimism == "valid"),
            payback=int(self.payback),
            judge_skips=int(self.judge_skips),
            start=max(2, 3 * survey.column_count // 10),
            optimism=0.0 if isinstance(self.optimism, str) else self.optimism,
            set_part=SET_PART if epochs else 1.0,
            growth=GROWTH if self.growth is None else self.growth,
            multiple=(LAM_SELECTS if use == NET_SELECTS else 1.0) if self.lam is None else self.lam,
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


def _check_price(price: Any, questions: Any, reward: RewardRange) -> dict[str, float | None]:
    """Return the price of a question, or the budget of a visit, which stands instead of it."""
    if price is not None:
        price = check_number(price, "price")
        if not 0 <= price <= reward.span:
            raise SettingError(
                f"price is {price:g}; give what asking one question may cost, in reward units: from"
                f" 0 to {reward.span:g}, the length of the range"
            )
        if 0 < price < LEAST_PRICE * reward.span:
            raise SettingError(
                f"price is {price:g}, less than a billionth of the reward range; give 0 for no"
                " short visits"
            )
    if questions is not None:
        if price is not None:
            raise SettingError("price and questions both say how short to be; give one of them")
        questions = check_number(questions, "questions")
        if not 0 < questions <= 1 / SMALLEST:
            raise SettingError(
                f"questions is {questions:g}; give how many questions a visit may be asked on"
                " average, above 0"
            )
    return {"price": price, "questions": questions}


def check_planned(planned: Any) -> int:
    """Return for how many people a study is planned as an int; refuse what is no such number."""
    whole = isinstance(planned, int | np.integer) and not isinstance(planned, bool)
    if not whole or not 1 <= planned <= MOST_PEOPLE:
        raise SettingError(
            f"planned is {shown(planned)}; give how many people the study is planned for, a whole"
            f" number from 1 to {MOST_PEOPLE}"
        )
    return int(planned)


def _check_growth(growth: Any) -> float | None:
    if growth is None:
        return None
    factor = check_number(growth, "growth")
    if not 1 < factor <= MOST_GROWTH:
        raise SettingError(f"growth is {factor:g}; give a number above 1, up to {MOST_GROWTH}")
    return factor


def _check_optimism(optimism: Any) -> float | str:
    if isinstance(optimism, str):
        if optimism == "valid":
            return "valid"
        raise SettingError(f"optimism is {shown(optimism)}; give a number, or 'valid'")
    factor = check_number(optimism, "optimism")
    if not 0 <= factor <= MOST_OPTIMISM:
        raise SettingError(f"optimism is {factor:g}; give a number from 0 to {MOST_OPTIMISM:g}")
    return factor


def _check_share(name: str, given: Any) -> float:
    share = check_number(given, name)
    if not 0 <= share <= 1:
        raise SettingError(f"{name} is {share:g}; give a share of visits, from 0 to 1")
    return share


def check_flag(name: str, flag: Any) -> bool:
    if not isinstance(flag, bool | np.bool_):
        raise SettingError(f"{name} is {shown(flag)}; give True or False")
    return bool(flag)


def check_seed(seed: Any) -> int:
    """Return a seed of random draws as an int; refuse one that is none."""
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or not 0 <= seed < 2**64:
        raise SettingError(f"seed is {shown(seed)}; give a whole number from 0 to 2^64 - 1")
    return int(seed)


def _check_interactive(interactive: Any, grain: Any) -> tuple[str | bool, str | None]:
    """Return how and in which portions an interactive survey asks; `False` asks everything."""
    if interactive is True:
        interactive = "certified"
    if interactive is not False and not (
        isinstance(interactive, str) and interactive in INTERACTIVE
    ):
        raise SettingError(
            f"interactive is {shown(interactive)}; choose True, False or"
            f" {' or '.join(map(repr, INTERACTIVE))}"
        )
    if grain is None:
        return interactive, "arm" if interactive else None
    if not isinstance(grain, str) or grain not in GRAINS:
        raise SettingError(f"grain is {shown(grain)}; choose {' or '.join(map(repr, GRAINS))}")
    if not interactive:
        raise SettingError("grain is a setting of interactive surveys; set interactive too")
    if interactive == "paper_heuristic" and grain != "arm":
        raise SettingError("the paper's heuristic asks all questions of an arm; leave grain out")
    return interactive, grain


@dataclass(frozen=True)
class Resolved:
    """Settings with every default filled in."""

    delta: float
    constants: Constants
    rule: Rule


def log_supports(m: int) -> Floats:
    """Return ln((m + 1) C(m, h)) for h = 0, …, m: the price of all supports (maths 2.1)."""
    h = np.arange(m + 1)
    binomial = gammaln(m + 1) - gammaln(h + 1) - gammaln(m - h + 1)
    return np.asarray(np.log(m + 1) + binomial, dtype=np.float64)

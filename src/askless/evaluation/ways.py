"""The ways of running a study that a plan compares: ours, and what one would do otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from askless.errors import SettingError
from askless.policies import SurveyBandit
from askless.policies.survey_bandit import price_share
from askless.survey import Study
from askless.survey.names import check_number

__all__ = ["FULL", "SINGLE", "Way", "fitting_way", "own_price", "plain", "ways_of"]

FULL, SINGLE = "asking everything", "one arm for all"
# What says how short to be, and what goes with a price of 0 alone.
PRICED = ("price", "questions", "payback", "interactive", "grain")
PILOTS = (0.1, 0.2)  # shares of the people who are the pilot of pilot-then-screen


@dataclass(frozen=True)
class Way:
    """A way of running a study.

    Attributes
    ----------
    label : str
        How tables and figures call it.
    policy : dict or None
        Name and settings of the policy; None for one arm for all, which asks nothing but
        what rules of arms need.
    ours : bool
        Whether it is `SurveyBandit`.
    setting : str
        What a study file says for it, such as `price: 0.4`; nothing where it is not ours.
    """

    label: str
    policy: dict[str, Any] | None
    ours: bool = False
    setting: str = ""

    @property
    def is_planned(self) -> bool:
        """Whether it must know for how many people the study is planned."""
        return self.policy is not None and self.policy["name"] == "pilot-then-screen"

    def for_people(self, number: int) -> Way:
        """Return this way, planned for so many people."""
        return replace(self, policy={**(self.policy or {}), "planned": number})


def ways_of(study: Study, prices: Sequence[float] | None = None) -> tuple[Way, ...]:
    """Return the ways to compare: everything, ours as the study sets it first of its kind, others.

    `prices` are tried in the place of half and twice the study's own.
    """
    own = _settings(study)
    if not own.get("beta_min"):
        raise study.refusal(SettingError("a plan needs a beta_min above 0"), "policy")
    kept = {key: own[key] for key in ("delta",) if key in own}
    pilots = (
        Way(f"pilot of {share:.0%}", {"name": "pilot-then-screen", "share": share})
        for share in PILOTS
    )
    return (
        Way(FULL, {"name": "linucb", "width": "noise", **kept}),
        *_ours(study, own, prices),
        Way(SINGLE, None),
        *pilots,
    )


def fitting_way(study: Study, ways: Sequence[Way], price: float) -> Way | None:
    """Return ours at the price that people who give up are worth; None if it is there, or cannot.

    It is there if a price that is tried is within a quarter of it.
    """
    own = _settings(study)
    policies = [way.policy or {} for way in ways if way.ours]
    tried = [policy["price"] for policy in policies if "price" in policy]
    if "questions" in own or not 0 < price <= study.reward.span:
        return None
    if any(0.75 <= other / price <= 1.25 for other in tried):
        return None
    rest = {key: value for key, value in own.items() if key not in PRICED}
    rounded = float(f"{price:.2g}")
    return _way({**rest, "price": rounded}, {"price": rounded}, 3)


def own_price(study: Study) -> float:
    """Return what asking one question costs by the study, in reward units."""
    given, span = _settings(study).get("price"), study.reward.span
    price = None if given is None else check_number(given, "price")
    return price_share(study.survey, span, price) * span


def takes_over(study: Study) -> bool:
    """Whether the plan plays the study's own policy."""
    return study.policy == "survey-bandit"


def _settings(study: Study) -> dict[str, Any]:
    """Return the settings of SurveyBandit: the study's, if that is its policy, else what fits."""
    if takes_over(study):
        return dict(study.settings)
    return {key: study.settings[key] for key in ("beta_min", "delta") if key in study.settings}


def _ours(study: Study, own: dict[str, Any], prices: Sequence[float] | None) -> list[Way]:
    """Return ours as the study sets it, then other prices or budgets."""
    rest = {key: value for key, value in own.items() if key not in PRICED}
    if "questions" in own:
        count, most = float(own["questions"]), sum(question.cost for question in study.survey)
        first, others = {"questions": count}, [{"questions": count / 2}]
        others += [{"questions": 2 * count}] if 2 * count < most else []
    else:
        price = own_price(study)
        first = {"price": price}
        others = [{"price": p} for p in (price / 2, 2 * price) if 0 < p <= study.reward.span]
    if prices is not None:
        once = dict.fromkeys(map(_checked, prices))
        others = [{"price": p} for p in once if {"price": p} != first]
    ways = []
    for digits in (3, 6, 17):  # as many as it takes to tell them apart
        exact = None if first.keys() & own.keys() else digits  # as it stands in the study
        ways = [_way(own | first, first, exact)]
        ways += [_way(rest | other, other, digits) for other in others]
        if len({way.label for way in ways}) == len(ways):
            break
    return ways


def plain(value: float, digits: int | None) -> str:
    """Show a number with so many digits, or all, and as study files take it: no exponent."""
    said = repr(float(value)) if digits is None else f"{value:.{digits}g}"
    return f"{Decimal(said):f}".removesuffix(".0")


def _checked(price: Any) -> float:
    number = check_number(price, "price")
    if number <= 0:
        raise SettingError(f"price is {number:g}; a plan tries prices above 0")
    return number


def _way(settings: dict[str, Any], priced: dict[str, float], digits: int | None) -> Way:
    ((name, value),) = priced.items()
    said = f"{name}: {plain(value, digits)}"
    policy = {"name": SurveyBandit.name, **settings}
    return Way(said.replace(":", ""), policy, ours=True, setting=said)

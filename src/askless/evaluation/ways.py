"""The ways of running a study that a plan compares: ours, and what one would do otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from askless.errors import SettingError, shown
from askless.policies import SurveyBandit
from askless.survey import Study
from askless.survey.names import check_number

__all__ = ["FULL", "SINGLE", "Way", "own_price", "ways_of"]

FULL, SINGLE = "asking everything", "one arm for all"
PILOTS = (0.1, 0.2)  # shares of the people who are the pilot of pilot-then-screen


@dataclass(frozen=True)
class Way:
    """A way of running a study.

    Attributes
    ----------
    label : str
        How tables and figures call it.
    policy : dict or None
        Name and settings of the policy; None for one arm for all, which asks nothing.
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


def own_price(study: Study) -> float:
    """Return what asking one question costs by the study, in reward units."""
    own = {key: value for key, value in _settings(study).items() if key != "questions"}
    policy = SurveyBandit(study.survey, arms=study.arms, reward=study.reward, **own)
    return policy.price


def takes_over(study: Study) -> bool:
    """Whether the plan plays the study's own policy."""
    return study.policy == "survey-bandit"


def _settings(study: Study) -> dict[str, Any]:
    """Return the settings of SurveyBandit: the study's, if that is its policy, else what fits."""
    if takes_over(study):
        return dict(study.settings)
    return {key: study.settings[key] for key in ("beta_min", "delta") if key in study.settings}


def _ours(study: Study, own: dict[str, Any], prices: Sequence[float] | None) -> list[Way]:
    if own.get("price") == 0 and prices is None:
        return [_way(own)]
    if "questions" in own and prices is None:
        count, most = float(own["questions"]), sum(question.cost for question in study.survey)
        tried = [count, count / 2, *([2 * count] if 2 * count < most else [])]
        return [_way(own | {"questions": budget}) for budget in tried]
    price = own_price(study)
    given = [price / 2, 2 * price] if prices is None else [_checked(p) for p in prices]
    span = study.reward.span
    own = {key: value for key, value in own.items() if key != "questions"}
    tried = [*dict.fromkeys([price, *(p for p in given if p <= span)])]
    return [_way(own | {"price": p}) for p in tried]


def _checked(price: Any) -> float:
    number = check_number(price, "price")
    if number <= 0:
        raise SettingError(f"price is {shown(price)}; a plan tries prices above 0")
    return number


def _way(settings: dict[str, Any]) -> Way:
    if "questions" in settings:
        said = f"questions: {settings['questions']:.3g}"
    else:
        said = f"price: {settings['price']:.3g}"
    label = said.replace(":", "")
    return Way(label, {"name": SurveyBandit.name, **settings}, ours=True, setting=said)

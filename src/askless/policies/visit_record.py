"""A saved visit as plain data, which can be read without its policy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from askless.errors import AsklessError, StateError, shown
from askless.policies.decision import Check
from askless.policies.numbers import MOST_NUMBER
from askless.survey.question import Answer

__all__ = ["VisitRecord"]

FORMAT = "askless.visit"
VERSION = 3


@dataclass(frozen=True)
class VisitRecord:
    """What a visit has done, all by name: for journals, analyses and other programs.

    Attributes
    ----------
    number : int
        The visit's number in its study.
    kind : str or None
        Which kind of visit it is; "full" unless the policy has others. None while the questions are
        open that rules of arms need.
    eligible : tuple of str
        The arms that it could play at its start; once its kind is known, those whose rules hold.
    promised : tuple of str
        The questions that it could ask at most.
    asked : tuple of str
        The questions that were put, in the order in which they were.
    known : tuple of str
        The questions whose answers were held before the visit.
    answers : dict
        Every answer held, as given; None is a skip.
    arm : str or None
        The arm played, None while questions are open.
    decided_at : int or None
        The version of the state that decided.
    propensities : dict or None
        With which probability each arm was to be played, by name.
    outlook : dict
        At the decision, per arm compared: expected reward and score.
    ruled_out : tuple of str
        The arms that certainly did not win, whatever was answered.
    reward : float or None
        The reward that it was learned with.
    learned_in : int or None
        The arm's block of rows in which it was learned, if the policy has such; of a short visit
        which form it taught.
    check : dict or None
        Of a full visit beside which a short form stood: the arms that all answers and that the
        form gives, whether its arm was tossed between them, and the terms (maths 9.4).
    opening : dict or None
        Of an open visit whose kind is known, where arms have rules: the `arms` and the questions
        `promised` before rules were applied, to which an answer that is revised leads back.

    Examples
    --------
    >>> import askless as al
    >>> survey = al.Survey([al.YesNo("donor", may_skip=True), al.Scale("age", low=18, high=90)])
    >>> visit = al.Uniform(survey, arms=["a", "b"], reward=(0, 1)).visit(known={"age": 44})
    >>> visit.answer({"donor": None})
    >>> record = al.VisitRecord.read(visit.to_dict())
    >>> record.skipped, record.known, record.propensities
    (('donor',), ('age',), {'a': 0.5, 'b': 0.5})
    """

    number: int
    kind: str | None
    eligible: tuple[str, ...]
    promised: tuple[str, ...]
    asked: tuple[str, ...]
    known: tuple[str, ...]
    answers: dict[str, Answer]
    arm: str | None
    decided_at: int | None
    propensities: dict[str, float] | None
    outlook: dict[str, tuple[float, float]]
    ruled_out: tuple[str, ...]
    reward: float | int | None
    learned_in: int | None
    check: dict[str, Any] | None
    opening: dict[str, tuple[str, ...]] | None = None

    @property
    def skipped(self) -> tuple[str, ...]:
        """The questions that the person would not answer."""
        return tuple(name for name, answer in self.answers.items() if answer is None)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The questions that were put and have no answer."""
        return tuple(name for name in self.asked if name not in self.answers)

    @property
    def not_reached(self) -> tuple[str, ...]:
        """The questions that it could have asked and has not put."""
        seen = {*self.asked, *self.known}
        return tuple(name for name in self.promised if name not in seen)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        plain = {key: _plain(value) for key, value in asdict(self).items()}
        if self.opening is None:  # as where no arm has a rule
            del plain["opening"]
        return {"format": FORMAT, "version": VERSION, **plain}

    @classmethod
    def read(cls, saved: Any) -> VisitRecord:
        """Read what `to_dict` of a visit or of a record returned; refuse what is damaged."""
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise StateError(
                "this is not a saved visit; give what visit.to_dict() returned (answers: known=)"
            )
        version = saved.get("version")
        if type(version) is not int or version != VERSION:
            age = "an older" if type(version) is int and version < VERSION else "a newer"
            raise StateError(
                f"the visit is of version {shown(version)}, this askless reads"
                f" {VERSION}; was it saved by {age} askless?"
            )
        try:
            return _checked(saved)
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise damaged(error) from None


def damaged(error: Exception) -> StateError:
    """Return the error of a saved visit that cannot be."""
    what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
    return StateError(f"the saved visit is damaged or of another study: {what}")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _names(saved: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = saved[key]
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise AsklessError(f"{key} is {shown(names)}, not a list of names")
    return tuple(names)


def _whole(saved: Mapping[str, Any], key: str) -> int | None:
    number = saved[key]
    if number is not None and (type(number) is not int or not 0 <= number < MOST_NUMBER):
        raise AsklessError(f"its {key} is {shown(number)}")
    return number


def _checked(saved: Mapping[str, Any]) -> VisitRecord:
    number = _whole(saved, "number")
    if number is None:
        raise AsklessError("its number is None")
    if not isinstance(saved["kind"], str | None) or (saved["kind"] is None and saved["arm"]):
        raise AsklessError(f"its kind is {shown(saved['kind'])}")
    answers = dict(saved["answers"])
    known, asked = _names(saved, "known"), _names(saved, "asked")
    stray = sorted(set(answers) - set(asked) - set(known))
    if stray or not set(known) <= set(answers):
        raise AsklessError(f"it answers {stray}, which it never asked")
    promised, eligible = _names(saved, "promised"), _names(saved, "eligible")
    if not {*asked, *known} <= set(promised):
        raise AsklessError("it asked more than it promised at its start")
    arm, ruled_out = saved["arm"], _names(saved, "ruled_out")
    if arm is not None and arm not in eligible:
        raise AsklessError(f"its arm {shown(arm)} is none that it could play")
    if arm is None and saved["reward"] is not None:
        raise AsklessError("it has a reward and no arm")
    if not set(ruled_out) <= set(eligible) - {arm}:
        raise AsklessError("it rules out an arm that it plays or could not play")
    decided_at = _whole(saved, "decided_at")
    if (decided_at is None) != (arm is None):
        raise AsklessError(f"its arm is {shown(arm)}, and it was decided at {shown(decided_at)}")
    return VisitRecord(
        number=number,
        kind=saved["kind"],
        eligible=eligible,
        promised=promised,
        asked=asked,
        known=known,
        answers=answers,
        arm=arm,
        decided_at=decided_at,
        propensities=_chances(saved["propensities"], eligible, arm),
        outlook={name: (float(low), float(high)) for name, (low, high) in saved["outlook"].items()},
        ruled_out=ruled_out,
        reward=saved["reward"],
        learned_in=_whole(saved, "learned_in"),
        check=_check(saved, eligible),
        opening=_opening(saved.get("opening"), eligible, promised),
    )


def _opening(
    given: Any, eligible: tuple[str, ...], promised: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """Return what there was before rules were applied, which is not less than what was left."""
    if given is None:
        return None
    opening = {key: _names(given, key) for key in ("arms", "promised")}
    if not (set(eligible) <= set(opening["arms"]) and set(promised) <= set(opening["promised"])):
        raise AsklessError("rules have given it arms or questions that it did not have")
    return opening


def _check(saved: Mapping[str, Any], eligible: tuple[str, ...]) -> dict[str, Any] | None:
    """Return what the decision was compared with; its arm must follow from it."""
    check, kind, arm = saved["check"], saved["kind"], saved["arm"]
    if check is None:
        if kind == "check":
            raise AsklessError("it is a check, and does not say of what")
        return None
    full, short = check["full"], check["short"]
    numbers = check["expected"], check["bet"], check["saving"]
    arms = {full, short} if kind == "check" else {full}
    if not (
        set(check) == {*Check._fields}
        and {full, short} <= set(eligible)
        and arm in arms
        and len(arms) == 1 + (kind == "check")
        and check["tossed"] is (kind == "check")
        and all(type(number) is float for number in numbers)
        and 0 <= numbers[0] <= 1
        and 0 <= numbers[2] < math.inf
        and 0 <= numbers[1] * (4 + numbers[2]) <= 0.5 + 1e-9
    ):
        raise AsklessError(f"what it was compared with is {shown(check)}")
    return dict(check)


def _chances(given: Any, eligible: tuple[str, ...], arm: str | None) -> dict[str, float] | None:
    if given is None and arm is None:
        return None
    fits = arm is not None and isinstance(given, Mapping) and set(given) <= set(eligible)
    if (
        not fits
        or not all(type(p) in (float, int) and 0 <= p <= 1 for p in given.values())
        or not given.get(arm, 0) > 0
        or abs(sum(given.values()) - 1) > 1e-9
    ):
        raise AsklessError(f"its propensities are {shown(given)}")
    return {name: float(p) for name, p in given.items()}

"""The arms of a study: the decisions among which a policy chooses."""

from collections.abc import Iterable
from dataclasses import dataclass

from askless.errors import SettingError, shown
from askless.survey.names import check_name, check_names, check_text
from askless.survey.rule import Rule

__all__ = ["Arm", "arms_from"]


@dataclass(frozen=True)
class Arm:
    """One decision that can be made for a person.

    Parameters
    ----------
    name : str
        How the arm is called in code, files and tables.
    text : str
        What is decided, for people; the name if left out.
    eligible_if : str, optional
        Who may get it, as a rule on answers (`askless.survey.rule.Rule`); everyone if left out.

    Examples
    --------
    >>> Arm("wwf", text="Suggest the WWF").name
    'wwf'
    >>> Arm("senior_plan", eligible_if="age >= 65 and region == north").eligible_if
    'age >= 65 and region == north'
    """

    name: str
    text: str = ""
    eligible_if: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.name, "an arm"))
        text = check_text(self.text, f"arm {self.name!r}: text")
        object.__setattr__(self, "text", text or self.name)
        if self.eligible_if is not None:
            try:
                rule = Rule(self.eligible_if)
            except SettingError as error:
                raise SettingError(f"arm {self.name!r}: eligible_if: {error}") from None
            object.__setattr__(self, "eligible_if", rule.text)


def arms_from(arms: Iterable[str | Arm]) -> tuple[Arm, ...]:
    """Make arms out of names; refuse none at all and names given twice."""
    if isinstance(arms, str) or not isinstance(arms, Iterable):
        raise SettingError(f"arms is {shown(arms)}; give a list of arms")
    made = tuple(arm if isinstance(arm, Arm) else Arm(arm) for arm in arms)
    if not made:
        raise SettingError("there are no arms; give at least one")
    check_names([arm.name for arm in made], "arm")
    return made

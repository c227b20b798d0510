"""The arms of a study: the decisions among which a policy chooses."""

from collections.abc import Iterable
from dataclasses import dataclass

from askless.errors import SettingError, shown
from askless.survey.names import check_name, check_names, check_text

__all__ = ["Arm", "arms_from"]


@dataclass(frozen=True)
class Arm:
    """One decision that can be made for a person.

    >>> Arm("wwf", text="Suggest the WWF").name
    'wwf'
    """

    name: str
    text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.name, "an arm"))
        text = check_text(self.text, f"arm {self.name!r}: text")
        object.__setattr__(self, "text", text or self.name)


def arms_from(arms: Iterable[str | Arm]) -> tuple[Arm, ...]:
    """Make arms out of names; refuse none at all and names given twice."""
    if isinstance(arms, str) or not isinstance(arms, Iterable):
        raise SettingError(f"arms is {shown(arms)}; give a list of arms")
    made = tuple(arm if isinstance(arm, Arm) else Arm(arm) for arm in arms)
    if not made:
        raise SettingError("there are no arms; give at least one")
    check_names([arm.name for arm in made], "arm")
    return made

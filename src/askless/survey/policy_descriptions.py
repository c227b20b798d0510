"""What study files know of the policies: names and settings. A survey itself knows no policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askless.survey.setting import Setting

__all__ = ["KNOWN", "RECOMMENDED", "PolicyDescription", "Taken"]

RECOMMENDED = "survey-bandit"  # where no name is given


@dataclass(frozen=True)
class Taken:
    """A setting as a policy's constructor takes it.

    Attributes
    ----------
    setting : Setting or None
        What it is; None where nobody has described it, and anything may be given.
    needed : bool
        Whether it must be given.
    default : object
        What it is unless given.
    may_be_none : bool
        Whether None may be given, which means: as if left out.
    """

    setting: Setting | None
    needed: bool
    default: Any
    may_be_none: bool

    def check(self, value: Any, name: str) -> Any:
        """Return a value as plain data, or refuse it by name."""
        if self.setting is None or (value is None and self.may_be_none):
            return value
        return self.setting.check(value, name)


@dataclass(frozen=True, eq=False)
class PolicyDescription:
    """A policy as study files may name it.

    Attributes
    ----------
    name : str
        How files name it.
    title : str
        What its class is called.
    about : str
        What it is, in one line.
    settings : mapping of str to Taken
        Its settings, by name.
    takes_any : bool
        Whether it takes further keywords.
    """

    name: str
    title: str
    about: str
    settings: Mapping[str, Taken]
    takes_any: bool

    @property
    def in_files(self) -> bool:
        """Whether a file can say all that it needs."""
        needed = [taken.setting for taken in self.settings.values() if taken.needed]
        return all(setting is None or setting.in_files for setting in needed)


KNOWN: dict[str, PolicyDescription] = {}  # by name; the catalogue of policies puts them in

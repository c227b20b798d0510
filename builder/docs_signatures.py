"""What the site shows of constructors: plain types, defaults as values, each setting told.

Settings are described once, in annotations (`Annotated[float, Number(...)]`), and docstrings say
"as for" another class. In the repository that is one truth; a reader of a page wants it there.
"""

from __future__ import annotations

import inspect
import re
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import griffe

import askless as al
from askless.policies.described import settings_of

GIVEN = {
    "survey": "The questions.",
    "arms": "The decisions: names, or `al.Arm`.",
    "reward": "The smallest and the largest reward there can be.",
}
GROUP = re.compile(r"^((?:\w+,\s+)+\w+)( :[^\n]*)?\n((?:[ \t]+\S[^\n]*\n?)+)", re.MULTILINE)


class PlainSettings(griffe.Extension):
    """Show `Annotated[float, Number(...)]` as `float`, and tell every setting by itself."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Let each parameter of a policy's constructor have its plain type and its value."""
        policy = _policy(func.parent)
        if policy is None or func.name != "__init__":
            return
        for name, hint in get_type_hints(policy.__init__, include_extras=True).items():
            if get_origin(hint) is Annotated and name in func.parameters:
                func.parameters[name].annotation = inspect.formatannotation(get_args(hint)[0])
        for name, parameter in inspect.signature(policy.__init__).parameters.items():
            if name in func.parameters and parameter.default is not inspect.Parameter.empty:
                func.parameters[name].default = repr(parameter.default)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Part what a docstring says of several parameters at once."""
        policy = _policy(cls)
        if policy is None or cls.docstring is None:
            return
        about = GIVEN | {
            name: f"{taken.setting.about}{_otherwise(taken.setting.otherwise)}"
            for name, taken in settings_of(policy).items()
            if taken.setting is not None
        }

        def parted(group: re.Match[str]) -> str:
            names, kind, text = re.split(r",\s+", group[1]), group[2] or "", group[3]
            if text.strip().startswith("As for"):
                return "".join(f"{name}{kind}\n    {about[name]}\n" for name in names)
            return "".join(f"{name}{kind}\n{text}" for name in names)

        cls.docstring.value = GROUP.sub(parted, cls.docstring.value)


def _otherwise(default: str) -> str:
    """Say what a setting is unless given, where its default does not say it."""
    return f" Unless given: {default}." if default else ""


def _policy(described: Any) -> type[al.Policy] | None:
    """Return the policy that is described; nothing where it is something else."""
    found = getattr(al, getattr(described, "name", ""), None)
    return found if isinstance(found, type) and issubclass(found, al.Policy) else None

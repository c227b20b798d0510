"""The section `policy` of a study file: a shape for every policy, out of its description."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce, singledispatch
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    Tag,
    create_model,
)

from askless.survey.policy_descriptions import KNOWN, RECOMMENDED, PolicyDescription, Taken
from askless.survey.section import Name, Section
from askless.survey.setting import Flag, Number, Setting, Whole, Words

WORDS = r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*"
MODULE_CLASS = rf"^{WORDS}:{WORDS}$"
OWN = "module:Class"


class OwnSection(BaseModel):
    """A policy of your own, as module:Class; every other key is one of its settings."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: Annotated[Name, Field(json_schema_extra={"pattern": MODULE_CLASS})]


class _OpenSection(Section):
    """The section of a policy that takes further keywords."""

    model_config = ConfigDict(extra="allow", frozen=True)


def sections(known: Iterable[PolicyDescription]) -> dict[str, type[BaseModel]]:
    """Return the sections of policies, by their names, and `module:Class` the last."""
    return {**{one.name: section_of(one) for one in known if one.in_files}, OWN: OwnSection}


def union_of(shapes: dict[str, type[BaseModel]]) -> Any:
    """Return the type of a section that is one of these."""
    tagged = (Annotated[section, Tag(tag)] for tag, section in shapes.items())
    return Annotated[reduce(or_, tagged), Discriminator(_tag)]


def _tag(section: Any) -> str:
    """Return by which section a policy is to be read; what is none of them is refused."""
    name = section.get("name", RECOMMENDED) if isinstance(section, dict) else RECOMMENDED
    is_own = isinstance(name, str) and name not in KNOWN and re.fullmatch(MODULE_CLASS, name)
    return OWN if is_own else str(name)


def section_of(policy: PolicyDescription) -> type[BaseModel]:
    """Return the shape of a policy's section."""
    of_name = RECOMMENDED if policy.name == RECOMMENDED else ...
    fields: dict[str, Any] = {"name": (Literal[policy.name], of_name)}
    for name, taken in policy.settings.items():
        if name != "name" and (taken.setting is None or taken.setting.in_files):
            fields[_inside(name)] = _field(name, taken)
    return create_model(
        f"{policy.title}Section",
        __base__=_OpenSection if policy.takes_any else Section,
        __doc__=policy.about,
        **fields,
    )


def _inside(name: str) -> str:
    """Return how a model calls a key: some names are its own, such as `copy`."""
    own = hasattr(BaseModel, name) or name.startswith(("_", "model_"))
    return f"setting_{name}" if own else name


def _field(name: str, taken: Taken) -> tuple[Any, Any]:
    """Return type and default of a setting's key; null is a setting left out."""
    default = ... if taken.needed else taken.default
    alias = None if _inside(name) == name else name
    if taken.setting is None:
        return Any, Field(default, alias=alias)
    kind = _type(taken.setting)
    about = taken.setting.about
    return kind if taken.needed else kind | None, Field(default, alias=alias, description=about)


@singledispatch
def _type(setting: Setting) -> Any:
    """Return the type by which a setting of a kind is read."""
    raise TypeError(f"a study file has no {type(setting).__name__}")


@_type.register
def _(setting: Number) -> Any:
    ends = {"ge": setting.least, "le": setting.most, "gt": setting.above, "lt": setting.below}
    number = Annotated[float, Field(strict=True, allow_inf_nan=False, **ends)]
    return number | Literal[setting.words] if setting.words else number


@_type.register
def _(setting: Whole) -> Any:
    return Annotated[int, Field(strict=True, ge=setting.least, le=setting.most)]


@_type.register
def _(setting: Flag) -> Any:  # noqa: ARG001
    return StrictBool


@_type.register
def _(setting: Words) -> Any:
    if not setting.flags:
        return Literal[setting.words]
    return Annotated[Literal[True, False, *setting.words], BeforeValidator(_no_number)]


def _no_number(flag: Any) -> Any:
    """Keep a 1 or a 1.0 from passing as true."""
    return str(flag) if isinstance(flag, int | float) and not isinstance(flag, bool) else flag

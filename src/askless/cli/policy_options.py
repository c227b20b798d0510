"""The options that set a policy's settings: one for each that a policy of the catalogue has."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any

import typer
import yaml

from askless.errors import SettingError
from askless.policies import POLICIES, Policy, policy_class
from askless.policies.building import settings_of
from askless.survey.policy_descriptions import KNOWN
from askless.survey.setting import Flag, Number, Setting, Whole

__all__ = ["chosen_settings", "class_of", "with_policy_options"]

METAVARS: dict[type[Setting], str] = {Number: "NUMBER", Whole: "COUNT", Flag: "true|false"}
FEW = 3  # policies that an option names


def with_policy_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for every setting; its `settings` gets those that were given.

    A setting of a name that the command itself has, such as a seed, is left to `--setting`.
    """
    own = dict(inspect.signature(command, eval_str=True).parameters)
    del own["settings"]
    options = {name: texts for name, texts in _described().items() if name not in own}

    @wraps(command)
    def run(**given: Any) -> None:
        settings = {name: given.pop(name) for name in options}
        command(**given, settings={k: text for k, text in settings.items() if text is not None})

    parameters = [
        *own.values(),
        *(
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[str | None, typer.Option(help=_help(by), metavar=_form(by))],
            )
            for name, by in options.items()
        ),
    ]
    keywords = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in keywords}
    return run


def _described() -> dict[str, dict[str, Setting]]:
    """Return the settings that have a description, and of each what it is, by policy."""
    found: dict[str, dict[str, Setting]] = {}
    for policy in KNOWN.values():
        for name, taken in policy.settings.items():
            if taken.setting is not None and taken.setting.in_files:
                found.setdefault(name, {})[policy.name] = taken.setting
    return found


def _form(by: Mapping[str, Setting]) -> str:
    """Return what may stand behind an option, in short."""
    words = [word for setting in by.values() for word in getattr(setting, "words", ())]
    first = next(iter(by.values()))
    return "|".join([*filter(None, [METAVARS.get(type(first))]), *dict.fromkeys(words)])


def _help(by: Mapping[str, Setting]) -> str:
    """Say what an option sets: for each of its policies, where they differ."""
    meanings: dict[str, list[str]] = {}
    for policy, setting in by.items():
        meanings.setdefault(setting.about, []).append(policy)
    said = [
        f"{', '.join(policies)}: {about}" if len(policies) <= FEW else about
        for about, policies in meanings.items()
    ]
    return " ".join(said)


def chosen_settings(policy: str, options: Mapping[str, str], further: list[str]) -> dict[str, Any]:
    """Return a policy's settings out of its options, and out of texts such as rate=0.5."""
    known = settings_of(class_of(policy))
    chosen: dict[str, Any] = {}
    for name, text in options.items():
        if name not in known:
            raise SettingError(f"{_option(name)} is not a setting of {policy}")
        setting = known[name].setting
        chosen[name] = text if setting is None else setting.read(text)
        if chosen[name] == text:  # else the policy says what is wrong
            known[name].check(text, _option(name))
    for key, value in _read(further).items():
        if key in chosen:
            raise SettingError(f"--setting {key}: {_option(key)} is given too; leave one out")
        chosen[key] = value
    for name, taken in known.items():
        can_be_said = taken.setting is not None and taken.setting.in_files
        if taken.needed and can_be_said and name not in chosen:
            about = taken.setting.about if taken.setting else ""
            raise SettingError(f"{policy} needs {_option(name)}: {about[:1].lower()}{about[1:]}")
    return chosen


def class_of(name: str) -> type[Policy]:
    """Return the class that a name stands for; of a contest's own name say what to give instead."""
    from askless.experiments.entrants import entrants, slug  # noqa: PLC0415 (so that help comes at once)

    if name not in POLICIES:
        for entrant in entrants(price=0.0):
            if slug(entrant.label) == name:
                own = {**entrant.settings, **({"planned": "PEOPLE"} if entrant.planned else {})}
                kind = own.pop("name")
                said = "".join(f" {_option(key)} {value}" for key, value in own.items())
                raise SettingError(
                    f"{name!r} is a name of `askless compare --tables` alone; with `askless"
                    f" simulate` give --policy {kind}{said}"
                )
    return policy_class(name)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read(given: list[str]) -> dict[str, Any]:
    """Read settings such as rate=0.5; their values are read as YAML reads them."""
    found: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise SettingError(f"--setting is {text!r}; give a key and a value, as in rate=0.5")
        if key in found:
            raise SettingError(f"--setting {key} is there twice; leave one out")
        found[key] = _value(text, value)
    return found


def _value(text: str, value: str) -> bool | float | str | None:
    try:
        read = yaml.safe_load(value)
    except (yaml.YAMLError, ValueError):
        read = []
    if isinstance(read, dict | list):
        raise SettingError(f"--setting {text}: give a number, a text, true or false")
    return read if isinstance(read, bool | int | float | str | None) else value  # a date is a text

"""Sweeps from YAML files, for the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from askless.environments import paper_environment
from askless.errors import AsklessError, SettingError, extra, meant, shown
from askless.simulation.sweep import GRID, KEYS, Sweep, expanded

__all__ = ["read_sweep"]

PAPER_KEYS = tuple(signature(paper_environment).parameters)


def read_sweep(path: str | Path) -> Sweep:
    """Read a sweep from a YAML file; its environments are the paper's."""
    with extra("cli"):
        from askless.survey.located_yaml import Located  # noqa: PLC0415

    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise SettingError(f"{path}: cannot read the file: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingError(f"{path}: the file is not text in UTF-8") from None
    data = Located(text, str(path)).data
    if "schema" in data and "questions" in data:
        raise SettingError(
            f"{path}: this is a study file, not a sweep's; `askless plan {path}` and"
            f" `askless simulate {path}` play it"
        )
    _check_keys(data, sorted(KEYS), f"{path}: ", "the keys are")
    try:
        worlds = {}
        for settings in _listed(data, "environments"):
            for given in expanded(settings):
                kind = given.pop("name")
                if kind != "paper":
                    raise SettingError(f"there is no environment {kind!r}; choose paper")
                label = ", ".join(f"{key} {value}" for key, value in given.items()) or "paper"
                if label in worlds:
                    raise SettingError(f"environment {label!r} is there twice; leave one out")
                _check_keys(given, PAPER_KEYS, "environment 'paper': ", "the keys are name,")
                worlds[label] = paper_environment(**given)
        rest = {key: value for key, value in data.items() if key not in GRID}
        if "horizon" not in rest:
            raise SettingError("there is no horizon; say how many visits a run has")
        return Sweep(policies=_listed(data, "policies"), environments=worlds, **rest)
    except AsklessError as error:
        raise SettingError(f"{path}: {error}") from None


def _check_keys(given: Mapping[str, Any], known: Sequence[str], where: str, these: str) -> None:
    for key in given:
        if key not in known:
            raise SettingError(f"{where}unknown key {key!r}{meant(key, known, these)}")


def _listed(data: Mapping[str, Any], key: str) -> list[Any]:
    if not isinstance(data.get(key), list):
        raise SettingError(f"{key} is {shown(data.get(key))}; give a list")
    return list(data[key])

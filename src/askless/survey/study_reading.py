"""A study file's text to checked data; what is wrong with it is said with line, key and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from askless.errors import StudyError, meant, near, shown, together
from askless.survey import study_file
from askless.survey.located_yaml import Located, Place
from askless.survey.pages_section import PagesSection
from askless.survey.policy_descriptions import PolicyDescription
from askless.survey.policy_sections import OWN, section_of
from askless.survey.study_file import Shape, StudyFile, shape

SHAPES = {  # what a value should have been, by pydantic's name of the complaint
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "dict_type": "a mapping",
    "literal_error": "one of the words that are allowed",
}
QUESTIONS: dict[str, type[BaseModel]] = {
    get_args(section.model_fields["kind"].annotation)[0]: section
    for section in get_args(get_args(study_file.QuestionSection)[0])
}
SPOKEN = {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false"}
ENDS = "; for an outcome that is yes or no, write noise: ends, and reward: {low: 0, high: 1}"
BOUNDS = {
    "greater_than": ("gt", "small", "more than"),
    "greater_than_equal": ("ge", "small", "at least"),
    "less_than": ("lt", "large", "less than"),
    "less_than_equal": ("le", "large", "at most"),
}


def read_study_file(text: str, source: str) -> tuple[StudyFile, Located]:
    """Check a study file's text against its shape; the first few errors in one message."""
    located, now = Located(text, source), shape()
    try:
        return now.file.model_validate(located.data), located
    except ValidationError as error:
        problems = _problems(error, located, now)
    raise StudyError(together(problems))


def check_policy_section(policy: PolicyDescription, located: Located) -> None:
    """Check the section of a policy that was not known when its file was read."""
    only = Shape(StudyFile, {policy.name: section_of(policy)})
    try:
        only.policies[policy.name].model_validate(located.data["policy"])
    except ValidationError as error:
        problems = _problems(error, located, only, ("policy", policy.name))
    else:
        return
    raise StudyError(together(problems))


def _problems(
    error: ValidationError, located: Located, now: Shape, within: Place = ()
) -> list[str]:
    """Return what is wrong, a line for each place in the file."""
    found: dict[Place, list[tuple[Any, str]]] = {}
    for problem in error.errors():
        place, section = _place((*within, *problem["loc"]), now)
        if problem["type"] == "union_tag_invalid":
            place = (*place, "name" if place == ("policy",) else "kind")
        elif problem["type"] != "missing":
            place = _in_file(place, located.data)
        said = _say(problem, place, section, located, now)
        found.setdefault(place, []).append((problem, said))
    # Where several shapes are allowed, what is wrong inside the one that was meant is said alone.
    around = {place[:length] for place in found for length in range(len(place))}
    causes = [(place[:-1], _one_of(problems)) for place, problems in found.items()]
    return [
        f"{located.where(place)}: {_one_of(problems)}{_outcome(place, problems)}"
        for place, problems in found.items()
        if place not in around and not _is_misspelled(place, problems, causes)
    ]


def _is_misspelled(
    place: Place, problems: list[tuple[Any, str]], causes: list[tuple[Place, str]]
) -> bool:
    """Whether a key is missing for no other reason than that another line names: misspelling."""
    missing = all(problem["type"] == "missing" for problem, _ in problems)
    hint = f"did you mean {place[-1]!r}?" if place else ""
    return missing and any(
        place[:-1] == section and said.startswith("unknown key") and said.endswith(hint)
        for section, said in causes
    )


def _in_file(place: Place, data: Any) -> Place:
    """Leave out of a place what pydantic calls the shapes that are allowed there."""
    kept: list[str | int] = []
    for part in place:
        if part in data if isinstance(data, dict) else isinstance(part, int):
            kept.append(part)
            data = data[part]
    return tuple(kept)


def _one_of(problems: list[tuple[Any, str]]) -> str:
    """Say what is wrong with a value for which several shapes are allowed."""
    others = [said for problem, said in problems if problem["type"] not in SHAPES]
    if others or len(problems) == 1:
        return (others or [problems[0][1]])[0]
    given = problems[0][0]["input"]
    share = _as_share(given)
    shapes = ", and not ".join(_shape(problem) for problem, _ in problems)
    return f"{shown(given)} is not {shapes}{f'; write {share}' if share else ''}"


def _outcome(place: Place, problems: list[tuple[Any, str]]) -> str:
    """Say how noise of 0 or 1 is called, where it has another word."""
    word = problems[0][0]["input"]
    named = isinstance(word, str) and not word[:1].isdigit()
    return ENDS if place == ("plan", "noise") and named else ""


def _shape(problem: Any) -> str:
    """Return what a value should have been."""
    return str(problem.get("ctx", {}).get("expected", SHAPES[problem["type"]]))


def _place(loc: Place, now: Shape) -> tuple[Place, type[BaseModel] | None]:
    """Return the place in the file and its section; pydantic also names the union's tag."""
    sections: dict[Any, Any] = {
        "arms": study_file.ArmSection,
        "reward": study_file.RewardSection,
        "plan": study_file.PlanSection,
    }
    if loc[:1] == ("pages",) and len(loc) > 1:
        return loc, _within(PagesSection, loc[1:-1])
    if not loc or loc[0] in sections or loc[0] not in ("questions", "policy"):
        return loc, sections.get(loc[0] if len(loc) > 1 else None, StudyFile)
    at = 2 if loc[0] == "questions" else 1
    tags: dict[Any, type[BaseModel]] = {**(QUESTIONS if loc[0] == "questions" else now.policies)}
    if len(loc) > at and loc[at] in tags:
        return (*loc[:at], *loc[at + 1 :]), tags[loc[at]]
    return loc, None


def _within(section: Any, places: Place) -> type[BaseModel] | None:
    """Return the section in which a key stands that is some sections further in."""
    for part in places:
        if isinstance(section, type) and issubclass(section, BaseModel):
            field = section.model_fields.get(str(part))
            section = None if field is None else field.annotation
            if get_origin(section) is not dict:
                section = next((kind for kind in get_args(section) if _is_section(kind)), section)
        elif get_origin(section) is dict:
            section = get_args(section)[1]
        else:
            return None
    return section if _is_section(section) else None


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _no_policy(place: Place, located: Located, now: Shape) -> str:
    """Say which policies there are, in place of one that is none."""
    known = [name for name in now.policies if name != OWN]
    given = located.written.get(place, "a list or mapping")
    return (
        f"{given!r} is none of {', '.join(map(repr, known))}{near(given, known)}; a policy of your"
        f" own is named as {OWN}, or by its name after askless.register"
    )


def _no_kind(discriminator: str, keys: Iterable[str]) -> str:
    """Say that the key is missing by which all others are known, or how it was misspelled."""
    hints = ((key, near(key, [discriminator.strip("'")])) for key in keys)
    meant_so = (f"unknown key {key!r}{hint}" for key, hint in hints if hint)
    return next(meant_so, f"{discriminator} is missing")


def _say(
    problem: Any, place: Place, section: type[BaseModel] | None, located: Located, now: Shape
) -> str:
    given, context = shown(problem["input"]), problem.get("ctx", {})
    if problem["type"] == "union_tag_not_found":
        return _no_kind(context["discriminator"], problem["input"])
    written = located.written.get(place)
    if isinstance(problem["input"], str) or written in (None, given):
        as_read = given
    else:  # YAML reads no, 12:30 or 2024-01-01 as something else than what people wrote
        as_read = f"{written} (which YAML reads as {given})" if written else "nothing (None)"
    sayings = {
        "extra_forbidden": f"unknown key {place[-1]!r}{_meant(place, section)}" if place else "",
        "missing": f"{place[-1]!r} is missing{_first_line(place)}" if place else "",
        "union_tag_invalid": _no_policy(place, located, now)
        if place[:1] == ("policy",)
        else f"{context.get('tag')!r} is none of {context.get('expected_tags')}"
        + near(context.get("tag"), re.findall(r"'(.*?)'", str(context.get("expected_tags")))),
        "string_type": f"{as_read} is not a text"
        + (_one_text(place) if written is None else f"; put it in quotes: '{written}'"),
        "string_too_short": f"{given} is empty; write a text",
        "float_type": f"{as_read} is not a number; write one such as"
        f" {_as_share(problem['input']) or '12, 0.5 or 1.0e+3'}",
        "int_type": f"{as_read} is not a whole number",
        "literal_error": f"{as_read} is not {context.get('expected')}"
        + (_flag(problem["input"]) if "False" in str(context.get("expected")) else ""),
        "bool_type": f"{as_read} is not true or false" + _flag(problem["input"]),
        "too_short": f"{context.get('actual_length')} are too few; give at least"
        f" {context.get('min_length')}",
        "too_long": f"{context.get('actual_length')} are too many; give at most"
        f" {context.get('max_length')}",
        "list_type": f"{as_read} is not a list; write it as [one, another]",
        **dict.fromkeys(
            ("model_type", "model_attributes_type", "dict_type"),
            f"{as_read} is not a mapping; write keys and values",
        ),
    }
    if problem["type"] in BOUNDS:
        key, size, least = BOUNDS[problem["type"]]
        least, bound = ("more than", 0) if 0 < abs(context[key]) < 1e-6 else (least, context[key])
        return f"{as_read} is too {size}; give {least} {bound:g}"
    message = problem["msg"]
    plain = f"{message[0].lower()}{message[1:]} (given: {given})"
    return sayings.get(problem["type"], plain) or plain


def _one_text(place: Place) -> str:
    """Say what an option is, where somebody gives one a name and a text."""
    options = place[-2:-1] == ("options",)
    return "; an option is one text, which people read: such as 'on foot'" if options else ""


def _flag(given: Any) -> str:
    """Say how true or false is written, where it was said otherwise."""
    meant = SPOKEN.get(str(given).lower())
    quoted = " without quotes" if isinstance(given, str) else ""
    return f"; write {meant}{quoted}" if meant else ""


def _first_line(place: Place) -> str:
    """Say what to write where a file doesn't begin with its version."""
    return "; write as the first line: schema: 1" if place == ("schema",) else ""


def _as_share(given: Any) -> str:
    """Return what was written in per cent as a share."""
    try:
        return f"{float(given.removesuffix('%')) / 100:g}" if given.endswith("%") else ""
    except (AttributeError, ValueError):
        return ""


def _meant(place: Place, section: type[BaseModel] | None) -> str:
    """Say which key may have been meant."""
    if section is None:
        return ""
    keys = [field.alias or name for name, field in section.model_fields.items()]
    return meant(place[-1], keys, "the keys here are")

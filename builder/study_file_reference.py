"""The page docs/reference/study-file.md out of the JSON Schema: every key of a study file."""

from __future__ import annotations

from typing import Any

INTRODUCTION = """# Study file, key by key

Out of the code, by `make settings`; the same as [JSON Schema](../study.schema.json), by which
editors complete a file. What the keys mean together, with examples:
[study files](../study-file.md).
"""
# The sections in the order of a file, with their titles.
SECTIONS = {
    "": "The file",
    "ScaleSection": "A question of the kind `scale`",
    "YesNoSection": "A question of the kind `yes_no`",
    "ChoiceSection": "A question of the kind `choice`",
    "MultiSection": "A question of the kind `multi`",
    "ArmSection": "An arm",
    "RewardSection": "`reward`",
    "PlanSection": "`plan`",
    "PagesSection": "`pages`",
    "RewardQuestionSection": "`reward` of `pages`",
    "LanguageSection": "A language of `pages`",
    "QuestionWordsSection": "A question of a language",
}
QUESTIONS = ("ScaleSection", "YesNoSection", "ChoiceSection", "MultiSection")
POLICIES = """## `policy`

`name` says which policy decides; without it, it is `survey-bandit`. Its settings, what each may be
and what it is unless given stand in [one table](../study-file.md#settings).
"""
ABOUT = {"policy": "Which policy decides, and its settings.", "kind": "Which kind of question."}
WORDS = {"string": "a text", "boolean": "`true`, `false`", "integer": "a whole number"}
WORDS |= {"number": "a number"}


def reference(schema: dict[str, Any]) -> str:
    """Return the page."""
    common = set.intersection(*(set(schema["$defs"][name]["properties"]) for name in QUESTIONS))
    parts = [INTRODUCTION]
    for name, title in SECTIONS.items():
        section = schema["$defs"][name] if name else schema
        if name == QUESTIONS[0]:
            table = _table(section, common - {"kind"})
            parts.append(f"## A question\n\nWhat questions of all kinds have.\n\n{table}")
        keys = set(section["properties"])
        table = _table(section, keys - common | {"kind"} if name in QUESTIONS else keys)
        parts.append(f"## {title}\n\n{section['description']}\n\n{table}")
        if name == "RewardSection":
            parts.append(POLICIES)
    return "\n".join(parts)


def _table(section: dict[str, Any], keys: set[str]) -> str:
    lines = ["| key | what it says | may be | unless given |", "|---|---|---|---|"]
    for key, said in section["properties"].items():
        if key in keys:
            about = said.get("description") or ABOUT[key]
            needed = key in section.get("required", ())
            otherwise = "**must be given**" if needed else _default(section["title"], said)
            lines.append(f"| `{key}` | {about} | {_may_be(said)} | {otherwise} |")
    return "\n".join(lines) + "\n"


def _default(section: str, said: dict[str, Any]) -> str:
    value = said.get("default")
    if section == "PlanSection":
        return "[derived](../study-file.md#plan)"
    if value in (None, "", {}, []):
        return "" if "if left out" in said.get("description", "") else "nothing"  # says it already
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _may_be(said: dict[str, Any]) -> str:
    """Say in words what a key's schema allows."""
    for several in ("anyOf", "oneOf"):
        if several in said:
            shapes = [_may_be(one) for one in said[several] if one.get("type") != "null"]
            return "; or ".join(dict.fromkeys(shapes))
    if "$ref" in said:
        return "a section"
    if "const" in said or "enum" in said:
        return ", ".join(f"`{value}`" for value in said.get("enum", [said.get("const")]))
    if said.get("type") == "array":
        few, many = said.get("minItems"), said.get("maxItems")
        count = f" of {few}" if few is not None and few == many else ""
        return f"a list{count}: each {_may_be(said['items'])}"
    if said.get("type") == "object":
        return f"by name, {_may_be(said['additionalProperties'])}"
    return WORDS[said["type"]] + _ends(said)


def _ends(said: dict[str, Any]) -> str:
    """Say between which ends a number may lie."""
    low, above = said.get("minimum"), said.get("exclusiveMinimum")
    high, below = said.get("maximum"), said.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if above is not None and below is not None:
        return f" between {above:g} and {below:g}"
    if low is not None:
        return f", {low:g} or more"
    return f" above {above:g}" if above is not None else ""

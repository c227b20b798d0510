"""Writes what follows from the policies' descriptions (`make settings`), or compares it.

The JSON Schema of study files, the tables of policies and settings in docs/study-file.md, and the
pages of all keys and of all verbs, docs/reference/study-file.md and docs/reference/command-line.md.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from command_line_reference import command_line_reference
from study_file_reference import reference

from askless.survey.policy_descriptions import KNOWN, PolicyDescription, Taken
from askless.survey.setting import Flag, Words
from askless.survey.study_file import json_schema

DOCS = Path(__file__).parents[1] / "docs"
PAGE, SCHEMA = DOCS / "study-file.md", DOCS / "study.schema.json"
KEYS = DOCS / "reference" / "study-file.md"
VERBS = DOCS / "reference" / "command-line.md"


def policies_table() -> str:
    """Return the policies with the names of their settings, those that must be given first."""
    lines = ["| name | class | what it is | settings |", "|---|---|---|---|"]
    for policy in in_files():
        needed = [f"**`{name}`**" for name, taken in policy.settings.items() if taken.needed]
        others = [f"`{name}`" for name, taken in policy.settings.items() if not taken.needed]
        about = re.sub(r" \(maths [\d., ]+\)", "", policy.about).replace("|", "\\|")
        lines.append(
            f"| `{policy.name}` | `al.{policy.title}` | {about} | {', '.join(needed + others)} |"
        )
    return "\n".join(lines)


def settings_table() -> str:
    """Return the settings: a row for each that differs in more than its policies."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for policy in in_files():
        for name, taken in policy.settings.items():
            if taken.setting is not None:
                row = (name, taken.setting.about, may_be(taken), default(taken))
                rows.setdefault(row, []).append(f"`{policy.name}`")
    lines = ["| setting | of | what it says | may be | default |", "|---|---|---|---|---|"]
    for name, about, values, default_ in sorted(rows, key=lambda row: row[0]):
        of = ", ".join(rows[name, about, values, default_])
        lines.append(f"| `{name}` | {of} | {about} | {values} | {default_} |")
    return "\n".join(lines)


def in_files() -> list[PolicyDescription]:
    """Return the policies that a file can name."""
    return [policy for policy in KNOWN.values() if policy.in_files]


def may_be(taken: Taken) -> str:
    """Say which values a setting may have, as files write them."""
    setting = taken.setting
    if isinstance(setting, Flag):
        return "`true`, `false`"
    if isinstance(setting, Words):
        words = ["true", "false"] * setting.flags + list(setting.words)
        return ", ".join(f"`{word}`" for word in words)
    return re.sub(r"'(\w+)'", r"`\1`", setting.values if setting else "")


def default(taken: Taken) -> str:
    """Say what a setting is unless given."""
    if taken.needed:
        return "must be given"
    if taken.setting is not None and taken.setting.otherwise:
        return taken.setting.otherwise
    if taken.default is None:
        return "none"
    value = taken.default
    return f"`{value}`".lower() if isinstance(value, bool) else f"{value:g}"


def page(text: str) -> str:
    """Return the page with its tables as they should be."""
    for name, table in (("policies", policies_table()), ("settings", settings_table())):
        first, last = f"<!-- {name}: written by make settings -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(first)
        text = f"{before}{first}\n{table}\n{last}{rest.partition(last)[2]}"
    return text


def main() -> None:
    """Write them, or say which is not as it should be."""
    written = {
        SCHEMA: json.dumps(json_schema(), indent=2) + "\n",
        PAGE: page(PAGE.read_text(encoding="utf-8")),
        KEYS: reference(json_schema()),
        VERBS: command_line_reference(),
    }
    for path, text in written.items():
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            stale = path.relative_to(DOCS.parent)
            raise SystemExit(f"{stale} is not that of the code; run make settings")


if __name__ == "__main__":
    main()

"""Saved policies: one JSON file with exact numbers, a version and a checksum; never pickle."""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from askless.errors import StateError

FORMAT = "askless.policy"
VERSION = 6
READ = (5, VERSION)  # version 5 has lists of numbers where this one has blocks of them
# What is to be said of older versions, none of which can be read.
OLDER = {
    1: "it was saved by an older askless; start a new policy and learn its rows again",
    2: "it was saved by an older askless, which chose arms by another rule and did not measure the"
    " noise; start a new policy and learn its rows again",
    3: "it was saved by an older askless, which had no short forms; start a new policy and learn"
    " its rows again",
    4: "it was saved by an older askless, whose full visits did not go by what short ones had told;"
    " start a new policy and learn its rows again",
}


def write_state(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write a policy's data in one step: the file is the old one or the new one, never half."""
    target = Path(path).resolve()  # a link stays a link
    text = _written(content)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    except OSError as error:
        raise StateError(f"{target}: cannot write the file: {error.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise StateError(f"{target}: cannot write the file: {error.strerror}") from None


def _written(content: Mapping[str, Any]) -> str:
    """Return a file's text: a line a thing, what people read first and the learned state last."""
    head = {"format": FORMAT, "version": VERSION, "checksum": checksum(content)}
    lines = [f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()]
    parts = [
        f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
        for key, value in content.items()
    ]
    return "{\n" + "".join(lines) + ' "content": {\n' + ",\n".join(parts) + "\n }\n}\n"


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _finite(text: str) -> float:
    """Read a number; one that is too large for a float is damage."""
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those that a new file gets."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def read_state(path: str | Path) -> dict[str, Any]:
    """Read a policy's data back; refuse a damaged file and one of a newer version."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        saved = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except OSError as error:
        raise StateError(f"{path}: cannot read the file: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise StateError(
            f"{path}: the file is damaged, or no saved policy: it is not JSON"
        ) from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise StateError(f"{path}: this is not a saved askless policy")
    version: Any = saved.get("version")
    if type(version) is not int or version not in READ:
        older = OLDER.get(version) if type(version) is int else None
        why = older or "was it saved by a newer askless?"
        raise StateError(
            f"{path}: the file is of version {version!r}, this askless reads"
            f" {' and '.join(map(str, READ))}; {why}"
        )
    content = saved.get("content")
    if not isinstance(content, dict) or saved.get("checksum") != checksum(content):
        raise StateError(f"{path}: the file is damaged: its checksum does not fit")
    return content


def checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the data in one canonical spelling."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()

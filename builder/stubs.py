"""`make stubs`: write what mypy reads of the compiled core; with --check, say whether it is true.

nanobind says what the doors take; arrays become the names that the package has for them
(`askless.core.arrays`). All builds have the same doors, so that the one in use speaks for all.
"""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from nanobind.stubgen import StubGen

from askless import core

PLACE = Path(__file__).parents[1] / "src" / "askless" / "core"
HEAD = "# Written by `make stubs`, out of the compiled core.\n"
ARRAYS = {"float64": "Floats", "int64": "Ints", "bool_": "Flags"}
ARRAY = re.compile(
    r"Annotated\[NDArray\[numpy\.(\w+)\], dict\(shape=\([^)]*\)[^)]*\)\]|NDArray\[numpy\.(\w+)\]"
)


def stub_of(name: str) -> str:
    """Return the stub of an extension module of the core."""
    module = import_module(f"askless.core.{name}")
    generator = StubGen(module, quiet=True)
    generator.put(module)
    text = ARRAY.sub(lambda found: ARRAYS[found[1] or found[2]], generator.get())
    lines = [line for line in text.splitlines() if not line.startswith(("from ", "import "))]
    body, imports = "\n".join(lines), []
    if hasattr(module, "inside"):
        imports.append("from types import ModuleType\n")
        body += "\n\ninside: ModuleType\n"
    used = sorted(array for array in ARRAYS.values() if re.search(rf"\b{array}\b", body))
    if used:
        imports.append(f"from askless.core.arrays import {', '.join(used)}\n")
    doc, end, rest = body.partition('"""\n') if body.startswith('"""') else ("", "", body)
    return tidied("\n".join([HEAD + doc + end, *imports, rest]))


def tidied(text: str) -> str:
    """Return a stub as ruff formats it."""
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--quiet", "--fix", "--select", "I"], ["format", "--quiet"]):
        text = subprocess.run(
            [*ruff, *command, "--stdin-filename", str(PLACE / "stub.pyi"), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return text


def main(check: bool) -> None:
    """Write the stubs, or compare them with those that are there."""
    for name, module in {"_core_any": f"_core_{core.LEVEL}", "_processor": "_processor"}.items():
        path, text = PLACE / f"{name}.pyi", stub_of(module)
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path.name} is not what the core says: make stubs")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])

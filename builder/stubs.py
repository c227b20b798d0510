"""Writes the stubs of the compiled core, which mypy reads (`make stubs`), or compares them.

nanobind writes them out of the built modules; arrays are said in one word.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "askless" / "core"
MODULES = ("_core_any", "_processor")
ARRAY = re.compile(r"Annotated\[(NDArray\[[\w.]+\]), dict\([^()]*(?:\([^()]*\)[^()]*)*\)\]")


def stub(module: str) -> str:
    """Return the stub of a module."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "stub.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", f"askless.core.{module}"]
        # The package itself must not load another build of the same types.
        alone = os.environ | {"ASKLESS_CORE": "any"}
        subprocess.run([*command, "-o", str(written)], check=True, env=alone)
        text = ARRAY.sub(r"\1", written.read_text(encoding="utf-8"))
    text = text.replace("from typing import Annotated\n\n", "")
    text = re.sub(
        r"^from askless\.core\._core_any import inside as inside\n", "", text, flags=re.MULTILINE
    )
    form = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--quiet",
        "--stdin-filename",
        f"{module}.pyi",
        "-",
    ]
    done = subprocess.run(form, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def main() -> None:
    """Write the stubs, or say which is not that of the build."""
    for module in MODULES:
        path, text = FOLDER / f"{module}.pyi", stub(module)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path.name} is not that of the built core; run make stubs")


if __name__ == "__main__":
    main()

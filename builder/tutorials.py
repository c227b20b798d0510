"""Runs the tutorials, and writes down what they print and draw (`make tutorials`), or compares it.

Of a page of docs/tutorials, in an empty folder, from top to bottom: a block with `title="NAME"` is
written as that file, `python` blocks run in one session, `sh` blocks in a shell. What a block
prints stands in the `text` block after it, and `![…](figures/PAGE/NAME)` is the file NAME that was
made in the folder. A shell block that ends with `&` goes on until the page is over.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "tutorials"
BLOCK = re.compile(
    r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<code>.*?)^```\n'
    r"(?:\n```text\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)
IMAGE = re.compile(r"!\[[^\]]+\]\((figures/[^/)]+/([^)]+))\)")
PORT = re.compile(r"(?<=--port |\.0\.0\.1:)8000\b")  # in its place one that is free
DRAWN_BY = re.compile(rb"Matplotlib version([\d.]+)")
# What a reader's terminal is taken to be, and one thread a process.
SURROUNDINGS = {
    "COLUMNS": "80",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
}
COLOURS = "FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE"
SOON = 60.0  # seconds in which a service must answer


class BrokenError(Exception):
    """A tutorial cannot be run as it stands."""


class Session:
    """One reader at a page: a folder, names that Python knows, services that go on."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.names: dict[str, Any] = {"__name__": "tutorial"}
        self.port = _free_port()
        self.services: list[subprocess.Popen[bytes]] = []

    def play(self, text: str) -> str:
        """Run all blocks of a text; return it with what they print."""
        return BLOCK.sub(self._played, text)

    def stop(self) -> None:
        """Stop what goes on."""
        for service in self.services:
            service.terminate()
            service.wait()

    def _played(self, block: re.Match[str]) -> str:
        kind, file, code = block["kind"], block["file"], block["code"]
        line = block.string.count("\n", 0, block.start()) + 1
        where = f"{self.page.name}, line {line}"
        if file is not None:
            (self.folder / file).write_text(code, encoding="utf-8")
            return block[0]
        if kind not in {"python", "sh"}:
            return block[0]
        code = PORT.sub(str(self.port), code)
        if kind == "python":
            said = self._python(code, line)
        elif code.rstrip().endswith("&"):
            said = self._service(code, where)
        else:
            said = self._shell(code, where)
        if str(self.folder) in said:
            raise BrokenError(f"{where}: it prints the folder it runs in; a reader's is another")
        said = said.replace(str(self.port), "8000")
        lines = [one.rstrip() for one in said.splitlines()]
        shown = "\n".join(lines).strip("\n")
        own = f"```{kind}\n{block['code']}```\n"
        return f"{own}\n```text\n{shown}\n```\n" if shown else own

    def _python(self, code: str, line: int) -> str:
        said = io.StringIO()
        # So many empty lines before it that an error names the line of the page.
        program = compile("\n" * line + code, str(self.page), "exec")
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(said):
            exec(program, self.names)
        return said.getvalue()

    def _shell(self, code: str, where: str) -> str:
        done = subprocess.run(
            ["sh", "-eu", "-c", code],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BrokenError(f"{where}: exit code {done.returncode}\n{done.stdout}")
        return done.stdout

    def _service(self, code: str, where: str) -> str:
        with tempfile.TemporaryFile() as notes:
            command = ["sh", "-c", f"exec {code.rstrip().removesuffix('&')}"]
            service = subprocess.Popen(command, cwd=self.folder, stdout=notes, stderr=notes)
            self.services.append(service)
            end = time.monotonic() + SOON
            while not _answers(self.port):
                if service.poll() is not None or time.monotonic() > end:
                    notes.seek(0)
                    raise BrokenError(f"{where}: no answer\n{notes.read().decode()}")
                time.sleep(0.05)
        return ""  # its first key is another one every time


def played(page: Path) -> tuple[str, dict[Path, bytes]]:
    """Run a page; return its text with what it prints, and its figures."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="askless-tutorial-") as name:
        folder = Path(name).resolve()
        session = Session(page, folder)
        path = list(sys.path)
        sys.path.insert(0, str(folder))  # a reader's Python finds the files of its folder
        try:
            text = session.play(text)
        finally:
            session.stop()
            sys.path[:] = path
        figures = {}
        for link, made in IMAGE.findall(text):
            if link != f"figures/{page.stem}/{made}":
                raise BrokenError(f"{page.name}: {link} is not in figures/{page.stem}")
            if not (folder / made).is_file():
                raise BrokenError(f"{page.name}: nothing has made {made}")
            figures[page.parent / link] = (folder / made).read_bytes()
    return text, figures


def write(page: Path) -> None:
    """Run a page, and write down what it prints and draws."""
    text, figures = played(page)
    page.write_text(text, encoding="utf-8")
    for path in _figures_of(page) - set(figures):
        path.unlink()
    for path, content in figures.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def differences(page: Path) -> Iterator[str]:
    """Run a page; yield where it prints or draws anything else than it shows."""
    text, figures = played(page)
    before = page.read_text(encoding="utf-8").splitlines()
    for number, (old, new) in enumerate(zip_longest(before, text.splitlines()), 1):
        if old != new:
            yield f"{page.name}, line {number}, is {old!r}, and now {new!r}"
    for path in sorted(_figures_of(page) ^ set(figures)):
        what = "is not there" if path in figures else "is shown nowhere"
        yield f"{page.name}: {path.relative_to(page.parent)} {what}"
    for path, content in figures.items():
        if path.is_file() and not _is_same(path.read_bytes(), content):
            yield f"{page.name}: {path.relative_to(page.parent)} is drawn otherwise now"


def _figures_of(page: Path) -> set[Path]:
    return {path for path in (page.parent / "figures" / page.stem).rglob("*") if path.is_file()}


def _is_same(old: bytes, new: bytes) -> bool:
    """Whether two figures are the same, as far as one release of matplotlib can tell."""
    by = [DRAWN_BY.search(content) for content in (old, new)]
    return old == new or (all(by) and len({found[1] for found in by if found}) > 1)


def _free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as door:
        door.settimeout(1)
        return door.connect_ex(("127.0.0.1", port)) == 0


def main() -> None:
    """Write the pages that are named, or all; or say where the first of them differs."""
    os.environ.update(SURROUNDINGS)
    os.environ["PATH"] = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    for name in COLOURS:
        os.environ.pop(name, None)
    names = [name for name in sys.argv[1:] if name != "--check"]
    pages = [PAGES / f"{name}.md" for name in names] or sorted(PAGES.glob("*.md"))
    try:
        for page in pages:
            if "--check" not in sys.argv:
                write(page)
            elif first := next(differences(page), ""):
                raise SystemExit(f"{first}\nrun make tutorials, and read what is said about it")
    except BrokenError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()

"""docs/calling.md is true: curl, Python and R each make the three calls to a real service."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import askless as al
from askless.survey.study import EXAMPLE

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
CALLERS = {
    "curl": ["sh", str(EXAMPLES / "calling.sh")],
    "Python": [sys.executable, str(EXAMPLES / "calling.py")],
    "R": ["Rscript", "--vanilla", str(EXAMPLES / "calling.R")],
}
VERSIONS = (
    ["curl", "--version"],
    [sys.executable, "--version"],
    ["Rscript", "-e", "cat(R.version.string, '- httr2', format(packageVersion('httr2')), '\\n')"],
)
PORT = 8719


def main() -> None:
    """Serve the example study, and let each caller in."""
    for version in VERSIONS:
        told = subprocess.run(version, capture_output=True, text=True, check=True).stdout
        print(told.splitlines()[0])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "study.yaml").write_text(EXAMPLE.read_text())
        askless = [sys.executable, "-m", "askless"]
        serving = [*askless, "serve", "study.yaml", "--db", "study.db", "--port", str(PORT)]
        server = subprocess.Popen([*serving, "--quiet"], cwd=folder, stdout=subprocess.DEVNULL)
        try:
            wait_for(server)
            key = new_key(askless, folder, ["serve", "reward"])
            for caller, command in CALLERS.items():
                let_in(caller, command, key)
            count(new_key(askless, folder, ["export"]))
        finally:
            server.terminate()
            server.wait()


def wait_for(server: subprocess.Popen) -> None:
    """Wait until the service answers."""
    with al.Client(f"http://127.0.0.1:{PORT}", "charity", "none") as client:
        while server.poll() is None:
            try:
                client.health()
                return
            except al.errors.ServiceError:
                time.sleep(0.1)
    raise SystemExit("the service has ended")


def new_key(askless: list[str], folder: str, scopes: list[str]) -> str:
    """Make a key as a person does."""
    wanted = [word for scope in scopes for word in ("--scope", scope)]
    command = [*askless, "key", "new", "charity", "--db", "study.db", *wanted]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def let_in(caller: str, command: list[str], key: str) -> None:
    """Run a caller twice: the second time nothing is new."""
    told = {
        "ASKLESS_ADDRESS": f"http://127.0.0.1:{PORT}",
        "ASKLESS_STUDY": "charity",
        "ASKLESS_KEY": key,
    }
    for _ in range(2):
        done = subprocess.run(
            command, env={**os.environ, **told}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{caller}: {done.stderr or done.stdout}"
    print(f"\n{caller}:\n{done.stdout}", end="")


def count(key: str) -> None:
    """Check that three callers, each run twice, were three people."""
    with al.Client(f"http://127.0.0.1:{PORT}", "charity", key) as client:
        kinds = [event.kind for event in client.events()]
    assert [kinds.count(kind) for kind in ("started", "decided", "rewarded")] == [3, 3, 3], kinds
    print("\nthree people, three decisions, three rewards, each called for twice")


if __name__ == "__main__":
    main()

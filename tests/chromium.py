"""Where this machine has Chromium; without it the tests in a browser are left out."""

import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")  # as builder/browser.sh looks for them
FOUND = next((path for path in map(shutil.which, NAMES) if path), None)
FOLDER = Path(__file__).parent / "browser"
MISSING = "tests/browser was left out: there is no Chromium; install it (apt install chromium)"


def is_wanted(config):
    """Whether pytest was asked for the folder of these tests."""
    asked = [Path(config.invocation_params.dir, given.split("::")[0]) for given in config.args]
    return any(FOLDER.is_relative_to(path.resolve()) for path in asked)

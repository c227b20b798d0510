"""The charts' JavaScript: Vega-Lite and its friends, out of the package that brings them."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import threading
from importlib.metadata import version

from askless.errors import StateError

__all__ = ["Bundle"]

PACKAGE = "vl-convert-python"
# In a process of its own: it would hold up every caller for a second, and keep 100 MB.
MAKE = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"
PATIENCE = 120  # seconds


class Bundle:
    """Made once, when somebody first needs it; nothing comes from a network.

    Attributes
    ----------
    stamp : str
        Of what it is made; the same stamp is the same script.
    """

    def __init__(self) -> None:
        self.stamp = hashlib.sha256(f"{MAKE} {version(PACKAGE)}".encode()).hexdigest()[:16]
        self._lock = threading.Lock()
        self._packed: bytes | None = None

    def prepare(self) -> None:
        """Begin to make it, if nobody has, without waiting for it."""
        if self._packed is None and not self._lock.locked():
            threading.Thread(target=self.packed, name="charts", daemon=True).start()

    def packed(self) -> bytes:
        """Return the script, packed by gzip."""
        with self._lock:
            if self._packed is None:
                done = subprocess.run(
                    [sys.executable, "-P", "-c", MAKE],
                    capture_output=True,
                    timeout=PATIENCE,
                    check=False,
                )
                if done.returncode or not done.stdout:
                    raise StateError("the script of the charts cannot be made")
                self._packed = gzip.compress(done.stdout, 6)
            return self._packed
